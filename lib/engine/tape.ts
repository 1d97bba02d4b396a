/**
 * A tape: every reply of a real engine, written down and played back exactly. A recorded run can be run again without
 * its engine, for a deterministic test or to look into what a user saw. A replayed call that was never recorded is an
 * error, not a guess.
 *
 * A line is `{port, call, key, value}`; sampling is keyed by what was asked (weights, prompt, parameters, seed), so the
 * order of arrival does not matter; training calls are keyed by their place in the order and what was sent.
 * @module
 */
import { z } from "zod";
import {
  type Engine,
  EngineError,
  type Sampler,
  type SampleReply,
  sha256,
  type Trainer,
  type TrainerCapabilities,
} from "../core/mod.ts";

/** One recorded answer. */
export interface TapeLine {
  /** Who answered: the sampler of the trained weights, that of the starting weights, or the trainer. */
  port: "sampler" | "base" | "trainer";
  /** Name of the method. */
  call: string;
  /** Hash of what was asked; of a training call also its place in the order. */
  key: string;
  /** The answer. */
  value: unknown;
}

const line = z.object({
  port: z.enum(["sampler", "base", "trainer"]),
  call: z.string(),
  key: z.string(),
  value: z.unknown(),
});

/** JSON without NaN: `forwardBackward` answers NaN where nothing was computed. */
function toJson(value: unknown): string {
  return JSON.stringify(value, (_, item) => Number.isNaN(item) ? "NaN" : item);
}

function fromJson(text: string): unknown {
  return JSON.parse(text, (_, item) => item === "NaN" ? NaN : item);
}

/**
 * A line of the file.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * const line = writeTapeLine({ port: "trainer", call: "publish", key: "3", value: 1 });
 * assert.equal(line, '{"port":"trainer","call":"publish","key":"3","value":1}\n');
 * ```
 */
export function writeTapeLine(entry: TapeLine): string {
  return toJson(entry) + "\n";
}

/**
 * Reads a tape. A last line that is cut (the recorder was killed) is left out.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * const whole = writeTapeLine({ port: "trainer", call: "publish", key: "3", value: 1 });
 * assert.deepEqual(readTape(whole + '{"port":"trai').map(({ value }) => value), [1]);
 * ```
 *
 * @throws {SyntaxError} naming the line that is wrong.
 */
export function readTape(text: string): TapeLine[] {
  const lines = text.split("\n");
  const last = lines.pop();
  return [...lines, ...last ? [last] : []].flatMap((raw, i) => {
    try {
      return [line.parse(fromJson(raw)) as TapeLine];
    } catch (cause) {
      if (i === lines.length && last) return [];
      throw new SyntaxError(`Cannot read the tape: line ${i + 1} is malformed`, { cause });
    }
  });
}

const trainerCalls = [
  "state",
  "forward",
  "forwardBackward",
  "reference",
  "optimStep",
  "takeBatch",
  "publish",
  "save",
  "load",
] as const;

function keyOf(...given: unknown[]): string {
  return sha256(JSON.stringify(given)).slice(0, 32);
}

/** What a training call was given that decides its answer: names of runs and signals do not. */
function trainingKey(call: typeof trainerCalls[number], given: readonly unknown[]): string {
  switch (call) {
    case "forward":
    case "reference":
    case "optimStep":
    case "takeBatch":
      return keyOf(given[0]);
    case "forwardBackward":
      return keyOf(given[0], given[1]);
    default:
      return "";
  }
}

/**
 * The same engine; `write` gets a line for every answer.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { onlySamples } from "./only_samples.ts";
 * const sampler = { sample: () => Promise.resolve({ ids: [7], logps: [-0.5], finish: "stop" as const, weightsVersion: 0 }) };
 * const tape: TapeLine[] = [];
 * const engine = recordEngine(onlySamples(sampler, { engine: "stub", model: "stub" }), (line) => tape.push(line));
 * await engine.sampler.sample({ prompt: [1], params: { maxTokens: 1, temperature: 1, stopIds: [] }, seed: 0 });
 * assert.deepEqual(tape.map(({ call }) => call), ["capabilities", "sample"]);
 * ```
 */
