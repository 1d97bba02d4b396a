/** The published numbers through the functions the loop calls (tests/golden/rewards.json). */
import assert from "node:assert/strict";
import golden from "../golden/rewards.json" with { type: "json" };
import { scored, skipped } from "../../lib/core/mod.ts";
import { designerAdvantages } from "../../lib/grpo/mod.ts";
import {
  baselineOf,
  blendParts,
  createTracker,
  type EnvironmentWindow,
  episodeReturn,
  measureRegret,
  plateau,
  potentialOf,
  publishedBlend,
  type ScoreOptions,
  scoreWindows,
  signals,
  signedPotential,
  type Tracker,
  updateBaseline,
  updateTracker,
} from "../../lib/reward/mod.ts";
import { close, makeWindow } from "./help.ts";

type Game = { skill: string; step_timeout?: boolean; turn1_valid?: boolean };
type Sample = Game & { game: string };
type Lists = Record<string, number[]>;
type Histories = Record<string, { gamma_fast: number; gamma_slow: number; history: number[] }>;

Deno.test("plateau() equals plateau_reward [P]", () => {
  for (const { in: { win_rate, lo, hi, ramp }, out } of golden.plateau_reward) {
    close(plateau(win_rate, { lo, hi, ramp }), out);
  }
});

Deno.test("signals.variance equals compute_variance_reward [P]", () => {
  for (const { in: returns, out } of golden.compute_variance_reward) {
    close(
      signals.variance(makeWindow({ offsets: [returns] }), { moment: "generation" }),
      scored(out),
    );
  }
});

Deno.test("episodeReturn() equals episode_reward [P]", () => {
  for (const { in: { rewards, terminated }, out } of golden.episode_reward) {
    close(episodeReturn(rewards, terminated), out);
  }
});

Deno.test("updateTracker() equals learning_potential_updates [P]", () => {
  for (
    const { in: { gamma_fast, gamma_slow, sequence }, out } of golden.learning_potential_updates
  ) {
    let tracker = createTracker({ gammaFast: gamma_fast, gammaSlow: gamma_slow });
    assert.equal(baselineOf(tracker), 0);
    sequence.forEach((value, i) => {
      tracker = updateTracker(tracker, value);
      close(potentialOf(tracker), out[i].rho);
      close(signedPotential(tracker), out[i].signed);
      close(tracker.fast, out[i].mu_fast);
      close(tracker.slow, out[i].mu_slow);
      close(baselineOf(tracker), out[i].baseline);
    });
  }
});

Deno.test("updateBaseline() equals ema_updates [P]", () => {
  for (const { in: { decay, sequence }, out } of golden.ema_updates) {
    let mean: number | null = null;
    sequence.forEach((value, i) => close(mean = updateBaseline(mean, value, decay), out[i]));
  }
});

Deno.test("measureRegret() with parity equals finalize_regrets [P]", () => {
  for (const { in: input, out } of golden.finalize_regrets) {
    for (const [game, hint] of entries(input.r_hint as Record<string, number | null>)) {
      const plain = (input.no_hint_rewards as Lists)[game];
      const estimate = measureRegret(
        plain.map((value, i) => ({ seed: i, outcome: scored(value) })),
        hint === null ? [] : [{ seed: 0, outcome: scored(hint) }],
        { seed: 0, parity: true },
      );
      close(estimate.outcome, scored((out.regret as Record<string, number>)[game]));
      close(estimate.plainMean, (out.r_no_hint as Record<string, number | null>)[game]);
    }
  }
});

