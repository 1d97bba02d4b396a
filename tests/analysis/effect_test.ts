import assert from "node:assert/strict";
import {
  complexityByRollout,
  complexityOf,
  differenceBetween,
  differenceOverSeeds,
  hintEffect,
  playPairs,
  regretBySkill,
  unitCosts,
} from "../../lib/analysis/mod.ts";
import { failed, type RecordOf, scored } from "../../lib/core/mod.ts";
import { environment } from "./diversity/help.ts";
import { evaluation, ledger, play } from "./rows.ts";

const pair = (environmentId: string, index: number, plain: boolean, hinted: boolean) => [
  play(environmentId, plain, { index, turns: 5 }),
  play(environmentId, hinted, { index, arm: "hinted", turns: 3 }),
];

Deno.test("hintEffect() counts pairs by who succeeded, by skill", () => {
  const plays = [
    ...pair("a", 0, false, true),
    ...pair("a", 1, true, true),
    ...pair("b", 0, true, false),
    ...pair("b", 1, false, false),
    play("b", true, { index: 2 }),
    play("a", true, { index: 3 }),
    play("a", true, { index: 3, arm: "hinted", outcome: failed("host", "crash") }),
  ];
  const [all, s, t] = hintEffect(playPairs(plays), new Map([["a", "s"], ["b", "t"]]));
  assert.deepEqual(
    [all.pairs, all.both, all.hintedOnly, all.plainOnly, all.neither, all.missing],
    [4, 1, 1, 1, 1, 1],
  );
  assert.deepEqual([all.difference.mean, all.turns.mean], [0, -2]);
  assert.deepEqual([s.skill, s.difference.mean, t.skill, t.difference.mean], ["s", 0.5, "t", -0.5]);
  assert.deepEqual(hintEffect([]), []);
});

Deno.test("complexityOf() counts code, not text", () => {
  const source = `
import random  # if it rains

class AEnv:
    """While you wait
    for it."""
    def reset(self, seed=None):
        self.rows = [
                x for x in range(3) if x
        ]
        return "if and or", {}

    def tool_ask(self, x):
        for i in x:
            if i == '#' and "'" != i:
                return 1 if i else 0
        match x:
            case 1: return f"{x} or"
`;
  assert.deepEqual(complexityOf(source), {
    lines: 13,
    depth: 4,
    branches: 7,
    methods: 2,
    tools: 1,
  });
  assert.deepEqual(complexityOf(""), { lines: 0, depth: 0, branches: 0, methods: 0, tools: 0 });
});

Deno.test("complexityByRollout() takes turns offered from truncated plays and wins that need the hint", () => {
  const accepted = [{
    environment: environment("a", { source: "x = 1\n" }),
    rollout: 2,
    slot: 0,
    skill: "s",
  }];
  const at = { rollout: 2 };
  const plays = [
    play("a", false, { ...at, turns: 8 }),
    play("a", true, { ...at, turns: 2, index: 1 }),
    play("a", true, { ...at, index: 0, arm: "hinted" }),
    play("a", true, { ...at, index: 1, arm: "hinted" }),
    play("a", true, { rollout: 3, turns: 1 }),
  ];
  const [row] = complexityByRollout(accepted, plays, { maxTurns: 20 });
  assert.deepEqual([row.rollout, row.environments, row.lines.mean], [2, 1, 1]);
  assert.deepEqual([row.used.n, row.used.least, row.used.most], [2, 0.25, 1]);
  assert.deepEqual([row.needsHint.count, row.needsHint.of], [1, 2]);
  const [long] = complexityByRollout(accepted, plays.slice(1), { maxTurns: 20 });
  assert.equal(long.used.mean, 0.1);
});

