import assert from "node:assert/strict";
import { failed, SandboxError } from "../../lib/core/mod.ts";
import { checkProgram, duplicateVerdict, type GateCache } from "../../lib/gates/mod.ts";
import { fakeSandbox, Fault, type Game, guessGame } from "./fake_sandbox.ts";

const verdictsOf = (report: { verdicts: { gate: string; verdict: string }[] }) =>
  report.verdicts.map(({ gate, verdict }) => `${gate} ${verdict}`);

Deno.test("checkProgram() passes the gates in order, one process at a time", async () => {
  let most = 0;
  const sandbox = fakeSandbox(() => guessGame(), {
    before: () => void (most = Math.max(most, sandbox.open)),
  });
  const report = await checkProgram("a  \n", { sandbox, maxTurns: 12, known: () => false });
  assert.deepEqual(verdictsOf(report), [
    "parse pass",
    "contract pass",
    "determinism pass",
    "presolved pass",
    "floor pass",
    "oracle skipped",
    "leak pass",
    "duplicate pass",
  ]);
  assert.ok(report.accepted && report.runs && !report.hung);
  assert.equal(report.source, "a\n");
  assert.equal(report.className, "FakeEnv");
  assert.equal(sandbox.open, 0);
  assert.equal(most, 1);
  assert.deepEqual(new Set(sandbox.starts.map(({ options }) => options.hashSeed)), new Set([0, 1]));
});

Deno.test("checkProgram() stops at the first refusal and fails closed", async () => {
  const fault = failed("designer", "exception", "ModuleNotFoundError: No module named 'torch'");
  const sandbox = fakeSandbox(() => guessGame(), {
    before: (request) => {
      if (request === "reset") throw new Fault(fault);
    },
  });
  const report = await checkProgram("a", { sandbox, maxTurns: 12 });
  assert.deepEqual(verdictsOf(report), ["parse pass", "contract refuse"]);
  assert.ok(!report.accepted && !report.runs);
  assert.equal(report.verdicts[1].reason, "no module torch");
  assert.deepEqual(report.verdicts[1].evidence, {
    during: "reset on seed 0",
    detail: fault.detail,
  });
  assert.equal(sandbox.open, 0);
});

Deno.test("checkProgram() marks programs that hang", async () => {
  const sandbox = fakeSandbox(() => guessGame(), {
    before: (request) => {
      if (request === "step") throw new Fault(failed("designer", "deadline"));
    },
  });
  assert.ok((await checkProgram("a", { sandbox, maxTurns: 12 })).hung);
});

Deno.test("checkProgram() repeats a gate once when the host fails, then throws", async () => {
  for (const failures of [1, 2]) {
    let left = failures;
    const sandbox = fakeSandbox(() => guessGame(), {
      before: (request) => {
        if (request === "step" && left-- > 0) throw new Fault(failed("host", "launcher"));
      },
    });
    const checked = checkProgram("a", { sandbox, maxTurns: 12 });
    if (failures === 1) assert.ok((await checked).accepted);
    else await assert.rejects(checked, SandboxError);
    assert.equal(sandbox.open, 0);
  }
});

Deno.test("checkProgram() gives no verdict when aborted", async () => {
  const controller = new AbortController();
  const sandbox = fakeSandbox(() => guessGame(), {
    before: (request) => {
      if (request !== "step") return;
      controller.abort(new Error("enough"));
      throw new Fault(failed("designer", "crash"));
    },
  });
  const { signal } = controller;
  await assert.rejects(checkProgram("a", { sandbox, maxTurns: 12, signal }), /enough/);
});

Deno.test("checkProgram() ends at `until`, and leaves duplicate to callers without `known`", async () => {
  const sandbox = fakeSandbox(() => guessGame());
  const contract = await checkProgram("a", { sandbox, maxTurns: 12, until: "contract" });
  assert.deepEqual(verdictsOf(contract), ["parse pass", "contract pass"]);
  assert.ok(contract.runs);
  const all = await checkProgram("a", { sandbox, maxTurns: 12 });
  assert.equal(all.verdicts.at(-1)?.gate, "leak");
  assert.equal(duplicateVerdict(true).verdict, "refuse");
});