Deno.test("scoreWindows() at generation equals assign_env_rewards_lp [P]", () => {
  for (const { in: input, out } of golden.assign_env_rewards_lp) {
    const played = input.game2rewards as unknown as Lists;
    const windows = entries(input.games as unknown as Record<string, Game>)
      .map(([id, game]) => windowOf(id, game, played[id] ? { 0: played[id] } : {}));
    const { raws, trackers } = scoreWindows(windows, {
      signal: "learning-potential",
      moment: "generation",
      trackers: trackersOf(input.trackers as unknown as Histories),
      returns: input.skill2rewards as unknown as Lists,
      addVariance: input.use_variance,
      update: !input.skip_lp_update,
      parity: true,
    });
    checkRewards(windows, raws, input.scale, out);
    checkTrackers(trackers, out.mu_after);
  }
});

Deno.test("scoreWindows() at generation equals assign_env_rewards_regret [P]", () => {
  for (const { in: input, out } of golden.assign_env_rewards_regret) {
    const regrets = input.regret as Record<string, number>;
    const windows = entries(input.games as unknown as Record<string, Game>).map(([id, game]) => ({
      ...windowOf(id, game, {}),
      regret: id in regrets ? scored(regrets[id]) : skipped("no hinted play"),
    }));
    const { raws, trackers } = scoreWindows(windows, {
      signal: "regret",
      moment: "generation",
      trackers: trackersOf(input.trackers as unknown as Histories),
      returns: input.skill2rewards as unknown as Lists,
      parity: true,
    });
    checkRewards(windows, raws, input.scale, out);
    checkTrackers(trackers, out.mu_after);
  }
});

Deno.test("scoreWindows() delayed equals delayed_learning_potential [P]", () => {
  for (const { in: input, out } of golden.delayed_learning_potential) {
    const played = input.accumulated as unknown as Lists;
    const windows = (input.samples as Sample[]).map((sample) =>
      windowOf(sample.game, sample, played[sample.game] ? { 0: played[sample.game] } : {})
    );
    const { raws, trackers } = scoreWindows(windows, {
      signal: "learning-potential",
      moment: "delayed",
      trackers: trackersOf(input.trackers as unknown as Histories),
      addVariance: input.use_variance,
      update: input.update_lp,
      parity: true,
    });
    checkDelayed(windows, raws, input.scale, out.rewards);
    checkTrackers(trackers, out.mu_after);
  }
});

Deno.test("scoreWindows() delayed equals delayed_micro_lp [P]", () => {
  for (const { in: input, out } of golden.delayed_micro_lp) {
    const played = input.accumulated as unknown as Record<string, Lists>;
    const windows = (input.samples as Sample[]).map((sample) =>
      windowOf(sample.game, sample, played[sample.game] ?? {})
    );
    const { raws } = scoreDelayed(windows, { signal: "micro-progress" });
    checkDelayed(windows, raws, input.scale, out.rewards);
  }
});

Deno.test("scoreWindows() delayed equals delayed_regret [P]", () => {
  for (const { in: input, out } of golden.delayed_regret) {
    const played = input.accumulated as unknown as Lists;
    const hints = input.r_hint as Record<string, number>;
    const windows = (input.samples as Sample[]).map((sample) =>
      windowOf(
        sample.game,
        sample,
        played[sample.game] ? { 0: played[sample.game] } : {},
        hints[sample.game],
      )
    );
    const { raws } = scoreDelayed(windows, { signal: "regret" });
    checkDelayed(windows, raws, input.scale, out.rewards);
  }
});

