/**
 * How long plays and replies are.
 * @module
 */
import type { RecordOf } from "../core/mod.ts";
import { type Share, shareOf } from "./estimate.ts";
import { groupBy } from "./group.ts";
import { type Spread, spreadOf } from "./spread.ts";

/** Turns of the plays of one rollout and arm. */
export interface TurnLengths extends Spread {
  /** Rollout of the plays. */
  rollout: number;
  /** With or without the hint. */
  arm: RecordOf<"play">["arm"];
  /** Plays that a limit or the program cut. */
  truncated: Share;
}

/**
 * One row a rollout and arm.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * const play = { rollout: 0, arm: "plain" as const };
 * const [row] = turnLengths([
 *   { ...play, turns: 2, truncated: false },
 *   { ...play, turns: 12, truncated: true },
 * ]);
 * assert.deepEqual([row.mean, row.most, row.truncated.share], [7, 12, 0.5]);
 * ```
 */
export function turnLengths(
  plays: readonly Pick<RecordOf<"play">, "rollout" | "arm" | "turns" | "truncated">[],
): TurnLengths[] {
  return [...groupBy(plays, ({ rollout }) => rollout)].flatMap(([rollout, of]) =>
    (["plain", "hinted"] as const).flatMap((arm) => {
      const own = of.filter((play) => play.arm === arm);
      if (own.length === 0) return [];
      const truncated = shareOf(own.filter((play) => play.truncated).length, own.length);
      return [{ rollout, arm, ...spreadOf(own.map(({ turns }) => turns)), truncated }];
    })
  );
}

/** Tokens of replies of one rollout and role, the stop token included. */
export interface TokenLengths extends Spread {
  /** Rollout of the replies. */
  rollout: number;
  /** Who replied. */
  role: "agent" | RecordOf<"reply">["role"];
  /** Replies cut at their token limit. */
  cut: Share;
}

/** A turn or a reply: only the number of its ids counts. */
export type Sampled = Pick<RecordOf<"turn">, "rollout" | "finish"> & {
  ids: { readonly length: number };
  role?: RecordOf<"reply">["role"];
};

/**
 * Takes turns (of the agent) and replies, in one walk: pass a store's `iterate()` where there are many.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * const rows = tokenLengths([
 *   { rollout: 0, ids: [5, 6, 7], finish: "stop" },
 *   { rollout: 0, ids: [5, 6, 7, 8], finish: "length", role: "designer" },
 * ]);
 * assert.deepEqual(rows.map(({ role, mean, cut }) => [role, mean, cut.share]),
 *   [["agent", 3, 0], ["designer", 4, 1]]);
 * ```
 */
export function tokenLengths(sampled: Iterable<Sampled>): TokenLengths[] {
  const found = new Map<
    string,
    { rollout: number; role: TokenLengths["role"]; cut: number; lengths: number[] }
  >();
  for (const { rollout, role = "agent", ids, finish } of sampled) {
    const key = `${rollout}/${role}`;
    const entry = found.get(key) ?? { rollout, role, cut: 0, lengths: [] };
    found.set(key, entry);
    entry.lengths.push(ids.length);
    if (finish === "length") entry.cut++;
  }
  return [...found.values()]
    .sort((a, b) => a.rollout - b.rollout || (a.role < b.role ? -1 : 1))
    .map(({ rollout, role, cut, lengths }) => ({
      rollout,
      role,
      ...spreadOf(lengths),
      cut: shareOf(cut, lengths.length),
    }));
}
