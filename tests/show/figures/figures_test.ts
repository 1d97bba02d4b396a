import assert from "node:assert/strict";
import { DOMParser } from "linkedom";
import { collapseFigure, comparisonFigure, lineageFigure } from "../../../lib/show/mod.ts";
import { colours, fills, series } from "../../../lib/show/style.ts";
import { labelOf } from "../../../lib/show/figures/parts.ts";
import { layLineage } from "../../../lib/show/figures/lineage_layout.ts";
import { lineageOf, type RunTables } from "../../../lib/analysis/mod.ts";
import { guard } from "../pictures.ts";
import { analysed, empty, type FigureData, hostile, ordinary, single } from "./data.ts";
import { draw, stored } from "./drawn.ts";
import { storedPictures } from "./stored.ts";

const data = ordinary(), drawn = drawAll(data);

function drawAll(of: FigureData, width?: number) {
  return Object.fromEntries(
    Object.entries(draw(of, width)).map(([name, figure]) => [name, figure()]),
  );
}

for (const [name, figure] of Object.entries(stored(data))) {
  Deno.test(`figure ${name} is the stored picture`, () => {
    // Not assert.equal: a difference would print both pictures.
    assert.ok(
      guard + figure().svg === storedPictures[name],
      `${name}.svg differs; see tests/show/figures/pictures.ts`,
    );
  });
}

Deno.test("every stored picture belongs to a figure", () => {
  assert.deepEqual(Object.keys(storedPictures).sort(), Object.keys(stored(data)).sort());
});

