import assert from "node:assert/strict";
import { Random, type RecordOf } from "../../lib/core/mod.ts";
import {
  agentUnits,
  assertStatistics,
  createBatch,
  dataOf,
  groupPlays,
  type Unit,
  weighBatch,
} from "../../lib/grpo/mod.ts";
import { close, makeBatch, makePlays, makeUnit, trainerLogps } from "./help.ts";

Deno.test("weighBatch(): m·clamp(exp(p0 - q), 0, 2)·A/(U·M_u), 0 where masked", () => {
  const unit: Unit = {
    id: "u",
    role: "designer",
    advantage: 3,
    sequences: [
      { ids: [5, 6, 7], logps: [0, -1, 0], mask: [0, 1, 0] },
      { ids: [5, 8], logps: [0, -3], mask: [0, 1] },
    ],
  };
  const batch = makeBatch([unit, makeUnit({ id: "v", advantage: -1 }, 4)]);
  const p0 = trainerLogps(batch, () => 0).map((list) => [...list]);
  p0[1][0] = -1.5;
  p0[2][0] = -1;
  assert.deepEqual(batch.sequences.map((item) => item.unit), ["v", "u", "u"]);
  const { data, loss, agentLoss, designerLoss } = weighBatch(batch, p0);
  data[0].weights!.forEach((weight) => close(weight, -1 / 8));
  close(data[1].weights![0], Math.exp(-0.5) * 3 / 4);
  assert.equal(data[1].weights![1], 0);
  close(data[2].weights![0], 2 * 3 / 4);
  assert.deepEqual(data[1].input, [5, 6]);
  assert.deepEqual(data[1].target, [6, 7]);
  close(agentLoss, 0.5);
  close(designerLoss, -(Math.exp(-0.5) + 2) * 0.75);
  close(loss, agentLoss + designerLoss);
});

Deno.test("weighBatch(): weights are -dL/dlogp of section 9 at the first step (finite differences)", () => {
  const random = new Random(4);
  const units = ["a", "b", "c"].map((id, i): Unit => ({
    ...{ id, role: i === 0 ? "designer" : "agent", advantage: 2 * random.next() - 1 },
    sequences: Array.from({ length: i + 1 }, () => {
      const ids = Array.from({ length: 6 }, () => random.integer(9));
      const mask = ids.map((_, t) => t === 0 ? 0 : t === 1 ? 1 : random.integer(2));
      return { ids, mask, logps: mask.map((m) => m === 0 ? 0 : -2 * random.next()) };
    }),
  }));
  const batch = makeBatch(units);
  const p0 = trainerLogps(batch, (rng) => 2 * rng.next() - 1);
  const { data, loss } = weighBatch(batch, p0);
  close(objective(batch, p0, p0), loss);
  p0.forEach((list, i) =>
    list.forEach((_, t) => {
      const moved = (step: number) => {
        const p = p0.map((row) => [...row]);
        p[i][t] += step;
        return objective(batch, p0, p);
      };
      const slope = (moved(1e-5) - moved(-1e-5)) / 2e-5;
      close(-slope, data[i].weights![t], 1e-8);
    })
  );
});

Deno.test("weighBatch(): the k3 term enters as -dL/dlogp, for units without advantage too", () => {
  const random = new Random(5);
  const units = [makeUnit({ id: "a", advantage: 0 }, 4), makeUnit({ id: "b", advantage: 0 }, 2)];
  const batch = makeBatch(units);
  const p0 = trainerLogps(batch, () => 0);
  const reference = p0.map((row) => row.map((logp) => logp - random.next() + 0.5));
  const coefficient = 0.2;
  const tokens = [4, 2];
  const k3 = (i: number, t: number, p: number) => {
    const apart = reference[i][t] - p;
    return coefficient * (Math.exp(apart) - apart - 1) / tokens[i] / 2;
  };
  const { data, loss, kl } = weighBatch(batch, p0, { coefficient, reference });
  let sum = 0;
  p0.forEach((row, i) =>
    row.forEach((p, t) => {
      sum += k3(i, t, p);
      close(-data[i].weights![t], (k3(i, t, p + 1e-5) - k3(i, t, p - 1e-5)) / 2e-5, 1e-8);
    })
  );
  close(loss, sum);
  close(kl, sum / coefficient);
  const same = weighBatch(batch, p0, { coefficient, reference: p0 });
  assert.equal(same.kl, 0);
  assert(same.data.every(({ weights }) => weights!.every((weight) => weight === 0)));
  assert.equal(weighBatch(batch, p0).kl, null);
  assert.throws(() => weighBatch(batch, p0, { coefficient, reference: [[0]] }), TypeError);
});

