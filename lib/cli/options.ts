/**
 * Command-line options: parsed with node's `parseArgs`, wrong ones explained.
 * @module
 */
import { parseArgs, type ParseArgsConfig } from "node:util";
import { UsageError } from "../core/mod.ts";

/** What a command says about itself. */
export interface Command {
  name: string;
  /** One line. */
  does: string;
  /** Full help text; options one a line. */
  help: string;
  options: NonNullable<ParseArgsConfig["options"]>;
  /** Names of positional arguments; a `?` at the end: may be left out. */
  arguments?: readonly string[];
}

export type Values = Record<string, string | boolean | (string | boolean)[] | undefined>;

/**
 * Parses the arguments of a command.
 *
 * @throws {UsageError} naming the option and what it must be.
 */
export function parseOptions(
  command: Command,
  args: readonly string[],
): { values: Values; positionals: string[] } {
  const names = command.arguments ?? [];
  let parsed: { values: Values; positionals: string[] };
  try {
    parsed = parseArgs({
      args: [...args],
      options: { ...command.options, help: { type: "boolean", short: "h" } },
      allowPositionals: names.length > 0,
    });
  } catch (cause) {
    const message = (cause as Error).message.split(". To specify")[0];
    throw new UsageError(`${message}. See: deno task ${command.name} --help`, { cause });
  }
  const needed = names.filter((name) => !name.endsWith("?")).length;
  const { positionals } = parsed;
  if (parsed.values.help !== true) {
    if (positionals.length < needed) {
      throw new UsageError(
        `Cannot ${command.name}: ${names[positionals.length]} is missing. ` +
          `See: deno task ${command.name} --help`,
      );
    }
    if (positionals.length > names.length) {
      throw new UsageError(
        `Cannot ${command.name}: "${positionals[names.length]}" is one argument too many`,
      );
    }
  }
  return parsed;
}

/** All values of a repeatable option. */
export function listValue(value: Values[string]): string[] {
  if (value === undefined) return [];
  return (Array.isArray(value) ? value : [value]).map(String);
}

export function textValue(value: Values[string]): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** A whole number, or an error naming the option. */
export function numberValue(name: string, value: Values[string]): number | undefined {
  if (value === undefined) return undefined;
  const number = Number(value);
  if (!Number.isInteger(number) || number < 0 || value === "") {
    throw new UsageError(`Cannot use --${name} ${value}: must be a whole number`);
  }
  return number;
}
