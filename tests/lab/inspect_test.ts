import assert from "node:assert/strict";
import { scored, type Tokenizer, UsageError } from "../../lib/core/mod.ts";
import { type Environment, environmentOf, type Game, inspect } from "../../lib/lab/mod.ts";
import { jupyterDisplay } from "../../lib/show/mod.ts";

const environment = environmentOf("class LampEnv:\n    pass\n");
const tokenizer: Tokenizer = { specials: {}, encode: () => [], decode: (ids) => ids.join("") };

function game(seed: number, arm: "plain" | "hinted", value: number, of = environment): Game {
  const turn = {
    ...{ prompt: [1], ids: [4, 2], logps: [-0.1, -2], finish: "stop" as const, weightsVersion: 0 },
    ...{ observation: "lamp", text: "42", action: "42", reward: value, rerendered: null },
  };
  return {
    ...{ environment: of, seed, arm, maxTurns: 12, hint: arm === "plain" ? null : "count" },
    ...{ outcome: scored(value), success: value === 1, terminated: true, truncated: false },
    ...{ hung: false, turns: [turn], versionFirst: 0, versionLast: 0 },
  };
}

Deno.test("inspect() pairs the plays of a seed, and keeps those that have no partner", () => {
  const plays = [game(5, "plain", 0), game(6, "plain", 1), game(5, "hinted", 1)];
  const { detail, page } = inspect(environment, { plays, engine: { tokenizer } });
  assert.deepEqual(
    detail.pairs.map(({ plain, hinted }) => [plain?.seed, hinted?.seed]),
    [[5, 5], [6, undefined]],
  );
  assert.equal(detail.hint, "count");
  assert.match(page, /<title>LampEnv [0-9a-f]{10}<\/title>/);
  assert.match(page, /<b class="s0" title="4 −0\.100">4<\/b><b class="s2" title="2 −2\.000">2</);
  assert.doesNotMatch(page, /rollout −1|rollout -1/);
});

Deno.test("inspect() takes a play, or a regret with both arms, alone", () => {
  assert.equal(inspect(game(1, "plain", 0)).detail.pairs.length, 1);
  const regret = {
    ...{ environment, hint: "count", plain: [game(1, "plain", 0)], hinted: [game(1, "hinted", 1)] },
    ...{ outcome: scored(1), pairs: 1, low: null, high: null, interval: "none: 1 pair" },
    ...{ noiseFloor: null, plainMean: 0, hintedMean: 1 },
  };
  const { detail, page } = inspect(regret as never);
  assert.equal(detail.pairs.length, 1);
  assert.match(page, /<td>none: 1 pair<\/td>/);
});

Deno.test("inspect() shows itself in a frame, as text, and says what tokens need", () => {
  const bundle = inspect(game(1, "plain", 1))[jupyterDisplay]();
  assert.match(bundle["text/html"], /^<iframe [^>]*sandbox="allow-scripts" srcdoc="&lt;!doctype/);
  assert.match(bundle["text/html"], /Tokens are not shown: give the model that played/);
  assert.match(bundle["text/plain"], /── plain, turn 1/);
});

Deno.test("inspect() refuses plays of another environment, and files that are no page", () => {
  const other: Environment = environmentOf("class OtherEnv:\n    pass\n");
  assert.throws(
    () => inspect(environment, { plays: game(1, "plain", 0, other) }),
    (error) => error instanceof UsageError && /a play is of OtherEnv/.test(error.message),
  );
  assert.throws(() => inspect(environment).save("page.txt"), /it must end in \.html/);
  assert.throws(() => inspect(""), UsageError);
});
