/**
 * A figure as people use it: it shows itself in a notebook as PNG, on a console as text, and writes itself to a file.
 * Pictures in notebooks are PNG: some front ends empty an SVG before they show it.
 * @module
 */
import * as fs from "node:fs";
import * as path from "node:path";
import { UsageError } from "../core/mod.ts";
import {
  denoInspect,
  type Displayable,
  jupyterDisplay,
  type MimeBundle,
  mimeBundle,
} from "./display.ts";
import { escapeHtml, escapeTerminal } from "./escape.ts";
import { pngRenderer } from "./png.ts";

/** A drawing with its words: `svg` stands alone, `text` says the same to a terminal or a screen reader. */
export interface Figure extends Displayable<Promise<MimeBundle>> {
  /** What it is. */
  kind: "figure";
  /** What is shown. */
  title: string;
  /** The whole picture: no script, style sheet, id or outside reference. */
  svg: string;
  /** The same in words, with what was dropped. */
  text: string;
  /** Pixels. */
  width: number;
  /** Pixels. */
  height: number;
  /**
   * Writes the picture as `.svg` or `.png` (at twice its size), by the ending of the path; folders that are missing
   * are made. Gives the path.
   *
   * @throws UsageError when the path has another ending
   */
  save(path: string): Promise<string>;
}

/**
 * A figure of a finished drawing. What it can do is hidden from its data.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>';
 * const figure = figureOf({ title: "Nothing", svg, text: "n = 0", width: 9, height: 9 });
 * assert.equal(Deno.inspect(figure), "Nothing\nn = 0");
 * assert.deepEqual(Object.keys(figure), ["kind", "title", "svg", "text", "width", "height"]);
 * ```
 */
export function figureOf(
  { title, svg, text, width, height }: Pick<
    Figure,
    "title" | "svg" | "text" | "width" | "height"
  >,
): Figure {
  const words = escapeTerminal(`${title}\n${text}`);
  const draw = async () => (await pngRenderer()).render(svg, { scale: 2 });
  const figure = { kind: "figure", title, svg, text, width, height };
  return Object.defineProperties(figure, {
    save: { value: (file: string) => save(file, svg, draw) },
    [jupyterDisplay]: {
      value: async () => {
        const png = await draw();
        // a bare PNG is shown at its pixels, twice the figure's width
        const html = `<img alt="${escapeHtml(title)}" width="${width}" ` +
          `style="max-width:100%;height:auto" src="data:image/png;base64,${png.toBase64()}">`;
        return mimeBundle({ text: words, html, png });
      },
    },
    [denoInspect]: { value: () => words },
  }) as Figure;
}

async function save(file: string, svg: string, draw: () => Promise<Uint8Array>): Promise<string> {
  const suffix = path.extname(file).toLowerCase();
  if (suffix !== ".svg" && suffix !== ".png") {
    throw new UsageError(`Cannot save figure as "${file}": it must end in .svg or .png`);
  }
  const bytes = suffix === ".svg" ? svg : await draw();
  fs.mkdirSync(path.dirname(path.resolve(file)), { recursive: true });
  fs.writeFileSync(file, bytes);
  return file;
}
