/**
 * Self-contained HTML pages: their style sheet and, where a page has one, their script inside; no network, light and
 * dark, wide and narrow. The content policy of a page names that sheet and that script by hash: nothing that text of a
 * model smuggles in would run or load. Text is escaped unless it is {@link Html}, which only this room makes.
 * @module
 */
import { createHash } from "node:crypto";
import type { Figure } from "./figure.ts";
import { escapeHtml } from "./escape.ts";
import { pageStyle } from "./page_style.ts";
import { colourVariables, themed, widths } from "./style.ts";

/** Markup that is already safe. */
export interface Html {
  /** Tells it from text. */
  kind: "html";
  /** The markup. */
  text: string;
}

/** What stands on a page: text, which is escaped, or markup. */
export type Content = string | Html;

/**
 * Declares markup safe: all text in it was escaped.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * assert.equal(markup(html("<b>1</b>")), "<b>1</b>");
 * ```
 */
export function html(text: string): Html {
  return { kind: "html", text };
}

/**
 * Markup of content: text is escaped.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * assert.equal(markup("1 < 2"), "1 &lt; 2");
 * ```
 */
export function markup(content: Content): string {
  return typeof content === "string" ? escapeHtml(content) : content.text;
}

/** What a page has beside its content. */
export interface PageOptions {
  /** Rules after those of every page. */
  style?: string;
  /** One classic script, run at the end of the page; the page must be readable without it. */
  script?: string;
}

/**
 * A whole document. Inline `style` and `on…` attributes do nothing in it: the policy allows its one sheet and script.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * assert.match(pageHtml("a < b", ["text"]), /<title>a &lt; b<\/title>/);
 * ```
 */
export function pageHtml(
  title: string,
  sections: readonly Content[],
  { style = "", script }: PageOptions = {},
): string {
  const sheet = `${colourVariables()}${pageStyle}${style}`;
  const scripts = script === undefined ? "" : `; script-src ${sourceHash(script)}`;
  const policy = `default-src 'none'; style-src ${sourceHash(sheet)}${scripts}; img-src data:; ` +
    "base-uri 'none'; form-action 'none'";
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="referrer" content="no-referrer">
<title>${escapeHtml(title)}</title>
<style>${sheet}</style>
</head>
<body>
<main>
<h1>${escapeHtml(title)}</h1>
${sections.map(markup).join("\n")}
</main>${script === undefined ? "" : `\n<script>${script}</script>`}
</body>
</html>
`;
}

/** Parts of a picture have no names of their own for a screen reader: it has a title, and its words. */
function inline(svg: string): string {
  return themed(svg).replaceAll(/ aria-(label|description)="[^"]*"/g, "");
}

/** As a content policy names an inline sheet or script. */
function sourceHash(text: string): string {
  return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
}

/**
 * A part with a heading, and the heading's own link target: its words in small letters with hyphens.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * assert.match(sectionHtml("Two words", "text").text, /<section id="two-words">/);
 * ```
 */
export function sectionHtml(heading: string, ...content: Content[]): Html {
  return html(
    `<section id="${anchorOf(heading)}">\n<h2>${escapeHtml(heading)}</h2>\n${
      content.map(markup).join("\n")
    }\n</section>`,
  );
}

function anchorOf(heading: string): string {
  return heading.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-").replaceAll(/^-|-$/g, "");
}

/**
 * Links to sections of this page.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * assert.match(contentsHtml(["Source"]).text, /<a href="#source">Source<\/a>/);
 * ```
 */
export function contentsHtml(headings: readonly string[]): Html {
  const links = headings.map((h) => `<a href="#${anchorOf(h)}">${escapeHtml(h)}</a>`);
  return html(`<nav class="contents" aria-label="Contents">${links.join(" ")}</nav>`);
}

/**
 * A paragraph.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * assert.equal(paragraphHtml("a & b", "muted").text, '<p class="muted">a &amp; b</p>');
 * ```
 */
export function paragraphHtml(content: Content, className = ""): Html {
  const attribute = className === "" ? "" : ` class="${escapeHtml(className)}"`;
  return html(`<p${attribute}>${markup(content)}</p>`);
}

/**
 * A folded part.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * assert.equal(detailsHtml("more", "a").text, "<details><summary>more</summary>a</details>");
 * ```
 */
export function detailsHtml(summary: Content, content: Content, open = false): Html {
  return html(
    `<details${open ? " open" : ""}><summary>${markup(summary)}</summary>${
      markup(content)
    }</details>`,
  );
}

/**
 * Names and values, for headers.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * assert.match(factsHtml([{ name: "seed", value: "7" }]).text, /<dt>seed<\/dt><dd>7<\/dd>/);
 * ```
 */
export function factsHtml(facts: readonly { name: string; value: Content }[]): Html {
  const items = facts.map((f) =>
    `<div><dt>${escapeHtml(f.name)}</dt><dd>${markup(f.value)}</dd></div>`
  );
  return html(`<dl class="facts">${items.join("")}</dl>`);
}

/**
 * A table that scrolls sideways by itself. Columns whose heading starts with # hold numbers.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * assert.match(tableHtml(["arm", "#wins"], [["plain", "3"]]).text, /<td class="n">3<\/td>/);
 * ```
 */
export function tableHtml(
  headings: readonly string[],
  rows: readonly (readonly Content[])[],
  options: { caption?: string; className?: string } = {},
): Html {
  const numeric = headings.map((h) => h.startsWith("#") ? ' class="n"' : "");
  const head = headings.map((h, i) =>
    `<th scope="col"${numeric[i]}>${escapeHtml(h.replace(/^#/, ""))}</th>`
  );
  const body = rows.map((row) =>
    `<tr>${row.map((cell, i) => `<td${numeric[i]}>${markup(cell)}</td>`).join("")}</tr>`
  );
  // Above the scrolling part, where it keeps the width of the page.
  const caption = options.caption ? `<p class="muted">${escapeHtml(options.caption)}</p>` : "";
  const className = options.className ? ` ${escapeHtml(options.className)}` : "";
  return html(
    `${caption}<div class="scroll${className}" tabindex="0" role="region" aria-label="${
      escapeHtml(options.caption ?? headings.join(", ").replaceAll("#", ""))
    }"><table><thead><tr>${head.join("")}</tr></thead>` +
      `<tbody>\n${body.join("\n")}\n</tbody></table></div>`,
  );
}

/**
 * A figure drawn for wide and for narrow pages, and its words.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * assert.match(figureHtml(() => ({ svg: "<svg/>", text: "a < b" })).text, /a &lt; b/);
 * ```
 */
export function figureHtml(draw: (width: number) => Pick<Figure, "svg" | "text">): Html {
  const wide = draw(widths.wide), narrow = draw(widths.narrow);
  return html(
    `<figure><div class="wide">${inline(wide.svg)}</div>` +
      `<div class="narrow">${inline(narrow.svg)}</div>` +
      `<details><summary>The same in words</summary><p class="words">${escapeHtml(wide.text)}</p>` +
      `</details></figure>`,
  );
}
