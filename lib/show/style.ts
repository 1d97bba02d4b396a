/**
 * One style for every figure and page. Series differ by colour (Okabe-Ito, safe for colour-blind readers) and by
 * marker and dash, so that a grey print reads the same. Colours are named tokens: a stand-alone SVG carries their
 * light values, a page swaps them for CSS variables and so follows light or dark.
 * @module
 */

/** Token name to its light and dark value. Light values are distinct: {@link themed} finds them by value. */
export const colours = {
  paper: { light: "#fffffe", dark: "#15171a" },
  ink: { light: "#1b1b1d", dark: "#e9e9e6" },
  muted: { light: "#57585c", dark: "#a9abb0" },
  rule: { light: "#d3d4d8", dark: "#3a3d43" },
  band: { light: "#e6e7ea", dark: "#2b2f36" },
  first: { light: "#0072b2", dark: "#5bb8ef" },
  second: { light: "#c24e00", dark: "#f59a58" },
  third: { light: "#00805c", dark: "#3fcf9f" },
  warning: { light: "#8a3c00", dark: "#ffb86b" },
} as const satisfies Record<ColourName, { light: string; dark: string }>;

/** Name of a colour token. */
export type ColourName =
  | "paper"
  | "ink"
  | "muted"
  | "rule"
  | "band"
  | "first"
  | "second"
  | "third"
  | "warning";

/**
 * Light value of a token, for marks.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * assert.equal(colour("first"), "#0072b2");
 * ```
 */
export function colour(name: ColourName): string {
  return colours[name].light;
}

/** How a series is told apart without colour. */
export interface SeriesStyle {
  /** Colour token. */
  colour: ColourName;
  /** SVG dash array; undefined is solid. */
  dash?: string;
  /** Marker. */
  symbol: "circle" | "triangle" | "square" | "diamond" | "none";
  /** Filled or open marker. */
  filled: boolean;
  /** Only markers: no line joins them. */
  unjoined?: boolean;
}

/** How an area is told apart without colour: by how dark it is. All have an outline. */
export interface FillStyle {
  /** Colour token. */
  colour: ColourName;
  /** 0 to 1. */
  opacity: number;
}

/** Styles of lines and markers, in order of use. */
export const series = {
  first: { colour: "first", symbol: "circle", filled: true },
  second: { colour: "second", dash: "6 3", symbol: "triangle", filled: false },
  third: { colour: "third", dash: "2 3", symbol: "square", filled: false },
  fourth: { colour: "muted", dash: "9 3 2 3", symbol: "diamond", filled: false },
  plain: { colour: "muted", dash: "2 3", symbol: "none", filled: false },
} as const satisfies Record<string, SeriesStyle>;

/** Styles of areas, dark to white: in a grey print their order of darkness stays. */
export const fills = {
  dark: { colour: "first", opacity: 1 },
  middle: { colour: "second", opacity: 0.5 },
  light: { colour: "third", opacity: 0.14 },
  none: { colour: "paper", opacity: 1 },
} as const satisfies Record<string, FillStyle>;

/** DejaVu ships with the toolkit for PNG; the others are as wide. */
export const fontFamily = "DejaVu Sans, Verdana, Segoe UI, sans-serif";

/** Widths in pixels for a page and for a phone; a figure is drawn anew for each. */
export const widths = { wide: 760, narrow: 360 } as const;

/** Replaces token values of an SVG by CSS variables `--spade-<name>`. */
export function themed(svg: string): string {
  let text = svg;
  for (const [name, { light }] of Object.entries(colours)) {
    text = text.replaceAll(`"${light}"`, `"var(--spade-${name})"`);
  }
  return text;
}

/** CSS that defines the variables: light, and dark where the reader prefers it. */
export function colourVariables(): string {
  const lines = (theme: "light" | "dark") =>
    Object.entries(colours).map(([name, value]) => `--spade-${name}:${value[theme]};`).join("");
  return `:root{color-scheme:light dark;${lines("light")}}` +
    `@media (prefers-color-scheme:dark){:root{${lines("dark")}}}`;
}