Deno.test("scoreWindows() and blendParts() equal delayed_blend [P]", () => {
  for (const { in: input, out } of golden.delayed_blend) {
    const played = input.accumulated as unknown as Record<string, Lists>;
    const hints = input.r_hint as Record<string, number>;
    const windows = (input.samples as Sample[]).map((sample) =>
      windowOf(sample.game, sample, played[sample.game] ?? {}, hints[sample.game])
    );
    const p = input.params as Record<string, number | boolean>;
    const blend = {
      ...publishedBlend,
      ...pick(p, "regret_weight", "regretWeight"),
      ...pick(p, "micro_lp_weight", "progressWeight"),
      ...pick(p, "frontier_weight", "frontierWeight"),
      ...pick(p, "frontier_scale", "frontierScale"),
      ...pick(p, "regret_scale", "regretScale"),
      ...pick(p, "plateau_weight", "plateauWeight"),
      ...pick(p, "regret_floor", "regretFloor"),
      ...("micro_lp_signed" in p ? { unsigned: !p.micro_lp_signed } : {}),
      band: {
        ...pick(p, "plateau_lo", "lo"),
        ...pick(p, "plateau_hi", "hi"),
        ...pick(p, "plateau_ramp", "ramp"),
      },
    };
    const { raws } = scoreDelayed(windows, { signal: "blend", blend });
    checkDelayed(windows, raws, input.scale, out.rewards);
    windows.forEach((window, i) => {
      assert.equal(raws[i].kind === "skipped", out.masked[i]);
      const parts = blendParts(window, { ...blend, parity: true });
      assert(!("missing" in parts));
      const wanted = out.components[i];
      close(parts.regret, wanted.regret);
      close(parts.progress, wanted.micro_lp);
      close(parts.winRate, wanted.win_rate);
      close(parts.frontier, wanted.frontier_penalty);
      close(parts.plateau, wanted.plateau);
      close(parts.blend, wanted.blend_raw);
    });
  }
});

function scoreDelayed(windows: EnvironmentWindow[], options: Partial<ScoreOptions>) {
  return scoreWindows(windows, {
    signal: "blend",
    moment: "delayed",
    trackers: {},
    parity: true,
    ...options,
  });
}

function windowOf(id: string, game: Game, offsets: Lists, hint?: number): EnvironmentWindow {
  return {
    ...makeWindow({ hinted: hint === undefined ? [] : [hint] }),
    environmentId: id,
    skill: game.skill,
    offsets: entries(offsets).map(([offset, returns]) => ({ offset: Number(offset), returns })),
    hung: game.step_timeout ?? false,
    turnOneInvalid: game.turn1_valid === false,
  };
}

function trackersOf(histories: Histories): Record<string, Tracker> {
  return Object.fromEntries(
    entries(histories).map(([skill, { gamma_fast, gamma_slow, history }]) => [
      skill,
      history.reduce(
        updateTracker,
        createTracker({ gammaFast: gamma_fast, gammaSlow: gamma_slow }),
      ),
    ]),
  );
}

function checkTrackers(trackers: Record<string, Tracker>, wanted: unknown): void {
  assert.deepEqual(Object.keys(trackers).sort(), Object.keys(wanted as object).sort());
  for (const [skill, [fast, slow]] of entries(wanted as Record<string, (number | null)[]>)) {
    close(trackers[skill].fast, fast);
    close(trackers[skill].slow, slow);
  }
}

function advantagesOf(
  windows: EnvironmentWindow[],
  raws: ReturnType<typeof scored>[],
  scale: number,
) {
  const samples = windows.map(({ environmentId: id, skill }, i) => ({ id, skill, raw: raws[i] }));
  return designerAdvantages(samples, scale);
}

function checkRewards(
  windows: EnvironmentWindow[],
  raws: ReturnType<typeof scored>[],
  scale: number,
  out: { raw: unknown; rewards: unknown },
): void {
  for (const { id, raw, advantage } of advantagesOf(windows, raws, scale)) {
    close(raw, (out.raw as Record<string, number>)[id] ?? null);
    close(advantage, (out.rewards as Record<string, number>)[id] ?? null);
  }
}

function checkDelayed(
  windows: EnvironmentWindow[],
  raws: ReturnType<typeof scored>[],
  scale: number,
  rewards: readonly (number | null)[],
): void {
  advantagesOf(windows, raws, scale).forEach(({ advantage }, i) => close(advantage, rewards[i]));
}

function pick(params: Record<string, number | boolean>, from: string, to: string) {
  return from in params ? { [to]: params[from] } : {};
}

function entries<T>(record: Record<string, T>): [string, T][] {
  return Object.entries(record);
}
