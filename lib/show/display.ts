/**
 * Results that show themselves: in a notebook as HTML or a picture, in a script (`console.log`) as text. The two symbols
 * are what the kernel and Deno look for; nothing of either is imported, so everything works without a kernel.
 * @module
 */

/** The kernel calls it for the last value of a cell; it gives a bundle of media types. */
export const jupyterDisplay: unique symbol = Symbol.for("Jupyter.display") as never;
/** Deno's console calls it. */
export const denoInspect: unique symbol = Symbol.for("Deno.customInspect") as never;

/** What is shown. `text` says everything that matters; the others are for those who can show them. */
export interface Shown {
  /** Safe for a terminal: escape what a model wrote with `escapeTerminal`. */
  text: string;
  /** Safe markup: escape what a model wrote with `escapeHtml`. */
  html?: string;
  /** Bytes of a PNG. */
  png?: Uint8Array;
}

/** Text or base64 by media type, as a kernel sends it. */
export type MimeBundle = Record<string, string>;

/** What shows itself in a notebook and on a console. `Bundle` is a promise where a picture must be drawn first. */
export interface Displayable<Bundle = MimeBundle> {
  /** For a notebook. */
  [jupyterDisplay](): Bundle;
  /** For a console. */
  [denoInspect](): string;
}

/**
 * Media types of what is shown, richest and plain.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * assert.deepEqual(mimeBundle({ text: "1 < 2", html: "1 &lt; 2" }), {
 *   "text/html": "1 &lt; 2",
 *   "text/plain": "1 < 2",
 * });
 * ```
 */
export function mimeBundle({ text, html, png }: Shown): MimeBundle {
  return {
    ...(png === undefined ? {} : { "image/png": png.toBase64() }),
    ...(html === undefined ? {} : { "text/html": html }),
    "text/plain": text,
  };
}

/**
 * Something that shows itself when it is the last value of a cell or printed. With `value` that very object gets the
 * ability, hidden from its data; `show` is then asked anew each time.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * const hello = display({ text: "hello", html: "<b>hello</b>" });
 * assert.equal(Deno.inspect(hello), "hello");
 *
 * const report = display(({ done }) => ({ text: `${done} done` }), { done: 3 });
 * report.done = 4;
 * assert.equal(Deno.inspect(report), "4 done");
 * assert.deepEqual(Object.keys(report), ["done"]);
 * ```
 */
export function display(shown: Shown): Displayable;
/** The same for an object of yours. */
export function display<T extends object>(show: (value: T) => Shown, value: T): T & Displayable;
export function display(show: Shown | ((value: never) => Shown), value: object = {}): object {
  const shown = () => typeof show === "function" ? show(value as never) : show;
  return Object.defineProperties(value, {
    [jupyterDisplay]: { value: () => mimeBundle(shown()), configurable: true },
    [denoInspect]: { value: () => shown().text, configurable: true },
  });
}