Deno.test("createBatch(): permuting units changes nothing", () => {
  const units = ["c", "a", "b"].map((id) => makeUnit({ id, advantage: id.charCodeAt(0) }));
  assert.deepEqual(makeBatch([...units].reverse()), makeBatch(units));
  const batch = makeBatch([...units, makeUnit({ id: "d", role: "designer" })]);
  assert.deepEqual([batch.units, batch.agents, batch.designers], [4, 3, 1]);
});

Deno.test("[4.1] dead groups dilute the loss unless dropDeadGroups; their share is shown https://github.com/huggingface/trl/pull/6365 https://github.com/huggingface/trl/pull/6368 https://github.com/huggingface/trl/pull/7068", () => {
  const lossWith = (dead: number, dropDeadGroups: boolean) => {
    const plays = [
      ...makePlays("live", [0, 1, 1]),
      ...Array.from({ length: dead }, (_, i) => makePlays(`dead${i}`, [1, 1, 1])).flat(),
    ];
    const { units, deadGroups, groups } = agentUnits(groupPlays(plays), { dropDeadGroups });
    assert.deepEqual([deadGroups, groups], [dead, dead + 1]);
    const batch = makeBatch(units.map((unit) => makeUnit(unit)));
    const { data } = weighBatch(batch, trainerLogps(batch, () => 0));
    return data.flatMap((datum) => [...datum.weights!]).filter((weight) => weight !== 0);
  };
  assert.deepEqual(lossWith(5, true), lossWith(0, true));
  lossWith(5, false).forEach((weight, i) => close(weight, lossWith(0, false)[i] / 6));
});

Deno.test("createBatch() refuses unequal lengths, bad numbers and nothing to train, naming the place", () => {
  const broken = (change: Partial<Unit["sequences"][number]>, fields: Partial<Unit> = {}) => {
    const good = { ids: [1, 2, 3], logps: [0, -1, -1], mask: [0, 1, 1] };
    const sequences = [good, { ...good, ...change }];
    return () => makeBatch([{ ...makeUnit({ id: "u" }), sequences, ...fields }]);
  };
  assert.doesNotThrow(broken({}));
  assert.throws(broken({ logps: [0, -1] }), /unit u sequence 1: 3 ids, 2 log-probabilities/);
  assert.throws(broken({ mask: [0, 1] }), TypeError);
  assert.throws(broken({ logps: [0, NaN, -1] }), /sequence 1 position 1: log-probability is NaN/);
  assert.throws(broken({ logps: [0, -1, 0.5] }), /position 2/);
  assert.throws(broken({ mask: [0, 1, 0.5] }), /mask is 0.5/);
  assert.throws(broken({ mask: [1, 1, 1] }), /nothing stands before it/);
  assert.throws(broken({ ids: [1, -2, 3] }), /id is -2/);
  assert.throws(broken({}, { advantage: NaN }), /advantage is NaN/);
  assert.throws(broken({}, { sequences: [] }), /no token is trained/);
  assert.throws(() => makeBatch([makeUnit({ id: "u" }), makeUnit({ id: "u" })]), /occurs twice/);
  assert.throws(
    () =>
      createBatch([makeUnit({ id: "u", role: "designer" }), makeUnit({ id: "u", role: "agent" })], {
        ...{ id: "b", rollout: 0, scale: 1 },
      }),
    /occurs twice/,
  );
});

Deno.test("weighBatch() refuses log-probabilities of other lengths or without a value", () => {
  const batch = makeBatch([makeUnit({ id: "u" })]);
  assert.throws(() => weighBatch(batch, []), TypeError);
  assert.throws(() => weighBatch(batch, [[-1, -1]]), /unit u, sequence 0 of the batch: 2 log-prob/);
  assert.throws(() => weighBatch(batch, [[-1, NaN, -1]]), /log-probability 1 is NaN/);
});

Deno.test("assertStatistics() refuses a batch that does not fit its weights, naming unit and turn", () => {
  const batch = makeBatch(["a", "b", "c", "d", "e"].map((id) => makeUnit({ id })));
  const same = trainerLogps(batch, () => 0);
  const exact = weighBatch(batch, same).statistics;
  assert.doesNotThrow(() => assertStatistics(exact));
  assert.deepEqual([exact.meanDifference, exact.clippedShare, exact.maxRatio], [0, 0, 1]);
  const one = same.map((list, i) => i === 3 ? list.map((value) => value - 1.2) : list);
  const odd = weighBatch(batch, one).statistics;
  close(odd.meanDifference, 0.24);
  assert.throws(() => assertStatistics(odd), /of a sequence is 1.20, .*worst is unit d turn 0/);
  assert.throws(() => assertStatistics(odd, { meanDifference: 0.1 }), /mean \|p0 - q\| is 0.240/);
  const up = weighBatch(batch, same.map((list) => list.map((value) => value + 0.8))).statistics;
  assert.throws(() => assertStatistics(up, { meanDifference: 1 }), /share of clipped weights is 1/);
  const limits = { meanDifference: 1, clippedShare: 1, maxRatio: 2 };
  assert.throws(() => assertStatistics(up, limits), /largest ratio is 2.23/);
});

