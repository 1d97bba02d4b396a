import assert from "node:assert/strict";
import { UsageError } from "../../lib/core/mod.ts";
import { forecast } from "../../lib/lab/forecast.ts";

Deno.test("forecast() counts a training that need not be startable", () => {
  const set = ["rollouts=4", "environments=6", "plays=4", "heldout=null"];
  const count = (of: ReturnType<typeof forecast>, what: string) =>
    of.expected.find((row) => row.what === what);
  assert.deepEqual(count(forecast({ set }), "plain plays"), {
    what: "plain plays",
    least: 96,
    expected: 96,
    most: 192,
  });
  // the held-out programs of the preset are counted in the folder
  assert.equal(count(forecast({ set: set.slice(0, 3) }), "held-out plays")!.expected > 0, true);
  const games = forecast({ preset: "games-4b" });
  assert.match(Deno.inspect(games), /^forecast of games-4b\nwhat +least +expected +most\n/);
  // what is known better replaces what is assumed
  const sure = forecast({ preset: "games-4b", assumed: { acceptance: 1 } });
  assert.equal(count(sure, "designer calls")!.expected, 2400);
  assert.ok(count(games, "designer calls")!.expected > 2400);
  assert.throws(() => forecast({ preset: "nani" }), UsageError);
});
