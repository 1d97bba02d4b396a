import assert from "node:assert/strict";
import { failed, type Outcome, type RecordOf, scored, skipped } from "../../lib/core/mod.ts";
import { remember } from "../../lib/loop/memory.ts";
import { makePlay } from "../grpo/help.ts";

type Memory = RecordOf<"memory">;

/** The three calls that remembering makes, over a map. */
function memoryStore(limit: number) {
  const rows = new Map<string, Memory>();
  const store = {
    all: () => [...rows.values()],
    get: (_: string, id: string) => ({
      id,
      description: `about ${id}`,
      documentId: "d",
      parents: ["p"],
    }),
    remove: (_: string, id: string) => rows.delete(id),
    replace: (_: string, list: Memory[]) => list.forEach((row) => rows.set(row.id, row)),
  };
  return { rows, loop: { store, config: { memorySize: limit } } as never };
}

function played(id: string, slot: number, outcomes: (Outcome | number)[]) {
  const plain = outcomes.map((outcome, i) => ({
    ...makePlay(id, i, outcome),
    success: outcome === 1,
  }));
  const environment = { id, slot, skill: "A", source: `class ${id}Env: pass\n`, hint: "look" };
  return { environment, plain, hinted: [] } as never;
}

function regretOf(environmentId: string, outcome: Outcome): [string, RecordOf<"regret">] {
  return [environmentId, {
    ...{ id: "r", rollout: 0, environmentId, outcome, pairs: 4, low: 0, high: 0.5 },
    ...{ interval: "x", noiseFloor: 0.3, plainMean: 0, hintedMean: 0 },
  }];
}

Deno.test("remember() adds what was played with its regret, document and parents", () => {
  const { rows, loop } = memoryStore(200);
  remember(
    loop,
    [played("b", 1, [0]), played("a", 0, [1, 0, 0.5, 1])],
    new Map([
      regretOf("a", scored(0.25)),
      regretOf("b", skipped("no pair scored in both arms")),
    ]),
    4,
  );
  const { a, b } = Object.fromEntries(rows);
  assert.deepEqual([a.winRate, a.successRate, a.plays, a.rollout], [0.625, 0.5, 4, 4]);
  assert.deepEqual([a.regret, a.low, a.high, a.hint], [0.25, 0, 0.5, "look"]);
  assert.deepEqual([a.documentId, a.parents, a.description], ["d", ["p"], "about a"]);
  assert.deepEqual([b.regret, b.low, b.high], [null, null, null], "missing is not zero");
  assert.deepEqual([a.order, b.order], [0, 1], "in slot order");
});

Deno.test("remember() re-scores on every later play, with what was scored only [D21] [D14]", () => {
  const { rows, loop } = memoryStore(200);
  remember(loop, [played("a", 0, [1, 1, 1, 1])], new Map(), 0);
  remember(loop, [played("a", 0, [0, failed("designer", "exception"), 0, 1])], new Map(), 1);
  const [a] = rows.values();
  assert.deepEqual([a.plays, a.winRate, a.successRate, a.rollout], [7, 5 / 7, 5 / 7, 0]);
  const crash = failed("host", "crash");
  remember(loop, [played("a", 0, [crash, crash]), played("never", 1, [crash])], new Map(), 2);
  assert.deepEqual([...rows.values()], [a], "a rollout without a score changes nothing");
});

Deno.test("remember(): the oldest beyond the limit leave the store", () => {
  const { rows, loop } = memoryStore(2);
  for (const id of ["a", "b", "c"]) remember(loop, [played(id, 0, [0, 1])], new Map(), 0);
  assert.deepEqual([...rows.keys()].sort(), ["b", "c"]);
});
