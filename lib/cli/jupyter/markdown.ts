/**
 * The Markdown of our notebooks as HTML: headings, paragraphs, lists, tables, code, emphasis, links. Raw HTML is shown as
 * text.
 * @module
 */
import { escapeHtml } from "../../show/mod.ts";

/** A cell's Markdown as safe HTML. */
export function markdownHtml(text: string): string {
  const lines = text.replaceAll("\r\n", "\n").split("\n");
  const blocks: string[] = [];
  while (lines.length > 0) {
    const line = lines[0];
    const heading = /^(#{1,6})\s+(.*)$/.exec(line);
    if (line.trim() === "") lines.shift();
    else if (/^```/.test(line)) blocks.push(fence(lines));
    else if (heading) {
      lines.shift();
      blocks.push(`<h${heading[1].length}>${inline(heading[2])}</h${heading[1].length}>`);
    } else if (line.startsWith("|") && /^\|[\s:|-]+$/.test(lines[1] ?? "")) {
      blocks.push(table(lines));
    } else if (ITEM.test(line)) blocks.push(list(lines));
    else if (line.startsWith("> ")) {
      const quoted = take(lines, (next) => next.startsWith(">")).map((next) => next.slice(2));
      blocks.push(`<blockquote><p>${inline(quoted.join(" "))}</p></blockquote>`);
    } else {
      const words = take(
        lines,
        (next) => next.trim() !== "" && !/^(```|#{1,6}\s|\|)/.test(next) && !ITEM.test(next),
      );
      blocks.push(`<p>${inline((words.length > 0 ? words : [lines.shift()!]).join("\n"))}</p>`);
    }
  }
  return blocks.join("\n");
}

const ITEM = /^\s*([-*+]|\d+[.)])\s+/;

function take(lines: string[], wanted: (line: string) => boolean): string[] {
  const end = lines.findIndex((line) => !wanted(line));
  return lines.splice(0, end < 0 ? lines.length : end);
}

function fence(lines: string[]): string {
  lines.shift();
  const code = take(lines, (line) => !line.startsWith("```"));
  lines.shift();
  return `<pre><code>${escapeHtml(code.join("\n"))}</code></pre>`;
}

function list(lines: string[]): string {
  const tag = /^\s*\d/.test(lines[0]) ? "ol" : "ul";
  const items: string[] = [];
  for (const line of take(lines, (next) => ITEM.test(next) || /^\s+\S/.test(next))) {
    if (ITEM.test(line)) items.push(line.replace(ITEM, ""));
    else items[items.length - 1] += ` ${line.trim()}`;
  }
  return `<${tag}>${items.map((item) => `<li>${inline(item)}</li>`).join("")}</${tag}>`;
}

function table(lines: string[]): string {
  const rows = take(lines, (line) => line.startsWith("|")).map((line) =>
    line.trim().replace(/^\||\|$/g, "").split("|").map((cell) => inline(cell.trim()))
  );
  const row = (cells: string[], tag: string) =>
    `<tr>${cells.map((cell) => `<${tag}>${cell}</${tag}>`).join("")}</tr>`;
  const body = rows.slice(2).map((cells) => row(cells, "td")).join("");
  return `<table><thead>${row(rows[0], "th")}</thead><tbody>${body}</tbody></table>`;
}

/** Code first: what stands in it is not Markdown. */
function inline(text: string): string {
  return text.split(/(`[^`]+`)/).map((part) => {
    if (/^`[^`]+`$/.test(part)) return `<code>${escapeHtml(part.slice(1, -1))}</code>`;
    return escapeHtml(part)
      .replaceAll(/\*\*([^*]+)\*\*/g, "<strong>$1</strong>")
      .replaceAll(/(^|[\s(])[*_]([^*_\s][^*_]*)[*_](?=$|[\s).,:;!?])/g, "$1<em>$2</em>")
      .replaceAll(
        /\[([^\]]+)\]\((https?:\/\/[^)\s]+|[\w./-]+(?:#[\w-]+)?)\)/g,
        '<a href="$2" rel="noreferrer">$1</a>',
      );
  }).join("");
}
