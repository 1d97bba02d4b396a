/**
 * Figures: Observable Plot panels under linkedom, set with title, subtitle, legend, caption and ⚠ lines into one
 * self-contained SVG. No script, no style sheet, no external reference, no id: the same data give the same bytes.
 * @module
 */
import * as Plot from "@observablehq/plot";
import { parseHTML } from "linkedom";
import { escapeHtml } from "./escape.ts";
import { type Figure, figureOf } from "./figure.ts";
import { colour, type FillStyle, fontFamily, type SeriesStyle } from "./style.ts";

/** One drawing of a figure. */
export interface Panel {
  /** Inner SVG element text, with its own width and height. */
  svg: string;
  /** Pixels. */
  width: number;
  /** Pixels, without the heading. */
  height: number;
  /** Short heading above the panel. */
  heading?: string;
}

/** One entry of a legend: a line with its marker, or an area. */
export interface LegendEntry {
  /** What it stands for. */
  label: string;
  /** How it is drawn. */
  style: SeriesStyle | FillStyle;
}

/** What a figure is made of. */
export interface FigureParts {
  /** What is shown. */
  title: string;
  /** How it was measured, and n. */
  subtitle: string;
  /** Empty where there is one series. */
  legend: readonly LegendEntry[];
  /** Set side by side while they fit, else one below the other. */
  panels: readonly Panel[];
  /** How to read it, or why it is empty. */
  caption?: string;
  /** What was dropped, each shown with ⚠; added to the text. */
  warnings: readonly string[];
  /** The numbers that the drawing shows. */
  text: string;
  /** Pixels. */
  width: number;
}

// Control characters that XML forbids: a label may hold what a model wrote.
// deno-lint-ignore no-control-regex
const forbidden = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ufffe\uffff]/g;

/** Options of Observable Plot's `plot()`; the document is set here. */
export type PanelOptions = NonNullable<
  Parameters<(typeof import("@observablehq/plot"))["plot"]>[0]
>;

/**
 * Draws one Plot panel. Options are Plot's own; the document and the style are ours.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import * as Plot from "@observablehq/plot";
 * const { svg } = drawPanel({ width: 300, height: 200, marks: [Plot.dot([[1, 2]])] }, "One point");
 * assert.match(svg, /^<svg .*<circle /s);
 * ```
 */
export function drawPanel(options: PanelOptions, heading?: string): Panel {
  // The two libraries type the DOM differently, and Deno types it not at all.
  const { document } = parseHTML("<!doctype html><html><body></body></html>") as unknown as {
    document: never;
  };
  const node = Plot.plot({ ...options, document }) as unknown as { outerHTML: string };
  const svg = node.outerHTML
    .replaceAll(/<style>[\s\S]*?<\/style>/g, "")
    .replaceAll(/ class="[^"]*"| font-family="[^"]*"| style="[^"]*"| tabindex="[^"]*"/g, "")
    .replaceAll("currentColor", colour("ink"))
    .replaceAll(forbidden, "\ufffd")
    // Only inside tags: what stands between them is read by people.
    .replaceAll(/<[^>]*>/g, (tag) => tag.replaceAll(/(\.\d{2})\d+/g, "$1"));
  return { svg, width: options.width ?? 640, height: options.height ?? 400, heading };
}

/**
 * Sets the parts into one SVG.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * const words = { title: "Nothing yet", subtitle: "n = 0", text: "nothing", warnings: ["1 lost"] };
 * const { svg, text } = composeFigure({ ...words, legend: [], panels: [], width: 360 });
 * assert.match(svg, /<title>Nothing yet<\/title>/);
 * assert.equal(text, "nothing\n⚠ 1 lost");
 * ```
 */
