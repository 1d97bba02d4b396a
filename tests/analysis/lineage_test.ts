import assert from "node:assert/strict";
import { generationsOf, lineageOf, lineageTree } from "../../lib/analysis/mod.ts";

const of = (id: string, rollout: number, parents: string[] = []) => ({
  environment: { id, parents },
  rollout,
  skill: "s",
});
const family = [
  of("a", 0),
  of("b", 0),
  of("c", 2, ["a", "b"]),
  of("d", 2, ["a", "gone"]),
  of("e", 4, ["c", "a", "c"]),
  of("f", 4, ["g"]),
  of("g", 4, ["f"]),
  of("h", 0),
];

Deno.test("lineageOf() counts each descendant once and takes the longest ways", () => {
  const rows = Object.fromEntries(lineageOf(family).map((row) => [row.environmentId, row]));
  assert.deepEqual([rows.a.children, rows.a.descendants, rows.a.depth], [["c", "d", "e"], 3, 2]);
  assert.deepEqual([rows.b.descendants, rows.c.generation, rows.e.generation], [2, 1, 2]);
  assert.deepEqual([rows.e.parents, rows.d.unknownParents], [["c", "a"], ["gone"]]);
});

Deno.test("lineageOf(): lines are dead where others were designed later, and circles are cut", () => {
  const dead = lineageOf(family).filter(({ isDead }) => isDead).map((row) => row.environmentId);
  assert.deepEqual(dead, ["d", "h"]);
  const rows = lineageOf(family);
  assert.deepEqual(rows.find((row) => row.environmentId === "f")!.unknownParents, ["g"]);
  assert.deepEqual(rows.find((row) => row.environmentId === "g")!.parents, ["f"]);
  assert.deepEqual(lineageOf([]), []);
});

Deno.test("generationsOf() counts by generation", () => {
  assert.deepEqual(generationsOf(lineageOf(family)), [
    { generation: 0, environments: 4, dead: 1, rollout: 1 },
    { generation: 1, environments: 3, dead: 1, rollout: 8 / 3 },
    { generation: 2, environments: 1, dead: 0, rollout: 4 },
  ]);
});

Deno.test("lineageTree() writes every descendant once, under its first parent", () => {
  assert.equal(
    lineageTree(lineageOf(family)),
    [
      "a r0 s · 3 descendants",
      "├─ c r2 s · 1 descendant, also of b",
      "│  └─ e r4 s · also of a",
      "└─ d r2 s †",
      "b r0 s · 2 descendants",
      "f r4 s · 1 descendant",
      "└─ g r4 s",
      "1 without descendants",
    ].join("\n"),
  );
  assert.match(lineageTree(lineageOf(family), { lines: 2 }), /… 5 more lines\n1 without/);
});
