/** Win rate against regret with the list of environments: choose some by dragging over them. @module */
import {
  type EnvironmentSummary,
  placeOf,
  type TargetBand,
  targetBand,
} from "../../analysis/mod.ts";
import { denoInspect, type Displayable, jupyterDisplay } from "../display.ts";
import { escapeTerminal } from "../escape.ts";
import { type Figure, figureOf } from "../figure.ts";
import { formatChange, formatCount, formatInterval, formatNumber } from "../format.ts";
import { explorerSpec, listed } from "./explorer_spec.ts";
import { counted, labelOf, shortId } from "./parts.ts";
import { vegaLiteType, type VegaSpec, vegaSvg } from "./vega.ts";

/** What the explorer leaves out, and the band it draws. */
export interface ExplorerOptions {
  /** Target of the win rate. @default .4 to .6 */
  band?: TargetBand;
  /** Environments at most, the newest first: all of them stand in the specification. @default 3000 */
  most?: number;
}

/** One environment of the explorer, as the specification holds it. */
export interface ExplorerPoint {
  /** First eight digits of its id. */
  id: string;
  /** Class name, cut. */
  name: string;
  /** Skill, cut. */
  skill: string;
  /** Rollout that met it. */
  rollout: number;
  /** Mean plain return. */
  winRate: number;
  /** Hinted minus plain. */
  regret: number;
  /** Its interval as text. */
  interval: string;
  /** Against the band. */
  place: string;
}

/** An interactive figure; where nothing runs scripts, its picture. */
export interface Explorer extends Displayable<Promise<Record<string, unknown>>> {
  /** What it is. */
  kind: "explorer";
  /** What is shown. */
  title: string;
  /** Vega-lite 5 with all its data, to be used as it is. */
  spec: VegaSpec;
  /** The same in words. */
  text: string;
  /** The view before anybody touches it. */
  figure(): Promise<Figure>;
}

/**
 * Linked view of `environmentSummaries(tables)`: drag over points to see their environments in the list. In a notebook
 * it is interactive (JupyterLab 4 draws the specification itself), elsewhere a picture.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * assert.match(regretExplorer([]).text, /n = 0 environments/);
 * ```
 */
export function regretExplorer(
  summaries: readonly EnvironmentSummary[],
  options: ExplorerOptions = {},
): Explorer {
  const { band = targetBand, most = 3000 } = options;
  const played = summaries.filter(({ plain, hinted, regret }) =>
    plain.scored + plain.failed + plain.skipped + hinted.scored > 0 || regret !== undefined
  );
  const known = played.flatMap((row) => pointOf(row, band))
    .sort((a, b) => b.rollout - a.rollout || (a.id < b.id ? -1 : 1));
  const points = known.slice(0, most);
  const unmeasured = played.length - known.length;
  const warnings = [
    ...(unmeasured > 0
      ? [
        `${formatCount(unmeasured)} of ${
          counted(played.length, "played environment")
        } have no win rate or no regret`,
      ]
      : []),
    ...(points.length < known.length
      ? [`${formatCount(known.length - points.length)} older ones are not drawn`]
      : []),
  ];
  const title = "Win rate against regret";
  const n = `n = ${counted(points.length, "environment")}`;
  const spec = explorerSpec(points, { title, n, warnings, band });
  const ranked = points.toSorted((a, b) => b.regret - a.regret || (a.id < b.id ? -1 : 1));
  const text = [
    `${n}; target band ${band.low}–${band.high}: ${
      ["below", "in", "above"].map((place) =>
        `${points.filter((point) => point.place === place).length} ${place}`
      ).join(", ")
    }`,
    ...ranked.slice(0, 10).map((p) =>
      `${p.id} ${p.name}, ${p.skill}: win rate ${formatNumber(p.winRate)}, ` +
      `regret ${formatChange(p.regret)} ${p.interval}`
    ),
    ...(points.length > listed ? [`the list of the picture shows ${listed} of them`] : []),
    ...warnings.map((warning) => `⚠ ${warning}`),
  ].join("\n");
  return Object.defineProperties({ kind: "explorer", title, spec, text }, {
    figure: { value: () => picture(spec, title, text) },
    [jupyterDisplay]: { value: () => bundle(spec, title, text) },
    [denoInspect]: { value: () => escapeTerminal(`${title}\n${text}`) },
  }) as unknown as Explorer;
}

function pointOf(row: EnvironmentSummary, band: TargetBand): ExplorerPoint[] {
  const { regret, plain } = row;
  if (plain.mean === undefined || regret?.outcome.kind !== "scored") return [];
  return [{
    id: shortId(row.environmentId),
    name: labelOf(row.className, 20),
    skill: labelOf(row.skill, 22),
    rollout: row.rollout,
    winRate: plain.mean,
    regret: regret.outcome.value,
    interval: formatInterval(regret),
    place: placeOf(plain.mean, band),
  }];
}

async function picture(spec: VegaSpec, title: string, text: string): Promise<Figure> {
  const svg = await vegaSvg(spec);
  const side = (name: string) => Number(svg.match(new RegExp(` ${name}="([\\d.]+)"`))?.[1] ?? 0);
  return figureOf({ title, svg, text, width: side("width"), height: side("height") });
}

async function bundle(spec: VegaSpec, title: string, text: string) {
  const figure = await picture(spec, title, text);
  const { "text/html": _, ...still } = await figure[jupyterDisplay](); // JupyterLab would prefer it
  return { [vegaLiteType]: spec, ...still };
}
