import assert from "node:assert/strict";
import { pngRenderer } from "../../lib/show/mod.ts";
import { figures } from "./pictures.ts";

Deno.test("pngRenderer() draws figures at the asked scale, with its fonts", async () => {
  const renderer = await pngRenderer();
  const { regret, band_narrow } = figures();
  for (const [name, figure] of Object.entries({ regret, band_narrow })) {
    const png = renderer.render(figure.svg, { scale: 1 });
    assert.deepEqual([...png.slice(1, 4)], [80, 78, 71]);
    const view = new DataView(png.buffer);
    assert.deepEqual([view.getUint32(16), view.getUint32(20)], [figure.width, figure.height]);
    const bare = renderer.render(figure.svg.replaceAll(/<text[\s\S]*?<\/text>/g, ""), { scale: 1 });
    assert.ok(png.length > bare.length * 1.1, `${name}: no text drawn`);
  }
});
