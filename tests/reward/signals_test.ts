import assert from "node:assert/strict";
import fc from "fast-check";
import { failed, scored, skipped } from "../../lib/core/mod.ts";
import {
  blend,
  blendParts,
  createTracker,
  episodeReturn,
  isSuccess,
  meanOf,
  plateau,
  populationVariance,
  scoreWindow,
  scoreWindows,
  type SignalName,
  signals,
  signedPotential,
  updateBaselines,
  updateTracker,
  updateTrackers,
} from "../../lib/reward/mod.ts";
import { close, makeWindow, valueOf } from "./help.ts";

const names = Object.keys(signals) as SignalName[];
const moments = ["generation", "delayed"] as const;
const unit = fc.double({ min: 0, max: 1, noNaN: true });
const play = fc.double({ min: -1, max: 1, noNaN: true });
const anyWindow = fc.record({
  offsets: fc.array(fc.array(play, { maxLength: 5 }), { maxLength: 4 }),
  hinted: fc.array(play, { maxLength: 5 }),
  regret: fc.oneof(
    play.map(scored),
    fc.constant(skipped("none")),
    fc.constant(failed("host", "x")),
  ),
}).map(makeWindow);
const tracker = { ...createTracker(), fast: 0.5, slow: 0.4 };

Deno.test("signals: no finite input gives NaN, missing always has a reason", () => {
  fc.assert(fc.property(anyWindow, fc.boolean(), fc.boolean(), (window, parity, addVariance) => {
    for (const name of names) {
      for (const moment of moments) {
        const raw = scoreWindow(name, window, { moment, tracker, parity, addVariance });
        if (raw.kind === "scored") assert(Number.isFinite(raw.value), name);
        else assert(raw.reason.length > 0, name);
      }
    }
  }));
});

Deno.test("signals: the order of offsets changes nothing", () => {
  fc.assert(fc.property(anyWindow, (window) => {
    const turned = { ...window, offsets: [...window.offsets].reverse() };
    for (const name of names) {
      const context = { moment: "delayed", tracker } as const;
      assert.deepEqual(scoreWindow(name, turned, context), scoreWindow(name, window, context));
    }
  }));
});

Deno.test("plateau() rises to lo, is flat, falls from hi", () => {
  fc.assert(fc.property(unit, unit, (a, b) => {
    const [low, high] = [Math.min(a, b), Math.max(a, b)];
    if (high <= 0.4) assert(plateau(low) <= plateau(high));
    else if (low >= 0.6) assert(plateau(low) >= plateau(high));
    if (low >= 0.4 && low <= 0.6) assert.equal(plateau(low), 1);
  }));
  assert.throws(() => plateau(0.5, { lo: 0.7, hi: 0.6 }), RangeError);
  assert.throws(() => plateau(0.5, { ramp: 0 }), RangeError);
});

Deno.test("regret signals rise with the hinted mean and fall with the plain mean", () => {
  fc.assert(fc.property(play, play, play, (plain, hinted, other) => {
    const [less, more] = [Math.min(hinted, other), Math.max(hinted, other)];
    const context = { moment: "delayed" } as const;
    for (const name of ["regret", "blend"] as const) {
      const only = { blend: { regretWeight: 1, plateauWeight: 0 } };
      const at = (p: number, h: number) =>
        valueOf(
          scoreWindow(name, makeWindow({ offsets: [[p]], hinted: [h] }), { ...context, ...only }),
        );
      assert(at(plain, less) <= at(plain, more));
      assert(at(less, plain) >= at(more, plain));
    }
  }));
});

Deno.test("learnability and variance peak at .5, one-minus-p falls", () => {
  const at = (name: SignalName, wins: number) => {
    const returns = Array.from({ length: 10 }, (_, i) => i < wins ? 1 : 0);
    return valueOf(scoreWindow(name, makeWindow({ offsets: [returns] }), { moment: "delayed" }));
  };
  for (const name of ["learnability", "variance"] as const) {
    for (let wins = 0; wins < 5; wins++) {
      assert(at(name, wins) < at(name, wins + 1));
      assert(at(name, 10 - wins) < at(name, 9 - wins));
    }
  }
  for (let wins = 1; wins < 10; wins++) {
    assert(at("one-minus-p", wins) > at("one-minus-p", wins + 1));
  }
  assert.equal(at("one-minus-p", 0), 0);
  assert.equal(at("learnability", 5), 0.25);
});

