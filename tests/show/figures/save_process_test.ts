/** Figures as files and in notebooks: PNG needs the fonts and the renderer of the package cache. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { jupyterDisplay, pngRenderer, regretExplorer } from "../../../lib/show/mod.ts";
import { analysed, empty, hostile, ordinary, single } from "./data.ts";
import { draw } from "./drawn.ts";

const png = [0x89, 0x50, 0x4e, 0x47];

Deno.test("figures save themselves as SVG and PNG, and refuse another ending", async () => {
  const folder = Deno.makeTempDirSync();
  try {
    const figure = draw(ordinary()).hint_effect();
    const svg = join(folder, "a", "b", "one.svg"), picture = join(folder, "c", "one.PNG");
    assert.equal(await figure.save(svg), svg);
    assert.equal(Deno.readTextFileSync(svg), figure.svg);
    await figure.save(picture);
    const bytes = Deno.readFileSync(picture);
    assert.deepEqual([...bytes.slice(0, 4)], png);
    assert.equal(new DataView(bytes.buffer).getUint32(16), figure.width * 2);
    for (const wrong of ["one.pdf", "one", "png"]) {
      await assert.rejects(figure.save(join(folder, wrong)), {
        name: "UsageError",
        message: /^Cannot save figure as ".*": it must end in \.svg or \.png$/,
      });
    }
    assert.deepEqual([...Deno.readDirSync(folder)].map(({ name }) => name).sort(), ["a", "c"]);
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
});

Deno.test("figures show themselves: PNG at twice the size, shown at its own, and text; no bare SVG", async () => {
  const figure = draw(ordinary()).funnel();
  const bundle = await figure[jupyterDisplay]();
  assert.deepEqual(Object.keys(bundle), ["image/png", "text/html", "text/plain"]);
  assert.match(bundle["text/html"], new RegExp(`^<img alt="Acc[^"]*" width="${figure.width}"`));
  const bytes = Uint8Array.fromBase64(bundle["image/png"]);
  assert.equal(new DataView(bytes.buffer).getUint32(16), figure.width * 2);
  assert.equal(bundle["text/plain"], Deno.inspect(figure));
  assert.match(bundle["text/plain"], /^Acceptance of programs, gate by gate\nparse: \d+ entered/);
});

Deno.test("an explorer shows itself: specification, PNG and text", async () => {
  const explorer = regretExplorer(analysed(ordinary()).summaries);
  const bundle = await explorer[jupyterDisplay]();
  assert.deepEqual(Object.keys(bundle), [
    "application/vnd.vegalite.v5+json",
    "image/png",
    "text/plain",
  ]);
  assert.equal(bundle["application/vnd.vegalite.v5+json"], explorer.spec);
  const figure = await explorer.figure();
  assert.ok(figure.width > 700 && figure.height > 300, `${figure.width} × ${figure.height}`);
});

Deno.test("every figure can be drawn as PNG, whatever its data", async () => {
  const renderer = await pngRenderer();
  for (const data of [hostile(), single(), empty()]) {
    for (const [name, figure] of Object.entries(draw(data, 360))) {
      // The renderer refuses an SVG that is not well-formed.
      const bytes = renderer.render(figure().svg, { scale: 0.5 });
      assert.deepEqual([...bytes.slice(0, 4)], png, name);
    }
  }
});
