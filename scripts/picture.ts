/**
 * Writes a run's learning figure as PNG:
 *
 *   deno run --allow-read --allow-write=data/results --ignore-env scripts/picture.ts RUN data/results/FILE.png
 */
import * as fs from "node:fs";
import { learningFigure, pngRenderer } from "../lib/show/mod.ts";
import { Store } from "../lib/store/mod.ts";
import { findRun } from "../lib/cli/files.ts";

const [run, file] = Deno.args;
using store = Store.open(findRun(run), { readonly: true });
const { svg } = learningFigure(store.all("evaluation"), { set: "dev" });
fs.writeFileSync(file, (await pngRenderer()).render(svg, { scale: 2 }));
