import assert from "node:assert/strict";
import { forecast } from "../../lib/lab/forecast.ts";

Deno.test("forecast() counts a training and names what it lacks", async () => {
  const set = ["rollouts=4", "environments=6", "plays=4", "heldout=null"];
  const nano = await forecast({ set });
  const plain = nano.expected.find(({ what }) => what === "plain plays");
  assert.deepEqual(plain, { what: "plain plays", least: 96, expected: 96, most: 192 });
  assert.deepEqual(nano.obstacles, []);
  const games = await forecast({ preset: "games-4b" });
  assert.ok(games.obstacles.some((why) => why.startsWith("corpus: ")));
  assert.match(Deno.inspect(games), /^forecast of games-4b\nwhat +least +expected +most\n/);
  assert.match(Deno.inspect(games), /\nto start it, engine: must be given/);
});
