/**
 * What the updates were made of: advantages by rollout and role, and groups that taught nothing.
 * @module
 */
import type { RecordOf } from "../core/mod.ts";
import { type GroupHealth, groupHealth, type PlayReturn } from "./band.ts";
import { type Share, shareOf } from "./estimate.ts";
import { groupBy } from "./group.ts";
import { type Spread, spreadOf } from "./spread.ts";

/** Health of one rollout's plain groups. */
export interface RolloutHealth extends GroupHealth {
  /** Rollout of the plays. */
  rollout: number;
}

/**
 * {@link groupHealth} of each rollout.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { scored } from "../core/mod.ts";
 * const play = (rollout: number, value: number) =>
 *   ({ rollout, environmentId: "e", arm: "plain" as const, outcome: scored(value) });
 * const rows = groupHealthByRollout([play(0, 0), play(0, 0), play(2, 0), play(2, 1)]);
 * assert.deepEqual(rows.map((row) => [row.rollout, row.allZero.count]), [[0, 1], [2, 0]]);
 * ```
 */
export function groupHealthByRollout(plays: readonly PlayReturn[]): RolloutHealth[] {
  return [...groupBy(plays, (play) => play.rollout)]
    .map(([rollout, of]) => ({ rollout, ...groupHealth(of) }));
}

/** Advantages of one role's units in one update. */
export interface AdvantageTails extends Spread {
  /** Rollout of the update. */
  rollout: number;
  /** Whose units. */
  role: "agent" | "designer";
  /** Exactly zero: these move nothing. */
  zero: Share;
  /** Beyond `tail` on either side. */
  tail: Share;
}

/**
 * One row a rollout and role; a unit counts once, however many sequences it has. An agent's advantage is in
 * deviations of its group (spade.md section 9), n plays bound it by √(n − 1); a designer's is its signal less its
 * skill's mean, scaled. @default tail 2
 *
 * ```ts
 * import assert from "node:assert/strict";
 * const unit = (unit: string, advantage: number) =>
 *   ({ unit, role: "agent" as const, advantage, start: 0, length: 1 });
 * const sequences = [unit("a", 2.6), unit("b", -0.4), unit("c", 0), unit("c", 0)];
 * const [row] = advantageTails([{ rollout: 0, sequences }]);
 * assert.deepEqual([row.n, row.zero.count, row.tail.count], [3, 1, 1]);
 * ```
 */
export function advantageTails(
  batches: readonly Pick<RecordOf<"batch">, "rollout" | "sequences">[],
  options: { tail?: number } = {},
): AdvantageTails[] {
  const { tail = 2 } = options;
  const units = batches.flatMap((
    { rollout, sequences },
  ) => [...new Map(sequences.map((s) => [`${s.role}/${s.unit}`, { rollout, ...s }])).values()]);
  return [...groupBy(units, ({ rollout }) => rollout)].flatMap(([rollout, of]) =>
    (["agent", "designer"] as const).flatMap((role) => {
      const values = of.filter((unit) => unit.role === role).map(({ advantage }) => advantage);
      if (values.length === 0) return [];
      const share = (is: (value: number) => boolean) =>
        shareOf(values.filter(is).length, values.length);
      return [{
        rollout,
        role,
        ...spreadOf(values),
        zero: share((value) => value === 0),
        tail: share((value) => Math.abs(value) > tail),
      }];
    })
  );
}
