/**
 * Plays: the groups of one environment in one rollout. A round of plays is one unit of work and one transaction; what
 * is stored is not played again, so a resumed rollout plays exactly what is missing.
 * @module
 */
import { type EpisodeResult, type EpisodeTurn, playEpisode } from "../agent/mod.ts";
import { type Arm, type Outcome, type RecordOf, type Sampler, SandboxError } from "../core/mod.ts";
import { episodeReturn } from "../reward/mod.ts";
import {
  type ActiveEnvironment,
  checkAborted,
  environmentSeed,
  idOf,
  type Loop,
  samplingSeed,
} from "./context.ts";
import { givenUp, Hangs, isHanging, requestsAtOnce, withTurnstile } from "./hanging.ts";
import { ledgerRow } from "./report.ts";
import { settled } from "./settled.ts";
import { Turnstile } from "./turnstile.ts";

/** A stored play. */
export type Play = RecordOf<"play">;

/** What a play needs of a loop. */
export type Player = Pick<
  Loop,
  "config" | "engine" | "sandbox" | "tokenizer" | "chat" | "prompt" | "signal"
>;

/** Options of an episode that are the same for every play of a run. */
function episode(
  loop: Player,
  environment: { id: string; source: string; skill: string },
  seed: number,
  hint: string | null,
  samplingSeed: (turn: number) => number,
): Promise<EpisodeResult> {
  const { config } = loop;
  return playEpisode({
    environment,
    seed,
    hint,
    samplingSeed,
    sandbox: loop.sandbox,
    sampler: loop.engine.sampler,
    tokenizer: loop.tokenizer,
    chat: loop.chat,
    prompt: loop.prompt,
    toolUse: config.kind === "folder" ? "auto" : config.kind === "tool-use",
    params: {
      maxTokens: config.tokens.agent,
      temperature: config.temperature,
      stopIds: loop.chat.stopIds,
    },
    context: config.context,
    reserve: config.reserve,
    maxTurns: config.maxTurns,
    limits: config.sandbox,
    returnOf: (rewards, terminated) => episodeReturn(rewards, terminated, { rule: config.returns }),
    signal: loop.signal,
  });
}

/** A play that failed by model or host is repeated once: the last try, how many there were, and what the others cost. */
async function repeated(
  loop: Player,
  play: (retry: number) => Promise<EpisodeResult>,
): Promise<{ result: EpisodeResult; attempts: number; given: EpisodeTurn[] }> {
  const given: EpisodeTurn[] = [];
  for (let retry = 0;; retry++) {
    checkAborted(loop);
    const result = await play(retry);
    const { outcome } = result;
    const ours = outcome.kind === "failed" &&
      (outcome.blame === "model" || outcome.blame === "host");
    if (!ours || retry === 1) return { result, attempts: retry + 1, given };
    given.push(...result.turns);
  }
}

/**
 * Tells a fault from an outage before plays are stored: where the engine or the sandbox is gone this throws, nothing
 * of the round is kept, and a resumed run plays it whole.
 *
 * @throws {EngineError} when the engine is gone.
 * @throws {SandboxError} when the sandbox is gone.
 */
export async function throwOnOutage(loop: Player, outcomes: readonly Outcome[]): Promise<void> {
  const { engine, sandbox, signal } = loop;
  const isBlamed = (blame: "model" | "host") =>
    outcomes.some((outcome) => outcome.kind === "failed" && outcome.blame === blame);
  if (isBlamed("model")) await engine.trainer.state({ signal });
  if (!isBlamed("host")) return;
  const probe = await sandbox.parse("pass\n", { signal });
  if (probe.kind === "failed" && probe.blame === "host") {
    throw new SandboxError(
      `Cannot play: the sandbox is gone (${probe.reason}: ${probe.detail ?? "no detail"})`,
    );
  }
}

/**
 * One play outside of the groups, e.g. of a held-out program: like any other, but sampled as told, plain without `hint`.
 * `given` are the turns of a try that failed before it.
 */