Deno.test("micro-progress rises with the late means", () => {
  fc.assert(fc.property(play, play, play, (early, a, b) => {
    const at = (late: number) =>
      valueOf(signals["micro-progress"](makeWindow({ offsets: [[early], [late]] }), {
        moment: "delayed",
      }));
    assert(at(Math.min(a, b)) <= at(Math.max(a, b)));
  }));
});

Deno.test("episodeReturn(): better play never lowers the return", () => {
  fc.assert(fc.property(fc.array(play, { minLength: 1 }), fc.nat(), unit, (rewards, at, more) => {
    const better = rewards.map((reward, i) => i === at % rewards.length ? reward + more : reward);
    for (const rule of ["last", "sum"] as const) {
      for (const terminated of [true, false]) {
        const [a, b] = [rewards, better].map((list) => episodeReturn(list, terminated, { rule }));
        assert(a <= b && b <= 1 && a >= -1);
      }
    }
  }));
});

Deno.test("episodeReturn() pays the sum of partial rewards, truncated plays included [D13]", () => {
  close(episodeReturn([0.5, 0.25, 0.25], true, { rule: "sum" }), 1);
  assert.equal(episodeReturn([0.5, 0.25], false, { rule: "sum" }), 0.75);
  assert.equal(episodeReturn([0.5, 0.25, 0.25], true), 0.25);
  assert.throws(() => episodeReturn([0, NaN], true), /turn 1/);
});

Deno.test("isSuccess() needs the end and the whole reward", () => {
  assert(isSuccess(true, 1 - 1e-10));
  assert(!isSuccess(true, 0.999));
  assert(!isSuccess(false, 1));
});

Deno.test("missing is never zero: signals without plays or hints are skipped [D14]", () => {
  const empty = makeWindow({});
  for (const name of names) {
    for (const moment of moments) {
      assert.equal(scoreWindow(name, empty, { moment, tracker }).kind, "skipped", name);
    }
  }
  const unhinted = makeWindow({ offsets: [[0, 1]] });
  for (const name of ["regret", "blend", "regret-shrunk"] as const) {
    assert.equal(scoreWindow(name, unhinted, { moment: "delayed" }).kind, "skipped", name);
  }
  assert.equal(signals["learning-potential"](unhinted, { moment: "delayed" }).kind, "skipped");
  const gap = makeWindow({ offsets: [[], [0, 1]], hinted: [1] });
  assert.equal(blend(gap).kind, "skipped");
});

Deno.test("updateTrackers() skips an empty list, parity counts it as 0 [D14]", () => {
  const trackers = { A: tracker };
  assert.deepEqual(updateTrackers(trackers, { A: [], B: [1] }), trackers);
  close(updateTrackers(trackers, { A: [] }, { parity: true }).A.slow, 0.15 * 0.4);
});

Deno.test("hung is -.5 under every signal, turn-1-invalid 0 at generation only [D16]", () => {
  const window = makeWindow({ offsets: [[0, 1], [1, 1]], hinted: [1, 1], regret: scored(0.5) });
  for (const name of names) {
    for (const moment of moments) {
      const context = { moment, tracker };
      const hung = { ...window, hung: true, turnOneInvalid: true };
      assert.deepEqual(scoreWindow(name, hung, context), scored(-0.5), name);
      const raw = scoreWindow(name, { ...window, turnOneInvalid: true }, context);
      const wanted = moment === "generation" ? scored(0) : scoreWindow(name, window, context);
      assert.deepEqual(raw, wanted, name);
    }
  }
  const parity = { moment: "generation", parity: true } as const;
  const hung = { ...window, hung: true };
  assert.deepEqual(scoreWindow("blend", hung, parity), scoreWindow("blend", window, parity));
});

Deno.test("blend(): ours and the paper's weights by default; negative leaves, nearly 0 is 0", () => {
  const window = makeWindow({ offsets: [[0, 1]], hinted: [1, 0.15] });
  close(blend(window), scored(0.6 + 0.4 * 0.075 / 0.15));
  const flat = makeWindow({ offsets: [[0.5]], hinted: [0.5] });
  const slightly = { plateauWeight: -5e-10 };
  assert.deepEqual(blend(flat, slightly), scored(0));
  assert.deepEqual(blend(flat, { plateauWeight: -1 }), skipped("negative blend"));
});

