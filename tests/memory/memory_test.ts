import assert from "node:assert/strict";
import fc from "fast-check";
import { Random } from "../../lib/core/mod.ts";
import {
  addMemory,
  describeProgram,
  fillCandidates,
  isFrontier,
  memoryLines,
  type MemoryRecord,
  pickMemory,
  rescoreMemory,
} from "../../lib/memory/mod.ts";

function makeRecord(id: string, fields: Partial<MemoryRecord> = {}): MemoryRecord {
  return {
    ...{ id, rollout: 0, skill: "A", source: `class ${id}Env:\n    N = 1\n`, description: id },
    ...{ winRate: 0.5, successRate: 0.5, regret: 0.1, low: null, high: null, plays: 8 },
    ...{ hint: null, documentId: null, parents: [], order: 0 },
    ...fields,
  };
}

function fill(count: number, fields: (i: number) => Partial<MemoryRecord> = () => ({})) {
  return Array.from({ length: count }, (_, i) => makeRecord(`e${i}`, { order: i, ...fields(i) }));
}

const ids = (records: readonly MemoryRecord[]) => records.map((record) => record.id);

Deno.test("addMemory() keeps the newest 200, oldest out first", () => {
  let records: MemoryRecord[] = [], dropped: MemoryRecord[] = [];
  for (let i = 0; i < 205; i++) {
    ({ records, dropped } = addMemory(records, makeRecord(`e${i}`)));
  }
  assert.equal(records.length, 200);
  assert.deepEqual([records[0].id, records[199].id, dropped[0].id], ["e5", "e204", "e4"]);
  assert.equal(records[199].order, 204);
});

Deno.test("addMemory(): an environment met again becomes the newest, once", () => {
  const { records } = addMemory(fill(3), makeRecord("e0", { successRate: 0.2 }));
  assert.deepEqual(ids(records), ["e1", "e2", "e0"]);
  assert.deepEqual([records[2].order, records[2].successRate], [3, 0.2]);
  assert.throws(() => addMemory([], makeRecord("x", { successRate: NaN })), RangeError);
});

Deno.test("rescoreMemory() takes in every later play [D21]", () => {
  const evidence = { returns: [1, 1, 1, 0.5], successes: 3 };
  const [first, second] = rescoreMemory(fill(2), "e1", evidence);
  assert.deepEqual(first, fill(2)[0]);
  assert.equal(second.plays, 12);
  assert.equal(second.successRate, (4 + 3) / 12);
  assert.equal(second.winRate, (4 + 3.5) / 12);
  assert.equal(second.regret, 0.1);
  const regret = { value: 0.3, low: 0.1, high: 0.5 };
  const [renewed] = rescoreMemory(fill(1), "e0", { returns: [], successes: 0, regret });
  assert.deepEqual([renewed.regret, renewed.low, renewed.plays], [0.3, 0.1, 8]);
  assert.deepEqual(rescoreMemory(fill(1), "other", evidence), fill(1));
  assert.throws(() => rescoreMemory(fill(1), "e0", { returns: [1], successes: 2 }), RangeError);
});

Deno.test("rescoreMemory(): no finite input gives NaN, rates stay shares", () => {
  const plays = fc.array(fc.double({ min: -1, max: 1, noNaN: true }), { maxLength: 40 });
  fc.assert(fc.property(fc.array(plays), fc.integer({ min: 0, max: 50 }), (rounds, first) => {
    let records = [makeRecord("e", { plays: first })];
    for (const returns of rounds) {
      const successes = returns.filter((value) => value > 0).length;
      records = rescoreMemory(records, "e", { returns, successes });
    }
    const { winRate, successRate } = records[0];
    assert(Math.abs(winRate) <= 1 + 1e-9 && successRate >= 0 && successRate <= 1);
  }));
});

Deno.test("pickMemory() draws 2 of the top 10 by regret of the skill's frontier, and 1 negative", () => {
  const records = [
    ...fill(15, (i) => ({ regret: i / 10, successRate: [0.15, 0.5, 0.85][i % 3] })),
    makeRecord("other", { skill: "B", regret: 9, order: 20 }),
    makeRecord("unknown", { regret: null, order: 21 }),
    makeRecord("easy", { successRate: 0.95, regret: 9, order: 22 }),
    makeRecord("near", { successRate: 0.88, regret: 9, order: 23 }),
    makeRecord("hard", { successRate: 0.05, regret: 9, order: 24 }),
  ];
  const random = new Random(1), seen = new Set<string>(), negatives = new Set<string>();
  for (let i = 0; i < 200; i++) {
    const { seeds, negative } = pickMemory(records, "A", random);
    assert.equal(new Set(ids(seeds)).size, 2);
    ids(seeds).forEach((id) => seen.add(id));
    negatives.add(negative!.id);
  }
  assert.deepEqual([...seen].sort(), fill(15).slice(5).map((record) => record.id).sort());
  assert.deepEqual([...negatives].sort(), ["easy", "hard"]);
});

