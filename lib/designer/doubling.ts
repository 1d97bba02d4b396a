/**
 * Parity: the rewriting of the published `extract_game_code`. On the line of a syntax error each
 * innermost `{…}` whose content is no Python expression is doubled, up to 20 rounds. What is Python
 * is asked of the sandbox's parse child; nothing here runs a program. Our default never rewrites a
 * program [D5].
 * @module
 */
import { type Sandbox, SandboxError } from "../core/mod.ts";

const rounds = 20;
const innermost = /(?<!\{)\{([^{}]*)\}(?!\})/g;

/**
 * The program with its stray braces doubled; unchanged where it parses, or where no line helps.
 *
 * @throws {SandboxError} when the parse child fails by the host's fault.
 */
export async function doubleBraces(
  program: string,
  sandbox: Pick<Sandbox, "parse">,
  options: { signal?: AbortSignal } = {},
): Promise<string> {
  const lines = program.split("\n");
  for (let round = 0; round < rounds; round++) {
    const line = await errorLine(lines.join("\n"), sandbox, options);
    if (line === undefined || lines[line - 1] === undefined) break;
    const rewritten = await doubleLine(lines[line - 1], sandbox, options);
    if (rewritten === lines[line - 1]) break;
    lines[line - 1] = rewritten;
  }
  return lines.join("\n");
}

async function doubleLine(
  line: string,
  sandbox: Pick<Sandbox, "parse">,
  options: { signal?: AbortSignal },
): Promise<string> {
  let out = "", from = 0;
  for (const match of line.matchAll(innermost)) {
    const keep = await isExpression(match[1], sandbox, options);
    out += line.slice(from, match.index) + (keep ? match[0] : `{${match[0]}}`);
    from = match.index + match[0].length;
  }
  return out + line.slice(from);
}

/** A text that parses both alone and in parentheses is an expression, but for `yield`. */
async function isExpression(
  text: string,
  sandbox: Pick<Sandbox, "parse">,
  options: { signal?: AbortSignal },
): Promise<boolean> {
  const content = text.trim();
  if (content === "" || /^yield\b/.test(content)) return false;
  for (const source of [content, `(${content}\n)`]) {
    if (await errorLine(source, sandbox, options) !== undefined) return false;
  }
  return true;
}

/** Line of the syntax error, from 1; undefined where the text parses. */
async function errorLine(
  source: string,
  sandbox: Pick<Sandbox, "parse">,
  options: { signal?: AbortSignal },
): Promise<number | undefined> {
  const parsed = await sandbox.parse(source, options);
  if (parsed.kind === "ok") return undefined;
  const line = /^line (\d+)/.exec(parsed.detail ?? "")?.[1];
  if (parsed.blame === "host") {
    throw new SandboxError(`Cannot parse a program: ${parsed.reason} ${parsed.detail ?? ""}`);
  }
  return line === undefined ? 0 : Number(line);
}
