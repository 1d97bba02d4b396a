import assert from "node:assert/strict";
import { failureOf, programOf, sandboxOf, value, withProcess } from "./helper.ts";

Deno.test("a program is refused at the border with the path to what is wrong", async () => {
  await using sandbox = await sandboxOf();
  const step = (text: string) => programOf({ step: `return ${text}` });
  const cases: [string, RegExp][] = [
    [step('"o", None, False, False, {}'), /^step\.reward: is None/],
    [step('"o", float("nan"), False, False, {}'), /^step\.reward: is nan/],
    [step('"o", float("inf"), False, False, {}'), /^step\.reward: is inf/],
    [step('"o", 1e400, False, False, {}'), /^step\.reward: is inf/],
    [step('"o", 10 ** 400, False, False, {}'), /^step\.reward: is an integer beyond/],
    [step('"o", True, False, False, {}'), /^step\.reward: is bool/],
    [step('"o", "1", False, False, {}'), /^step\.reward: is str/],
    [step('"o", [1.0], False, False, {}'), /^step\.reward: is list/],
    [step('"o", 1j, False, False, {}'), /^step\.reward: is complex/],
    [step('"o", 0.0, False, {}'), /^step: is a tuple of 4/],
    [step('["o", 0.0, False, False, {}]'), /^step: is list/],
    [step("None"), /^step: is None/],
    [step('b"o", 0.0, False, False, {}'), /^step\.observation: is bytes/],
    [step('"x" * 65537, 0.0, False, False, {}'), /^step\.observation: is 65537 bytes/],
    [step('"é" * 32769, 0.0, False, False, {}'), /^step\.observation: is 65538 bytes/],
    [step('"o", 0.0, 1, False, {}'), /^step\.terminated: is int/],
    [step('"o", 0.0, False, None, {}'), /^step\.truncated: is None/],
    [step('"o", 0.0, False, False, None'), /^step\.info: is None/],
    [step('"o", 0.0, False, False, {"x": "y" * 70000}'), /^step\.info: is \d+ bytes/],
    [programOf({ reset: 'return "o"' }), /^reset: is str/],
    [programOf({ reset: 'return "o", {}, 1' }), /^reset: is a tuple of 3/],
    [programOf({ reset: "return 1, {}" }), /^reset\.observation: is int/],
    ["class A: pass\n", /^program: classes ending in Env are none/],
    ["class AEnv: pass\nclass BEnv: pass\n", /^program: classes ending in Env are AEnv, BEnv/],
  ];
  for (const [source, detail] of cases) {
    const failure = await failureOf(sandbox, source);
    assert.equal(`${failure.blame} ${failure.reason}`, "designer contract", failure.detail);
    assert.match(failure.detail ?? "", detail);
  }
});

Deno.test("what may cross comes out as it went in, surrogates replaced, the rest of info dropped", async () => {
  await using sandbox = await sandboxOf();
  const source = programOf({
    step: [
      'info = {"a": [1, 2.5, None, True, "t"], "nan": float("nan"), "object": object(), 3: 4,',
      '        "tuple": (1, 2), "deep": {"big": 2 ** 60, "ok": "\\ud800"}}',
      'return "a\\udcff😀", 1, True, False, info',
    ].join("\n"),
  });
  await withProcess(sandbox, source, async (process) => {
    assert.deepEqual(value(await process.step("x")), {
      observation: "a\ufffd😀",
      reward: 1,
      terminated: true,
      truncated: false,
      info: { a: [1, 2.5, null, true, "t"], tuple: [1, 2], deep: { ok: "\ufffd" } },
    });
  });
});

