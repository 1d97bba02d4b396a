/**
 * A page inside a notebook: a frame of an origin of its own. Its script runs, but reaches neither the notebook nor what
 * the reader is signed in to, whatever text a model smuggled into the page.
 * @module
 */
import { escapeHtml } from "./escape.ts";

/**
 * The frame.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * assert.match(frameHtml("<p>a</p>", { title: "A page" }), /sandbox="allow-scripts" srcdoc="&lt;p&gt;a/);
 * ```
 */
export function frameHtml(
  page: string,
  /** `height` in pixels. @default height 720 */
  { title, height = 720 }: { title: string; height?: number },
): string {
  return `<iframe title="${escapeHtml(title)}" sandbox="allow-scripts" srcdoc="${
    escapeHtml(page)
  }" width="100%" height="${height}" style="box-sizing:border-box;border:1px solid #8888;border-radius:4px"></iframe>`;
}
