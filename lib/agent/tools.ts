/**
 * What an agent's reply asks for in tool use (spade.md section 7): calls and an answer, read by a real JSON parser [D12].
 *
 * Understood: `<tool_call>{"name": …, "arguments": {…}}</tool_call>`, a list of such objects, `parameters` for `arguments`,
 * arguments as a string of JSON, null for none, and Qwen's XML style. Several calls keep their order; `<answer>…</answer>`
 * submits, the last one counts. What is unclosed or not understood becomes a problem in its place, with a message that
 * tells how to write it. A thinking section asks for nothing.
 * @module
 */

/** Arguments nested deeper, or longer as JSON, are a problem: a program need not meet them. */
const maxDepth = 32;
const maxBytes = 60_000;

/** A call that was understood; whether the tool exists is the environment's to say. */
export interface ToolCall {
  /** Tells it from a problem. */
  kind: "call";
  /** Name of the tool. */
  name: string;
  /** By parameter; {} for none. */
  arguments: Record<string, unknown>;
}

/** What stands in place of a call that was not understood. */
export interface ToolProblem {
  /** Tells it from a call. */
  kind: "problem";
  /** For the agent. */
  message: string;
}

/** What a reply asks for. */
export interface ToolReply {
  /** In order of appearance. */
  items: (ToolCall | ToolProblem)[];
  /** The last `<answer>`, trimmed; null where there is none. */
  answer: string | null;
}

const form = '<tool_call>{"name": "...", "arguments": {...}}</tool_call>';

/** Told to an agent whose reply asks for nothing. */
export const nothingAsked =
  `No tool call and no answer found. Call a tool by ${form} or submit by <answer>...</answer>.`;

/**
 * Reads a reply. `isText` says which parameters are texts by their schema: XML has no types, and `007` may be a text.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * const reply = 'so <tool_call>{"name": "find", "arguments": {"key": "}"}}</tool_call> <answer>done</answer>';
 * assert.deepEqual(parseToolReply(reply), {
 *   items: [{ kind: "call", name: "find", arguments: { key: "}" } }],
 *   answer: "done",
 * });
 * ```
 */
export function parseToolReply(
  reply: string,
  isText: (tool: string, parameter: string) => boolean = () => false,
): ToolReply {
  const text = withoutThinking(reply);
  const items: ToolReply["items"] = [];
  let answer: string | null = null;
  const opening = /<tool_call>|<answer>|<function=/g;
  for (let match = opening.exec(text); match !== null; match = opening.exec(text)) {
    const start = opening.lastIndex;
    if (match[0] === "<answer>") {
      const end = text.indexOf("</answer>", start);
      if (end === -1) items.push(problem("the answer is not closed by </answer>"));
      else answer = text.slice(start, end).trim();
      opening.lastIndex = end === -1 ? text.length : end + "</answer>".length;
    } else {
      const bare = match[0] === "<function=";
      const body = bare ? functionBody(text, match.index) : callBody(text, start);
      items.push(...(body.isClosed ? callsIn(body.text, isText) : [problem("it is not closed")]));
      opening.lastIndex = body.end;
    }
  }
  return { items, answer };
}

function problem(what: string): ToolProblem {
  return { kind: "problem", message: `Tool call not understood: ${what}. Write ${form}.` };
}

/** What follows the thinking section; nothing where it is not closed. */
function withoutThinking(reply: string): string {
  const end = reply.lastIndexOf("</think>");
  if (end !== -1) return reply.slice(end + "</think>".length);
  return /^\s*<think>/.test(reply) ? "" : reply;
}

interface Body {
  text: string;
  /** Where reading goes on. */
  end: number;
  isClosed: boolean;
}

/** The inside of a call that opens before `start`. A closing tag inside a JSON string closes nothing. */
function callBody(text: string, start: number): Body {
  const tag = "</tool_call>";
  const json = jsonEnd(text, start);
  const end = text.indexOf(tag, json);
  const next = text.indexOf("<tool_call>", json);
  if (end === -1 || (next !== -1 && next < end)) {
    return { text: "", end: next === -1 ? text.length : next, isClosed: false };
  }
  return { text: text.slice(start, end).trim(), end: end + tag.length, isClosed: true };
}

