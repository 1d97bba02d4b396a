/**
 * Self-contained HTML pages: one style sheet inside, no script, no network, light and dark, wide and narrow. Text is
 * escaped unless it is {@link Html}, which only this room makes.
 * @module
 */
import type { Figure } from "./compose.ts";
import { escapeHtml } from "./escape.ts";
import { colourVariables, themed, widths } from "./style.ts";

/** Markup that is already safe. */
export interface Html {
  kind: "html";
  text: string;
}

export type Content = string | Html;

export function html(text: string): Html {
  return { kind: "html", text };
}

/** Markup of content: text is escaped. */
export function markup(content: Content): string {
  return typeof content === "string" ? escapeHtml(content) : content.text;
}

/** A whole document. */
export function pageHtml(title: string, sections: readonly Content[]): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<title>${escapeHtml(title)}</title>
<style>${colourVariables()}${sheet}</style>
</head>
<body>
<main>
<h1>${escapeHtml(title)}</h1>
${sections.map(markup).join("\n")}
</main>
</body>
</html>
`;
}

export function sectionHtml(heading: string, ...content: Content[]): Html {
  return html(
    `<section>\n<h2>${escapeHtml(heading)}</h2>\n${content.map(markup).join("\n")}\n</section>`,
  );
}

export function paragraphHtml(content: Content, className = ""): Html {
  const attribute = className === "" ? "" : ` class="${escapeHtml(className)}"`;
  return html(`<p${attribute}>${markup(content)}</p>`);
}

/** A folded part. */
export function detailsHtml(summary: Content, content: Content, open = false): Html {
  return html(
    `<details${open ? " open" : ""}><summary>${markup(summary)}</summary>${
      markup(content)
    }</details>`,
  );
}

/** Names and values, for headers. */
export function factsHtml(facts: readonly { name: string; value: string }[]): Html {
  const items = facts.map((f) =>
    `<div><dt>${escapeHtml(f.name)}</dt><dd>${escapeHtml(f.value)}</dd></div>`
  );
  return html(`<dl class="facts">${items.join("")}</dl>`);
}

/** A table that scrolls sideways by itself. Columns whose heading starts with # hold numbers. */
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

/** A figure drawn for wide and for narrow pages, and its words. */
export function figureHtml(draw: (width: number) => Figure): Html {
  const wide = draw(widths.wide), narrow = draw(widths.narrow);
  return html(
    `<figure><div class="wide">${themed(wide.svg)}</div>` +
      `<div class="narrow">${themed(narrow.svg)}</div>` +
      `<details><summary>The same in words</summary><p class="words">${escapeHtml(wide.text)}</p>` +
      `</details></figure>`,
  );
}

const sheet = `
*{box-sizing:border-box}
body{margin:0;background:var(--spade-paper);color:var(--spade-ink);font:15px/1.5 system-ui,"DejaVu Sans",sans-serif}
main{max-width:1000px;margin:0 auto;padding:16px 20px 60px}
h1{font-size:1.6em;line-height:1.25;margin:.6em 0 .4em;overflow-wrap:anywhere}
h2{font-size:1.2em;margin:1.8em 0 .5em;padding-bottom:.2em;border-bottom:1px solid var(--spade-rule)}
h3{font-size:1em;margin:1.2em 0 .3em}
p{margin:.5em 0;max-width:75ch}
a{color:var(--spade-first)}
.muted{color:var(--spade-muted)}
.warn{color:var(--spade-warning);font-weight:600}
.facts{display:grid;grid-template-columns:repeat(auto-fill,minmax(190px,1fr));gap:6px 18px;margin:.6em 0}
.facts dt{color:var(--spade-muted);font-size:.82em}
.facts dd{margin:0;overflow-wrap:anywhere;font-weight:600}
.scroll{overflow-x:auto;margin:.6em 0}
.tall{max-height:420px;overflow-y:auto;border:1px solid var(--spade-rule)}
.tall thead th{position:sticky;top:0;background:var(--spade-paper)}
table{border-collapse:collapse;font-size:.9em;font-variant-numeric:tabular-nums}
.long td:last-child{min-width:15em}
th,td{padding:4px 10px;text-align:left;vertical-align:top;border-bottom:1px solid var(--spade-rule)}
th{font-weight:600;border-bottom:2px solid var(--spade-muted)}
td.n,th.n{text-align:right}td.n{white-space:nowrap}
figure{margin:1em 0 1.6em}
figure svg{max-width:100%;height:auto;display:block}
.narrow{display:none}
details{margin:.5em 0}
summary{cursor:pointer;overflow-wrap:anywhere}
.words{font-size:.85em;color:var(--spade-muted);max-height:16em;overflow:auto}
pre{margin:.4em 0;padding:10px 12px;overflow:auto;max-height:36em;background:var(--spade-band);border-radius:4px;
font:13px/1.45 ui-monospace,"DejaVu Sans Mono",Menlo,Consolas,monospace;tab-size:4}
pre.wrap{white-space:pre-wrap;overflow-wrap:anywhere}
code{font-family:ui-monospace,"DejaVu Sans Mono",Menlo,Consolas,monospace}
:focus-visible{outline:2px solid var(--spade-first);outline-offset:2px}
@media (max-width:640px){
main{padding:8px 12px 40px}body{font-size:14px}
.wide{display:none}.narrow{display:block}
.facts{grid-template-columns:repeat(auto-fill,minmax(140px,1fr))}
th,td{padding:4px 5px}table{font-size:.85em}td.n{white-space:normal}
}
@media print{.tall{max-height:none}}
`;
