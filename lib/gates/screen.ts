/**
 * Gate `screen`: a model's opinion of a program that every other gate let through. It can refuse. It cannot accept: no
 * praise, from the model or quoted from the program, changes another gate's verdict, because the screen is asked last
 * and only a clear rejection counts [D8].
 * @module
 */
import { type GateOptions, type GateVerdict, pass, refuse, skip } from "./report.ts";

/** Asks a model about a program and returns its reply as it came; `attempt` is 0, then 1. */
export type Screen = (
  source: string,
  options: { attempt: number; signal?: AbortSignal },
) => Promise<string>;

/** What a model thinks of a program. */
export interface Opinion {
  /** Only `reject` has an effect. */
  verdict: "accept" | "reject";
  /** In the model's words, 500 characters at most. */
  reason: string;
}

/**
 * The opinion in a reply: its last line `VERDICT: accept` or `VERDICT: reject because …`; undefined where there is none
 * or where lines contradict one another.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * assert.deepEqual(opinionIn("Fine rules.\nVERDICT: reject because the goal is shown"), {
 *   verdict: "reject",
 *   reason: "because the goal is shown",
 * });
 * assert.equal(opinionIn("I would accept or reject it."), undefined);
 * ```
 */
export function opinionIn(reply: string): Opinion | undefined {
  const lines = [
    ...reply.matchAll(/^[\s*#>`]*verdict\s*:[ \t*`]*(accept|reject)\b[ \t*`:.,-]*(.*)$/gim),
  ];
  const verdicts = new Set(lines.map(([, verdict]) => verdict.toLowerCase()));
  if (verdicts.size !== 1) return undefined;
  const [, verdict, reason] = lines[lines.length - 1];
  return {
    verdict: verdict.toLowerCase() as Opinion["verdict"],
    reason: reason.trim().slice(0, 500),
  };
}

/** Asks once, and once more where no opinion came; `evidence.tries` counts, `evidence.opinion` is there if one came. */
export async function screenGate(
  source: string,
  options: Pick<GateOptions, "screen" | "screenRequired" | "signal">,
): Promise<GateVerdict> {
  const { screen, screenRequired = false, signal } = options;
  const without = (reason: string, evidence = {}) =>
    screenRequired
      ? refuse("screen", `no opinion: ${reason}`, evidence)
      : skip("screen", reason, evidence);
  if (screen === undefined) return without("no model is asked", { tries: 0 });
  const problems: string[] = [];
  while (problems.length < 2) {
    signal?.throwIfAborted();
    try {
      const reply = await screen(source, { attempt: problems.length, signal });
      const opinion = opinionIn(reply);
      const evidence = { tries: problems.length + 1, opinion: opinion?.reason ?? "" };
      if (opinion?.verdict === "reject") {
        return refuse("screen", opinion.reason || "rejected without a reason", evidence);
      }
      if (opinion) return pass("screen", evidence);
      problems.push(reply.trim() === "" ? "empty reply" : "no verdict in the reply");
    } catch (error) {
      signal?.throwIfAborted();
      problems.push(`failed: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return without(problems[1], { tries: problems.length, problems });
}
