/**
 * What a hint must not contain [D9]: an answer, or in tool use a value of an argument, that is the same on every seed; a
 * line of the program.
 * @module
 */
import { type Result, type Sandbox, SandboxError, type SandboxLimits, says } from "../core/mod.ts";

/** Shortest constant answer, shortest code line that count as a leak. */
const answerLength = 4;
const lineLength = 20;
const leakSeeds = 20;

/**
 * Why a hint may not be shown, or undefined. `answers` are those of {@link constantAnswers}.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * const source = "    self.secret = self.rng.randrange(20)\n";
 * assert.equal(leakReason("halve the range", source, []), undefined);
 * assert.equal(leakReason("self.secret = self.rng.randrange(20)", source, []), "repeats a line of the program");
 * ```
 */
export function leakReason(
  hint: string,
  source: string,
  answers: readonly string[],
): string | undefined {
  const line = source.split("\n").map((text) => text.trim())
    .find((text) => text.length >= lineLength && hint.includes(text));
  if (line !== undefined) return "repeats a line of the program";
  const answer = answers.find((text) => says(hint, text));
  return answer === undefined ? undefined : "tells an answer that is the same on every seed";
}

/**
 * Answers, and values of arguments of tool calls, of at least 4 characters that belong to the solution on all seeds 0 to
 * 19 and are never offered right after reset. Empty without `solution()`.
 *
 * ```ts ignore
 * import assert from "node:assert/strict";
 * import { constantAnswers, startSandbox } from "@spade/spade";
 *
 * await using sandbox = await startSandbox({ python: ".spade/sandbox/bin/python" });
 * const source = Deno.readTextFileSync("data/environments/good/archive_desk.py");
 * // one argument of the winning calls is the same on every seed: a hint must not say it
 * assert.deepEqual(await constantAnswers(source, { sandbox }), { kind: "ok", value: ["pages"] });
 * ```
 *
 * @throws {SandboxError} when the host fails twice.
 */
export async function constantAnswers(
  source: string,
  options: { sandbox: Sandbox; limits?: Partial<SandboxLimits>; signal?: AbortSignal },
): Promise<Result<string[]>> {
  // A program without the word cannot define the method; this saves it a process.
  if (!source.includes("solution")) return { kind: "ok", value: [] };
  for (let attempt = 0;; attempt++) {
    const result = await commonAnswers(source, options);
    if (result.kind === "ok" || result.blame === "designer") return result;
    options.signal?.throwIfAborted();
    if (attempt > 0) {
      throw new SandboxError(
        `Cannot check hint for leaks: ${result.reason} ${result.detail ?? ""}`.trim(),
      );
    }
  }
}

async function commonAnswers(
  source: string,
  options: { sandbox: Sandbox; limits?: Partial<SandboxLimits>; signal?: AbortSignal },
): Promise<Result<string[]>> {
  const { sandbox, limits, signal } = options;
  const started = await sandbox.start(source, { limits, signal });
  if (started.kind !== "ok") return started;
  await using process = started.value;
  let common: Set<string> | undefined;
  for (let seed = 0; seed < leakSeeds; seed++) {
    const reset = await process.reset(seed, { fresh: true });
    if (reset.kind !== "ok") return reset;
    const solution = await process.solution();
    if (solution.kind !== "ok") return solution;
    if (solution.value === null) return { kind: "ok", value: [] };
    const offered = reset.value.info["actions"];
    const hidden = toldBy(solution.value).filter((text) =>
      text.length >= answerLength && !(Array.isArray(offered) && offered.includes(text))
    );
    const before: Set<string> | undefined = common;
    common = new Set(before === undefined ? hidden : hidden.filter((text) => before.has(text)));
    if (common.size === 0) break;
  }
  return { kind: "ok", value: [...common ?? []] };
}

/** The answers of a solution and the values in its calls; in tool use `done` is a word of the rules. */
function toldBy(solution: readonly string[]): string[] {
  const calls = solution.map(argumentsOf);
  const isTool = calls.some((values) => values !== undefined);
  const answers = solution.filter((_, i) => calls[i] === undefined).map((text) => text.trim())
    .filter((text) => !isTool || text.toLowerCase() !== "done");
  return [...answers, ...calls.flatMap((values) => values ?? [])];
}

/** Texts and numbers among the arguments of a call, however deep; undefined for an answer. */
function argumentsOf(item: string): string[] | undefined {
  try {
    const call = JSON.parse(item);
    return typeof call?.name === "string" ? leavesOf(call.arguments) : undefined;
  } catch {
    return undefined;
  }
}

function leavesOf(value: unknown): string[] {
  if (typeof value === "string") return [value.trim()];
  if (typeof value === "number") return [String(value)];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(leavesOf);
}
