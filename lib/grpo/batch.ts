/**
 * A batch: the units of one update, flattened as they are stored. Positions: `ids`, `logps` and `mask` of one sequence
 * have the same length L; the id at position t is predicted from those before it, so position 0 is never trained and
 * the engine sees L - 1 targets.
 * @module
 */
import type { Datum, RecordOf } from "../core/mod.ts";

/** One training sequence: prompt, replies and observations as sampled. */
export interface Sequence {
  /** Token ids, prompts and observations included. */
  ids: readonly number[];
  /** Sampler's log-probability q of each id; 0 where masked. */
  logps: readonly number[];
  /** 1 where trained, else 0. */
  mask: readonly number[];
}

/** One play with all its turn samples together, or one designer reply. */
export interface Unit {
  /** Play or sample id. */
  id: string;
  /** Whose reply it is. */
  role: "agent" | "designer";
  /** The same for every trained token of the unit. */
  advantage: number;
  /** One for the whole play, or one a turn where a template strips earlier thinking. */
  sequences: readonly Sequence[];
}

/**
 * The batch record of the units, in order of role and id, whatever order they came in.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * const sequences = [{ ids: [5, 6, 7], logps: [0, 0, -0.5], mask: [0, 0, 1] }];
 * const units = [{ id: "r0/a/plain/0", role: "agent", advantage: 1, sequences }] as const;
 * const batch = createBatch(units, { id: "u0", rollout: 0, scale: 50 });
 * assert.deepEqual([batch.units, batch.agents, batch.ids], [1, 1, [5, 6, 7]]);
 * ```
 *
 * @throws {TypeError} when lengths differ, an id occurs twice or a value has no place in the batch.
 * @throws {RangeError} when a number is not finite, a log-probability is above 0, or a unit trains no token.
 */
export function createBatch(
  units: readonly Unit[],
  options: { id: string; rollout: number; scale: number },
): RecordOf<"batch"> {
  const ordered = [...units].sort((a, b) => compare(a.role, b.role) || compare(a.id, b.id));
  const batch: RecordOf<"batch"> = {
    ...options,
    units: ordered.length,
    agents: ordered.filter((unit) => unit.role === "agent").length,
    designers: ordered.filter((unit) => unit.role === "designer").length,
    sequences: [],
    ids: [],
    logps: [],
    mask: [],
  };
  const seen = new Set<string>();
  for (const unit of ordered) {
    if (seen.has(unit.id)) {
      throw new TypeError(`Cannot create a batch: unit ${unit.id} occurs twice, must occur once`);
    }
    seen.add(unit.id);
    assertUnit(unit);
    for (const { ids, logps, mask } of unit.sequences) {
      const { id, role, advantage } = unit;
      const start = batch.ids.length;
      batch.sequences.push({ unit: id, role, advantage, start, length: ids.length });
      for (let t = 0; t < ids.length; t++) {
        batch.ids.push(ids[t]);
        batch.logps.push(logps[t]);
        batch.mask.push(mask[t]);
      }
    }
  }
  return batch;
}

/**
 * Sequences of a stored batch as the engine takes them, without weights: L - 1 positions each.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * const sequences = [{ ids: [5, 6, 7], logps: [0, 0, -0.5], mask: [0, 0, 1] }];
 * const units = [{ id: "a", role: "agent", advantage: 1, sequences }] as const;
 * const batch = createBatch(units, { id: "u0", rollout: 0, scale: 1 });
 * assert.deepEqual(dataOf(batch), [{ input: [5, 6], target: [6, 7] }]);
 * ```
 */
export function dataOf(batch: RecordOf<"batch">): Datum[] {
  return batch.sequences.map(({ start, length }) => {
    const ids = batch.ids.slice(start, start + length);
    return { input: ids.slice(0, -1), target: ids.slice(1) };
  });
}

/** The borders of a unit: equal lengths, finite numbers, something to train; names unit, sequence and position. */
export function assertUnit(unit: Unit): void {
  if (!Number.isFinite(unit.advantage)) {
    throw new RangeError(
      `Cannot train unit ${unit.id}: advantage is ${unit.advantage}, must be finite`,
    );
  }
  let trained = 0;
  unit.sequences.forEach((sequence, i) => {
    const name = `unit ${unit.id} sequence ${i}`;
    assertSequence(sequence, name);
    trained += sequence.mask.reduce((sum, value) => sum + value, 0);
  });
  if (trained === 0) {
    throw new RangeError(`Cannot train unit ${unit.id}: no token is trained, must be at least one`);
  }
}

function assertSequence({ ids, logps, mask }: Sequence, name: string): void {
  if (logps.length !== ids.length || mask.length !== ids.length) {
    throw new TypeError(
      `Cannot train ${name}: ${ids.length} ids, ${logps.length} log-probabilities and ${mask.length} mask values, must be as many of each`,
    );
  }
  for (let t = 0; t < ids.length; t++) {
    const at = `${name} position ${t}`;
    if (!Number.isInteger(ids[t]) || ids[t] < 0) {
      throw new TypeError(`Cannot train ${at}: id is ${ids[t]}, must be a whole number >= 0`);
    }
    if (mask[t] !== 0 && mask[t] !== 1) {
      throw new TypeError(`Cannot train ${at}: mask is ${mask[t]}, must be 0 or 1`);
    }
    if (!Number.isFinite(logps[t]) || logps[t] > 1e-3) {
      throw new RangeError(
        `Cannot train ${at}: log-probability is ${logps[t]}, must be finite and at most 0`,
      );
    }
  }
  if (mask[0] === 1) {
    throw new RangeError(`Cannot train ${name} position 0: nothing stands before it`);
  }
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
