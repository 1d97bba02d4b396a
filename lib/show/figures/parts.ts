/**
 * What the figures of this folder share: axes, lines told apart by dash and marker, intervals, rows with a name, stacked
 * bars, and the words for what was left out.
 * @module
 */
import * as Plot from "@observablehq/plot";
import { escapeTerminal } from "../escape.ts";
import { formatCount } from "../format.ts";
import { colour, type FillStyle, type SeriesStyle, widths } from "../style.ts";
import { cutText } from "../text_table.ts";

/** Options of every figure. */
export interface FigureOptions {
  /** Pixels; below 600 panels stand one below the other. @default 760 */
  width?: number;
}

/** Width of a figure, and of one of `panels` panels side by side where there is room. */
export function layout(
  options: FigureOptions,
  panels = 1,
): { width: number; panel: number; isWide: boolean } {
  const { width = widths.wide } = options;
  const isWide = width >= 600;
  return { width, panel: isWide ? Math.floor(width / panels) : width, isWide };
}

/** A name that a program or a model may have written, fit for a label: one line, harmless, cut. */
export function labelOf(text: string, most = 24): string {
  return cutText(escapeTerminal(text.slice(0, 400)).replaceAll(/\s+/g, " ").trim(), most) || "–";
}

/** `1 play`, `3,200 plays`. */
export function counted(count: number, noun: string, plural = `${noun}s`): string {
  return `${formatCount(count)} ${count === 1 ? noun : plural}`;
}

/** An axis below or left, labelled in its middle, without an arrow. */
export function axis(label: string | null, more: Plot.ScaleOptions = {}): Plot.ScaleOptions {
  return { label, labelArrow: "none", labelAnchor: "center", ...more };
}

/** An axis on the left, labelled at its top. */
export function axisUp(label: string, more: Plot.ScaleOptions = {}): Plot.ScaleOptions {
  return { label: `↑ ${label}`, labelArrow: "none", ...more };
}

/** The axis of rollouts, whole numbers, with half a rollout of room (times `every`) at both ends. */
export function rolloutAxis(
  rollouts: readonly number[],
  width: number,
  options: { every?: number; label?: string } = {},
): Plot.ScaleOptions {
  const { every = 1, label = "rollout" } = options;
  const { first, last } = ends(rollouts);
  const ticks = Math.min(last - first + 1, width > 500 ? 12 : width > 300 ? 6 : 4);
  const domain = [first - every * 0.6, last + every * 0.6];
  return axis(label, { domain, ticks, tickFormat: "d" });
}

/** Least and most of many numbers; 0 and 0 where there are none. */
export function ends(values: readonly number[]): { first: number; last: number } {
  if (values.length === 0) return { first: 0, last: 0 };
  const first = values.reduce((a, b) => Math.min(a, b), Infinity);
  return { first, last: values.reduce((a, b) => Math.max(a, b), -Infinity) };
}

/** Margins of a panel with numbers on the left and an axis below. */
export const margins = {
  marginLeft: 46,
  marginRight: 14,
  marginTop: 24,
  marginBottom: 38,
} as const;

/** Whole numbers from 0 to `most`: as many ticks as there are numbers, four at most. */
export function countAxis(label: string, most: number): Plot.ScaleOptions {
  const top = Math.max(1, most);
  return axis(label, { domain: [0, top], ticks: Math.min(4, top), tickFormat: "d" });
}

/** `200 k`, `1.5 M`: a tick of a long axis. */
export function tickLarge(value: number): string {
  const [unit, name] = value >= 1e6 ? [1e6, " M"] : value >= 1e3 ? [1e3, " k"] : [1, ""];
  return `${Number((value / unit).toPrecision(3))}${name}`;
}

/** The first eight digits, as everywhere. */
export function shortId(id: string): string {
  return labelOf(id.slice(0, 8), 8);
}

/** Grey lines across. */
export function grid(ticks = 5): Plot.Markish {
  return Plot.gridY({ stroke: colour("rule"), strokeOpacity: 1, ticks });
}

/** A line with markers, about 14 of them: every point would hide the dash. */
export function lineMarks<T>(
  rows: readonly T[],
  { x, y, style }: { x: (row: T) => number; y: (row: T) => number; style: SeriesStyle },
): Plot.Markish[] {
  const known = rows.filter((row) => Number.isFinite(y(row)));
  const line = { stroke: colour(style.colour), strokeWidth: 1.8, strokeDasharray: style.dash };
  const sparse = Math.max(1, Math.ceil(known.length / 14));
  return [
    Plot.lineY(known, { x, y, ...line }),
    ...pointMarks(known.filter((_, i) => i % sparse === 0), { x, y, style }),
  ];
}