Deno.test("numpy scalars are unwrapped, numpy arrays and bools as reward are refused", async (t) => {
  await using sandbox = await sandboxOf();
  const program = (reward: string) =>
    programOf({ step: `return "o", ${reward}, np.bool_(True), False, {"a": np.arange(3)}` });
  const first = await sandbox.start(program("np.float32(0.5)"));
  if (first.kind !== "ok" && first.blame === "host" && first.detail?.includes("numpy is missing")) {
    console.log(`skipped: ${t.name}: ${first.detail}`);
    return;
  }
  await value(first)[Symbol.asyncDispose]();
  for (const [reward, expected] of [["np.float32(0.5)", 0.5], ["np.int64(1)", 1]] as const) {
    await withProcess(sandbox, program(reward), async (process) => {
      const stepped = value(await process.step("x"));
      assert.deepEqual([stepped.reward, stepped.terminated, stepped.info], [expected, true, {
        a: [0, 1, 2],
      }]);
    });
  }
  for (const reward of ["np.array(1.0)", "np.bool_(True)", 'np.float64("nan")', "np.ones(2)"]) {
    assert.equal((await failureOf(sandbox, program(reward))).reason, "contract", reward);
  }
});

Deno.test("max_turns is passed where the constructor takes it, and read back", async () => {
  await using sandbox = await sandboxOf();
  const turns = async (init: string) => {
    const source = `class AEnv:\n    ${init}\n`;
    await using process = value(await sandbox.start(source, { maxTurns: 7 }));
    return process.maxTurns;
  };
  assert.equal(
    await turns("def __init__(self, max_turns=25): self.max_turns = min(max_turns, 9)"),
    7,
  );
  assert.equal(await turns("def __init__(self): self.max_turns = 3"), 3);
  assert.equal(await turns("pass"), undefined);
  assert.equal(await turns("max_turns = True"), undefined);
});

Deno.test("solution() gives actions, null where there is none, and tool calls as JSON", async () => {
  await using sandbox = await sandboxOf();
  const solution = (extra: string) =>
    withProcess(sandbox, programOf({ extra }), async (process) => await process.solution());
  assert.deepEqual(value(await solution("")), null);
  assert.deepEqual(value(await solution("    def solution(self): return ['1', 'b']")), ["1", "b"]);
  assert.deepEqual(
    value(await solution("    def solution(self): return [{'name': 't', 'arguments': {'a': 1}}]")),
    ['{"name":"t","arguments":{"a":1}}'],
  );
  const wrong = await solution("    def solution(self): return [1]");
  assert.ok(wrong.kind === "failed" && wrong.reason === "contract", JSON.stringify(wrong));
});

Deno.test("names of the contract resolve without an import, boxed() included", async () => {
  await using sandbox = await sandboxOf();
  const names =
    "math random re json itertools combinations permutations product chain accumulate " +
    "collections deque defaultdict Counter OrderedDict namedtuple functools reduce lru_cache string " +
    "copy deepcopy heapq heappush heappop operator statistics List Dict Optional Any boxed";
  await withProcess(
    sandbox,
    programOf({ step: `return repr([${names.split(" ").join(", ")}])[:1], 0.0, False, False, {}` }),
    async (process) => assert.equal(value(await process.step("")).observation, "["),
  );
});

Deno.test("boxed() takes the last balanced box, else the stripped text", async () => {
  await using sandbox = await sandboxOf();
  const source = programOf({
    head: "from spade_env import boxed",
    step: 'return boxed(action), 0.0, False, False, {"raw": action[:100]}',
  });
  await withProcess(sandbox, source, async (process) => {
    for (
      const [action, expected] of [
        ["\\boxed{ 5 }", "5"],
        ["\\boxed{1} then \\boxed{a{b}c}", "a{b}c"],
        ["\\boxed{1} then \\boxed{2", "1"],
        ["  no box ", "no box"],
        ["\\boxed{}", ""],
        ["\\boxed{".repeat(9000), "\\boxed{".repeat(9000)],
      ]
    ) {
      const stepped = value(await process.step(action));
      assert.equal(stepped.observation, expected);
      if (action.length < 100) assert.equal(stepped.info.raw, action);
    }
  });
});