Deno.test("pickMemory() is seeded and blind to the order of records; little memory gives little", () => {
  const records = fill(30, (i) => ({ regret: (i * 7 % 30) / 30, successRate: (i % 11) / 10 }));
  const turned = new Random(3).shuffle(records);
  const [a, b] = [new Random(9), new Random(9)];
  for (let i = 0; i < 20; i++) {
    assert.deepEqual(pickMemory(turned, "A", a), pickMemory(records, "A", b));
  }
  assert.equal(a.state, b.state);
  assert.deepEqual(pickMemory([], "A", a), { seeds: [], negative: null });
  assert.equal(pickMemory(fill(1), "A", a).seeds.length, 1);
  assert.equal(pickMemory(records, "A", a, { negatives: 0 }).negative, null);
});

Deno.test("memoryLines(): code of seeds up to 2,000 characters, one line for the negative [D3]", () => {
  const long = `class LongEnv:\n${"    N = 1\n".repeat(400)}`;
  const lines = memoryLines({
    seeds: [makeRecord("s", { source: long }), makeRecord("t", { regret: null })],
    negative: makeRecord("n", { successRate: 0.95, description: "GuessEnv N 20" }),
  });
  assert.deepEqual(lines.map((line) => line.verdict), ["good", "good", "easy"]);
  assert(lines[0].source.length <= 2000 && lines[0].source.endsWith("\n"));
  assert(!("regret" in lines[1]));
  assert.deepEqual([lines[2].source, lines[2].description], ["", "GuessEnv N 20"]);
  const hard = memoryLines({ seeds: [], negative: makeRecord("n", { successRate: 0 }) });
  assert.equal(hard[0].verdict, "hard");
});

Deno.test("fillCandidates(): success rate in [.15, .85], newest first", () => {
  const rates = [0.15, 0.85, 0.149, 0.851, 0.5];
  const records = fill(5, (i) => ({ successRate: rates[i], skill: i === 4 ? "B" : "A" }));
  assert.deepEqual(ids(fillCandidates(records)), ["e4", "e1", "e0"]);
  assert.deepEqual(ids(fillCandidates(records, { skills: ["A"], exclude: ["e1"] })), ["e0"]);
});

Deno.test("describeProgram(): class name and integer constants", () => {
  const source = `from spade_env import boxed\nLIMIT = 3\n\nclass Helper:\n    SIZE = 1\n\n` +
    `class GuessEnv:\n    N = 20\n    TURNS = 5\n    RATE = 0.5\n    LOW = -2\n` +
    `    def reset(self, seed=None):\n        M = 4\n`;
  assert.equal(describeProgram(source), "GuessEnv N 20 TURNS 5 LOW -2");
  assert.equal(describeProgram("class Only(Base):\n    N = 1\n"), "Only N 1");
  assert.equal(describeProgram("x = 1\n"), "");
});

Deno.test("[5.13] memory does not drain: over 200 steps the share of frontier records stays above a floor https://github.com/PrimeIntellect-ai/prime-rl/pull/2667", () => {
  const shares = (rescored: boolean) => {
    const random = new Random(17);
    let records: MemoryRecord[] = [];
    const difficulty = new Map<string, number>();
    const chance = (id: string, step: number) => {
      const ability = 0.5 * Math.sin(step / 15);
      return 1 / (1 + Math.exp(6 * (difficulty.get(id)! - ability)));
    };
    const play = (id: string, step: number, plays: number) => {
      const returns = Array.from({ length: plays }, () => random.next() < chance(id, step) ? 1 : 0);
      const successes = returns.filter((value) => value === 1).length;
      return { returns, successes };
    };
    const result: { held: number; true: number }[] = [];
    for (let step = 0; step < 200; step++) {
      if (step < 60) {
        const id = `e${step}`;
        difficulty.set(id, 1.2 * random.next() - 0.6);
        const { successes } = play(id, step, 16);
        const rate = successes / 16;
        ({ records } = addMemory(
          records,
          makeRecord(id, { successRate: rate, winRate: rate, plays: 16 }),
        ));
      }
      if (rescored) {
        for (const { id } of random.shuffle(records).slice(0, 12)) {
          records = rescoreMemory(records, id, play(id, step, 16));
        }
      }
      if (step < 60) continue;
      const held = records.filter(isFrontier);
      const right = held.filter(({ id }) => chance(id, step) >= 0.1 && chance(id, step) <= 0.9);
      result.push({ held: held.length / records.length, true: right.length / records.length });
    }
    return result;
  };
  const lowest = (rescored: boolean) => {
    const all = shares(rescored);
    return {
      held: Math.min(...all.map((share) => share.held)),
      true: Math.min(...all.map((share) => share.true)),
    };
  };
  const kept = lowest(true), stale = lowest(false);
  assert(kept.held >= 0.3 && kept.true >= 0.2, `held ${kept.held}, truly frontier ${kept.true}`);
  assert(stale.true < 0.1, "without re-scoring hardly any record is where its rate says");
  const returned = rescoreMemory(
    [makeRecord("e", { successRate: 1, winRate: 1, plays: 400 })],
    "e",
    { returns: Array(32).fill(0), successes: 0 },
  );
  assert(isFrontier(returned[0]), "a record that left the band comes back");
});
