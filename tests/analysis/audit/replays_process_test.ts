/** The audits that play again, against programs in a real sandbox. */
import assert from "node:assert/strict";
import { answersThatHold } from "../../../lib/analysis/mod.ts";
import type { Sandbox } from "../../../lib/core/mod.ts";
import { failed, scored } from "../../../lib/core/mod.ts";
import { programOf, sandboxOf, value } from "../../sandbox/helper.ts";
import { play, turn } from "../rows.ts";

const program = (answer: string) =>
  programOf({
    reset: `import random\nself.answer = str(${answer})\nreturn "guess " + self.answer, {}`,
    step: `won = action == "\\\\boxed{%s}" % self.answer\nreturn "", float(won), won, not won, {}`,
  });
const sources: Record<string, string> = {
  constant: program("7"),
  seeded: program("random.Random(seed).randrange(1000)"),
};

async function act(sandbox: Sandbox, source: string, seed: number, actions: readonly string[]) {
  await using process = value(await sandbox.start(source));
  value(await process.reset(seed));
  for (const action of actions) {
    const { reward, terminated } = value(await process.step(action));
    if (terminated) return { outcome: scored(reward), success: reward === 1 };
  }
  return { outcome: scored(0), success: false };
}

Deno.test("answersThatHold() tells a planted constant answer from one that has to be read", async () => {
  await using sandbox = await sandboxOf();
  const plays = [], turns = [];
  for (const [id, source] of Object.entries(sources)) {
    for (let seed = 0; seed < 3; seed++) {
      await using process = value(await sandbox.start(source));
      const { observation } = value(await process.reset(seed));
      const action = `\\boxed{${observation.split(" ")[1]}}`;
      const row = play(id, (await act(sandbox, source, seed, [action])).success, { seed });
      assert.ok(row.success);
      plays.push(row);
      turns.push(turn(row.id, 0, { observation, action }));
    }
  }
  const found = await answersThatHold(plays, turns, async ({ environmentId, seed, actions }) => {
    try {
      return await act(sandbox, sources[environmentId], seed, actions);
    } catch (cause) {
      return { outcome: failed("host", String(cause)), success: false };
    }
  }, { concurrency: 3 });
  assert.deepEqual(found.map((f) => [f.environmentId, f.verdict, f.cases.of]), [
    ["constant", "flagged", 6],
    ["seeded", "clean", 6],
  ]);
});
