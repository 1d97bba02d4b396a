/**
 * What the updates were made of: advantages by rollout and role, and groups that taught nothing.
 * @module
 */
import type { RecordOf } from "../core/mod.ts";
import { type GroupHealth, groupHealth } from "./band.ts";
import { type Share, shareOf } from "./estimate.ts";
import { groupBy } from "./group.ts";
import { type Spread, spreadOf } from "./spread.ts";

/** Health of one rollout's plain groups. */
export interface RolloutHealth extends GroupHealth {
  /** Rollout of the plays. */
  rollout: number;
}

/** {@link groupHealth} of each rollout. */
export function groupHealthByRollout(plays: readonly RecordOf<"play">[]): RolloutHealth[] {
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
 */
export function advantageTails(
  batches: readonly RecordOf<"batch">[],
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
