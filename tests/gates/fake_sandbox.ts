/** A sandbox of JavaScript games for tests of flow; a fault is whatever the game throws. */
import {
  type Failure,
  ok,
  type ParsedProgram,
  type Result,
  type Sandbox,
  type StartOptions,
  type ToolFacts,
} from "../../lib/core/mod.ts";

export interface Game {
  reset(seed: number): [observation: string, info?: Record<string, unknown>];
  step(
    action: string,
  ): [
    observation: string,
    reward: number,
    terminated: boolean,
    truncated: boolean,
    info?: Record<string, unknown>,
  ];
  solution?(): string[];
  maxTurns?: number;
  /** Tool use: what it offers, and what calls, answers and criteria give. */
  desk?: {
    tools: ToolFacts;
    call(name: string, args: Record<string, unknown>): string;
    answer(text: string): [observation: string, reward: number, terminated: boolean];
    criteria(): (boolean | string)[];
  };
}

/** Thrown by a game or a hook to fail a request. */
export class Fault extends Error {
  constructor(readonly failure: Failure) {
    super(failure.reason);
  }
}

export interface FakeSandbox extends Sandbox {
  starts: { source: string; options: StartOptions }[];
  /** Processes not disposed of. */
  open: number;
  /** Actions in order of arrival. */
  actions: string[];
}

export interface FakeOptions {
  parsed?: Partial<ParsedProgram>;
  /** Runs before each request; may throw a {@link Fault}. */
  before?: (request: string) => void | Promise<void>;
}

export function fakeSandbox(
  make: (source: string, options: StartOptions) => Game,
  { parsed, before }: FakeOptions = {},
): FakeSandbox {
  async function attempt<T>(request: string, action: () => T): Promise<Result<T>> {
    try {
      await before?.(request);
      return ok(action());
    } catch (error) {
      if (error instanceof Fault) return error.failure;
      throw error;
    }
  }
  const sandbox: FakeSandbox = {
    level: "full",
    layers: {},
    starts: [],
    open: 0,
    actions: [],
    parse: () =>
      attempt("parse", () => ({
        environments: ["FakeEnv"],
        treeHash: "tree",
        imports: [],
        constant: false,
        ...parsed,
      })),
    start(source, options = {}) {
      sandbox.starts.push({ source, options });
      return attempt("start", () => {
        let game = make(source, options);
        sandbox.open += 1;
        return {
          maxTurns: game.maxTurns,
          reset: (seed: number, { fresh = false } = {}) =>
            attempt("reset", () => {
              if (fresh) game = make(source, options);
              const [observation, info = {}] = game.reset(seed);
              return { observation, info };
            }),
          step: (action: string) =>
            attempt("step", () => {
              sandbox.actions.push(action);
              const [observation, reward, terminated, truncated, info = {}] = game.step(action);
              return { observation, reward, terminated, truncated, info };
            }),
          tools: () => attempt("tools", () => game.desk?.tools ?? null),
          call: (name: string, args: Record<string, unknown>) =>
            attempt("call", () => {
              sandbox.actions.push(JSON.stringify({ name, arguments: args }));
              return { observation: game.desk!.call(name, args), info: {} };
            }),
          answer: (text: string) =>
            attempt("answer", () => {
              sandbox.actions.push(text);
              const [observation, reward, terminated] = game.desk!.answer(text);
              return { observation, reward, terminated, truncated: false, info: {} };
            }),
          criteria: () => attempt("criteria", () => game.desk?.criteria() ?? []),
          solution: () => attempt("solution", () => game.solution?.() ?? null),
          [Symbol.asyncDispose]: () => {
            sandbox.open -= 1;
            return Promise.resolve();
          },
        };
      });
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
  return sandbox;
}

/** Guess which of 20 numbers the seed hides; five turns; `turns` shortens it. */
export function guessGame(turns = 5): Game {
  let secret = 0;
  let turn = 0;
  const actions = Array.from({ length: 20 }, (_, i) => String(i));
  return {
    reset(seed) {
      secret = (seed * 7) % 20;
      turn = 0;
      return ["guess 0 to 19", { actions }];
    },
    step(action) {
      turn += 1;
      const said = Number(/^\\boxed\{(\d+)\}$/.exec(action)?.[1] ?? NaN);
      const won = said === secret;
      const word = said < secret ? "higher" : "lower";
      return [won ? "yes" : word, won ? 1 : 0, won, !won && turn >= turns, { actions }];
    },
  };
}
