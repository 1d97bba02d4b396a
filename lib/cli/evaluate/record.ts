/**
 * What an evaluation keeps: one JSONL file, named after everything that decides its numbers. The first line says what
 * is measured; each play is a line from the moment it ends. The same command finds the file again and plays only what
 * is missing.
 * @module
 */
import * as fs from "node:fs";
import * as path from "node:path";
import { z } from "zod";
import { outcome, sha256, StoreError } from "../../core/mod.ts";

/** Everything that decides the numbers. */
export interface Measured {
  toolkit: { version: string; commit: string | null; diffHash: string };
  model: { id: string; hash: string | null; checkpoint: string | null; weights: string | null };
  engine: { name: string; version: string };
  prompts: { version: string; hash: string };
  suites: { name: string; hash: string; items: number }[];
  /** Plays of each item. */
  plays: number;
  mode: "sampled" | "greedy";
  seed: number;
  /** Context, lengths, turns and limits of a play. */
  settings: Record<string, unknown>;
  sandbox: string;
}

const header = z.looseObject({ kind: z.literal("evaluation"), id: z.string() });

export const evaluationPlay = z.object({
  kind: z.literal("play"),
  suite: z.string(),
  item: z.string(),
  family: z.string(),
  /** Index within the item. */
  index: z.number().int(),
  /** Of the instance. */
  seed: z.number().int(),
  outcome,
  success: z.boolean(),
  truncated: z.boolean(),
  /** The reply could not be checked, and counts as wrong. */
  unchecked: z.boolean(),
  turns: z.number().int(),
  promptTokens: z.number().int(),
  completionTokens: z.number().int(),
  /** Texts of the turns. */
  replies: z.array(z.string()),
});
export type EvaluationPlay = z.infer<typeof evaluationPlay>;

/** One evaluation's file, open for appending. */
export class EvaluationFile implements Disposable {
  /** Plays that were there already. */
  readonly found: EvaluationPlay[];
  readonly #file: number;

  private constructor(readonly file: string, found: EvaluationPlay[], descriptor: number) {
    this.found = found;
    this.#file = descriptor;
  }

  /**
   * Opens, or begins, the file of `measured` in `dir`.
   *
   * @throws {StoreError} when a file of that name is not an evaluation's.
   */
  static open(
    dir: string,
    measured: Measured,
    begun: { startedAt: string; command: string[] },
  ): EvaluationFile {
    const id = sha256(JSON.stringify(measured)).slice(0, 16);
    const file = path.join(dir, `${id}.jsonl`);
    fs.mkdirSync(dir, { recursive: true });
    const isThere = fs.existsSync(file) && fs.statSync(file).size > 0;
    const found = isThere ? readPlays(file, id) : [];
    const descriptor = fs.openSync(file, "a");
    const self = new EvaluationFile(file, found, descriptor);
    if (!isThere) self.#write({ kind: "evaluation", id, ...measured, ...begun });
    return self;
  }

  append(play: EvaluationPlay): void {
    this.#write(play);
  }

  #write(value: unknown): void {
    fs.writeSync(this.#file, JSON.stringify(value) + "\n");
  }

  [Symbol.dispose](): void {
    fs.closeSync(this.#file);
  }
}

/** Plays of a file; a last line that was cut is dropped from it. */
function readPlays(file: string, id: string): EvaluationPlay[] {
  const text = fs.readFileSync(file, "utf8");
  const end = text.lastIndexOf("\n") + 1;
  if (end < text.length) fs.truncateSync(file, Buffer.byteLength(text.slice(0, end)));
  const lines = text.slice(0, end).split("\n").filter((line) => line !== "");
  try {
    const [first, ...rest] = lines.map((line) => JSON.parse(line));
    if (header.parse(first).id !== id) throw new Error(`its id is ${first.id}, must be ${id}`);
    return rest.map((line) => evaluationPlay.parse(line));
  } catch (cause) {
    throw new StoreError(
      `Cannot go on with ${file}: ${(cause as Error).message}; move it away to play anew`,
      { cause },
    );
  }
}
