/**
 * The stored pictures of lib/show/figures. After a wanted change: `deno run --allow-read --allow-write
 * tests/show/figures/pictures.ts`, then look at them before they are committed. With `--png FOLDER` also as PNG.
 */
import { pngRenderer } from "../../../lib/show/mod.ts";
import { guard } from "../pictures.ts";
import { ordinary } from "./data.ts";
import { stored } from "./drawn.ts";

const folder = Deno.args[0] === "--png" ? Deno.args[1] : undefined;
for (const [name, draw] of Object.entries(stored(ordinary()))) {
  const { svg } = draw();
  await Deno.writeTextFile(new URL(`../pictures/${name}.svg`, import.meta.url), guard + svg);
  if (folder === undefined) continue;
  const renderer = await pngRenderer();
  await Deno.writeFile(`${folder}/${name}.png`, renderer.render(svg));
}
