/**
 * What keeps a program that hangs from costing everybody. Its requests run few at a time, so that it never takes all
 * processors; and once several plays of an arm have hung, the arm's other plays are given up.
 *
 * Whether an arm is given up depends on how many of its plays hang, not on which of them is seen first: all its plays
 * then end alike, whatever they had come to.
 * @module
 */
import { type EnvironmentProcess, failed, type RecordOf, type Sandbox } from "../core/mod.ts";
import type { Turnstile } from "./turnstile.ts";

/** As many plays of an arm must hang for it to be given up: a rare fault costs only the play that has it. */
const mostHung = 2;

/** Requests of one program that run at a time: more would only share the processors, and hang all together. */
export const requestsAtOnce: number = navigator.hardwareConcurrency;

/** The same sandbox; what its processes are asked passes the turnstile of their program, at `place`. */
export function withTurnstile(sandbox: Sandbox, turnstile: Turnstile, place: number): Sandbox {
  const pass = <T>(work: () => Promise<T>) => turnstile.pass(place, work);
  const wrap = (process: EnvironmentProcess): EnvironmentProcess => ({
    maxTurns: process.maxTurns,
    reset: (seed, options) => pass(() => process.reset(seed, options)),
    step: (action) => pass(() => process.step(action)),
    tools: () => pass(() => process.tools()),
    call: (name, args) => pass(() => process.call(name, args)),
    answer: (text) => pass(() => process.answer(text)),
    criteria: () => pass(() => process.criteria()),
    solution: () => pass(() => process.solution()),
    [Symbol.asyncDispose]: () => process[Symbol.asyncDispose](),
  });
  return {
    level: sandbox.level,
    layers: sandbox.layers,
    parse: (source, options) => sandbox.parse(source, options),
    async start(source, options) {
      const started = await sandbox.start(source, options);
      return started.kind === "ok" ? { ...started, value: wrap(started.value) } : started;
    },
    [Symbol.asyncDispose]: () => sandbox[Symbol.asyncDispose](),
  };
}

/** Whether the plays of an arm are those of a program that hangs. */
export function isHanging(plays: readonly { hung: boolean }[]): boolean {
  return plays.filter(({ hung }) => hung).length >= mostHung;
}

/** Counts the hung plays of one arm. */
export class Hangs {
  #count = 0;
  readonly #given = new AbortController();

  /** Aborts when the arm is given up. */
  get signal(): AbortSignal {
    return this.#given.signal;
  }

  /** Counts a play; the second that hung ends the arm. */
  note(play: { hung: boolean }): void {
    if (play.hung && ++this.#count >= mostHung) this.giveUp();
  }

  /** Ends the arm: plays that have not begun are not begun. */
  giveUp(): void {
    this.#given.abort(new Error("The program hangs"));
  }
}

/** How every play of an arm ends that is given up. */
export const givenUp:
  & Pick<
    RecordOf<"play">,
    "outcome" | "success" | "terminated" | "truncated" | "turns" | "versionFirst" | "versionLast"
  >
  & { hung: true; attempts: number } = {
    outcome: failed(
      "designer",
      "deadline",
      "the program hangs: the plays of this arm are given up",
    ),
    ...{ success: false, terminated: false, truncated: false, turns: 0 },
    ...{ versionFirst: -1, versionLast: -1, hung: true, attempts: 1 },
  };