Deno.test("checkProgram() caches by environment id, but asks `known` each time", async () => {
  const cache: GateCache = new Map();
  const sandbox = fakeSandbox(() => guessGame());
  const options = { sandbox, maxTurns: 12, cache };
  const first = await checkProgram("a", { ...options, known: () => false });
  const starts = sandbox.starts.length;
  const second = await checkProgram("a \n\n", { ...options, known: (tree) => tree === "tree" });
  assert.equal(sandbox.starts.length, starts);
  assert.ok(first.accepted && !second.accepted);
  assert.equal(second.verdicts.at(-1)?.gate, "duplicate");
  assert.ok((await checkProgram("a", options)).accepted);
});

Deno.test("checkProgram() runs the later gates when the cache holds only the first", async () => {
  const cache: GateCache = new Map();
  const sandbox = fakeSandbox(() => guessGame());
  const options = { sandbox, maxTurns: 12, cache };
  await checkProgram("a", { ...options, until: "contract" });
  assert.equal((await checkProgram("a", options)).verdicts.length, 7);
});

Deno.test("parse gate refuses none or two Env classes", async () => {
  for (const environments of [[], ["AEnv", "BEnv"]]) {
    const sandbox = fakeSandbox(() => guessGame(), { parsed: { environments } });
    const report = await checkProgram("a", { sandbox, maxTurns: 12 });
    assert.deepEqual(verdictsOf(report), ["parse refuse"]);
    assert.equal(sandbox.starts.length, 0);
  }
});

const variant = (change: (game: Game) => Partial<Game>) => {
  return fakeSandbox(() => {
    const game = guessGame();
    return { ...game, ...change(game) };
  });
};

async function refusal(sandbox: ReturnType<typeof fakeSandbox>, requireActions = false) {
  const report = await checkProgram("solution", { sandbox, maxTurns: 12, requireActions });
  const last = report.verdicts[report.verdicts.length - 1];
  assert.ok(!report.accepted, "accepted");
  return `${last.gate}: ${last.reason}`;
}

Deno.test("contract gate refuses rewards beyond 10 and missing or odd actions", async () => {
  assert.match(
    await refusal(variant(() => ({ step: () => ["", 10.5, false, false] }))),
    /^contract: reward/,
  );
  assert.match(
    await refusal(variant(() => ({ reset: () => ["o", {}] })), true),
    /^contract: no actions/,
  );
  assert.match(
    await refusal(variant(() => ({ reset: () => ["o", { actions: [1] }] }))),
    /^contract: actions/,
  );
});

Deno.test("contract gate asks no actions of the last turn", async () => {
  const sandbox = variant((game) => ({
    step: (action) => {
      const [observation, reward, terminated, truncated, info] = game.step(action);
      const over = terminated || truncated;
      return [observation, reward, terminated, truncated, over ? {} : info];
    },
  }));
  const report = await checkProgram("a", { sandbox, maxTurns: 12, requireActions: true });
  assert.ok(report.accepted);
});

Deno.test("determinism gate: incident https://github.com/openai/gym/issues/1478 seed ignored", async () => {
  const sandbox = variant((game) => ({ reset: () => game.reset(3) }));
  assert.match(await refusal(sandbox), /^determinism: seed changes nothing/);
  const make = () => {
    const game = guessGame();
    return { ...game, reset: () => game.reset(3) };
  };
  const declared = fakeSandbox(make, { parsed: { constant: true } });
  const report = await checkProgram("a", { sandbox: declared, maxTurns: 12 });
  assert.equal(report.verdicts[2].verdict, "pass");
});

Deno.test("determinism gate: incident https://github.com/axon-rl/gem/pull/68 earlier plays matter", async () => {
  let plays = 0;
  const sandbox = fakeSandbox((_, options) => {
    const game = guessGame();
    plays = options.hashSeed === 1 && plays === 0 ? 100 : plays;
    return { ...game, reset: (seed) => [`play ${plays++}`, game.reset(seed)[1]] };
  });
  assert.match(await refusal(sandbox), /^determinism: not a function/);
});

