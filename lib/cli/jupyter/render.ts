/**
 * A notebook that was run, as one page that opens from disk: no network, no script of an output.
 *
 * Outputs in HTML stand in frames that may not run scripts; the page's policy lets its own script alone run, which gives
 * the frames their heights.
 * @module
 */
import { createHash } from "node:crypto";
import { type Cell, type Notebook, type Output, sourceOf } from "../../kernel/mod.ts";
import { escapeHtml } from "../../show/mod.ts";
import { markdownHtml } from "./markdown.ts";

const style = `
:root { color-scheme: light dark; --line: light-dark(#d0d7de, #3d444d); --soft: light-dark(#f6f8fa, #161b22);
  --dim: light-dark(#59636e, #9198a1); --bad: light-dark(#a40e26, #ff8182); }
body { font: 16px/1.55 system-ui, sans-serif; max-width: 60rem; margin: 0 auto; padding: 1rem;
  background: light-dark(#fff, #0d1117); color: light-dark(#1f2328, #e6edf3); }
pre { font: 13px/1.5 ui-monospace, monospace; white-space: pre-wrap; overflow-wrap: anywhere; margin: 0; }
.code { background: var(--soft); border: 1px solid var(--line); border-radius: 6px; padding: .6rem .8rem; margin-top: 1rem; }
.out { padding: .4rem .8rem; } .stderr { color: var(--dim); } .error { color: var(--bad); }
.k { font-weight: 600; } .c { color: var(--dim); font-style: italic; } .s { color: light-dark(#0a3069, #a5d6ff); }
img, svg { max-width: 100%; height: auto; background: #fff; } iframe { width: 100%; border: 0; }
code { font: 90% ui-monospace, monospace; background: var(--soft); padding: 0 .2em; } p pre, pre code { background: none; }
table { border-collapse: collapse; display: block; overflow-x: auto; } td, th { border: 1px solid var(--line); padding: .2rem .6rem; }
footer { color: var(--dim); border-top: 1px solid var(--line); margin-top: 2rem; padding-top: .5rem; font-size: 13px; }`;

const script = `
for (const frame of document.querySelectorAll("iframe")) {
  const fit = () => {
    frame.style.height = "0";
    frame.style.height = frame.contentDocument.documentElement.scrollHeight + 4 + "px";
  };
  frame.addEventListener("load", fit); addEventListener("resize", fit); fit();
}`;

/** What stands at the end of the page. */
export interface RenderOptions {
  /** The notebook's name. */
  name: string;
  /** When, where and how it was run. */
  note: string;
}

/** The page. */
export function renderNotebook(notebook: Notebook, { name, note }: RenderOptions): string {
  const hash = createHash("sha256").update(script).digest("base64");
  const policy =
    `default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'sha256-${hash}'`;
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${escapeHtml(name)}</title>
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1"><style>${style}</style></head>
<body><main>
${notebook.cells.map(cellHtml).join("\n")}
</main><footer>${escapeHtml(note)}</footer><script>${script}</script></body></html>
`;
}

function cellHtml(cell: Cell): string {
  const source = sourceOf(cell);
  if (cell.cell_type === "markdown") return markdownHtml(source);
  if (cell.cell_type === "raw" || source.trim() === "") return "";
  const outputs = (cell.outputs ?? []).map(outputHtml).join("");
  return `<div class="code"><pre>${typescriptHtml(source)}</pre></div>${outputs}`;
}

function outputHtml(output: Output): string {
  if (output.output_type === "stream") {
    return `<div class="out ${output.name}"><pre>${escapeHtml(output.text)}</pre></div>`;
  }
  if (output.output_type === "error") {
    const text = output.traceback.join("\n") || `${output.ename}: ${output.evalue}`;
    return `<div class="out error"><pre>${escapeHtml(text)}</pre></div>`;
  }
  const { data } = output;
  const text = (type: string) => {
    const value = data[type];
    return Array.isArray(value) ? value.join("") : typeof value === "string" ? value : undefined;
  };
  const png = text("image/png");
  const page = text("text/html");
  const plain = text("text/plain") ?? "";
  const shown = png !== undefined
    ? `<img alt="${escapeHtml(plain)}" src="data:image/png;base64,${
      escapeHtml(png.replaceAll(/\s/g, ""))
    }">`
    : page !== undefined
    ? `<iframe title="output" sandbox="allow-same-origin" srcdoc="${
      escapeHtml(framed(page))
    }"></iframe>`
    : `<pre>${escapeHtml(plain)}</pre>`;
  return `<div class="out">${shown}</div>`;
}

/** A fragment follows the page's light or dark; a whole document decides itself. */
function framed(page: string): string {
  if (/^\s*<(!doctype|html)/i.test(page)) return page;
  const head = '<meta name="color-scheme" content="light dark">';
  return `<!doctype html>${head}<style>body { font: 15px/1.5 system-ui, sans-serif }</style>${page}`;
}

const keywords = new Set(
  ("async await break case catch class const continue default else export extends finally for from function if import in " +
    "interface let new of return switch throw try type typeof using while yield").split(" "),
);

/** TypeScript with comments, strings and keywords marked. */
function typescriptHtml(source: string): string {
  const pieces =
    /(\/\/[^\n]*|\/\*[\s\S]*?\*\/)|("(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`)|([A-Za-z_$][\w$]*)/g;
  let html = "";
  let at = 0;
  for (const match of source.matchAll(pieces)) {
    const [text, comment, quoted, word] = match;
    html += escapeHtml(source.slice(at, match.index));
    at = match.index + text.length;
    const kind = comment ? "c" : quoted ? "s" : keywords.has(word) ? "k" : "";
    html += kind === "" ? escapeHtml(text) : `<span class="${kind}">${escapeHtml(text)}</span>`;
  }
  return html + escapeHtml(source.slice(at));
}
