/**
 * The stored pictures. After a wanted change: `deno run --allow-read --allow-write tests/show/pictures.ts`, then look
 * at them before they are committed. With `--png FOLDER` also as PNG.
 */
import { bandFigure, type Figure, learningFigure, regretFigure } from "../../lib/show/mod.ts";
import { shrunkRegrets } from "../../lib/analysis/mod.ts";
import { syntheticRun } from "./fixture.ts";

/** First line of a stored picture: without it `deno fmt` would lay it out anew. */
export const guard = "<!-- deno-fmt-ignore-file -->\n";

/** Every stored figure by file name. */
export function figures(): Record<string, Figure> {
  const run = syntheticRun(), short = syntheticRun({ rollouts: 8, environments: 8, seed: 5 });
  return {
    "learning": learningFigure(run.evaluation),
    "learning_narrow": learningFigure(run.evaluation, { width: 360 }),
    "band": bandFigure(run.play, { every: 2 }),
    "band_narrow": bandFigure(short.play, { width: 360 }),
    "regret": regretFigure(run.regret, {
      shrunk: shrunkRegrets(run.regret, run.play, { every: 2 }),
    }),
    "regret_narrow": regretFigure(short.regret, { width: 360 }),
    "regret_empty": regretFigure([]),
  };
}

if (import.meta.main) {
  const folder = Deno.args[0] === "--png" ? Deno.args[1] : undefined;
  const { pngRenderer } = await import("../../lib/show/mod.ts");
  for (const [name, figure] of Object.entries(figures())) {
    await Deno.writeTextFile(new URL(`pictures/${name}.svg`, import.meta.url), guard + figure.svg);
    if (folder === undefined) continue;
    const renderer = await pngRenderer();
    await Deno.writeFile(`${folder}/${name}.png`, renderer.render(figure.svg));
  }
}
