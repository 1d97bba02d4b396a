/**
 * Held-out evaluation: fixed environments and instances (the same for every run), temperature 1 and greedy side by
 * side. The development set is for choices; the test set is touched once, when a run ends, with the starting and the
 * final weights.
 * @module
 */
import { type RecordOf, type Sampler, seedOf } from "../core/mod.ts";
import { countStage, type Loop } from "./context.ts";
import { heldoutEpisode, throwOnOutage } from "./groups.ts";
import { ledgerRow } from "./report.ts";
import { settled } from "./settled.ts";

type Evaluation = RecordOf<"evaluation">;
type Mode = Evaluation["mode"];

/** What is evaluated, and under which name it is stored. */
export interface EvaluationRequest {
  /** Rollouts done when the weights were evaluated; 0 are the starting weights. */
  rollout: number;
  /** Held-out set: `dev` for choices, `test` once, when a run ends. */
  set: "dev" | "test";
  /** The starting weights or those the engine holds now. */
  weights: "base" | "current";
}

async function evaluateMode(
  loop: Loop,
  request: EvaluationRequest,
  mode: Mode,
  sampler: Sampler,
): Promise<Evaluation[]> {
  const { rollout, set, weights } = request;
  const stored = loop.store.all("evaluation", { where: { rollout, set, weights, mode } });
  if (stored.length > 0) return stored;
  const jobs = loop.heldout[set].flatMap((program) =>
    Array.from({ length: loop.config.evaluationPlays[set] }, (_, index) => ({ program, index }))
  );
  const step = countStage(loop, rollout, `evaluate ${set} ${mode}`, jobs.length);
  const started = loop.clock();
  const played = await settled(jobs.map(async ({ program, index }) => {
    const seed = seedOf("heldout", program.id, index);
    const result = await heldoutEpisode(loop, program, seed, {
      sampler,
      temperature: mode === "greedy" ? 0 : 1,
      samplingSeed: (turn) =>
        seedOf(loop.config.seed, "evaluation", set, program.id, index, mode, turn),
    });
    step();
    const row: Evaluation = {
      id: `e${rollout}/${set}/${weights}/${mode}/${program.id.slice(0, 16)}/${index}`,
      rollout,
      set,
      weights,
      mode,
      environmentId: program.id,
      family: program.family,
      seen: program.seen,
      index,
      seed,
      outcome: result.outcome,
      success: result.success,
      turns: result.turns.length,
    };
    return { row, turns: [...result.given, ...result.turns] };
  }));
  const rows = played.map(({ row }) => row);
  loop.signal.throwIfAborted();
  await throwOnOutage(loop, rows.map(({ outcome }) => outcome));
  const id = `e${rollout}/${set}/${weights}/${mode}`;
  const at = { id, rollout, role: "evaluation" as const, stage: `${set} ${mode}` };
  const turns = played.flatMap((play) => play.turns);
  const cost = ledgerRow(at, turns, loop.clock() - started);
  loop.store.transaction(() => {
    loop.store.insert("evaluation", rows);
    loop.store.insert("ledger", cost);
  });
  return rows;
}

/**
 * Evaluates one set at temperature 1 and greedily; each mode is one unit of work.
 * Rows that are stored already are returned, not played again. They are stored in the loop's own store.
 *
 * ```ts ignore check
 * import { evaluate, type Loop, successRateOf } from "@spade/spade";
 *
 * declare const loop: Loop; // an opened run
 * const rows = await evaluate(loop, { rollout: 0, set: "dev", weights: "base" });
 * console.log(successRateOf(rows, "greedy"));
 * ```
 */
export async function evaluate(
  loop: Loop,
  request: EvaluationRequest,
): Promise<RecordOf<"evaluation">[]> {
  const sampler = request.weights === "base" ? loop.engine.base : loop.engine.sampler;
  const rows: Evaluation[] = [];
  for (const mode of ["sampled", "greedy"] as const) {
    rows.push(...await evaluateMode(loop, request, mode, sampler));
  }
  return rows;
}

/**
 * Success rate of scored plays, or undefined.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { failed, scored } from "../core/mod.ts";
 * const mode = "greedy" as const;
 * const rows = [
 *   { mode, outcome: scored(1), success: true },
 *   { mode, outcome: scored(0), success: false },
 *   { mode, outcome: failed("host", "deadline"), success: false },
 * ];
 * assert.equal(successRateOf(rows, "greedy"), 0.5);
 * assert.equal(successRateOf(rows, "sampled"), undefined);
 * ```
 */
export function successRateOf(
  rows: readonly Pick<RecordOf<"evaluation">, "mode" | "outcome" | "success">[],
  mode: "sampled" | "greedy",
): number | undefined {
  const scored = rows.filter((row) => row.mode === mode && row.outcome.kind === "scored");
  if (scored.length === 0) return undefined;
  return scored.filter((row) => row.success).length / scored.length;
}