export async function heldoutEpisode(
  loop: Player,
  environment: { id: string; source: string; skill: string },
  seed: number,
  how: {
    sampler: Sampler;
    temperature: number;
    hint?: string | null;
    samplingSeed: (turn: number, retry: number) => number;
  },
): Promise<EpisodeResult & { given: EpisodeTurn[] }> {
  const { hint = null } = how;
  const config = { ...loop.config, temperature: how.temperature };
  const engine = { ...loop.engine, sampler: how.sampler } as Loop["engine"];
  const { result, given } = await repeated(
    loop,
    (retry) =>
      episode(
        { ...loop, config, engine },
        environment,
        seed,
        hint,
        (turn) => how.samplingSeed(turn, retry),
      ),
  );
  return { ...result, given };
}

function toRecords(
  at: { rollout: number; environmentId: string; arm: Arm; index: number; seed: number },
  result: EpisodeResult,
  attempts: number,
): { play: Play; turns: RecordOf<"turn">[] } {
  const id = idOf.play(at.rollout, at.environmentId, at.arm, at.index);
  const play: Play = {
    id,
    ...at,
    outcome: result.outcome,
    success: result.success,
    terminated: result.terminated,
    truncated: result.truncated,
    turns: result.turns.length,
    versionFirst: result.versionFirst,
    versionLast: result.versionLast,
    hung: result.hung,
    attempts,
  };
  const turns = result.turns.map((turn, index) => ({
    id: `${id}/${index}`,
    rollout: at.rollout,
    playId: id,
    index,
    ...turn,
  }));
  return { play, turns };
}

/** What the plays of one environment share in a rollout. */
interface Together {
  turnstile: Turnstile;
  hangs: Hangs;
  /** Settles when it is known whether this arm is given up for another one's sake. */
  known?: Promise<unknown>;
}

/** Plays the indices that are not stored yet; one transaction closes the round. Returns all of them. */
async function playRound(
  run: Loop,
  environment: ActiveEnvironment,
  rollout: number,
  arm: Arm,
  indices: readonly number[],
  { turnstile, hangs, known }: Together,
): Promise<Play[]> {
  using round = joined(run.signal, hangs.signal);
  const loop = { ...run, signal: round.signal };
  const stored: Play[] = [];
  const missing: number[] = [];
  for (const index of indices) {
    const row = loop.store.get("play", idOf.play(rollout, environment.id, arm, index));
    if (row) stored.push(row);
    else missing.push(index);
  }
  if (missing.length === 0) return stored;
  const played = await settled(missing.map(async (index) => {
    const seed = environmentSeed(loop, environment.id, rollout, index);
    const at = { rollout, environmentId: environment.id, arm, index, seed };
    const hint = arm === "hinted" ? environment.hint : null;
    const place = environment.id;
    const sandbox = withTurnstile(loop.sandbox, turnstile, index);
    const { result, attempts, given } = await repeated(loop, (retry) =>
      episode(
        { ...loop, sandbox },
        environment,
        seed,
        hint,
        (turn) => samplingSeed(loop, "agent", { rollout, place, index, arm, turn, retry }),
      ));
    hangs.note(result);
    return { ...toRecords(at, result, attempts), given };
  })).catch((error) => {
    if (!hangs.signal.aborted || run.signal.aborted) throw error;
    return [];
  });
  await known;
  checkAborted(run);
  if (hangs.signal.aborted) {
    const plays = missing.map((index): Play => {
      const seed = environmentSeed(loop, environment.id, rollout, index);
      const id = idOf.play(rollout, environment.id, arm, index);
      return { id, rollout, environmentId: environment.id, arm, index, seed, ...givenUp };
    });
    run.store.transaction(() => run.store.insert("play", plays));
    return [...stored, ...plays];
  }
  await throwOnOutage(loop, played.map(({ play }) => play.outcome));
  const given = played.flatMap((play) => play.given);
  const lost = {
    id: `${idOf.play(rollout, environment.id, arm, missing[0])}/again`,
    rollout,
    role: "agent" as const,
    stage: "play again",
  };
  loop.store.transaction(() => {
    loop.store.insert("play", played.map(({ play }) => play));
    loop.store.insert("turn", played.flatMap(({ turns }) => turns));
    if (given.length > 0) loop.store.insert("ledger", ledgerRow(lost, given, 0));
  });
  return [...stored, ...played.map(({ play }) => play)];
}

