/**
 * The form of the files under `data/prompts`. A file is `version: N`, then messages, each opened by
 * a line `--- role`. `{{name}}` is a value, a line `{{> name}}` the part of that name, and lines
 * between `{{?name}}` and `{{/name}}` stand only where the value is not empty. Values are put in
 * once, as they are: a placeholder inside a value stays text.
 * @module
 */
import type { Message } from "../core/mod.ts";

/** Texts by path below `data/prompts`, without `.md`; parts are `parts/name`. */
export type PromptFiles = Readonly<Record<string, string>>;

type Node = string | { value: string } | { when: string; nodes: Node[] };

/** A parsed file. */
export interface Template {
  /** Path below `data/prompts`, without `.md`. */
  name: string;
  /** Goes into the prompt's version. */
  version: number;
  /** In order; nodes are texts, values and conditional sections. */
  messages: readonly { role: string; nodes: readonly Node[] }[];
}

/**
 * Parses one file with its parts.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * const files = { greet: "version: 1\n--- user\nHello {{name}}.\n{{?more}}\n{{more}}\n{{/more}}\n" };
 * const template = parseTemplate("greet", files);
 * const messages = renderTemplate(template, { name: "{{x}}", more: "" });
 * assert.deepEqual(messages, [{ role: "user", content: "Hello {{x}}." }]);
 * ```
 *
 * @throws {SyntaxError} naming the file and line that is wrong.
 */
export function parseTemplate(name: string, files: PromptFiles): Template {
  const lines = linesOf(name, files);
  const version = /^version: (\d+)$/.exec(lines.shift() ?? "");
  if (version === null) throw problem(name, 1, "must begin with `version: N`");
  const messages: { role: string; nodes: Node[] }[] = [];
  let body: string[] = [];
  const close = () => {
    const message = messages.at(-1);
    if (message) message.nodes = nodesOf(name, expand(name, body, files, []));
    body = [];
  };
  for (const [index, line] of lines.entries()) {
    const role = /^--- (\w+)$/.exec(line)?.[1];
    if (role !== undefined) {
      close();
      messages.push({ role, nodes: [] });
    } else if (messages.length > 0) body.push(line);
    else if (line.trim() !== "") throw problem(name, index + 2, "text before `--- role`");
  }
  close();
  if (messages.length === 0) throw problem(name, 1, "must have a message (`--- role`)");
  return { name, version: Number(version[1]), messages };
}

/**
 * The messages with their values.
 *
 * @throws {RangeError} when the template names a value that is not given.
 */
export function renderTemplate(
  template: Template,
  values: Readonly<Record<string, string>>,
): Message[] {
  const value = (name: string) => {
    if (Object.hasOwn(values, name)) return values[name];
    throw new RangeError(
      `Cannot render prompt ${template.name}: {{${name}}} is unknown, must be one of ` +
        Object.keys(values).join(", "),
    );
  };
  const text = (nodes: readonly Node[]): string =>
    nodes.map((node) => {
      if (typeof node === "string") return node;
      if ("value" in node) return value(node.value);
      return value(node.when) === "" ? "" : text(node.nodes);
    }).join("");
  return template.messages.map(({ role, nodes }) => ({ role, content: text(nodes).trim() }));
}

function linesOf(name: string, files: PromptFiles): string[] {
  if (!Object.hasOwn(files, name)) {
    const known = Object.keys(files).sort().join(", ");
    throw new SyntaxError(`Cannot read prompt ${name}: there is none, must be one of ${known}`);
  }
  return files[name].replaceAll("\r\n", "\n").split("\n");
}

/** Lines with their parts in place. */
function expand(
  name: string,
  lines: readonly string[],
  files: PromptFiles,
  within: readonly string[],
): string[] {
  return lines.flatMap((line, index) => {
    const part = /^\{\{> ([\w-]+)\}\}$/.exec(line)?.[1];
    if (part === undefined) return [line];
    if (within.includes(part)) throw problem(name, index + 1, `part ${part} holds itself`);
    const inner = linesOf(`parts/${part}`, files);
    if (inner.at(-1) === "") inner.pop();
    return expand(`parts/${part}`, inner, files, [...within, part]);
  });
}

function nodesOf(name: string, lines: readonly string[]): Node[] {
  const root: Node[] = [];
  const open: { when: string; nodes: Node[] }[] = [];
  for (const [index, line] of lines.entries()) {
    const nodes = open.at(-1)?.nodes ?? root;
    const [, mark, key] = /^\{\{([?/])(\w+)\}\}$/.exec(line) ?? [];
    if (mark === "?") {
      const section = { when: key, nodes: [] };
      nodes.push(section);
      open.push(section);
    } else if (mark === "/") {
      if (open.pop()?.when !== key) throw problem(name, index + 1, `{{/${key}}} closes nothing`);
    } else {
      for (const [i, piece] of (line + "\n").split(/\{\{(\w+)\}\}/).entries()) {
        if (i % 2 === 1) nodes.push({ value: piece });
        else if (piece !== "") nodes.push(piece);
      }
    }
  }
  if (open.length > 0) throw problem(name, lines.length, `{{?${open.at(-1)!.when}}} is not closed`);
  return root;
}

function problem(name: string, line: number, what: string): SyntaxError {
  return new SyntaxError(`Cannot read prompt ${name}, line ${line}: ${what}`);
}
