/**
 * What a run will cost, before it starts: numbers of model calls, tokens and plays by role. `least` and `most` are
 * bounds that follow from the configuration; `expected` rests on {@link Assumptions}, which are printed beside it.
 * Tokens read are counted once where they are appended, as the ledger does (a server without prompt cache reads more).
 * @module
 */
import { designerScale } from "../grpo/mod.ts";
import type { Config } from "./options.ts";
import { repliesPerSlot } from "./generate.ts";

/** What no configuration says. */
export interface Assumptions {
  /** Share of designer replies that pass every gate. */
  acceptance: number;
  /** Turns of a play, as a share of `maxTurns`. */
  turns: number;
  /** Length of a reply, as a share of its limit, by role. */
  replies: { designer: number; agent: number; hint: number };
  /** Tokens of a designer's brief without document and memory. */
  brief: number;
  /** Tokens of one remembered program in it. */
  program: number;
  /** Tokens of one observation. */
  observation: number;
}

/**
 * Compact: rounded means of two finished runs of the preset `nano` (796 designer replies, 13,824 plays). Others:
 * guesses, to be replaced by what a first rollout shows.
 */
export function assumptionsFor(config: Config): Assumptions {
  return config.kind === "compact"
    ? {
      acceptance: 0.72,
      turns: 0.55,
      replies: { designer: 0.23, agent: 0.27, hint: 0.15 },
      brief: 8,
      program: 8,
      observation: 8,
    }
    : {
      acceptance: 0.6,
      turns: 0.4,
      replies: { designer: 0.3, agent: 0.1, hint: 0.05 },
      brief: 2500,
      program: 600,
      observation: 200,
    };
}

/** One number of a run that is not yet made. */
export interface Expectation {
  /** What is counted, such as `plain plays`. */
  what: string;
  /** Lower bound. */
  least: number;
  /** Under the assumptions. */
  expected: number;
  /** Upper bound. */
  most: number;
}

/** Programs of the held-out sets. */
export interface HeldoutCounts {
  /** Programs of the development set. */
  dev: number;
  /** Programs of the test set. */
  test: number;
}

/**
 * Expected numbers of a whole run, rounded.
 *
 * Plays: plain = rollouts × environments × plays, hinted = sets × environments × hinted plays, each twice at most
 * (refills). Designer calls: sets × environments × Σ (1 - acceptance)^i over the replies a slot may take. Hints: one
 * or two a program. Agent calls: plays × turns.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { checkConfig } from "./config.ts";
 * const config = checkConfig({
 *   preset: "mine", model: "data/nano", kind: "compact", skills: ["Optimization"], environments: 4, plays: 8, epoch: 2,
 *   delay: 2, rollouts: 8, tokens: { designer: 400, agent: 8, hint: 24 }, context: 1024, maxTurns: 12, corpus: null,
 *   heldout: null,
 * });
 * const rows = expectRun(config, { dev: 0, test: 0 });
 * // 8 rollouts × 4 environments × 8 plays; each may be refilled once.
 * assert.deepEqual(rows.find(({ what }) => what === "plain plays"),
 *   { what: "plain plays", least: 256, expected: 256, most: 512 });
 * ```
 */
export function expectRun(
  config: Config,
  heldout: HeldoutCounts,
  assumed: Assumptions = assumptionsFor(config),
): Expectation[] {
  const { environments, rollouts, epoch, plays, maxTurns, tokens, context } = config;
  const designs = config.designer !== "none";
  const sets = Math.ceil(rollouts / epoch);
  const slots = designs ? sets * environments : 0;
  const rows: Expectation[] = [];
  const add = (what: string, least: number, expected: number, most: number) => {
    rows.push({ what, least, expected: Math.round(expected), most });
    return rows[rows.length - 1];
  };
  add("sets of environments", sets, sets, sets);
  const updates = rollouts + (designs && config.designerLoss && config.delay > 0 ? 1 : 0);
  add("updates", rollouts, updates, updates);
  const perSlot = repliesPerSlot(config);
  const mean = meanTries(assumed.acceptance, perSlot);
  const designer = add("designer calls", slots, slots * mean, slots * perSlot);
  const hints = add("hint calls", slots, slots * 1.1, 2 * slots);
  const screens = config.screen ? add("screen calls", slots, slots, 2 * slots * perSlot) : null;
  const plain = rollouts * environments * plays;
  const hinted = slots * (config.hintedPlays ?? plays);
  const held = evaluationPlays(config, heldout);
  add("plain plays", plain, plain, 2 * plain);
  add("hinted plays", hinted, hinted, 2 * hinted);
  add("held-out plays", held, held, held);
  const all = { least: plain + hinted + held, most: 2 * (plain + hinted) + held };
  const turns = Math.max(1, assumed.turns * maxTurns);
  const agent = add("agent calls", all.least, all.least * turns, all.most * maxTurns);
  const written = (row: Expectation, limit: number, share: number) =>
    [row.least, row.expected * limit * share, row.most * limit] as const;
  add("tokens written: designer", ...written(designer, tokens.designer, assumed.replies.designer));
  add("tokens written: hints", ...written(hints, tokens.hint, assumed.replies.hint));
  if (screens) {
    add("tokens written: screen", ...written(screens, tokens.hint, assumed.replies.hint));
  }
  const [least, expected, most] = written(agent, tokens.agent, assumed.replies.agent);
  add("tokens written: agent", least, expected, Math.min(most, all.most * context));
  const memory = config.memory.seeds + config.memory.negatives;
  const brief = assumed.brief + memory * assumed.program +
    (config.corpus === null ? 0 : config.documentTokens);
  const room = context - tokens.designer;
  add("tokens read: designer", designer.least, designer.expected * brief, designer.most * room);
  const observed = agent.expected * assumed.observation;
  add("tokens read: agent", agent.least, observed, all.most * context);
  return rows;
}

/** S for full groups and sets (spade.md section 8). */
export function expectedScale(config: Config): number {
  const { environments, plays, epoch, scaleCap } = config;
  const counts = { agents: environments * plays, designers: environments, interval: epoch };
  return designerScale(counts, { cap: scaleCap });
}

/** Mean number of tries until the first success, at most `limit`. */
function meanTries(success: number, limit: number): number {
  let sum = 0;
  for (let i = 0; i < limit; i++) sum += (1 - success) ** i;
  return sum;
}

/** Sampled and greedy plays of every evaluation; the test set is played with the first and the last weights. */
function evaluationPlays(config: Config, heldout: HeldoutCounts): number {
  const { rollouts, evaluateEvery, evaluationPlays: plays } = config;
  const times = 1 + Math.floor(rollouts / evaluateEvery) + (rollouts % evaluateEvery > 0 ? 1 : 0);
  return 2 * (times * heldout.dev * plays.dev + 2 * heldout.test * plays.test);
}
