/** The small helpers of notebooks: known programs of gate(), trees of programs, programs in other words. */
import assert from "node:assert/strict";
import { gate, openSandbox, rewordedSandbox, treeKernel, treePieces } from "../../mod.ts";

const well = `import random
from spade_env import boxed


class WellEnv:
    def __init__(self, max_turns=6):
        self.max_turns = min(max_turns, 6)

    def reset(self, seed=None):
        rng = random.Random(seed)
        self.depth, self.turn = rng.randint(1000, 9999), 0
        return "Well %d is deep." % rng.randint(1, 10**6), {}

    def step(self, action):
        self.turn += 1
        won = boxed(action) == str(self.depth)
        return "not so", float(won), won, not won and self.turn >= self.max_turns, {}

    def solution(self):
        return [str(self.depth)]
`;

Deno.test("helpers of notebooks", async (t) => {
  await using sandbox = await openSandbox();

  await t.step(
    "gate() with known programs refuses a renamed one and passes a new one",
    async () => {
      const renamed = well.replaceAll("WellEnv", "MineEnv");
      const twin = await gate(renamed, { sandbox, known: [well] });
      assert.equal(twin.verdicts.at(-1)?.gate, "duplicate");
      assert.equal(twin.accepted, false);
      const jugs = Deno.readTextFileSync("data/environments/good/three_jugs.py");
      const own = await gate(well, { sandbox, known: [jugs] });
      assert.deepEqual([own.accepted, own.verdicts.at(-1)?.gate], [true, "duplicate"]);
      await assert.rejects(gate(well, { sandbox, known: ["class :"] }), /Cannot compare with/);
    },
  );

  await t.step("treePieces() sees no names, and refuses what is no program", async () => {
    const other = Deno.readTextFileSync("data/environments/good/three_jugs.py");
    const pieces = await treePieces([well, well.replaceAll("depth", "metres"), other], { sandbox });
    const { values } = treeKernel().matrix(pieces);
    assert.equal(values[1], 1);
    assert.ok(values[3] < 0.6);
    await assert.rejects(treePieces(["class :"], { sandbox }), /Cannot compare/);
  });

  await t.step("rewordedSandbox() changes what is said and nothing else", async () => {
    const loud = rewordedSandbox(sandbox, (text) => text.toUpperCase());
    assert.equal(loud.level, sandbox.level);
    const said = await Promise.all([sandbox, loud].map(async (of) => {
      const program = await of.start(well);
      assert.ok(program.kind === "ok");
      await using child = program.value;
      const first = await child.reset(3), solution = await child.solution();
      assert.ok(first.kind === "ok" && solution.kind === "ok");
      const step = await child.step(`\\boxed{${solution.value![0]}}`);
      assert.ok(step.kind === "ok");
      assert.equal(child.maxTurns, 6);
      return {
        first: first.value.observation,
        reward: step.value.reward,
        then: step.value.observation,
      };
    }));
    assert.deepEqual(said[1], {
      first: said[0].first.toUpperCase(),
      reward: 1,
      then: said[0].then.toUpperCase(),
    });
    const broken = await loud.start("raise ValueError");
    assert.equal(broken.kind, "failed");
  });
});