Deno.test("assertStatistics() tells zero-filled log-probabilities from certain tokens", () => {
  const batch = makeBatch([makeUnit({ id: "u" }, 3, 0)]);
  const certain = weighBatch(batch, [[-1e-4, -1e-5, 0]]).statistics;
  assert.deepEqual([certain.zeroLogps, certain.filledLogps], [3, 0]);
  assert.doesNotThrow(() => assertStatistics(certain));
  const filled = weighBatch(batch, [[-0.1, -1e-4, -1e-4]]).statistics;
  assert.throws(() => assertStatistics(filled), /zero-filled .* unit u turn 0/);
});

Deno.test("assertStatistics() refuses one bad turn of a long play, which the means would hide", () => {
  const turns = Array.from({ length: 25 }, (_, i) => i);
  const trained = (q: (turn: number) => number) =>
    turns.flatMap((turn) => [0, 0, ...Array(10).fill(q(turn))]);
  const playOf = (q: (turn: number) => number): Unit => ({
    ...makeUnit({ id: "play" }),
    sequences: [{
      ids: trained(() => 3),
      logps: trained(q),
      mask: trained(() => 1),
    }],
  });
  const judge = (q: (turn: number) => number) => {
    const batch = makeBatch([playOf(q), makeUnit({ id: "other" })]);
    const p0 = trainerLogps(batch, () => 0).map((list, i) =>
      list.map((_, t) => batch.mask[batch.sequences[i].start + t + 1] * -2)
    );
    return () => assertStatistics(weighBatch(batch, p0).statistics, { meanDifference: 1 });
  };
  assert.doesNotThrow(judge(() => -2));
  assert.throws(judge((turn) => turn === 17 ? -0.5 : -2), /of a turn is 1.50, .*play turn 17 with/);
  assert.throws(judge((turn) => turn === 3 ? 0 : -2), /zero-filled .*of a turn is 1.*play turn 3/);
});

Deno.test("assertStatistics(): turns of a template that strips thinking are numbered over sequences", () => {
  const { sequences } = makeUnit({ id: "u" });
  const batch = makeBatch([{ ...makeUnit({ id: "u" }), sequences: [...sequences, ...sequences] }]);
  const p0 = trainerLogps(batch, () => 0).map((list, i) => list.map((logp) => logp - 1.5 * i));
  const { statistics } = weighBatch(batch, p0);
  assert.throws(
    () => assertStatistics(statistics, { meanDifference: 1 }),
    /unit u turn 1 with 1.50/,
  );
});

Deno.test("weighBatch(): a huge gap stays finite, dataOf() keeps ids as sampled", () => {
  const batch = makeBatch([makeUnit({ id: "u" }, 1, -2000)]);
  const { data, statistics } = weighBatch(batch, [[0]]);
  assert.deepEqual(data[0].weights, [2]);
  assert(Number.isFinite(statistics.maxRatio));
  assert.deepEqual(dataOf(batch), [{ input: [0], target: [1] }]);
});

/** L of section 9 as written, for log-probabilities p. */
function objective(batch: RecordOf<"batch">, p0: number[][], p: number[][]): number {
  const tokens: Record<string, number> = {};
  const each = (
    visit: (unit: string, advantage: number, q: number, i: number, t: number) => void,
  ) =>
    batch.sequences.forEach(({ unit, advantage, start, length }, i) => {
      for (let t = 1; t < length; t++) {
        if (batch.mask[start + t] === 1) visit(unit, advantage, batch.logps[start + t], i, t - 1);
      }
    });
  each((unit) => tokens[unit] = (tokens[unit] ?? 0) + 1);
  let loss = 0;
  each((unit, advantage, q, i, t) => {
    const r = Math.exp(p[i][t] - p0[i][t]);
    const clipped = Math.min(1.28, Math.max(0.8, r));
    const tis = Math.min(2, Math.exp(p0[i][t] - q));
    loss += tis * Math.max(-r * advantage, -clipped * advantage) / tokens[unit] / batch.units;
  });
  return loss;
}