Deno.test("[4.5] blend() caps per component, so a cap flattens nothing else https://github.com/Algorineko/AgenticArXiv-RL/pull/76", () => {
  fc.assert(fc.property(unit, unit, unit, (w, a, b) => {
    const at = (hinted: number) => {
      const parts = blendParts(makeWindow({ offsets: [[w]], hinted: [hinted] }));
      assert(!("missing" in parts));
      return parts;
    };
    assert(at(Math.max(a, b)).blend >= at(Math.min(a, b)).blend);
    assert(at(a).blend <= 0.4 + 0.6 * plateau(w) + 1e-12);
  }));
  const saturated = [0, 0.2, 0.3, 0.5].map((w) =>
    valueOf(blend(makeWindow({ offsets: [[w]], hinted: [1] })))
  );
  assert.deepEqual([...saturated].sort(), saturated);
  assert(new Set(saturated.slice(1)).size === 3, "the regret cap leaves the band's differences");
});

Deno.test("max-regret, minimal-criterion, solve-rate and regret-shrunk by hand", () => {
  const at = (name: SignalName, window = makeWindow({ offsets: [[0, 0, 0, 1]] })) =>
    scoreWindow(name, window, { moment: "delayed" });
  close(at("max-regret"), scored(0.75));
  close(at("solve-rate"), scored(0.4));
  close(at("minimal-criterion"), scored(0));
  close(at("minimal-criterion", makeWindow({ offsets: [[0, 1]] })), scored(1));
  const window = makeWindow({ offsets: [[0, 0, 0, 1]], hinted: [1, 1, 1, 0] });
  close(at("regret-shrunk", window), scored(0.5 * (1 - 0.125 / 0.25)));
  const still = makeWindow({ offsets: [[0, 1]], hinted: [0, 1] });
  close(at("regret-shrunk", still), scored(0));
});

Deno.test("scoreWindows(): the tracker is read before its update at generation, after it when delayed", () => {
  const windows = [makeWindow({ offsets: [[1, 1]] })];
  const options = { signal: "learning-potential", trackers: { A: tracker } } as const;
  const now = scoreWindows(windows, { ...options, moment: "generation" });
  close(now.raws[0], scored(0.6));
  const later = scoreWindows(windows, { ...options, moment: "delayed" });
  close(later.raws[0], scored(1 - (0.15 * 0.4 + 0.85)));
  assert.deepEqual(now.trackers, later.trackers);
  const other = scoreWindows(windows, { ...options, signal: "regret", moment: "delayed" });
  assert.deepEqual(other.trackers, options.trackers);
});

Deno.test("scoreWindows(): permuting windows changes no raw reward and no tracker", () => {
  const windows = fc.array(anyWindow, { maxLength: 6 }).map((list) =>
    list.map((window, i) => ({ ...window, environmentId: `e${i}`, skill: "AB"[i % 2] }))
  );
  const trackers = { A: tracker, B: createTracker() };
  fc.assert(fc.property(windows, fc.constantFrom(...names), (list, signal) => {
    for (const moment of moments) {
      const options = { signal, moment, trackers };
      const a = scoreWindows(list, options), b = scoreWindows([...list].reverse(), options);
      assert.deepEqual(b.trackers, a.trackers);
      assert.deepEqual(b.raws.reverse(), a.raws);
    }
  }));
});

Deno.test("addVariance pays the variance of the same plays beside learning-potential", () => {
  const window = makeWindow({ offsets: [[0, 1]] });
  for (const moment of moments) {
    const raw = (addVariance: boolean) =>
      valueOf(scoreWindow("learning-potential", window, { moment, tracker, addVariance }));
    close(raw(true) - raw(false), 1);
  }
});

Deno.test("means, variances and trackers are stable at an offset of 1e8", () => {
  const values = fc.array(play, { minLength: 2 });
  fc.assert(fc.property(values, (list) => {
    const far = list.map((value) => value + 1e8);
    close(meanOf(far) - 1e8, meanOf(list), 3e-8);
    close(populationVariance(far), populationVariance(list), 1e-7);
    const at = (items: number[]) => items.reduce(updateTracker, createTracker());
    close(at(far).slow! - 1e8, at(list).slow!, 1e-6);
    close(signedPotential(at(far)), signedPotential(at(list)), 1e-6);
  }));
});

Deno.test("updateBaselines() moves what was played, sets what is new, keeps the rest", () => {
  const next = updateBaselines({ a: 0, b: 0.5 }, { a: 1, c: 0.25 }, 0.9);
  assert.deepEqual(Object.keys(next), ["a", "b", "c"]);
  close(next.a, 0.1);
  assert.deepEqual([next.b, next.c], [0.5, 0.25]);
  assert.throws(() => updateBaselines({}, { a: NaN }, 0.9), RangeError);
});