Deno.test("presolved gate: incident https://github.com/Snowflake-Labs/agent-world-model/issues/16", async () => {
  const won = variant((game) => ({
    step: (action) => action.includes("boxed") ? game.step(action) : ["done", 1, true, false],
  }));
  assert.match(await refusal(won), /^presolved: won by doing nothing/);
  const said = variant((game) => ({
    reset: (seed) => [game.reset(seed)[0], { ...game.reset(seed)[1], solved: seed === 19 }],
  }));
  assert.match(await refusal(said), /^presolved: reset says solved/);
});

Deno.test("floor gate refuses what agents that know nothing win", async () => {
  const winIf = (wins: (action: string) => boolean) =>
    variant((game) => ({
      step: (action) => wins(action) ? ["yes", 1, true, false] : game.step(action),
    }));
  assert.match(await refusal(winIf((a) => a === "\\boxed{}")), /^floor: empty agent/);
  assert.match(await refusal(winIf((a) => a.includes("guess 0"))), /^floor: echo agent/);
  assert.match(await refusal(winIf((a) => a.includes(","))), /^floor: all-options agent/);
  const random = variant(() => ({
    step: (action) =>
      /^\\boxed\{\d+\}$/.test(action) ? ["", 1, true, false] : ["", 0, false, false],
  }));
  assert.match(await refusal(random), /^(determinism|floor: random)/);
});

Deno.test("floor gate plays the commonest winning actions of solution()", async () => {
  const sandbox = variant((game) => ({
    solution: () => ["open"],
    step: (action) => action === "\\boxed{open}" ? ["yes", 1, true, false] : game.step(action),
  }));
  assert.match(await refusal(sandbox), /^floor: constant-1 agent wins 6 of 6/);
});

Deno.test("floor gate skips agents that need what the program has not", async () => {
  const sandbox = variant((game) => ({
    reset: (seed) => {
      game.reset(seed);
      return ["guess '0' or \"1\" or `2` or '7' or '14'"];
    },
    step: (action) => {
      const [observation, reward, terminated, truncated] = game.step(action);
      return [observation, reward, terminated, truncated];
    },
  }));
  const report = await checkProgram("a", { sandbox, maxTurns: 12 });
  const floor = report.verdicts.find(({ gate }) => gate === "floor");
  const agents = floor?.evidence.agents as Record<string, { skipped?: string }>;
  assert.equal(agents["all-options"].skipped, "no offered actions");
  assert.equal(agents.constant.skipped, "no solution()");
});

Deno.test("floor gate allows a single choice among c to be met by 1/c + .1", async () => {
  const choice = (count: number) => {
    let right = 0;
    const actions = Array.from({ length: count }, (_, i) => String(i));
    return fakeSandbox(() => ({
      reset: (seed) => {
        right = (seed * 2654435761 >>> 8) % count;
        return [`which of ${count}? (${seed})`, { actions }];
      },
      step: (action) => {
        const won = action === `\\boxed{${right}}`;
        return [won ? "yes" : "no", won ? 1 : 0, true, false, {}];
      },
    }));
  };
  const report = await checkProgram("a", { sandbox: choice(2), maxTurns: 12 });
  const floor = report.verdicts.find(({ gate }) => gate === "floor");
  assert.equal(floor?.evidence.limit, 0.6);
});

Deno.test("checkProgram(): incident https://github.com/NVIDIA-NeMo/Gym/issues/1578 stays cheap", async () => {
  let requests = 0;
  const sandbox = fakeSandbox(() => guessGame(), { before: () => void (requests += 1) });
  assert.ok((await checkProgram("a", { sandbox, maxTurns: 12 })).accepted);
  // Contract, determinism and five agents; each agent stops when its verdict cannot change.
  assert.equal(sandbox.starts.length, 7);
  assert.ok(requests <= 5 * 15 * (5 + 1) + 5 * 5 * (1 + 1) + 60, String(requests));
});
