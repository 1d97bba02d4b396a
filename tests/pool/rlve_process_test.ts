import assert from "node:assert/strict";
import { readPrograms } from "../../lib/cli/files.ts";
import type { Sandbox } from "../../lib/core/mod.ts";
import { rlveProgram, rlvePrograms } from "../../lib/pool/mod.ts";
import { python, sandboxOf } from "../sandbox/helper.ts";
import { startSandbox } from "../../lib/sandbox/mod.ts";

let sandbox: Sandbox;
Deno.test.beforeAll(async () => {
  sandbox = await sandboxOf();
});
Deno.test.afterAll(async () => {
  await sandbox[Symbol.asyncDispose]();
});

const files = readPrograms("data/rlve").map((file) => ({ ...file, name: file.family }));
const top = 8;

/** Observation and solution of one seed, and what a step with `act(solution)` pays. */
async function play(source: string, seed: number, act: (solution: string) => string) {
  const started = await sandbox.start(source);
  assert.equal(started.kind, "ok", JSON.stringify(started));
  await using process = (started as Extract<typeof started, { kind: "ok" }>).value;
  const reset = await process.reset(seed);
  assert.equal(reset.kind, "ok", JSON.stringify(reset));
  const solved = await process.solution();
  assert.equal(solved.kind, "ok", JSON.stringify(solved));
  const solution = (solved as { value: string[] | null }).value?.[0] ?? "";
  const step = await process.step(act(solution));
  return {
    observation: (reset as { value: { observation: string } }).value.observation,
    solution,
    step,
  };
}

/** A step that came back, or the failure as text. */
async function paid(source: string, seed: number, act: (solution: string) => string) {
  const { step } = await play(source, seed, act);
  assert.equal(step.kind, "ok", JSON.stringify(step));
  const { reward, terminated, truncated } =
    (step as { value: { reward: number; terminated: boolean; truncated: boolean } }).value;
  assert.deepEqual([terminated, truncated], [true, false]);
  return reward;
}
const box = (text: string) => `\\boxed{${text}}`;

for (const file of files) {
  Deno.test(`${file.name}: the true answer wins, a wrong one does not, at every difficulty`, async () => {
    const lengths: number[] = [];
    for (const { source, difficulty } of rlvePrograms([file], { maxDifficulty: top })) {
      const seeds = [0, 1, 2, 2 ** 31 - 1];
      const seen = await Promise.all(seeds.map((seed) => play(source, seed, box)));
      for (const { step } of seen) {
        assert.equal((step as { value: { reward: number } }).value.reward, 1, JSON.stringify(step));
      }
      for (const answer of [() => box("-7"), () => "no box", () => box(""), () => box("x y")]) {
        assert.ok(await paid(source, 1, answer) < 1);
      }
      const [again] = await Promise.all([play(source, 1, box)]);
      assert.equal(again.observation, seen[1].observation, "same seed, same problem");
      const texts = new Set(seen.map(({ observation }) => observation));
      assert.ok(texts.size >= 2, `difficulty ${difficulty}: seeds differ`);
      lengths.push(seen.reduce((sum, { observation }) => sum + observation.length, 0));
    }
    assert.ok(lengths[top] > lengths[0], "the hardest is larger than the easiest");
  });
}

Deno.test("shipped verifiers answer within the default limits of a request", async () => {
  const programs = rlvePrograms(files, { maxDifficulty: 12 });
  for (
    const { source, family, difficulty } of programs.filter(({ difficulty }) => difficulty > top)
  ) {
    assert.equal(await paid(source, 5, box), 1, `${family} ${difficulty}`);
  }
});

/** A verifier whose scorer returns `score`. */
function scoring(score: string, more = ""): string {
  const source = `from rlve_env import VerifiableEnvironment
class Fixed(VerifiableEnvironment):
    ${more || "pass"}
    @staticmethod
    def parameters(difficulty):
        return {"difficulty": difficulty, "reference_answer": "yes"}
    def _generate(self):
        pass
    def _prompt_generate(self):
        return "say yes at %d" % self.parameter["difficulty"]
    def scorer(self, output):
        answer = self.processor(output)
        return ${score}
`;
  return rlveProgram({ name: "fixed.py", source }, 2);
}

