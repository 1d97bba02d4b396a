/**
 * How complex programs are and how much of them plays use, by rollout.
 *
 * Sizes are read off the text, for a program is never executed here and the sandbox's parse gives no tree: depth is
 * that of indentation, and branches are counted by keyword outside strings and comments.
 * @module
 */
import type { RecordOf } from "../core/mod.ts";
import { playPairs } from "./environments.ts";
import type { Accepted } from "./diversity/sequence.ts";
import { type Share, shareOf } from "./estimate.ts";
import { groupBy } from "./group.ts";
import { type Spread, spreadOf } from "./spread.ts";

/** Sizes of one program. */
export interface Complexity {
  /** Lines that are not blank, docstrings and comments left out. */
  lines: number;
  /** Deepest indentation, in blocks. */
  depth: number;
  /** Decisions: if, elif, for, while, except, case, and, or, conditional expressions and filters. */
  branches: number;
  /** Functions inside classes. */
  methods: number;
  /** Methods that are tools: their name starts with `tool_`. */
  tools: number;
}

/**
 * Sizes of a Python program.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * const { lines, depth, branches } = complexityOf("def f(x):\n    if x:  # why\n        return 'if'\n");
 * assert.deepEqual([lines, depth, branches], [3, 2, 1]);
 * ```
 */
export function complexityOf(source: string): Complexity {
  const code = withoutText(source);
  const lines = code.split("\n").filter((line) => line.trim() !== "" && line.trim() !== quoted);
  const count = (pattern: RegExp) => code.match(pattern)?.length ?? 0;
  return {
    lines: lines.length,
    depth: deepest(lines),
    branches: count(/\b(?:if|elif|for|while|except|and|or)\b|^\s*case\b/gm),
    methods: count(/^\s+(?:async\s+)?def\b/gm),
    tools: count(/^\s+(?:async\s+)?def\s+tool_/gm),
  };
}

/** Stands for a string literal. */
const quoted = '""';

/** Strings emptied and comments removed, so that what they say is not counted. */
function withoutText(source: string): string {
  const text =
    /[a-z]{0,2}("""|''')(?:\\[^]|(?!\1)[^\\])*\1|[a-z]{0,2}"(?:\\[^]|[^"\\\n])*"|[a-z]{0,2}'(?:\\[^]|[^'\\\n])*'|#[^\n]*/gi;
  return source.replace(text, (found) => found.startsWith("#") ? "" : quoted);
}

/** Lines inside brackets are continuations: their indentation is layout. */
function deepest(lines: readonly string[]): number {
  const blocks = [0];
  let open = 0, most = 0;
  for (const line of lines) {
    if (open === 0) {
      const indent = line.length - line.trimStart().length;
      while (indent < blocks.at(-1)!) blocks.pop();
      if (indent > blocks.at(-1)!) blocks.push(indent);
      most = Math.max(most, blocks.length - 1);
    }
    open += (line.match(/[([{]/g)?.length ?? 0) - (line.match(/[)\]}]/g)?.length ?? 0);
  }
  return most;
}

/** Programs accepted in one rollout, and their plays in it. */
export interface RolloutComplexity {
  /** Rollout that accepted them. */
  rollout: number;
  /** Programs accepted. */
  environments: number;
  /** See {@link Complexity}. */
  lines: Spread;
  /** See {@link Complexity}. */
  depth: Spread;
  /** See {@link Complexity}. */
  branches: Spread;
  /** See {@link Complexity}. */
  tools: Spread;
  /** Turns used over turns offered, of scored plain plays. */
  used: Spread;
  /** Of instances won with the hint: those lost without it. */
  needsHint: Share;
}

/**
 * One row a rollout that accepted programs. What a program offers is the length of its longest truncated play, or
 * `maxTurns` (the run's option) where none was truncated.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * const source = "class SumEnv:\n    def step(self, action):\n        if action:\n            return 1\n";
 * const [row] = complexityByRollout([{ rollout: 0, environment: { id: "e", source } }], [], { maxTurns: 12 });
 * assert.deepEqual([row.lines.mean, row.depth.mean, row.branches.mean], [4, 3, 1]);
 * // Nothing was played: no share of turns, not zero.
 * assert.equal(row.used.n, 0);
 * ```
 */
export function complexityByRollout(
  accepted: readonly {
    rollout: number;
    environment: Pick<Accepted["environment"], "id" | "source">;
  }[],
  plays: readonly RecordOf<"play">[],
  options: { maxTurns: number },
): RolloutComplexity[] {
  const played = groupBy(plays, ({ environmentId }) => environmentId);
  return [...groupBy(accepted, ({ rollout }) => rollout)].map(([rollout, of]) => {
    const sizes = of.map(({ environment }) => complexityOf(environment.source));
    const spread = (name: keyof Complexity) => spreadOf(sizes.map((size) => size[name]));
    const all = of.map(({ environment }) => played.get(environment.id) ?? []);
    const pairs = playPairs(all.flat().filter((play) => play.rollout === rollout))
      .filter(({ plain, hinted }) => plain?.outcome.kind === "scored" && hinted?.success);
    return {
      rollout,
      environments: of.length,
      lines: spread("lines"),
      depth: spread("depth"),
      branches: spread("branches"),
      tools: spread("tools"),
      used: spreadOf(all.flatMap((plays) => usedShares(plays, rollout, options.maxTurns))),
      needsHint: shareOf(pairs.filter(({ plain }) => !plain!.success).length, pairs.length),
    };
  });
}

function usedShares(
  plays: readonly RecordOf<"play">[],
  rollout: number,
  maxTurns: number,
): number[] {
  const cut = plays.filter(({ truncated }) => truncated).map(({ turns }) => turns);
  const offered = cut.length > 0 ? Math.max(...cut) : maxTurns;
  return plays.filter((p) =>
    p.arm === "plain" && p.rollout === rollout && p.outcome.kind === "scored"
  )
    .map(({ turns }) => Math.min(1, turns / Math.max(1, offered)));
}
