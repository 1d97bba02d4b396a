/** The tokenizer of a run's model, to read what it stored. @module */
import * as fs from "node:fs";
import * as path from "node:path";
import type { RecordOf, Tokenizer } from "../core/mod.ts";
import { loadTokenizer } from "../engine/text/mod.ts";
import { inProject } from "./files.ts";

/**
 * The tokenizer in the run's model folder, or why its tokens cannot be decoded. Only `tokenizer.json` is read: a chat
 * template is not needed for it.
 */
export function runTokenizer(
  run: RecordOf<"run"> | undefined,
): { tokenizer: Tokenizer } | { noTokenizer: string } {
  const { tokenizer, model } = run?.config ?? {};
  const folder = typeof tokenizer === "string" ? tokenizer : model;
  if (typeof folder !== "string") return { noTokenizer: "the run does not name its model" };
  const file = path.join(inProject(folder), "tokenizer.json");
  if (!fs.existsSync(file)) return { noTokenizer: `there is no ${folder}/tokenizer.json here` };
  try {
    return { tokenizer: loadTokenizer(JSON.parse(fs.readFileSync(file, "utf8"))) };
  } catch (error) {
    return { noTokenizer: `${folder}/tokenizer.json cannot be read: ${(error as Error).message}` };
  }
}
