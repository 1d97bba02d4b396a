/**
 * Gate `determinism`: seed and actions decide everything. The contract gate's plays are repeated in
 * the other interpreter (other PYTHONHASHSEED), in the other order and on fresh instances; any
 * difference refuses, and one more process then finds out what it comes from.
 * @module
 */
import { explorer } from "./agents.ts";
import { contractSeeds } from "./contract.ts";
import { type ProbePlay, probeSeeds, startProbe } from "./probe.ts";
import { type GateOptions, type GateVerdict, pass, refuse, skip } from "./report.ts";

/**
 * `plays` are those of the contract gate, `constant` what the program declares. A seed that only decides what is hidden
 * shows in `solve`, which gives the solutions, null without `solution()`, or the reason why they are not known; whoever
 * gives it lets the oracle gate test them, and refuse where they are not known.
 */
export async function determinismGate(
  source: string,
  options: GateOptions,
  plays: readonly ProbePlay[],
  constant: boolean,
  solve: () => Promise<readonly (readonly string[])[] | string | null>,
): Promise<GateVerdict> {
  const found = await repeat(source, options, plays, constant);
  if (found.kind === "same") return pass("determinism", { constant, seed: found.seed });
  if (found.kind === "constant") {
    const solutions = await solve();
    if (typeof solutions === "string") return skip("determinism", solutions, { constant });
    const [first, ...others] = (solutions ?? []).map((solution) => JSON.stringify(solution));
    const seed = others.findIndex((solution) => solution !== first) + 1;
    if (seed > 0) return pass("determinism", { constant, seed, by: "solution()" });
    return refuse("determinism", "seed changes nothing, and constant is not declared", {
      seeds: probeSeeds.length,
    });
  }
  const { kind: _, ...evidence } = found;
  const reason = await diagnose(source, options, plays);
  // What chance showed would differ from run to run; records do not.
  return refuse("determinism", reason, reason === chance ? {} : evidence);
}

type Found =
  /** Equal; `seed` is the first one that differs from seed 0. */
  | { kind: "same"; seed: number | null }
  | { kind: "constant" }
  | { kind: "different"; seed: number } & Difference;

/**
 * Repeats the plays elsewhere. The process is gone when this returns: a gate holds one at a time.
 */
async function repeat(
  source: string,
  options: GateOptions,
  plays: readonly ProbePlay[],
  constant: boolean,
): Promise<Found> {
  const [first, second] = contractSeeds;
  await using probe = await startProbe(source, options, 1);
  for (const seed of [second, first]) {
    const difference = firstDifference(plays[seed], await probe.play(seed, explorer));
    if (difference !== undefined) return { kind: "different", seed, ...difference };
  }
  if (constant) return { kind: "same", seed: null };
  for (const seed of probeSeeds.slice(1)) {
    const play = seed === second ? plays[second] : await probe.play(seed, explorer);
    if (firstDifference(plays[first], play)) return { kind: "same", seed };
  }
  return { kind: "constant" };
}

const chance = "not a function of seed and actions";

/** Repeats seed 0 under the first hash seed, in a fresh process and then after another play. */
async function diagnose(
  source: string,
  options: GateOptions,
  plays: readonly ProbePlay[],
): Promise<string> {
  const [first, second] = contractSeeds;
  await using probe = await startProbe(source, options);
  const same = async (seed: number) =>
    firstDifference(plays[seed], await probe.play(seed, explorer)) === undefined;
  if (!await same(first)) return chance;
  if (!await same(second)) return "a second reset of an instance depends on the play before";
  return await same(first) ? "depends on PYTHONHASHSEED" : "depends on earlier plays";
}

/** One line a turn; info keys sorted, because a dict's order carries no meaning. */
function transcript(play: ProbePlay): string[] {
  return play.turns.map(({ observation, reward, terminated, truncated, info, tools }) =>
    JSON.stringify([
      observation,
      reward ?? null,
      terminated,
      truncated,
      sorted(info),
      ...(tools ? [tools] : []),
    ])
  );
}

interface Difference {
  /** 0 is the reset. */
  turn: number;
  one: string;
  other: string;
}

function firstDifference(
  one: ProbePlay,
  other: ProbePlay,
): Difference | undefined {
  const [a, b] = [transcript(one), transcript(other)];
  for (let turn = 0; turn < Math.max(a.length, b.length); turn++) {
    if (a[turn] === b[turn]) continue;
    const clip = (line: string | undefined) => (line ?? "(ended)").slice(0, 300);
    return { turn, one: clip(a[turn]), other: clip(b[turn]) };
  }
  return undefined;
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== "object") return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return entries.map(([key, item]) => [key, sorted(item)]);
}
