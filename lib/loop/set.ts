/**
 * The set of environments of an epoch and its plays. A group starts as soon as its environment is accepted; the old
 * set leaves only when the new one stands.
 * @module
 */
import { fillCandidates } from "../memory/mod.ts";
import { type ActiveEnvironment, countStage, type Loop, tell } from "./context.ts";
import { drawFixed } from "./fixed.ts";
import { designSlot, repliesPerSlot } from "./generate.ts";
import { type Play, playGroups } from "./groups.ts";
import { hintFor } from "./hints.ts";
import { knownPrograms } from "./judge.ts";
import { settled } from "./settled.ts";
import { planSlots } from "./slots.ts";
import type { LoopState } from "./state.ts";
import { Turnstile } from "./turnstile.ts";
import { Twins } from "./twins.ts";

/** An environment with its plays of one rollout; `hinted` is empty but in the epoch's first rollout. */
export interface PlayedEnvironment {
  /** The environment. */
  environment: ActiveEnvironment;
  /** Its plain plays. */
  plain: Play[];
  /** Its hinted plays. */
  hinted: Play[];
}

/** First rollout of the epoch that `rollout` belongs to. */
export function epochStart(loop: Loop, rollout: number): number {
  return rollout - rollout % loop.config.epoch;
}

/** The set stored for an epoch, in slot order. */
export function storedSet(loop: Loop, start: number): ActiveEnvironment[] {
  const rows = loop.store.all("active", { where: { rollout: start }, orderBy: "slot" });
  return rows.map((row) => ({
    slot: row.slot,
    id: row.environmentId,
    source: loop.store.get("environment", row.environmentId)!.source,
    skill: row.skill,
    origin: row.origin,
    replyId: row.replyId,
    hint: row.hint,
  }));
}

/**
 * Whether a program hung between `start` and `rollout`: it is then retired for the epoch. Plays of `rollout` itself do
 * not count, so that a rollout cut in the middle goes on with the set it began with.
 */
function isRetired(loop: Loop, id: string, start: number, rollout: number): boolean {
  return loop.store.all("play", { where: { environmentId: id, hung: true } })
    .some((play) => play.rollout >= start && play.rollout < rollout);
}

/** Plays a stored set again: both arms in the epoch's first rollout, later the plain one. */
export async function playSet(loop: Loop, rollout: number): Promise<PlayedEnvironment[]> {
  const start = epochStart(loop, rollout);
  const environments = storedSet(loop, start)
    .filter(({ id }) => !isRetired(loop, id, start, rollout));
  const step = countStage(loop, rollout, "play", environments.length);
  return await settled(environments.map(async (environment) => {
    const hinted = rollout === start && environment.origin !== "folder"
      ? Promise.resolve(environment.hint)
      : null;
    const plays = await playGroups(loop, environment, rollout, hinted);
    step();
    return { environment, ...plays };
  }));
}

/** Designs a new set at `rollout`, plays both arms as programs are accepted, and stores the set. */
export async function makeSet(
  loop: Loop,
  state: LoopState,
  rollout: number,
): Promise<PlayedEnvironment[]> {
  if (loop.config.designer === "none") return await drawSet(loop, state, rollout);
  const plans = planSlots(loop, state, rollout);
  if (storedSet(loop, rollout).length > 0) return await playSet(loop, rollout);
  const known = knownPrograms(loop, rollout);
  const twins = new Twins(repliesPerSlot(loop.config), loop.config.environments, known);
  // Programs judged early are played while others are judged, on the other half of the processors.
  const turnstile = new Turnstile(Math.max(1, navigator.hardwareConcurrency >> 1));
  const step = countStage(loop, rollout, "design and play", plans.length);
  const made = await settled(plans.map(async (plan) => {
    const environment = await designSlot(loop, plan, rollout, twins, turnstile);
    if (environment === null) return step(), null;
    const hint = hintFor(loop, environment, rollout);
    const plays = await playGroups(loop, environment, rollout, hint);
    step();
    return { environment: { ...environment, hint: await hint }, ...plays };
  }));
  const designed = made.filter((item) => item !== null);
  const skills = [...new Set(plans.map(({ skill }) => skill))];
  const fills = fillSet(loop, designed.map(({ environment }) => environment), skills, rollout);
  const filled = await settled(fills.map(async (environment) => ({
    environment,
    ...await playGroups(loop, environment, rollout, Promise.resolve(environment.hint)),
  })));
  const set = [...designed, ...filled];
  if (set.length === 0) {
    tell(loop, rollout, "warning", `rollout ${rollout}: no environment to play`);
  }
  storeSet(loop, set.map(({ environment }) => environment), rollout);
  return set;
}

/** Fills a short set from memory, newest first, then from the old set; neither brings a designer sample. */
function fillSet(
  loop: Loop,
  designed: ActiveEnvironment[],
  skills: readonly string[],
  rollout: number,
): ActiveEnvironment[] {
  const missing = loop.config.environments - designed.length;
  if (missing <= 0) return [];
  const taken = new Set(designed.map(({ slot }) => slot));
  const free = Array.from({ length: loop.config.environments }, (_, slot) => slot)
    .filter((slot) => !taken.has(slot));
  const present = new Set(designed.map(({ id }) => id));
  const fromMemory = fillCandidates(loop.store.all("memory"), { skills, exclude: [...present] })
    .map(({ id, source, skill, hint }) => ({
      id,
      source,
      skill,
      hint,
      origin: "memory" as const,
      replyId: null,
    }));
  const known = new Set([...present, ...fromMemory.map(({ id }) => id)]);
  const before = rollout - loop.config.epoch;
  const kept = storedSet(loop, before)
    .filter(({ id }) => !known.has(id) && !isRetired(loop, id, before, rollout))
    .map((old) => ({ ...old, origin: "kept" as const, replyId: null }));
  const fills = [...fromMemory, ...kept].slice(0, missing);
  if (fills.length > 0) {
    tell(
      loop,
      rollout,
      "note",
      `rollout ${rollout}: ${fills.length} of ${loop.config.environments} environments ` +
        "filled from memory or the old set",
    );
  }
  return fills.map((fill, index) => ({ ...fill, slot: free[index] }));
}

/** Draws a set from the pool; no designer, no hints. */
async function drawSet(
  loop: Loop,
  state: LoopState,
  rollout: number,
): Promise<PlayedEnvironment[]> {
  const drawn = drawFixed(loop, state, rollout);
  if (storedSet(loop, rollout).length === 0) storeSet(loop, drawn, rollout);
  return await playSet(loop, rollout);
}

function storeSet(loop: Loop, set: ActiveEnvironment[], rollout: number): void {
  const pool = new Map(loop.pool.map((program) => [program.id, program]));
  loop.store.transaction(() => {
    for (const environment of set) {
      if (!loop.store.has("environment", environment.id)) {
        const { family = "", difficulty } = pool.get(environment.id) ?? {};
        loop.store.insert("environment", {
          id: environment.id,
          rollout,
          source: environment.source,
          className: /^class (\w+)/m.exec(environment.source)?.[1] ?? family,
          description: difficulty === undefined ? "" : `${family}, difficulty ${difficulty}`,
          skill: environment.skill,
          treeHash: "",
          replyId: null,
          documentId: null,
          parents: [],
        });
      }
      loop.store.insert("active", {
        id: `r${rollout}/s${environment.slot}`,
        rollout,
        slot: environment.slot,
        environmentId: environment.id,
        skill: environment.skill,
        origin: environment.origin,
        replyId: environment.replyId,
        hint: environment.hint,
      });
    }
  });
}
