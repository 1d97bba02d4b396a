/**
 * Which environments came from which: the designer is shown seeds of the memory, and what it writes has them as
 * parents.
 *
 * Shown is not used: a parent is a program that stood in the prompt, whatever the reply made of it (`noveltyOf`
 * measures how near it stayed). A program met again keeps its first row, and with it its first parents.
 * @module
 */
import type { Accepted } from "./diversity/sequence.ts";

/** One environment in the tree. */
export interface Descent {
  /** The environment. */
  environmentId: string;
  /** Rollout that accepted it. */
  rollout: number;
  /** Its skill. */
  skill: string;
  /** Known parents, accepted before it; ids that are not among the environments given are in `unknownParents`. */
  parents: string[];
  /** Shown to the designer, but not among those accepted before. */
  unknownParents: string[];
  /** Those that have it for a parent, in order. */
  children: string[];
  /** 0 without a known parent, else one more than its deepest parent's: the longest way back. */
  generation: number;
  /** All environments that go back to it, each counted once. */
  descendants: number;
  /** Longest way down: generations of descendants. */
  depth: number;
  /** Nobody's parent though others were designed in later rollouts. */
  isDead: boolean;
}

/**
 * One row an environment, in the order given (that of acceptance: `acceptedInOrder`). A parent that does not come
 * before its child is taken for unknown, so that there are no circles.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * const of = (id: string, parents: string[], rollout: number) =>
 *   ({ environment: { id, parents }, rollout, skill: "s" });
 * const [a] = lineageOf([of("a", [], 0), of("b", ["a"], 2), of("c", ["b"], 4)]);
 * assert.deepEqual([a.descendants, a.depth, a.isDead], [2, 2, false]);
 * ```
 */
export function lineageOf(accepted: readonly Ancestor[]): Descent[] {
  const found = new Map<string, Descent>();
  const last = accepted.reduce((most, { rollout }) => Math.max(most, rollout), -Infinity);
  for (const { environment: { id, parents }, rollout, skill } of accepted) {
    const all = [...new Set(parents)];
    const known = all.filter((parent) => found.has(parent));
    for (const parent of known) found.get(parent)!.children.push(id);
    found.set(id, {
      environmentId: id,
      rollout,
      skill,
      parents: known,
      unknownParents: all.filter((parent) => !found.has(parent)),
      children: [],
      generation: known.reduce((most, p) => Math.max(most, found.get(p)!.generation + 1), 0),
      descendants: 0,
      depth: 0,
      isDead: false,
    });
  }
  const below = new Map<string, Set<string>>();
  for (const row of [...found.values()].reverse()) {
    const all = new Set(row.children);
    for (const child of row.children) {
      for (const id of below.get(child)!) all.add(id);
      row.depth = Math.max(row.depth, found.get(child)!.depth + 1);
    }
    below.set(row.environmentId, all);
    row.descendants = all.size;
    row.isDead = row.children.length === 0 && row.rollout < last;
  }
  return [...found.values()];
}

/** What {@link lineageOf} needs of an `Accepted`. */
export type Ancestor = Pick<Accepted, "rollout" | "skill"> & {
  environment: Pick<Accepted["environment"], "id" | "parents">;
};

/** One generation: how many environments it has, and how many of them are nobody's parent. */
export interface Generation {
  /** 0 for those without a known parent. */
  generation: number;
  /** How many there are. */
  environments: number;
  /** Of them: nobody's parent though others were designed later. */
  dead: number;
  /** Mean rollout of its environments. */
  rollout: number;
}

/**
 * One row a generation, the first first.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * const of = (id: string, parents: string[], rollout: number) =>
 *   ({ environment: { id, parents }, rollout, skill: "s" });
 * const rows = generationsOf(lineageOf([of("a", [], 0), of("b", [], 0), of("c", ["a"], 2)]));
 * assert.deepEqual(rows.map(({ environments, dead }) => [environments, dead]), [[2, 1], [1, 0]]);
 * ```
 */
export function generationsOf(lineage: readonly Descent[]): Generation[] {
  const most = lineage.reduce((deepest, row) => Math.max(deepest, row.generation), -1);
  return Array.from({ length: most + 1 }, (_, generation) => {
    const of = lineage.filter((row) => row.generation === generation);
    return {
      generation,
      environments: of.length,
      dead: of.filter(({ isDead }) => isDead).length,
      rollout: of.reduce((sum, { rollout }) => sum + rollout, 0) / of.length,
    };
  });
}

/**
 * The lineage as text, one environment a line, children under their first known parent; other parents are named at
 * the end of the line. Roots with the most descendants come first; roots without any are counted, not shown.
 *
 * ```text
 * 3f2a91c0 r0 Optimization · 5 descendants
 * ├─ 77b01d22 r4 Optimization †
 * └─ 90ccd011 r4 Optimization · 2 descendants, also of 1a2b3c4d
 * ```
 *
 * ```ts
 * import assert from "node:assert/strict";
 * const of = (id: string, parents: string[], rollout: number) =>
 *   ({ environment: { id, parents }, rollout, skill: "Optimization" });
 * const text = lineageTree(lineageOf([of("3f2a91c0", [], 0), of("77b01d22", ["3f2a91c0"], 4)]));
 * assert.equal(text, "3f2a91c0 r0 Optimization · 1 descendant\n└─ 77b01d22 r4 Optimization");
 * ```
 */
export function lineageTree(
  lineage: readonly Descent[],
  options: { /** Lines at most. @default 60 */ lines?: number } = {},
): string {
  const { lines = 60 } = options, short = (id: string) => id.slice(0, 8);
  const byId = new Map(lineage.map((row) => [row.environmentId, row]));
  const text: string[] = [];
  const write = (row: Descent, before: string, branch: string, indent: string) => {
    const others = row.parents.slice(1).map(short);
    const notes = [
      ...(row.descendants > 0
        ? [`${row.descendants} descendant${row.descendants === 1 ? "" : "s"}`]
        : []),
      ...(others.length > 0 ? [`also of ${others.join(", ")}`] : []),
    ].join(", ");
    const name = `${short(row.environmentId)} r${row.rollout} ${row.skill}`;
    text.push(`${before}${branch}${name}${row.isDead ? " †" : ""}${notes && ` · ${notes}`}`);
    const children = row.children.map((id) => byId.get(id)!)
      .filter((child) => child.parents[0] === row.environmentId);
    children.forEach((child, i) => {
      const isLast = i === children.length - 1;
      write(child, before + indent, isLast ? "└─ " : "├─ ", isLast ? "   " : "│  ");
    });
  };
  const roots = lineage.filter(({ parents }) => parents.length === 0);
  const fertile = roots.filter(({ descendants }) => descendants > 0)
    .sort((a, b) => b.descendants - a.descendants || a.rollout - b.rollout);
  for (const root of fertile) write(root, "", "", "");
  const shown = text.length > lines
    ? [...text.slice(0, lines), `… ${text.length - lines} more lines`]
    : text;
  const barren = roots.length - fertile.length;
  return [...shown, ...(barren > 0 ? [`${barren} without descendants`] : [])].join("\n");
}