export function recordEngine(engine: Engine, write: (entry: TapeLine) => void): Engine {
  const sampler = (port: "sampler" | "base", inner: Sampler): Sampler => ({
    async sample(request, options) {
      const value = await inner.sample(request, options);
      write({ port, call: "sample", key: keyOf(value.weightsVersion, request), value });
      return value;
    },
  });
  let calls = 0;
  const record = <T>(call: string, value: T, key: string): T => {
    write({ port: "trainer", call, key, value: value ?? null });
    return value;
  };
  write({ port: "trainer", call: "capabilities", key: "", value: engine.trainer.capabilities });
  const trainer = { capabilities: engine.trainer.capabilities } as Record<string, unknown>;
  for (const call of trainerCalls) {
    const inner = engine.trainer[call] as ((...given: unknown[]) => Promise<unknown>) | undefined;
    if (inner === undefined) continue;
    trainer[call] = async (...given: unknown[]) => {
      const key = `${call === "state" ? "" : calls++} ${trainingKey(call, given)}`;
      return record(call, await inner.apply(engine.trainer, given), key);
    };
  }
  return {
    trainer: trainer as unknown as Trainer,
    sampler: sampler("sampler", engine.sampler),
    base: sampler("base", engine.base),
    log: () => engine.log(),
    ...engine.keepOnly ? { keepOnly: (paths) => engine.keepOnly!(paths) } : {},
    [Symbol.asyncDispose]: () => engine[Symbol.asyncDispose](),
  };
}

/**
 * An engine that answers from a tape.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { onlySamples } from "./only_samples.ts";
 * const sampler = { sample: () => Promise.resolve({ ids: [7], logps: [-0.5], finish: "stop" as const, weightsVersion: 0 }) };
 * const tape: TapeLine[] = [];
 * const engine = recordEngine(onlySamples(sampler, { engine: "stub", model: "stub" }), (line) => tape.push(line));
 * const request = { prompt: [1], params: { maxTokens: 1, temperature: 1, stopIds: [] }, seed: 0 };
 * const first = await engine.sampler.sample(request);
 * const replayed = replayEngine(tape);
 * assert.deepEqual(await replayed.sampler.sample(request), first);
 * await assert.rejects(replayed.sampler.sample({ ...request, seed: 1 }), /no answer to this call/);
 * ```
 *
 * @throws {SyntaxError} where the tape has no beginning; its calls throw {EngineError} where a call was not recorded.
 */
export function replayEngine(tape: readonly TapeLine[]): Engine {
  const answers = Map.groupBy(tape, ({ port, call, key }) => `${port} ${call} ${key}`);
  const begin = tape.find(({ call }) => call === "capabilities");
  if (begin === undefined) throw new SyntaxError("Cannot replay the tape: it has no capabilities");
  const capabilities = begin.value as TrainerCapabilities;
  let published = 0, calls = 0;
  const answer = (port: TapeLine["port"], call: string, key: string): unknown => {
    const found = answers.get(`${port} ${call} ${key}`);
    if (found === undefined) {
      throw new EngineError(
        `Cannot replay ${call} of the ${port}: the tape has no answer to this call`,
      );
    }
    // asked again (a resumed run): the last answer stands for good
    return structuredClone((found.length > 1 ? found.shift() : found[0])!.value);
  };
  const sampler = (port: "sampler" | "base"): Sampler => ({
    sample(request, { signal } = {}) {
      return new Promise((resolve) => {
        signal?.throwIfAborted();
        const version = port === "base" ? 0 : published;
        resolve(answer(port, "sample", keyOf(version, request)) as SampleReply);
      });
    },
  });
  const trainer = { capabilities } as Record<string, unknown>;
  for (const call of trainerCalls) {
    if (call === "reference" && !capabilities.reference) continue;
    if (call === "takeBatch" && !tape.some((entry) => entry.call === call)) continue;
    trainer[call] = (...given: unknown[]) =>
      new Promise((resolve) => {
        const value = answer(
          "trainer",
          call,
          `${call === "state" ? "" : calls++} ${trainingKey(call, given)}`,
        );
        if (call === "publish") published = value as number;
        if (call === "load" || call === "takeBatch") {
          published = (value as { weightsVersion: number }).weightsVersion;
        }
        resolve(value);
      });
  }
  return {
    trainer: trainer as unknown as Trainer,
    sampler: sampler("sampler"),
    base: sampler("base"),
    log: () => "",
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}
