import assert from "node:assert/strict";
import { bandFigure, learningFigure, regretFigure } from "../../lib/show/mod.ts";
import { themed } from "../../lib/show/style.ts";
import { wrapText } from "../../lib/show/compose.ts";
import { figures, guard } from "./pictures.ts";
import band from "./pictures/band.svg" with { type: "text" };
import bandNarrow from "./pictures/band_narrow.svg" with { type: "text" };
import learning from "./pictures/learning.svg" with { type: "text" };
import learningNarrow from "./pictures/learning_narrow.svg" with { type: "text" };
import regret from "./pictures/regret.svg" with { type: "text" };
import regretEmpty from "./pictures/regret_empty.svg" with { type: "text" };
import regretNarrow from "./pictures/regret_narrow.svg" with { type: "text" };
import { syntheticRun } from "./fixture.ts";

const drawn = figures();
const stored: Record<string, string> = {
  "learning": learning,
  "learning_narrow": learningNarrow,
  "band": band,
  "band_narrow": bandNarrow,
  "regret": regret,
  "regret_narrow": regretNarrow,
  "regret_empty": regretEmpty,
};

for (const [name, figure] of Object.entries(drawn)) {
  Deno.test(`figure ${name} is the stored picture`, () => {
    // Not assert.equal: a difference would print both pictures.
    assert.ok(
      guard + figure.svg === stored[name],
      `${name}.svg differs; see tests/show/pictures.ts`,
    );
  });
}

Deno.test("figures stand alone: no style sheet, script, id, link or CSS variable", () => {
  for (const { svg } of Object.values(drawn)) {
    assert.match(svg, /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" role="img"/);
    assert.doesNotMatch(svg.replace(/xmlns="[^"]*"/g, ""), /<style|<script|\sid=|http|url\(|var\(/);
    assert.doesNotMatch(svg, /NaN|undefined|Infinity/);
  }
});

Deno.test("figures say what they show, of how many, and what was dropped", () => {
  assert.match(drawn.learning.svg, /n = 40 environments, 2,400 plays/);
  assert.match(drawn.learning.svg, /⚠ \d+ of 2,400 plays have no score, left out/);
  assert.match(drawn.band.svg, /⚠ 149 of 13,776 plays have no score/);
  assert.match(drawn.regret.svg, /⚠ \d+ regrets have no interval/);
  assert.match(drawn.regret.text, /noise floor 0\.3\d; shrunk by its error 0\.3\d .*floor 0\.1/);
  assert.match(drawn.regret.svg, /noise floor 0\.3\d; shrunk by its error/);
  assert.doesNotMatch(drawn.regret_narrow.svg, /shrunk/, "only where plays were given");
  assert.match(drawn.band.text, /^rollout 0: \d+ % of 24 in band/);
});

Deno.test("figures tell series apart without colour: dashes and markers", () => {
  assert.match(drawn.learning.svg, /stroke-dasharray="6[ ,]3"/);
  assert.match(drawn.band.svg, /stroke-dasharray="2[ ,]3"/);
});

Deno.test("figures of an empty run say so", () => {
  assert.match(learningFigure([]).svg, /No held-out evaluation is stored/);
  assert.match(bandFigure([]).svg, /No plain plays are stored/);
  assert.match(regretFigure([]).svg, /No regret was measured/);
});

Deno.test("figures draw a run of one rollout", () => {
  const tiny = syntheticRun({ rollouts: 1, environments: 1, plays: 2 });
  for (
    const figure of [
      bandFigure(tiny.play),
      regretFigure(tiny.regret),
      learningFigure(tiny.evaluation.slice(0, 3)),
    ]
  ) assert.doesNotMatch(figure.svg, /NaN|undefined|Infinity/);
});

Deno.test("themed() leaves no fixed colour", () => {
  const svg = themed(drawn.band.svg);
  assert.doesNotMatch(svg, /#[0-9a-f]{6}/i);
  assert.match(svg, /var\(--spade-first\)/);
});

Deno.test("wrapText() breaks at spaces, and words that are too long", () => {
  assert.deepEqual(wrapText("aa bb cc", 5), ["aa bb", "cc"]);
  assert.deepEqual(wrapText("abcdefg", 3), ["abc", "def", "g"]);
  assert.deepEqual(wrapText("", 3), []);
});
