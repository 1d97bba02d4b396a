/**
 * Who answered: from what was seen with layers missing.
 *
 * A layer is the first to answer an attack when taking it away changes what is seen. Where two answer in the same words
 * only taking both away does; then the one that stands in front is the first. Where no set changes anything, what holds
 * is not a layer of ours that can be taken away: the border of the protocol, the process that dies alone, or that there
 * is nothing there for an ordinary user's process.
 * @module
 */
import { z } from "zod";
import { ALONE, type Configuration, DROPPED, type Layer, LAYERS } from "./configurations.ts";
import type { Outcome } from "./run.ts";

/** What was seen, by configuration and attack. */
export type Seen = ReadonlyMap<string, readonly Outcome[]>;

const row = z.object({
  kind: z.string(),
  first: z.string(),
  /** Who answers when those before have been taken away. */
  behind: z.array(z.string()),
  /** Layers that hold it alone. */
  alone: z.array(z.string()),
  /** As a whole, then where it differs with layers missing. */
  seen: z.record(z.string(), z.string()),
});
export type Row = z.infer<typeof row>;

export const tableFile = z.object({
  note: z.string(),
  machine: z.string(),
  attacks: z.record(z.string(), row),
});
export type Table = z.infer<typeof tableFile>;

/** Builds the rows of all attacks from one complete run. */
export function rowsOf(seen: Seen): Record<string, Row> {
  const whole = seen.get("full, as a user") ?? [];
  const rows: Record<string, Row> = {};
  for (const { attack, seen: usual } of whole) {
    if (usual.startsWith("skipped")) continue;
    const under = (name: string) => seen.get(name)?.find((one) => one.attack.name === attack.name);
    const entries = [...seen.keys()].filter((name) => !name.endsWith("alone"))
      .map((name) => [name, under(name)?.seen] as const)
      .filter((entry): entry is [string, string] => entry[1] !== undefined);
    const different = entries.filter(([name, text]) =>
      name !== "full, as a user" && text !== usual
    );
    const all = Object.fromEntries([
      ["full", usual],
      ...different.filter(([name]) => name !== "full"),
    ]);
    rows[attack.name] = {
      kind: attack.kind,
      first: firstOf(all),
      behind: behindOf(all),
      alone: ALONE.filter(({ name }) => under(name)?.contained).map(({ name }) =>
        name.split(" ")[0]
      ),
      seen: all,
    };
  }
  return rows;
}

/** The layer that answered first, by what is seen without it. */
export function firstOf(seen: Readonly<Record<string, string>>): string {
  const changing = DROPPED.filter(({ name }) =>
    seen[name] !== undefined && seen[name] !== seen.full
  )
    .toSorted((one, other) =>
      one.dropped.length - other.dropped.length || order(one) - order(other)
    );
  if (changing.length > 0) return inFront(changing[0].dropped);
  if (/^failed protocol|^answer .* then protocol/.test(seen.full)) return "border";
  return /^failed (crash|exception)/.test(seen.full) ? "process" : "nothing there";
}

const inFront = (layers: readonly Layer[]) => LAYERS.find((layer) => layers.includes(layer))!;
const order = ({ dropped }: Configuration) => LAYERS.indexOf(inFront(dropped));

/** Which layers answer next, one after the other, once the filter is gone. */
export function behindOf(seen: Readonly<Record<string, string>>): Layer[] {
  const at = (name: string) => seen[name] ?? seen.full;
  const steps: [string, string, Layer][] = [
    ["without seccomp", "without descriptors, seccomp", "descriptors"],
    ["without seccomp", "without seccomp, privileges", "privileges"],
    ["without seccomp", "without seccomp, namespaces", "namespaces"],
    ["without seccomp, namespaces", "without seccomp, namespaces, landlock", "landlock"],
    ["without seccomp", "without seccomp, limits", "limits"],
  ];
  return steps.filter(([before, after]) => at(before) !== at(after)).map(([, , layer]) => layer);
}

/** Attack × first layer × who stands behind × outcome at each level. */
export function formatTable(seen: Seen, rows: Readonly<Record<string, Row>>): string {
  const [name = "", whole = []] = [...seen][0] ?? [];
  const lines = whole.map(({ attack, seen: text, contained }) => [
    contained ? "✓" : "✗",
    attack.kind,
    attack.name.slice(0, 52),
    rows[attack.name]?.first ?? "",
    rows[attack.name]?.behind.join(", ") ?? "",
    text.slice(0, 60),
  ]);
  const table = [["", "kind", "attack", "answers first", "behind it", name], ...lines];
  const widths = table[0].map((_, column) => Math.max(...table.map((line) => line[column].length)));
  return table.map((line) => line.map((cell, i) => cell.padEnd(widths[i])).join("  ").trimEnd())
    .join("\n");
}

/** What was seen otherwise than the stored table says, one line each. */
export function differences(seen: Seen, rows: Readonly<Record<string, Row>>): string[] {
  const lines: string[] = [];
  for (const [name, outcomes] of seen) {
    if (name.endsWith("alone")) continue;
    for (const { attack, seen: text } of outcomes) {
      const stored = rows[attack.name]?.seen;
      const wanted = stored === undefined ? "nothing" : stored[name] ?? stored.full;
      const isSame = text === wanted || text.startsWith("skipped");
      if (!isSame) lines.push(`${name}: ${attack.name}: ${text}, stored is ${wanted}`);
    }
  }
  return lines;
}
