/**
 * From stored plays to what the signals see: an environment's window, and its regret.
 * @module
 */
import { type RecordOf, seedOf } from "../core/mod.ts";
import { type EnvironmentWindow, measureRegret } from "../reward/mod.ts";
import type { Loop } from "./context.ts";
import type { Play } from "./groups.ts";

type Context = Pick<Loop, "config" | "store">;

/** Regret of one environment at the rollout that made its set, from both arms' plays. */
export function regretOf(
  loop: Context,
  environmentId: string,
  rollout: number,
  plays: { plain: readonly Play[]; hinted: readonly Play[] },
): RecordOf<"regret"> {
  const estimate = measureRegret(plays.plain, plays.hinted, {
    seed: seedOf(loop.config.seed, "regret", environmentId, rollout),
  });
  return { id: `r${rollout}/${environmentId.slice(0, 16)}`, rollout, environmentId, ...estimate };
}

/** Scored returns of plays. */
export function returnsOf(plays: readonly Play[]): number[] {
  return plays.flatMap(({ outcome }) => outcome.kind === "scored" ? [outcome.value] : []);
}

/** All plain plays of an environment from `start` to `end`, by rollout, and its hinted plays. */
export function windowOf(
  loop: Context,
  environment: { id: string; skill: string },
  start: number,
  end: number,
): EnvironmentWindow {
  const plays = loop.store.all("play", { where: { environmentId: environment.id } })
    .filter((play) => play.rollout >= start && play.rollout <= end);
  const plain = plays.filter((play) => play.arm === "plain");
  const hinted = plays.filter((play) => play.arm === "hinted" && play.rollout === start);
  const offsets = Array.from({ length: end - start + 1 }, (_, offset) => ({
    offset,
    returns: returnsOf(plain.filter((play) => play.rollout === start + offset)),
  }));
  const atStart = plain.filter((play) => play.rollout === start);
  return {
    environmentId: environment.id,
    skill: environment.skill,
    offsets,
    successes: plain.filter((play) => play.success && play.outcome.kind === "scored").length,
    hinted: returnsOf(hinted),
    regret: regretOf(loop, environment.id, start, { plain: atStart, hinted }).outcome,
    hung: plays.some((play) => play.hung),
  };
}
