/**
 * Verdicts of an import that is not finished: a file beside the folder to be, one line a program, so that judging
 * thousands of programs can be stopped. It goes when the folder stands.
 * @module
 */
import * as fs from "node:fs";
import { z } from "zod";
import { type GateCache, gateNames, type GateReport } from "../../gates/mod.ts";
import type { PoolRow } from "../../pool/mod.ts";

const report = z.object({
  environmentId: z.string(),
  accepted: z.boolean(),
  runs: z.boolean(),
  verdicts: z.array(z.object({
    gate: z.enum(gateNames),
    verdict: z.enum(["pass", "refuse", "skipped"]),
    reason: z.string(),
    evidence: z.record(z.string(), z.unknown()),
  })),
  parsed: z.object({
    environments: z.array(z.string()),
    treeHash: z.string(),
    imports: z.array(z.string()),
    constant: z.boolean(),
  }).optional(),
  className: z.string().optional(),
  hung: z.boolean(),
});

/** Reports kept so far, and where the next ones go. */
export class VerdictFile implements Disposable {
  readonly cache: GateCache = new Map();
  readonly #descriptor: number;

  /** `key` says by what was judged; verdicts by anything else are dropped. */
  constructor(readonly file: string, rows: readonly PoolRow[], key: string) {
    const sources = new Map(rows.map(({ id, source }) => [id, source]));
    const [first, ...lines] = fs.existsSync(file) ? fs.readFileSync(file, "utf8").split("\n") : [];
    const isOurs = first === key;
    for (const line of isOurs ? lines : []) {
      const kept = reportIn(line);
      const source = kept && sources.get(kept.environmentId);
      if (kept && source !== undefined) this.cache.set(kept.environmentId, { ...kept, source });
    }
    this.#descriptor = fs.openSync(file, isOurs ? "a" : "w");
    // A line that was cut ends here.
    fs.writeSync(this.#descriptor, isOurs ? "\n" : `${key}\n`);
  }

  append({ source: _, parsed, ...facts }: GateReport): void {
    const line = JSON.stringify({ ...facts, parsed: parsed && { ...parsed, code: undefined } });
    fs.writeSync(this.#descriptor, line + "\n");
  }

  /** The work is done. */
  remove(): void {
    fs.rmSync(this.file, { force: true });
  }

  [Symbol.dispose](): void {
    fs.closeSync(this.#descriptor);
  }
}

function reportIn(line: string): z.infer<typeof report> | undefined {
  try {
    return report.parse(JSON.parse(line));
  } catch {
    return undefined;
  }
}
