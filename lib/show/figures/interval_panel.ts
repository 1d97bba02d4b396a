/** Values with intervals in named rows, side by side with what they are compared to. @module */
import * as Plot from "@observablehq/plot";
import { drawPanel, type Panel } from "../compose.ts";
import { colour, series, type SeriesStyle } from "../style.ts";
import { axis, gridUp, margins, namedRows, pointMarks } from "./parts.ts";

/** One row; without a mean it is only named. */
export interface IntervalRow {
  /** Its name, fit for a label. */
  name: string;
  /** Value. */
  mean?: number;
  /** Lower end of the interval. */
  low?: number | null;
  /** Upper end. */
  high?: number | null;
  /** Words at the right end. */
  note?: string;
}

/** How it is drawn. */
export interface IntervalPanelOptions {
  /** Pixels. */
  width: number;
  /** Of the axis. */
  label: string;
  /** Above the panel. */
  heading?: string;
  /** Marker and line. @default the first series */
  style?: SeriesStyle;
  /** Of the axis. @default "+.2f" */
  tickFormat?: string;
  /** Drawn below the intervals; rows are numbers from 0. */
  below?: readonly Plot.Markish[];
  /** Both ends of the axis. @default as the values need, with zero */
  domain?: readonly [number, number];
}

/** Points with whiskers over a rule at zero. */
export function intervalPanel(
  rows: readonly IntervalRow[],
  options: IntervalPanelOptions,
): Panel {
  const { width, label, heading, style = series.first, tickFormat = "+.2f" } = options;
  const { below = [], domain } = options;
  const placed = rows.map((row, at) => ({ ...row, at }));
  const known = placed.filter(({ mean }) => mean !== undefined);
  const held = known.filter(({ low, high }) => typeof low === "number" && typeof high === "number");
  const isNoted = rows.some(({ note }) => note !== undefined);
  const named = namedRows(rows.map(({ name }) => name)), marginRight = isNoted ? 68 : 16;
  const ticks = Math.max(2, Math.floor((width - named.marginLeft - marginRight) / 75));
  const range = domain === undefined ? { zero: true, nice: 6 } : { domain: [...domain] };
  return drawPanel({
    ...margins,
    ...named,
    width,
    height: 54 + 27 * rows.length,
    marginTop: 8,
    marginRight,
    x: axis(label, { ticks, tickFormat, inset: 8, ...range }),
    marks: [
      gridUp(ticks),
      Plot.ruleX([0], { stroke: colour("ink"), strokeWidth: 1.2 }),
      ...below,
      Plot.link(held, {
        y: "at",
        x1: "low",
        x2: "high",
        stroke: colour(style.colour),
        strokeWidth: 2.2,
      }),
      ...pointMarks(known, { x: ({ mean }) => mean!, y: ({ at }) => at, style, r: 4.2 }),
      Plot.text(placed.filter(({ note }) => note !== undefined), {
        y: "at",
        frameAnchor: "right",
        dx: 62,
        textAnchor: "end",
        text: "note",
        fill: colour("muted"),
      }),
    ],
  }, heading);
}
