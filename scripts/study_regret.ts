/**
 * `deno task study:regret`: how far a measured regret can be trusted, by simulation. Writes data/results/regret.json
 * and regret.png; about 2 minutes on one core. Exit status 1 when a cell's coverage is below 92 % [D15].
 *
 *   deno task study:regret [data sets a cell = 2000]
 */
import * as fs from "node:fs";
import { commitOf, inProject } from "../lib/cli/files.ts";
import { pngRenderer } from "../lib/show/mod.ts";
import { coverageCells, floorCells, pairingCells } from "./study/regret.ts";
import { studyFigure } from "./study/regret_figure.ts";
import { floorTable, pairingTable, worstTable } from "./study/regret_tables.ts";

const repetitions = Number(Deno.args[0] ?? 2000);
const started = performance.now();
const study = {
  coverage: coverageCells(repetitions),
  pairing: pairingCells(repetitions),
  floor: floorCells(10 * repetitions),
};
const seconds = Math.round((performance.now() - started) / 1000);
/** Of cells with at least 200 intervals. */
const least = Math.min(...study.coverage.flatMap(({ covered }) => covered ?? []));

const { deno } = Deno.version;
const how = { command: `deno task study:regret ${repetitions}`, commit: commitOf(), deno, seconds };
const round = (_: string, value: unknown) =>
  typeof value === "number" ? Number(value.toPrecision(6)) : value;
fs.writeFileSync(
  inProject("data/results/regret.json"),
  JSON.stringify({ ...how, repetitions, least, ...study }, round, 1) + "\n",
);
const { svg } = studyFigure(study, repetitions);
fs.writeFileSync(
  inProject("data/results/regret.png"),
  (await pngRenderer()).render(svg, { scale: 2 }),
);
console.log(
  [worstTable(study.coverage), pairingTable(study.pairing), floorTable(study.floor)].join("\n"),
);
console.log(`lowest coverage ${(100 * least).toFixed(1)} %; ${seconds} s`);
if (least < 0.92) Deno.exit(1);
