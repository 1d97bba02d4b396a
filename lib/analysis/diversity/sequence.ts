/**
 * The programs a run accepted, in the order in which it did.
 * @module
 */
import type { RecordOf } from "../../core/mod.ts";
import type { RunTables } from "../tables.ts";

/** A program that entered the set as the designer's work, with the rollout and slot in which it did. */
export interface Accepted {
  /** The program. */
  environment: RecordOf<"environment">;
  /** Rollout that made the set it entered. */
  rollout: number;
  /** Place in that set. */
  slot: number;
  /** Skill it stands for in it. */
  skill: string;
}

/**
 * Designed environments of the set by rollout and slot, each once, when it was first accepted. Refused programs and
 * those taken again from memory are not in it.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * const environment = { id: "e", rollout: 0, source: "class SumEnv: ...", className: "SumEnv", description: "",
 *   skill: "Optimization", treeHash: "t", replyId: "r", documentId: null, parents: [] };
 * const place = { slot: 3, environmentId: "e", skill: "Optimization", replyId: "r", hint: null };
 * const [first, ...rest] = acceptedInOrder({
 *   environment: [environment],
 *   active: [
 *     { ...place, id: "a0", rollout: 0, origin: "designed" },
 *     { ...place, id: "a1", rollout: 2, origin: "memory" },
 *   ],
 * });
 * assert.deepEqual([first.rollout, first.slot, rest.length], [0, 3, 0]);
 * ```
 */
export function acceptedInOrder(
  { environment, active }: Pick<RunTables, "environment" | "active">,
): Accepted[] {
  const byId = new Map(environment.map((e) => [e.id, e]));
  const found = new Map<string, Accepted>();
  const designed = active.filter(({ origin }) => origin === "designed");
  for (const row of designed.sort((a, b) => a.rollout - b.rollout || a.slot - b.slot)) {
    const of = byId.get(row.environmentId);
    if (of === undefined || found.has(of.id)) continue;
    found.set(of.id, { environment: of, rollout: row.rollout, slot: row.slot, skill: row.skill });
  }
  return [...found.values()];
}
