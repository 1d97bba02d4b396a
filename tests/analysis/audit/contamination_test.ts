import assert from "node:assert/strict";
import { findContamination } from "../../../lib/analysis/mod.ts";
import { Random } from "../../../lib/core/mod.ts";

const random = new Random(11);
const word = () => `w${random.integer(5000)}`;
const text = (words: number) => Array.from({ length: words }, word).join(" ");

const licence = "Permission is hereby granted free of charge to any person obtaining a copy of it";
const frame = "def reset(self, seed=None):";
const items = Array.from({ length: 40 }, (_, i) => ({
  id: `q${i}`,
  text: `${frame}\n${text(25)}\nshort line ${word()} ${word()} ${word()} here\n${licence}`,
}));
const clean = Array.from({ length: 200 }, (_, i) => ({
  id: `d${i}`,
  text: `${frame}\n${text(60)}\n${licence}`,
}));

Deno.test("findContamination() finds nothing where only boilerplate is shared", () => {
  const report = findContamination(items, clean);
  assert.deepEqual(report.found, []);
  assert.equal(report.items.any.count, 0);
  assert.ok(report.ignored >= 3);
});

Deno.test("findContamination() recovers what was planted, whatever its case and layout", () => {
  const planted = clean.map((source) => ({ ...source }));
  const long = (i: number) => items[i].text.split("\n")[1];
  const short = (i: number) => items[i].text.split("\n")[2];
  planted[3].text += `\n${long(5).toUpperCase().replaceAll(" ", ",\n ")}`;
  planted[7].text += ` ${long(6).split(" ").slice(4, 18).join(" ")} `;
  planted[9].text += `\n   ${short(7).replaceAll(" ", " - ")}!\n`;
  // Twelve words are no run of thirteen, part of a line no line.
  planted[11].text += ` ${long(8).split(" ").slice(0, 12).join(" ")} ${word()}`;
  planted[12].text += `\nas in ${short(9)}`;
  const { found, items: shares } = findContamination(items, planted);
  assert.deepEqual(
    found.map(({ itemId, sourceId, way }) => [itemId, sourceId, way]),
    [["q5", "d3", "run"], ["q6", "d7", "run"], ["q7", "d9", "line"]],
  );
  assert.ok(found[0].share > 0.3 && found[1].share < 0.1 && found[2].share === 1);
  assert.equal(found[1].example.split(" ").length, 13);
  assert.deepEqual([shares.run.count, shares.line.count, shares.any.count, shares.any.of], [
    2,
    1,
    3,
    40,
  ]);
});

Deno.test("findContamination() with vectors finds paraphrases near enough", () => {
  const of = (prefix: string, n: number) =>
    Array.from({ length: n }, (_, i) => ({ id: `${prefix}${i}`, text: text(20) }));
  const two = of("q", 2), sources = of("d", 3);
  const vectors = { items: [[1, 0, 0], [0, 1, 0]], sources: [[0, 0, 1], [2, 0.2, 0], [1, 1, 1]] };
  const { found, items: shares } = findContamination(two, sources, {
    embedding: { ...vectors, threshold: 0.9 },
  });
  assert.deepEqual(found.map(({ itemId, sourceId, way }) => [itemId, sourceId, way]), [
    ["q0", "d1", "embedding"],
  ]);
  assert.deepEqual([shares.embedding.count, shares.run.count], [1, 0]);
  assert.throws(
    () => findContamination(two, sources, { embedding: { ...vectors, items: [], threshold: 1 } }),
    /0 of items and 3 of sources, must be 2 and 3/,
  );
});
