/**
 * `deno task corpus stats`: what a corpus holds, and every line that was left out.
 * @module
 */
import { UsageError } from "../core/mod.ts";
import { assertRejects, type CorpusStats, corpusStats, type Lengths } from "../corpus/mod.ts";
import { escapeTerminal, formatCount, textTable } from "../show/mod.ts";
import { type CorpusFiles, readCorpus } from "./corpus_files.ts";
import type { Invocation } from "./main.ts";
import type { Command } from "./options.ts";

export const corpusCommand: Command = {
  name: "corpus",
  does: "count a corpus and name its malformed lines",
  arguments: ["stats", "PATH"],
  options: {},
  help: `deno task corpus stats PATH

Counts the documents of PATH with their licences, skills, duplicates and lengths, and names every
line, row or file that was left out. PATH is a .jsonl or .parquet file, or a folder of such files or
of .txt and .md files. Exit status 1 when more than 1 % is malformed: no run would start with it.`,
};

export async function showCorpus({ positionals }: Invocation): Promise<number> {
  const [action, place] = positionals;
  if (action !== "stats") {
    throw new UsageError(`Cannot corpus ${action}: must be stats. See: deno task corpus --help`);
  }
  const corpus = await readCorpus(place, { limit: 1 });
  console.log(corpusText(corpus));
  const total = corpus.documents.length + corpus.duplicates + corpus.rejects.length;
  try {
    assertRejects(corpus.rejects, total, { name: place });
  } catch (cause) {
    throw new UsageError((cause as Error).message, { cause });
  }
  if (corpus.documents.length === 0) {
    throw new UsageError(`Cannot use corpus ${place}: it has no documents`);
  }
  return 0;
}

/** The numbers as text, every reject on its own line. */
export function corpusText(corpus: CorpusFiles): string {
  const stats = corpusStats(corpus);
  const parts = [
    textTable(["corpus", "#"], [
      ["documents", formatCount(stats.documents)],
      ["equal to an earlier one, left out", formatCount(stats.duplicates)],
      ["equal but for case and punctuation, kept", formatCount(stats.nearDuplicates)],
      ["malformed lines, left out", formatCount(stats.rejects)],
    ]),
    textTable(["length", "#least", "#25 %", "#50 %", "#75 %", "#most", "#in all"], [
      lengthRow("words", stats.words),
      lengthRow("characters", stats.characters),
    ]),
    histogramTable(stats),
    textTable(["licence", "#documents"], countRows(stats.licences)),
    textTable(["skill", "#documents"], countRows(stats.skills)),
  ];
  const rejects = corpus.rejects.map(({ line, name, reason }) =>
    `${escapeTerminal(line > 0 ? `${name}:${line}` : name)}: ${reason}`
  );
  if (rejects.length > 0) parts.push(["left out:", ...rejects].join("\n") + "\n");
  return [...parts, `sha-256 ${corpus.hash}`].join("\n");
}

function lengthRow(name: string, lengths: Lengths): string[] {
  const { least, quartiles, most, total } = lengths;
  return [name, ...[least, ...quartiles, most, total].map(formatCount)];
}

function histogramTable({ histogram }: CorpusStats): string {
  const top = Math.max(1, ...histogram.map(({ count }) => count));
  const rows = histogram.map(({ from, to, count }) => [
    `${from}–${to} words`,
    formatCount(count),
    "█".repeat(Math.ceil(30 * count / top)),
  ]);
  return textTable(["length", "#documents", ""], rows);
}

function countRows(counts: readonly [string, number][]): string[][] {
  return counts.map(([name, count]) => [name, formatCount(count)]);
}
