import assert from "node:assert/strict";
import {
  answersThatHold,
  constantWins,
  earlyWins,
  type HackFinding,
  type ReplayRequest,
  rewardText,
  summariseHacks,
  winsThatVanish,
} from "../../../lib/analysis/mod.ts";
import { failed, scored } from "../../../lib/core/mod.ts";
import { environment } from "../diversity/help.ts";
import { play, turn } from "../rows.ts";

const verdicts = (findings: readonly HackFinding[]) =>
  Object.fromEntries(findings.map((f) => [f.environmentId, f.verdict]));

Deno.test("earlyWins() flags wins shorter than the oracle's, judges none without it", () => {
  const many = (id: string, turns: number, n: number) =>
    Array.from({ length: n }, () => play(id, true, { turns }));
  const plays = [
    ...many("hacked", 1, 10),
    ...many("honest", 3, 40),
    ...many("honest", 1, 1),
    ...many("short", 1, 10),
    ...many("untold", 1, 10),
    play("lost", false, { turns: 1 }),
  ];
  const shortest = new Map([["hacked", 3], ["honest", 3], ["short", 1]]);
  const found = earlyWins(plays, { shortest });
  assert.deepEqual(verdicts(found), {
    hacked: "flagged",
    honest: "clean",
    short: "clean",
    untold: "unknown",
  });
  assert.match(found[0].examples[0], /seed 0 won in 1 turn, solution\(\) takes 3/);
  const [summary] = summariseHacks(found);
  assert.deepEqual(
    [summary.environments, summary.flagged.count, summary.flagged.of, summary.unknown],
    [4, 1, 3, 1],
  );
  assert.deepEqual([summary.cases.count, summary.cases.of], [21, 71]);
  assert.equal(summary.examples[0].environmentId, "hacked");
});

/** Plays of one environment: seed, won, actions. */
function played(environmentId: string, rows: [number, boolean, string[]][]) {
  const plays = rows.map(([seed, won]) => play(environmentId, won, { seed, turns: 2 }));
  const turns = plays.flatMap(({ id }, i) =>
    rows[i][2].map((action, index) => turn(id, index, { action })).reverse()
  );
  return { plays, turns };
}

const all = [
  // One answer, given once or again and again.
  played("constant", [[1, true, ["7"]], [2, true, ["7", "7"]], [3, true, ["7"]], [4, true, ["7"]], [
    5,
    false,
    ["8"],
  ]]),
  // Other answers on other seeds.
  played("honest", [[1, true, ["a"]], [2, true, ["b"]], [3, true, ["a"]], [4, true, ["c"]]]),
  // The common answer also loses.
  played("lucky", [[1, true, ["a"]], [2, true, ["a"]], [3, true, ["a"]], [4, true, ["a"]], [
    9,
    false,
    ["a"],
  ]]),
  played("few", [[1, true, ["a"]], [1, true, ["a"]], [2, true, ["a"]]]),
  played("lost", [[1, false, ["a"]]]),
];
const plays = all.flatMap((one) => one.plays), turns = all.flatMap((one) => one.turns);

Deno.test("constantWins() flags one answer that wins whatever the seed", () => {
  const found = constantWins(plays, turns);
  assert.deepEqual(verdicts(found), {
    constant: "flagged",
    honest: "clean",
    lucky: "clean",
    few: "unknown",
  });
  assert.deepEqual([found[0].cases.count, found[0].cases.of], [4, 4]);
  assert.match(found[0].examples[0], /"7" won on 4 of 4 seeds won, lost on 0/);
});

Deno.test("answersThatHold() gives the answers of wins on other seeds", async () => {
  const asked: string[] = [];
  const found = await answersThatHold(plays, turns, ({ environmentId, seed, actions }) => {
    asked.push(`${environmentId} ${actions}`);
    const success = environmentId === "constant" || seed % 3 === 0;
    return Promise.resolve({ outcome: scored(Number(success)), success });
  }, { plays: 2 });
  const { lucky: _, few: __, ...rest } = verdicts(found);
  assert.deepEqual(rest, { constant: "flagged", honest: "clean" });
  assert.deepEqual(asked.filter((a) => a.startsWith("honest")).length, 2 * 6);
  assert.ok(!asked.some((a) => a.startsWith("lost") || a === "constant 8"));
});

Deno.test("winsThatVanish() tells wins that need their seed or their wording", async () => {
  const wins = ["seed", "words", "sound", "noisy"].flatMap((id) =>
    Array.from({ length: 6 }, (_, seed) => play(id, true, { seed }))
  );
  const replay = ({ play: { environmentId, seed: own }, seed, reword }: ReplayRequest) => {
    const success = environmentId === "seed"
      ? seed === own
      : environmentId === "words"
      ? reword === undefined
      : environmentId === "sound";
    if (environmentId === "sound" && own === 0) {
      return Promise.resolve({ outcome: failed("host", "crash"), success: false });
    }
    return Promise.resolve({ outcome: scored(Number(success)), success });
  };
  const found = await winsThatVanish(wins, replay, {
    plays: 6,
    reword: (text) => text.toUpperCase(),
  });
  const of = (check: string) => verdicts(found.filter((f) => f.check === check));
  const expected = { seed: "clean", words: "clean", sound: "clean", noisy: "unknown" };
  assert.deepEqual(of("changed seed"), { ...expected, seed: "flagged" });
  assert.deepEqual(of("reworded"), { ...expected, words: "flagged" });
  const seeds = found.find((f) => f.environmentId === "seed" && f.check === "changed seed")!;
  assert.deepEqual([seeds.cases.count, seeds.cases.of], [12, 12]);
  const plain = await winsThatVanish(wins, replay);
  assert.ok(plain.every(({ check }) => check === "changed seed"));
});

Deno.test("winsThatVanish() asks only some at once and stops at the signal", async () => {
  let now = 0, most = 0;
  const wins = Array.from({ length: 9 }, (_, seed) => play("a", true, { seed }));
  const replay = async () => {
    most = Math.max(most, ++now);
    await Promise.resolve();
    now--;
    return { outcome: scored(1), success: true };
  };
  await winsThatVanish(wins, replay, { concurrency: 3 });
  assert.equal(most, 3);
  await assert.rejects(winsThatVanish(wins, replay, { signal: AbortSignal.abort() }));
});

Deno.test("rewardText() finds an explanation of the pay in what the player sees", () => {
  const source = `class AEnv:
    """A game.

    The reward is 1.0 when the lamp code 4711 is said.
    """
    def step(self, action):
        return "# the reward is hidden in a string here"  # score it as won
`;
  const environments = ["leaks", "keeps", "unplayed"].map((id) => environment(id, { source }));
  const plays = [play("leaks", true, { id: "p" }), play("keeps", true, { id: "q" })];
  const shown = "Note: the REWARD is 1.0 when\nthe lamp code 4711 is said. Go!";
  const turns = [
    turn("p", 0, { observation: shown }),
    turn("q", 0, { observation: "Lamps 1 0 1. The reward is 1.0 at the end." }),
  ];
  const found = rewardText(environments, plays, turns);
  assert.deepEqual(verdicts(found), { leaks: "flagged", keeps: "clean" });
  assert.match(found[0].examples[0], /code 4711 is said\." in "Note:/);
  assert.deepEqual(rewardText([environment("a", { source: "x = 1\n" })], plays, turns), []);
});