export function composeFigure(parts: FigureParts): Figure {
  const { width } = parts;
  const out: string[] = [];
  let y = 8;
  const put = (line: string, size: number, fill: string, weight = "normal") => {
    const limit = Math.floor((width - 16) / (size * (weight === "bold" ? 0.64 : 0.58)));
    // "n = 5" stays on one line.
    for (const kept of wrapText(line.replaceAll(" = ", "\u2007=\u2007"), limit)) {
      const piece = kept.replaceAll("\u2007", " ");
      y += Math.round(size * 1.35);
      out.push(
        `<text x="8" y="${y}" font-size="${size}" font-weight="${weight}" fill="${fill}">` +
          `${escapeHtml(piece)}</text>`,
      );
    }
  };
  put(parts.title, 15, colour("ink"), "bold");
  y += 2;
  put(parts.subtitle, 11, colour("muted"));
  y += 8;
  y = putLegend(out, parts, y);
  y = putPanels(out, parts.panels, width, y);
  if (parts.caption) put(parts.caption, 10.5, colour("muted"));
  for (const warning of parts.warnings) put(`⚠ ${warning}`, 11, colour("warning"), "bold");
  const height = y + 10;
  const text = [parts.text, ...parts.warnings.map((w) => `⚠ ${w}`)].join("\n");
  const described = `<title>${escapeHtml(parts.title)}</title><desc>${escapeHtml(text)}</desc>`;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" role="img" width="${width}" ` +
    `height="${height}" viewBox="0 0 ${width} ${height}" font-family="${fontFamily}" ` +
    `font-size="11" fill="${colour("ink")}">${described}` +
    `<rect width="${width}" height="${height}" fill="${colour("paper")}"/>${
      out.join("\n")
    }</svg>\n`;
  return figureOf({ title: parts.title, svg, text, width, height });
}

function putLegend(out: string[], parts: FigureParts, top: number): number {
  let x = 8, y = top;
  for (const { label, style } of parts.legend) {
    const length = 36 + label.length * 6.3 + 18;
    if (x > 8 && x + length > parts.width) {
      x = 8;
      y += 18;
    }
    out.push(legendKey(x, y, style));
    out.push(`<text x="${x + 36}" y="${y + 10}" font-size="11">${escapeHtml(label)}</text>`);
    x += Math.round(length);
  }
  return parts.legend.length > 0 ? y + 24 : y;
}

function legendKey(x: number, y: number, style: SeriesStyle | FillStyle): string {
  if ("opacity" in style) {
    return `<rect x="${x + 8}" y="${y}" width="22" height="12" fill="${colour(style.colour)}" ` +
      `fill-opacity="${style.opacity}" stroke="${colour("ink")}" stroke-width="0.7"/>`;
  }
  const stroke = colour(style.colour), cx = x + 15, cy = y + 6;
  const dash = style.dash ? ` stroke-dasharray="${style.dash}"` : "";
  const fill = style.filled ? stroke : colour("paper");
  const line = style.unjoined
    ? ""
    : `<path d="M${x},${cy}h30" stroke="${stroke}" stroke-width="2"${dash}/>`;
  const shape = {
    circle: `<circle cx="${cx}" cy="${cy}" r="4" stroke="${stroke}" fill="${fill}"/>`,
    triangle: `<path d="M${cx},${cy - 5}l5,9h-10z" stroke="${stroke}" fill="${fill}"/>`,
    square: `<path d="M${cx - 3.5},${cy - 3.5}h7v7h-7z" stroke="${stroke}" fill="${fill}"/>`,
    diamond: `<path d="M${cx},${cy - 5}l4,5l-4,5l-4,-5z" stroke="${stroke}" fill="${fill}"/>`,
    none: "",
  };
  return line + shape[style.symbol];
}

function putPanels(out: string[], panels: readonly Panel[], width: number, top: number): number {
  let x = 0, y = top, bottom = top;
  for (const panel of panels) {
    if (x > 0 && x + panel.width > width) {
      x = 0;
      y = bottom + 6;
    }
    const head = panel.heading ? 18 : 0;
    if (panel.heading) {
      out.push(
        `<text x="${x + 8}" y="${y + 12}" font-size="12" font-weight="bold">` +
          `${escapeHtml(panel.heading)}</text>`,
      );
    }
    out.push(panel.svg.replace(/^<svg/, `<svg x="${x}" y="${y + head}"`));
    x += panel.width;
    bottom = Math.max(bottom, y + head + panel.height);
  }
  return bottom;
}

/** Lines of at most `limit` characters, broken at spaces; longer words are broken hard. */
export function wrapText(text: string, limit: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(/[ \n]+/).filter((w) => w !== "")) {
    if (line !== "" && line.length + 1 + word.length > limit) {
      lines.push(line);
      line = "";
    }
    line = line === "" ? word : `${line} ${word}`;
    while (line.length > limit) {
      lines.push(line.slice(0, limit));
      line = line.slice(limit);
    }
  }
  if (line !== "") lines.push(line);
  return lines;
}
