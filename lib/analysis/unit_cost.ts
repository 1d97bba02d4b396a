/**
 * What one accepted environment costs, and one point of regret.
 * @module
 */
import type { RecordOf } from "../core/mod.ts";
import { groupBy } from "./group.ts";

/** In one currency. */
export interface Prices {
  /** For a million tokens. */
  prompt: number;
  /** For a million tokens. */
  completion: number;
  /** For an hour of the stages' own seconds. @default 0 */
  hour?: number;
}

/** What was spent. */
export interface Amount {
  /** Prompt and completion tokens. */
  tokens: number;
  /** Sum of the stages' own seconds; stages overlap, so it can exceed wall time. */
  seconds: number;
  /** Missing without prices. */
  money?: number;
}

/** Cost of one rollout or of all, and what came of it. */
export interface UnitCost {
  /** Undefined: the whole run. */
  rollout?: number;
  /** Designed environments that entered the set. */
  accepted: number;
  /** Sum of the positive regrets measured: what the designer is paid for. */
  regret: number;
  /** All roles but evaluation. */
  total: Amount;
  /** Roles designer, hint and gates, over the accepted; missing where none was. */
  perAccepted?: Amount;
  /** `total` over `regret`; missing where that is 0. */
  perRegret?: Amount;
}

/** What a cost is made of: a line of the ledger. */
export type Spending = Pick<
  RecordOf<"ledger">,
  "rollout" | "role" | "promptTokens" | "completionTokens" | "seconds"
>;

/**
 * A row a rollout, then one for the whole run. Cost of a rollout and what it gave are counted in the rollout that
 * wrote them, so rows of rollouts that design nothing have no `perAccepted`.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { scored } from "../core/mod.ts";
 * const spent = { rollout: 0, promptTokens: 1000, completionTokens: 500, seconds: 2 };
 * const costs = unitCosts({
 *   ledger: [{ ...spent, role: "designer" }, { ...spent, role: "agent" }],
 *   active: [{ rollout: 0, origin: "designed" }, { rollout: 0, origin: "designed" }],
 *   regret: [{ rollout: 0, outcome: scored(0.5) }],
 * });
 * const whole = costs.at(-1)!;
 * assert.deepEqual([whole.total.tokens, whole.perAccepted?.tokens, whole.perRegret?.tokens], [3000, 750, 6000]);
 * ```
 */
export function unitCosts(
  tables: {
    ledger: readonly Spending[];
    active: readonly Pick<RecordOf<"active">, "rollout" | "origin">[];
    regret: readonly Pick<RecordOf<"regret">, "rollout" | "outcome">[];
  },
  options: { prices?: Prices } = {},
): UnitCost[] {
  const spent = tables.ledger.filter(({ role }) => role !== "evaluation");
  const designed = tables.active.filter(({ origin }) => origin === "designed");
  const rollouts = groupBy(spent, ({ rollout }) => rollout).keys();
  const parts: (number | undefined)[] = [...rollouts, undefined];
  return parts.map((rollout) => {
    const isIn = (row: { rollout: number }) => rollout === undefined || row.rollout === rollout;
    const rows = spent.filter(isIn);
    const design = rows.filter(({ role }) =>
      role === "designer" || role === "hint" || role === "gates"
    );
    const accepted = designed.filter(isIn).length;
    const regret = tables.regret.filter(isIn).reduce(
      (sum, { outcome }) => sum + (outcome.kind === "scored" ? Math.max(0, outcome.value) : 0),
      0,
    );
    const total = amountOf(rows, options.prices);
    return {
      rollout,
      accepted,
      regret,
      total,
      perAccepted: over(amountOf(design, options.prices), accepted),
      perRegret: over(total, regret),
    };
  });
}

function amountOf(rows: readonly Spending[], prices?: Prices): Amount {
  const sum = (of: (row: Spending) => number) => rows.reduce((total, row) => total + of(row), 0);
  const prompt = sum((row) => row.promptTokens), completion = sum((row) => row.completionTokens);
  const seconds = sum((row) => row.seconds);
  const money = prices && (prompt * prices.prompt + completion * prices.completion) / 1e6 +
      seconds / 3600 * (prices.hour ?? 0);
  return { tokens: prompt + completion, seconds, ...(money === undefined ? {} : { money }) };
}

function over({ tokens, seconds, money }: Amount, by: number): Amount | undefined {
  if (!(by > 0)) return undefined;
  return {
    tokens: tokens / by,
    seconds: seconds / by,
    ...(money === undefined ? {} : { money: money / by }),
  };
}