Deno.test("unitCosts() spreads what was spent over what came of it", () => {
  const regret = (value: number, rollout: number) => ({
    ...{ id: `g${value}`, rollout, environmentId: "a", outcome: scored(value), pairs: 8 },
    ...{ low: null, high: null, interval: "", noiseFloor: null, plainMean: 0, hintedMean: 0 },
  });
  const active = (origin: RecordOf<"active">["origin"], slot: number) => ({
    ...{ id: `r0/s${slot}`, rollout: 0, slot, environmentId: "a", skill: "s" },
    ...{ origin, replyId: null, hint: null },
  });
  const tables = {
    ledger: [
      ledger(0, "designer", 100, 300, 2),
      ledger(0, "agent", 1000, 600, 6),
      ledger(1, "trainer", 0, 0, 4),
      ledger(1, "evaluation", 1e6, 1e6, 1e3),
    ],
    active: [active("designed", 0), active("designed", 1), active("memory", 2)],
    regret: [regret(0.5, 0), regret(-1, 0)],
  };
  const [first, second, all] = unitCosts(tables, {
    prices: { prompt: 1, completion: 2, hour: 3600 },
  });
  assert.deepEqual(first.perAccepted, { tokens: 200, seconds: 1, money: (100 + 600) / 2e6 + 1 });
  assert.deepEqual(first.perRegret, { tokens: 4000, seconds: 16, money: 2 * (2900 / 1e6 + 8) });
  assert.deepEqual([second.perAccepted, second.perRegret, second.total.seconds], [
    undefined,
    undefined,
    4,
  ]);
  assert.deepEqual([all.rollout, all.total.tokens, all.total.seconds], [undefined, 2000, 12]);
  assert.equal("money" in unitCosts(tables)[0].total, false);
});

Deno.test("regretBySkill() summarises each skill's own", () => {
  const row = (environmentId: string, value: number) => ({
    ...{ id: environmentId, rollout: 0, environmentId, outcome: scored(value), pairs: 8 },
    ...{ low: null, high: null, interval: "", noiseFloor: null, plainMean: 0, hintedMean: 0 },
  });
  const skills = new Map([["a", "t"], ["b", "s"], ["c", "t"]]);
  const rows = regretBySkill([row("a", 1), row("b", 0.25), row("c", 0), row("d", 9)], skills);
  assert.deepEqual(rows.map((r) => [r.skill, r.regret.mean]), [["s", 0.25], ["t", 0.5]]);
});

const heldout = (value: (e: number) => number, rollout: number) =>
  [0, 1, 2, 3, 4].flatMap((e) => [
    evaluation(e, 0, 0, { weights: "base" }),
    evaluation(e, 0, value(e), { rollout }),
  ]);

Deno.test("differenceBetween() pairs the last evaluations of two runs", () => {
  const [all] = differenceBetween(heldout(() => 0.25, 4), heldout((e) => e === 0 ? 0.25 : 1, 9));
  assert.equal(all.mean, 0.6);
  assert.deepEqual([all.base.mean, all.final.mean, all.scored], [0.25, 0.85, 5]);
  assert.ok(all.low! > 0 && all.high! <= 0.75);
  assert.deepEqual(differenceBetween([], heldout(() => 1, 1)), []);
  const [untrained] = differenceBetween(
    heldout(() => 1, 3),
    heldout(() => 1, 3).filter((r) => r.weights === "base"),
  );
  assert.equal(untrained.mean, -1);
});

Deno.test("differenceOverSeeds() takes a seed for one case", () => {
  const of = (gain: number) => ({
    first: heldout(() => 0.2, 2),
    second: heldout(() => 0.2 + gain, 2),
  });
  const [all] = differenceOverSeeds([of(0.1), of(0.2), of(0.3), of(0.4)], { draws: 200 });
  all.bySeed.forEach((value, i) => assert.ok(Math.abs(value! - (i + 1) / 10) < 1e-12));
  assert.ok(Math.abs(all.mean! - 0.25) < 1e-12 && all.low! >= 0.1 && all.high! <= 0.4 + 1e-12);
  assert.match(all.interval, /over seeds/);
  assert.match(differenceOverSeeds([of(0.1), of(0.2)])[0].interval, /none: 2 seeds, needs 4/);
});
