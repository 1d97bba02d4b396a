/**
 * Writes the tables of lib/store/README.md from the zod shapes of `records`.
 * Usage: `deno run --allow-read --allow-write scripts/schema_page.ts`
 */
import { z } from "zod";
import { records } from "../lib/core/mod.ts";
import {
  type Column,
  meanings,
  schemaFingerprint,
  schemaVersion,
  type Table,
  tables,
} from "../lib/store/mod.ts";

const begin = "<!-- tables: written by scripts/schema_page.ts -->\n";
const end = "<!-- end of tables -->\n";

/** The page with its tables brought up to date. */
export function withTables(page: string): string {
  const [before, rest] = split(page, begin);
  const [, after] = split(rest, end);
  return before + begin + schemaTables() + end + after;
}

function split(text: string, mark: string): [string, string] {
  const at = text.indexOf(mark);
  if (at < 0) throw new SyntaxError(`Cannot update the schema page: "${mark.trim()}" is missing`);
  return [text.slice(0, at), text.slice(at + mark.length)];
}

function schemaTables(): string {
  const version = `Schema version ${schemaVersion()}, fingerprint \`${schemaFingerprint()}\`.\n`;
  return version + Object.values(tables).map(tableSection).join("");
}

function tableSection(table: Table): string {
  const rows = table.columns
    .filter(({ name }) => name !== "id" && name !== "rollout")
    .map((column) =>
      `| ${[column.name, typeOf(table, column), meaningOf(table, column)].join(" | ")} |\n`
    );
  const { table: meaning } = meanings[table.name];
  return `\n### ${table.name}\n${meaning}.\n\n| column | type | meaning |\n|---|---|---|\n${
    rows.join("")
  }`;
}

function typeOf(table: Table, { name, kind, nullable }: Column): string {
  let schema = (records[table.name].shape as Record<string, z.ZodType>)[name];
  if (schema instanceof z.ZodNullable) schema = schema.unwrap() as z.ZodType;
  const words = schema instanceof z.ZodEnum
    ? schema.options.map((option) => `\`${option}\``).join(", ")
    : kind;
  return nullable ? `${words} or null` : words;
}

function meaningOf(table: Table, column: Column): string {
  const words = (meanings[table.name] as Record<string, string>)[column.name];
  return column.measured ? `${words} **(measured)**` : words;
}

if (import.meta.main) {
  const path = new URL("../lib/store/README.md", import.meta.url);
  Deno.writeTextFileSync(path, withTables(Deno.readTextFileSync(path)));
}