/** A function without a `<tool_call>` around it. */
function functionBody(text: string, start: number): Body {
  const tag = "</function>";
  const at = text.indexOf(tag, start);
  if (at === -1) return { text: "", end: text.length, isClosed: false };
  const end = at + tag.length;
  return { text: text.slice(start, end), end, isClosed: true };
}

/** The place after the JSON value that starts at `start`; `start` itself where none does or it does not end. */
function jsonEnd(text: string, start: number): number {
  let at = start;
  while (/\s/.test(text[at] ?? "")) at += 1;
  if (text[at] !== "{" && text[at] !== "[") return start;
  let depth = 0;
  let inString = false;
  for (; at < text.length; at++) {
    const character = text[at];
    if (inString) {
      if (character === "\\") at += 1;
      else if (character === '"') inString = false;
    } else if (character === '"') inString = true;
    else if (character === "{" || character === "[") depth += 1;
    else if ((character === "}" || character === "]") && --depth === 0) return at + 1;
  }
  return start;
}

function callsIn(
  body: string,
  isText: (tool: string, parameter: string) => boolean,
): ToolReply["items"] {
  if (body.startsWith("<function=")) return xmlCalls(body, isText);
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return [problem("it is no JSON")];
  }
  const listed = Array.isArray(value) ? value : [value];
  return listed.length > 0 ? listed.map(callOf) : [problem("the list is empty")];
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function callOf(value: unknown): ToolCall | ToolProblem {
  if (!isObject(value)) return problem("it is no object");
  if (typeof value.name !== "string" || value.name.trim() === "") return problem("it has no name");
  let given = value.arguments ?? value.parameters ?? {};
  if (typeof given === "string") {
    try {
      given = given.trim() === "" ? {} : JSON.parse(given) ?? {};
    } catch {
      return problem("its arguments are a string that is no JSON");
    }
  }
  if (!isObject(given)) return problem("its arguments are no object");
  return checked({ kind: "call", name: value.name.trim(), arguments: given });
}

/** The call, unless no program could be expected to take it. */
function checked(call: ToolCall): ToolCall | ToolProblem {
  if (!isShallow(call.arguments, maxDepth)) {
    return problem("its arguments are nested too deeply or hold a number that is too large");
  }
  const bytes = new TextEncoder().encode(JSON.stringify(call)).length;
  return bytes > maxBytes ? problem(`it is longer than ${maxBytes} bytes`) : call;
}

function isShallow(value: unknown, depth: number): boolean {
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value !== "object" || value === null) return true;
  return depth > 0 && Object.values(value).every((item) => isShallow(item, depth - 1));
}

/** `<function=name><parameter=key>value</parameter>…</function>`, once or several times. */
function xmlCalls(
  body: string,
  isText: (tool: string, parameter: string) => boolean,
): ToolReply["items"] {
  const functions = [...body.matchAll(/<function=([^<>\s]+)\s*>([\s\S]*?)<\/function>/g)];
  if (functions.length === 0) return [problem("its function is not closed")];
  return functions.map(([, name, inside]) => {
    const opened = inside.match(/<parameter=/g)?.length ?? 0;
    const pairs = [...inside.matchAll(/<parameter=([^<>\s]+)\s*>([\s\S]*?)<\/parameter>/g)];
    if (pairs.length < opened) return problem("a parameter is not closed");
    const given = pairs.map(([, key, raw]) => [key, xmlValue(raw, isText(name, key))]);
    return checked({ kind: "call", name, arguments: Object.fromEntries(given) });
  });
}

const entities: Record<string, string> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  "#39": "'",
};

function xmlValue(raw: string, isText: boolean): unknown {
  const text = raw.replace(/^\n|\n$/g, "")
    .replace(/&(amp|lt|gt|quot|apos|#39);/g, (_, name: string) => entities[name]);
  if (isText) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
