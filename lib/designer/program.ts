/**
 * The program inside a designer's reply (spade.md section 3). Default [D5]: without its thinking
 * section, the last fenced Python block; the program itself is never rewritten.
 * @module
 */

const fence = /^ {0,3}(`{3,})\s*([^`]*?)\s*$/;
const python = new Set(["python", "py", "Python", ""]);

/**
 * Last complete fenced Python block (`python`, `py`, `Python` or bare; CRLF tolerated; an unclosed
 * last fence is closed); without such a block the whole reply, less a stray closing fence at its
 * end.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * const fence = "`".repeat(3);
 * assert.equal(extractProgram(`${fence}python\nA = 1\n${fence}\nor\n${fence}py\nB = 2\n${fence}`), "B = 2");
 * assert.equal(extractProgram(`A = 1\n${fence}`), "A = 1");
 * ```
 */
export function extractProgram(reply: string): string {
  const text = withoutThinking(reply.replaceAll("\r\n", "\n"));
  const lines = text.split("\n");
  let program: string | undefined;
  let open: { start: number; ticks: number; language: string } | undefined;
  for (let i = 0; i < lines.length; i++) {
    const match = fence.exec(lines[i]);
    if (match === null) continue;
    const [, ticks, language] = match;
    if (open !== undefined && ticks.length < open.ticks) continue;
    if (open !== undefined && language === "") {
      if (python.has(open.language)) program = lines.slice(open.start, i).join("\n");
      open = undefined;
    } else {
      open = { start: i + 1, ticks: ticks.length, language };
    }
  }
  if (open !== undefined && python.has(open.language)) {
    const rest = lines.slice(open.start).join("\n").replace(/`{3,}\s*$/, "");
    if (rest.trim() !== "") program = rest;
    // A bare fence with nothing after it closes nothing: it is stray.
    else if (program === undefined) program = lines.slice(0, open.start - 1).join("\n");
  }
  return program ?? text;
}

/**
 * The reply without a leading `<think>…</think>`; an unclosed one takes everything.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * assert.equal(withoutThinking("<think>hm</think>A = 1"), "A = 1");
 * assert.equal(withoutThinking("<think>cut in the middle of a"), "");
 * ```
 */
export function withoutThinking(text: string): string {
  const opened = /^\s*<think>/.test(text);
  const close = text.indexOf("</think>");
  if (close === -1) return opened ? "" : text;
  // Templates that put the opening tag into the prompt leave only the closing one.
  const orphan = !text.slice(0, close).includes("<think>");
  return opened || orphan ? text.slice(close + "</think>".length) : text;
}

/**
 * Parity: the fence rule of the published `extract_game_code` (its brace doubling needs Python's
 * parser).
 */
export function extractProgramPublished(reply: string): string {
  return /```python\n([\s\S]*?)\n```/.exec(reply)?.[1] ?? reply;
}
