import assert from "node:assert/strict";
import * as vega from "vega";
import { compile } from "vega-lite";
import { environmentSummaries } from "../../../lib/analysis/mod.ts";
import { regretExplorer, vegaSvg } from "../../../lib/show/mod.ts";
import { analysed, hostile, ordinary } from "./data.ts";

const { summaries } = analysed(ordinary());
const explorer = regretExplorer(summaries);

/** Names in the list of a view in which the points of a part of the plane are chosen. */
async function listedIn(chosen?: { winRate: [number, number]; regret: [number, number] }) {
  const { spec } = compile(structuredClone(explorer.spec) as never);
  const view = new vega.View(vega.parse(spec), { renderer: "none" });
  await view.runAsync();
  if (chosen) {
    const fields = [
      { type: "R", channel: "x", field: "winRate" },
      { type: "R", channel: "y", field: "regret" },
    ];
    const values = [chosen.winRate, chosen.regret];
    view.data("brush_store", [{ unit: "concat_0_layer_2", fields, values }]);
    await view.runAsync();
  }
  const svg = await view.toSVG();
  view.finalize();
  return [...svg.matchAll(/<text[^>]*>([0-9a-f]{8})<\/text>/g)].map(([, id]) => id);
}

Deno.test("regretExplorer() lists all environments, then those chosen with the brush", async () => {
  const { values } = explorer.spec.data as { values: { id: string; winRate: number }[] };
  assert.equal(new Set(await listedIn()).size, Math.min(22, values.length));
  const easy = values.filter(({ winRate }) => winRate >= 0.5).map(({ id }) => id);
  assert.ok(easy.length > 0 && easy.length < Math.min(22, values.length));
  const listed = await listedIn({ winRate: [0.5, 1], regret: [-2, 2] });
  assert.deepEqual(listed.sort(), easy.sort());
});

Deno.test("regretExplorer() is plain JSON of vega-lite 5 that asks for nothing", () => {
  assert.deepEqual(JSON.parse(JSON.stringify(explorer.spec)), explorer.spec);
  const { $schema, ...rest } = explorer.spec;
  assert.match(String($schema), /vega-lite\/v5\.json$/);
  assert.doesNotMatch(JSON.stringify(rest), /http|"url"|href/);
});

Deno.test("regretExplorer() counts what it leaves out, in the picture and in words", async () => {
  const [first, ...others] = summaries.filter(({ regret }) => regret?.outcome.kind === "scored");
  const lost = { ...first, regret: undefined };
  const { spec, text } = regretExplorer([lost, ...others], { most: 2 });
  const warnings = [
    `⚠ 1 of ${others.length + 1} played environments have no win rate or no regret`,
    `⚠ ${others.length - 2} older ones are not drawn`,
  ];
  for (const warning of warnings) {
    assert.ok(text.includes(warning), text);
    assert.ok((await vegaSvg(spec)).includes(warning), warning);
  }
});

Deno.test("regretExplorer() draws one environment, and none", async () => {
  const one = summaries.filter(({ regret }) => regret?.outcome.kind === "scored").slice(0, 1);
  for (const rows of [one, []]) {
    const svg = await vegaSvg(regretExplorer(rows).spec);
    assert.doesNotMatch(svg, /NaN|undefined/);
    assert.match(svg, new RegExp(`n = ${rows.length} environment`));
  }
});

Deno.test("regretExplorer() escapes and cuts names that a model wrote", async () => {
  const { spec, text } = regretExplorer(environmentSummaries(hostile().tables));
  const svg = await vegaSvg(spec);
  assert.doesNotMatch(svg, /<script|<img/);
  assert.ok(svg.includes("&lt;script&gt;"));
  // deno-lint-ignore no-control-regex
  assert.doesNotMatch(svg + text, /[\x00-\x08\x0b-\x1f\x7f\u202e]|x{30}/);
});

Deno.test("regretExplorer() prints itself as text", () => {
  assert.match(
    Deno.inspect(explorer),
    /^Win rate against regret\nn = \d+ environments; target band/,
  );
});