function scoredIndices(plays: readonly Play[]): Set<number> {
  return new Set(plays.filter((p) => p.outcome.kind === "scored").map((p) => p.index));
}

/**
 * Both arms of one environment with the same seeds, or the plain arm alone. Indices that failed in either arm are
 * replaced by new ones in both, up to 2 × plays attempts; a program that hung is not asked again.
 */
export async function playGroups(
  loop: Loop,
  environment: ActiveEnvironment,
  rollout: number,
  hinted: Promise<string | null> | null,
): Promise<{ plain: Play[]; hinted: Play[] }> {
  const wanted = { plain: loop.config.plays, hinted: loop.config.hintedPlays ?? loop.config.plays };
  const plays: Arms<Play> = { plain: [], hinted: [] };
  let indices = { plain: range(0, wanted.plain), hinted: range(0, wanted.hinted) };
  const turnstile = new Turnstile(requestsAtOnce);
  for (;;) {
    const [hangs, hintedHangs] = [new Hangs(), new Hangs()];
    // without plain plays the hinted ones say nothing
    const follow = () => hintedHangs.giveUp();
    hangs.signal.addEventListener("abort", follow);
    const plainRound = playRound(loop, environment, rollout, "plain", indices.plain, {
      turnstile,
      hangs,
    });
    // stored ones of a run that was stopped may have been given up
    const known = plainRound.then((plays) => isHanging(plays) && follow(), () => {});
    const together = { turnstile, hangs: hintedHangs, known };
    const [plain, withHint] = await settled([
      plainRound,
      Promise.resolve(hinted).then((hint) =>
        hint === null
          ? []
          : playRound(loop, { ...environment, hint }, rollout, "hinted", indices.hinted, together)
      ),
    ]);
    plays.plain.push(...plain);
    plays.hinted.push(...withHint);
    if ([...plays.plain, ...plays.hinted].some((play) => play.hung)) return plays;
    indices = refill(plays, wanted);
    if (indices.plain.length + indices.hinted.length === 0) return plays;
  }
}

/** A signal that aborts with either; it leaves nothing behind on those that live longer. */
function joined(...signals: AbortSignal[]): Disposable & { signal: AbortSignal } {
  const controller = new AbortController();
  const leave = signals.map((signal) => {
    const abort = () => controller.abort(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort);
    return () => signal.removeEventListener("abort", abort);
  });
  return { signal: controller.signal, [Symbol.dispose]: () => leave.forEach((forget) => forget()) };
}

interface Arms<T> {
  plain: T[];
  hinted: T[];
}

function range(from: number, length: number): number[] {
  return Array.from({ length: Math.max(0, length) }, (_, i) => from + i);
}

/** Indices that make up for failed plays. Arms of equal size are refilled in pairs, others each by itself. */
function refill(plays: Arms<Play>, wanted: { plain: number; hinted: number }): Arms<number> {
  const all = [...plays.plain, ...plays.hinted];
  const next = Math.max(-1, ...all.map(({ index }) => index)) + 1;
  const good = { plain: scoredIndices(plays.plain), hinted: scoredIndices(plays.hinted) };
  const hasHinted = plays.hinted.length > 0;
  if (hasHinted && wanted.plain === wanted.hinted) {
    good.plain = good.hinted = good.plain.intersection(good.hinted);
  }
  const more = (arm: "plain" | "hinted") =>
    range(next, Math.min(wanted[arm] - good[arm].size, 2 * wanted[arm] - plays[arm].length));
  return { plain: more("plain"), hinted: hasHinted ? more("hinted") : [] };
}