/** Markers alone. */
export function pointMarks<T>(
  rows: readonly T[],
  { x, y, style, r = 3.5 }: {
    x: (row: T) => number;
    y: (row: T) => number;
    style: SeriesStyle;
    r?: number;
  },
): Plot.Markish[] {
  if (style.symbol === "none") return [];
  const stroke = colour(style.colour), fill = style.filled ? stroke : colour("paper");
  return [Plot.dot(rows, { x, y, symbol: style.symbol, stroke, fill, r })];
}

/** The space between two bounds, drawn faintly. */
export function bandMarks<T>(
  rows: readonly T[],
  { x, low, high, style }: {
    x: (row: T) => number;
    low: (row: T) => number;
    high: (row: T) => number;
    style: SeriesStyle;
  },
): Plot.Markish[] {
  const known = rows.filter((row) => Number.isFinite(low(row)) && Number.isFinite(high(row)));
  const fill = colour(style.colour);
  return [Plot.areaY(known, { x, y1: low, y2: high, fill, fillOpacity: 0.13 })];
}

/** One part of a stacked bar, from `from` to `to`. */
export interface BarPart {
  /** Number of the row, or rollout. */
  at: number;
  /** Where it starts. */
  from: number;
  /** Where it ends. */
  to: number;
}

/** Parts of bars, one style after the other, each from where the last ended. */
export function stack<T>(
  rows: readonly T[],
  at: (row: T, i: number) => number,
  parts: readonly ((row: T) => number)[],
): BarPart[][] {
  const reached = rows.map(() => 0);
  return parts.map((part) =>
    rows.map((row, i) => {
      const from = reached[i];
      reached[i] += part(row);
      return { at: at(row, i), from, to: reached[i] };
    })
  );
}

/** Bars along x, in named rows. */
export function barsAlong(parts: readonly BarPart[], style: FillStyle): Plot.Markish[] {
  const drawn = parts.filter(({ from, to }) => to > from);
  const place = { x1: "from", x2: "to", y: "at" };
  return layers((fill) => Plot.barX(drawn, { ...place, ...fill }), style);
}

/** Grey lines upwards. */
export function gridUp(ticks?: number): Plot.Markish {
  return Plot.gridX({ stroke: colour("rule"), strokeOpacity: 1, ticks });
}

/** Words behind the end of each row's bar. */
export function barLabels<T>(
  rows: readonly T[],
  { x, text }: { x: (row: T) => number; text: (row: T) => string },
): Plot.Markish {
  return Plot.text(rows, { x, y: (_, i) => i, text, dx: 5, textAnchor: "start" });
}

/** Bars upwards, `every` wide, centred on numbers. */
export function barsUp(parts: readonly BarPart[], style: FillStyle, every = 1): Plot.Markish[] {
  const drawn = parts.filter(({ from, to }) => to > from);
  const side = (sign: number) => ({ at }: BarPart) => at + sign * every * 0.46;
  const place = { x1: side(-1), x2: side(1), y1: "from", y2: "to" };
  return layers((fill) => Plot.rect(drawn, { ...place, ...fill }), style);
}

/** Paper below a fill that lets the grid through. */
function layers(draw: (fill: object) => Plot.Markish, style: FillStyle): Plot.Markish[] {
  const below = style.opacity < 1 ? [draw({ fill: colour("paper") })] : [];
  return [...below, draw(fillOf(style))];
}

/** Fill and outline. */
export function fillOf(style: FillStyle): {
  fill: string;
  fillOpacity: number;
  stroke: string;
  strokeWidth: number;
} {
  return {
    fill: colour(style.colour),
    fillOpacity: style.opacity,
    stroke: colour("ink"),
    strokeWidth: 0.6,
  };
}

/** Rows by number with a name each (equal names stay apart), and the room on the left that these need. */
export function namedRows(names: readonly string[]): { y: Plot.ScaleOptions; marginLeft: number } {
  const longest = names.reduce((length, name) => Math.max(length, [...name].length), 0);
  return {
    y: {
      type: "band",
      domain: names.map((_, i) => i),
      tickFormat: (i: number) => names[i],
      label: null,
      tickSize: 0,
      padding: 0.3,
    },
    marginLeft: Math.max(40, Math.ceil(longest * 6.6) + 14),
  };
}

/** What was cut off the beginning of a long run. */
export function omittedWarning(omitted = 0): string[] {
  return omitted > 0 ? [`the first ${counted(omitted, "program")} are left out`] : [];
}

/** The first `most` rows, and a warning that counts the rest. */
export function firstRows<T>(
  rows: readonly T[],
  most: number,
  noun: string,
): { shown: readonly T[]; warnings: string[] } {
  const rest = rows.length - most;
  if (rest <= 0) return { shown: rows, warnings: [] };
  return {
    shown: rows.slice(0, most),
    warnings: [`${formatCount(rest)} of ${counted(rows.length, noun)} are not drawn`],
  };
}