Deno.test("a score is kept between -1 and .99, solved is 1 exactly", async () => {
  const cases: [string, number][] = [
    ["1", 1],
    ["0.9999999", 1],
    ["5.0", 1],
    ["0.995", 0.99],
    ["0.25", 0.25],
    ["-0.5", -0.5],
    ["-3", -1],
    ["-float('inf')", -1],
    ["1.0 if answer == 'yes' else 0.0", 1],
    ["1.0 if answer is None else 0.0", 0],
  ];
  for (const [score, wanted] of cases) {
    assert.equal(await paid(scoring(score), 1, box), wanted, score);
  }
  assert.equal(await paid(scoring("1.0 if answer is None else 0.0"), 1, () => "yes"), 1);
  assert.equal(await paid(scoring("0.6", "passing_reward_threshold = 0.5"), 1, box), 1);
  assert.equal(await paid(scoring("__import__('numpy').float32(0.25)"), 1, box), 0.25);
});

Deno.test("a malformed or faulty verifier is the designer's failure, never a number", async () => {
  const cases: [string, RegExp][] = [
    ["None", /contract.*step\.reward: is None/],
    ["True", /contract.*step\.reward: is bool/],
    ["'1'", /contract.*step\.reward: is str/],
    ["float('nan')", /contract.*step\.reward: is nan/],
    ["[1.0]", /contract.*step\.reward: is list/],
    ["1 / 0", /exception.*ZeroDivisionError/],
    ["exec('while True: pass')", /deadline/],
  ];
  for (const [score, message] of cases) {
    const { step } = await play(scoring(score), 1, box);
    assert.equal(step.kind, "failed", score);
    assert.equal((step as { blame: string }).blame, "designer");
    assert.match(JSON.stringify(step), message);
  }
});

const published = `
import random
from Gym.environment import VerifiableEnvironment
from Gym.parameter_controller import ParameterController

class Digits_Environment(VerifiableEnvironment) :
    def __init__(self, wrong_format : float = -1.0, **kwargs) :
        super().__init__(**kwargs)
        self.rewards = {"wrong_format" : wrong_format}
    def _generate(self) -> None :
        self.parameter["digits"] = [random.randint(0, 9) for _ in range(self.parameter["N"])]
        self.parameter["reference_answer"] = "".join(map(str, self.parameter["digits"]))
    def _prompt_generate(self) -> str :
        return "Join: " + " ".join(map(str, self.parameter["digits"]))
    def _process(self, answer) :
        return answer.strip() if answer is not None else None
    def scorer(self, output : str) -> float :
        processed_result = self.processor(output)
        if processed_result is None :
            return self.rewards["wrong_format"]
        return 1.0 * (processed_result == self.parameter["reference_answer"])

class Digits_ParameterController(ParameterController) :
    def __init__(self, **kwargs) :
        super().__init__(**kwargs)
        self.N = 3
    def update(self) -> None :
        self.N += 2
    def get_parameter_list(self) :
        return [dict(N = self.N), dict(N = self.N + 1)]
`;

Deno.test("a file of the published gym's form, with its controller, plays as it is", async () => {
  const at = (difficulty: number) =>
    rlveProgram({ name: "digits.py", source: published }, difficulty);
  for (const difficulty of [0, 3]) {
    const seen = await Promise.all(
      [1, 2, 3, 4, 5, 6].map((seed) => play(at(difficulty), seed, box)),
    );
    const counts = new Set(seen.map(({ solution }) => solution.length));
    assert.deepEqual([...counts].sort((a, b) => a - b), [3 + 2 * difficulty, 4 + 2 * difficulty]);
    const again = await play(at(difficulty), 4, box);
    assert.equal(again.observation, seen[3].observation);
    assert.equal(await paid(at(difficulty), 4, box), 1);
    assert.equal(await paid(at(difficulty), 4, (solution) => box(`${solution}1`)), 0);
    assert.equal(await paid(at(difficulty), 4, (solution) => solution), -1);
  }
});

Deno.test("verifier programs have trees of their own by difficulty, and run at the wasm level", async () => {
  const programs = rlvePrograms(files.slice(0, 1), { maxDifficulty: 1 });
  const trees = await Promise.all(programs.map(({ source }) => sandbox.parse(source)));
  const hashes = trees.map((tree) => (tree as { value: { treeHash: string } }).value.treeHash);
  assert.equal(new Set(hashes).size, 2);
  await using wasm = await startSandbox({ python, level: "wasm", poolSize: 0 });
  const started = await wasm.start(programs[1].source);
  assert.equal(started.kind, "ok", JSON.stringify(started));
  await using process = (started as Extract<typeof started, { kind: "ok" }>).value;
  const reset = await process.reset(7);
  const kernel = await play(programs[1].source, 7, box);
  assert.equal((reset as { value: { observation: string } }).value.observation, kernel.observation);
  const step = await process.step(box(kernel.solution));
  assert.equal((step as { value: { reward: number } }).value.reward, 1);
});