Deno.test("figures stand alone and show no missing number", () => {
  for (const each of [data, single(), empty()]) {
    for (const [name, { svg, text }] of Object.entries(drawAll(each))) {
      assert.match(svg, /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" role="img"/, name);
      const body = svg.replaceAll(/xmlns="[^"]*"/g, "");
      assert.doesNotMatch(body, /<style|<script|\sid=|http|url\(|var\(/, name);
      assert.doesNotMatch(svg + text, /NaN|undefined|Infinity|\[object/, name);
    }
  }
});

Deno.test("figures name n, and their texts carry every warning of the picture", () => {
  for (const [name, { svg, text }] of Object.entries(drawn)) {
    assert.match(words(svg), /\bn = [\d,.]+/, name);
    const seen = [...svg.matchAll(/font-weight="bold"[^>]*>⚠ /g)].length;
    assert.equal([...text.matchAll(/^⚠ /gm)].length, seen, name);
  }
});

Deno.test("figures of nothing say so and draw no axes", () => {
  for (const [name, { svg, text }] of Object.entries(drawAll(empty()))) {
    assert.match(svg, />No [a-z]+ |>No /, name);
    assert.doesNotMatch(svg, /aria-label="x-axis/, name);
    assert.ok(text.length > 0, name);
  }
});

Deno.test("figures escape and cut what a model wrote", () => {
  for (const width of [760, 360]) {
    for (const [name, { svg, text }] of Object.entries(drawAll(hostile(), width))) {
      // deno-lint-ignore no-explicit-any
      const document = new DOMParser().parseFromString(svg, "text/html") as any;
      assert.equal(document.querySelectorAll("script").length, 0, name);
      // deno-lint-ignore no-control-regex
      assert.doesNotMatch(svg + text, /[\x00-\x08\x0b-\x1f\x7f\u202e]/, name);
      assert.doesNotMatch(svg + text, /x{130}/, name);
    }
  }
  assert.ok(drawAll(hostile()).funnel.svg.includes("&lt;script&gt;"));
});

Deno.test("figures count what they leave out", () => {
  const lost = <T extends { outcome: unknown }>(rows: readonly T[], n: number) =>
    rows.map((row, i) => i < n ? { ...row, outcome: { kind: "skipped", reason: "gone" } } : row);
  const tables = {
    ...data.tables,
    play: lost(data.tables.play, 5),
    regret: lost(data.tables.regret, 3),
    ledger: data.tables.ledger.map((row) => row.role === "hint" ? { ...row, seconds: 0 } : row),
    update: data.tables.update.map((row, i) => ({ ...row, zeroLogps: i })),
  } as RunTables;
  const skills = new Map([...data.skills].slice(0, -1));
  const of = drawAll({ ...data, tables, skills });
  assert.match(of.regret_by_skill.text, /⚠ 3 of \d+ regrets are missing/);
  assert.match(of.hint_effect.text, /⚠ [5-9] of \d+ pairs lack a score, left out/);
  assert.match(of.group_health.text, /⚠ \d+ of \d+ plays have no score/);
  assert.match(of.cost.text, /⚠ 1 of 5 stages have no time of their own/);
  assert.match(of.staleness.text, /⚠ 28 tokens had sampler probability 0/);
  assert.match(drawn.hacks.text, /⚠ 9 of 18 findings could not be judged/);
  assert.match(drawn.lineage.text, /⚠ 2 environments without parent or child are not drawn/);
  assert.match(drawn.lineage.text, /⚠ shown seeds that are not among these: 1 environment/);
  assert.match(drawn.lengths.text, /⚠ \d+ of \d+ replies were cut at their token limit/);
  assert.match(drawn.ablation.text, /⚠ 1 arm without interval\n⚠ 1 arm with fewer seeds/);
  assert.match(drawn.comparison.text, /⚠ one seed: it says nothing about other seeds/);
  assert.match(
    collapseFigure([], { n: 9, omitted: 4 }).text,
    /⚠ the first 4 programs are left out/,
  );
});

Deno.test("numbers in pictures are rounded, not cut", () => {
  assert.match(drawn.ablation.svg, />\+0\.135</);
  assert.match(drawn.ablation.svg, />−0\.001</);
});

Deno.test("comparisonFigure() takes several seeds and shows each", () => {
  const pairs = Array.from({ length: 4 }, (_, seed) => ({
    first: data.pairs[0].first,
    second: data.pairs[0].second.filter(({ index }) => index !== seed),
  }));
  const { svg, text } = comparisonFigure(pairs);
  assert.match(words(svg), /4 seeds, n = 4 seeds\. Intervals: 95 % bootstrap over seeds/);
  assert.match(text, /sampled, all: [+−]0\.\d\d .*by seed ([+−]0\.\d\d,? ?){4}/);
  assert.doesNotMatch(text, /one seed/);
});

Deno.test("comparisonFigure() says so where two runs have nothing in common", () => {
  const [{ first, second }] = data.pairs;
  const others = second.map((row) => ({ ...row, environmentId: `other ${row.environmentId}` }));
  assert.match(comparisonFigure([{ first, second: others }]).text, /⚠ .* without a score in both/);
});

Deno.test("lineageFigure() draws 200 of many environments, the largest trees first", () => {
  const rows = Array.from({ length: 400 }, (_, i) => ({
    environment: { id: `e${i}`, parents: i < 8 ? [] : [`e${Math.floor((i - 8) / 8) * 3 % i}`] },
    rollout: Math.floor(i / 20),
    skill: "Optimization",
  }));
  const figure = lineageFigure(lineageOf(rows));
  assert.match(words(figure.svg), /n = 400 environments, .*drawn: 200\./);
  assert.match(figure.text, /⚠ \d+ of \d+ environments in trees are not drawn/);
  const dots = [...figure.svg.matchAll(/<g [^>]*aria-label="dot"[^>]*>([\s\S]*?)<\/g>/g)];
  assert.equal(dots.flatMap(([, inner]) => inner.match(/<(circle|path)/g) ?? []).length, 200);
  assert.ok(figure.height < 1300, `${figure.height}`);
});

Deno.test("layLineage() keeps every node apart and every child below its own root", () => {
  const { lineage } = analysed(data), laid = layLineage(lineage, { most: 200, rootRows: 2 });
  const places = laid.nodes.map(({ rollout, y }) => `${rollout}/${y}`);
  assert.equal(new Set(places).size, places.length);
  assert.deepEqual([laid.nodes.length, laid.cut, laid.barren], [10, 0, 2]);
  const cut = layLineage(lineage, { most: 4, rootRows: 2 });
  assert.deepEqual([cut.nodes.length, cut.cut], [4, 6]);
  const ids = new Set(cut.nodes.map(({ environmentId }) => environmentId));
  assert.ok(cut.nodes.every(({ isRoot, parents }) => isRoot || ids.has(parents[0])));
});

Deno.test("layLineage() takes a chain of ten thousand generations", () => {
  const chain = Array.from({ length: 10_000 }, (_, i) => ({
    environmentId: `e${i}`,
    rollout: i,
    skill: "s",
    parents: i === 0 ? [] : [`e${i - 1}`],
    unknownParents: [],
    children: [`e${i + 1}`],
    generation: i,
    descendants: 0,
    depth: 0,
    isDead: false,
  }));
  assert.equal(layLineage(chain, { most: 1e5, rootRows: 1 }).nodes.length, 10_000);
});

Deno.test("styles differ in grey: lines by dash and marker, areas by darkness", () => {
  const lines = Object.values(series).filter(({ symbol }) => symbol !== "none");
  assert.equal(new Set(lines.map(({ symbol }) => symbol)).size, lines.length);
  assert.equal(new Set(lines.map((s) => "dash" in s ? s.dash : "")).size, lines.length);
  const greys = Object.values(fills).map(({ colour, opacity }) => {
    const [r, g, b] = colours[colour].light.match(/[0-9a-f]{2}/g)!.map((part) =>
      parseInt(part, 16)
    );
    return 255 - opacity * (255 - (0.299 * r + 0.587 * g + 0.114 * b));
  }).sort((a, b) => a - b);
  assert.ok(greys.every((grey, i) => i === 0 || grey - greys[i - 1] > 18), `${greys}`);
});

Deno.test("labelOf() gives one harmless line of at most so many letters", () => {
  assert.equal(labelOf(" a\n\tb  c "), "a b c");
  assert.equal(labelOf("\x1b[2J".repeat(1000), 5), "␛[2J…");
  assert.equal(labelOf(""), "–");
});

/** Text of the picture with its lines joined. */
function words(svg: string): string {
  return [...svg.matchAll(/<text[^>]*>([^<]*)/g)].map(([, text]) => text).join(" ");
}
