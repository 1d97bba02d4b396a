/** Plays of a suite's items, each the way a held-out play of a run is. @module */
import type { EpisodeResult } from "../../agent/mod.ts";
import { type Outcome, type Sampler, scored, seedOf } from "../../core/mod.ts";
import { type Config, heldoutEpisode, type Player, throwOnOutage } from "../../loop/mod.ts";
import type { EvaluationPlay } from "./record.ts";
import type { Suite, SuiteItem } from "./suites.ts";

/** One play to be made. */
export interface Job {
  suite: Suite;
  item: SuiteItem;
  index: number;
}

export interface PlayOptions {
  player: Player;
  sampler: Sampler;
  mode: "sampled" | "greedy";
  /** Of the sampling; instances are the same under every seed. */
  seed: number;
}

/** What tells a play from all others of an evaluation. */
export function jobKey({ suite, item, index }: { suite: string; item: string; index: number }) {
  return `${suite} ${item} ${index}`;
}

/** All plays of the suites, in order. */
export function jobsOf(suites: readonly Suite[], plays: number): Job[] {
  return suites.flatMap((suite) =>
    suite.items.flatMap((item) =>
      Array.from({ length: plays }, (_, index) => ({ suite, item, index }))
    )
  );
}

/**
 * Makes the plays, so many at a time; `onPlay` hears each as it ends.
 *
 * @throws {EngineError} or {SandboxError} when either is gone: what broke by it is not told.
 */
export async function playJobs(
  jobs: readonly Job[],
  options: PlayOptions & { concurrency: number; onPlay: (play: EvaluationPlay) => void },
): Promise<void> {
  const { player, concurrency, onPlay } = options;
  let next = 0, isBroken = false;
  const work = async () => {
    for (let job = jobs[next++]; job !== undefined && !isBroken; job = jobs[next++]) {
      try {
        const play = await playJob(job, options);
        player.signal.throwIfAborted();
        await throwOnOutage(player, [play.outcome]);
        onPlay(play);
      } catch (error) {
        isBroken = true;
        throw error;
      }
    }
  };
  const workers = await Promise.allSettled(Array.from({ length: concurrency }, work));
  const broken = workers.find((worker) => worker.status === "rejected");
  if (broken) throw broken.reason;
}

async function playJob(
  { suite, item, index }: Job,
  { player, sampler, mode, seed }: PlayOptions,
): Promise<EvaluationPlay> {
  const instance = seedOf("heldout", item.id, index);
  const result = await heldoutEpisode(
    { ...player, config: configOf(player.config, suite, item) },
    item,
    instance,
    {
      sampler,
      temperature: mode === "greedy" ? 0 : 1,
      samplingSeed: (turn) => seedOf(seed, "evaluation", item.id, index, mode, turn),
    },
  );
  const unchecked = suite.isOurs && isBrokenByReply(result);
  const outcome: Outcome = unchecked ? scored(0) : result.outcome;
  // What is sent for a turn is the conversation so far, unless the template renders it anew.
  let length = 0, promptTokens = 0;
  for (const turn of result.turns) {
    length = turn.rerendered ? turn.prompt.length : length + turn.prompt.length;
    promptTokens += length;
    length += turn.ids.length;
  }
  return {
    kind: "play",
    suite: suite.name,
    item: item.id,
    family: item.family,
    index,
    seed: instance,
    outcome,
    success: result.success,
    truncated: result.truncated,
    unchecked,
    turns: result.turns.length,
    promptTokens,
    completionTokens: result.turns.reduce((sum, { ids }) => sum + ids.length, 0),
    replies: result.turns.map(({ text }) => text),
  };
}

/** The programs' own limits; checking an answer needs more than the smallest presets give a program. */
function configOf(config: Config, suite: Suite, item: SuiteItem): Config {
  const returns = item.returns ?? "last";
  if (!suite.isOurs) return { ...config, returns };
  const { requestCpuSeconds, cpuSeconds } = config.sandbox;
  const sandbox = {
    ...config.sandbox,
    requestCpuSeconds: Math.max(2, requestCpuSeconds),
    cpuSeconds: Math.max(30, cpuSeconds),
  };
  return { ...config, returns, sandbox };
}

/** A program of ours failed once it had a reply. */
function isBrokenByReply({ outcome, turns }: EpisodeResult): boolean {
  return outcome.kind === "failed" && outcome.blame === "designer" && turns.length > 0 &&
    outcome.reason !== "context";
}
