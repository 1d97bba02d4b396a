import assert from "node:assert/strict";
import { canonicalSource, environmentId, UsageError } from "../../lib/core/mod.ts";
import { rlveProgram, rlvePrograms } from "../../lib/pool/mod.ts";

const verifier = "class Twice(VerifiableEnvironment):\n    pass\n";
const file = { name: "twice.py", source: verifier, skill: "Optimization", family: "twice" };

Deno.test("rlveProgram() keeps the file and ends in one Env class with the difficulty in it", () => {
  const program = rlveProgram(file, 4);
  assert.ok(program.startsWith(verifier));
  assert.match(
    program,
    /\nclass TwiceEnv\(VerifierProgram\):\n {4}verifier = Twice\n {4}difficulty = 4\n$/,
  );
  assert.equal(program, canonicalSource(program));
  assert.equal(program.match(/^class \w+Env\b/gm)?.length, 1);
});

Deno.test("rlveProgram() names the parameter controller and understands the published imports", () => {
  const source = [
    "from Gym.environment import VerifiableEnvironment",
    "from Gym.parameter_controller import ParameterController",
    "class Odd_Environment(VerifiableEnvironment) :",
    "    pass",
    "class Odd_ParameterController(ParameterController) :",
    "    pass",
  ].join("\r\n");
  const program = rlveProgram({ name: "odd.py", source }, 0);
  assert.match(program, /^from rlve_env import VerifiableEnvironment\nfrom rlve_env import Param/);
  assert.match(program, /verifier = Odd_Environment\n {4}controller = Odd_ParameterController\n/);
  assert.doesNotMatch(program, /Gym/);
});

const wrong: [string, string, RegExp][] = [
  [
    "no verifier",
    "class Twice:\n    pass\n",
    /twice\.py.*VerifiableEnvironment are none.*exactly one/,
  ],
  ["two verifiers", verifier + verifier.replace("Twice", "Thrice"), /are Twice, Thrice/],
  [
    "a class that ends in Env",
    `class BaseEnv:\n    pass\n${verifier}`,
    /class BaseEnv ends in Env/,
  ],
  [
    "two controllers",
    `${verifier}class A(ParameterController): ...\nclass B(ParameterController): ...\n`,
    /ParameterController are A, B.*at most one/,
  ],
];
for (const [what, source, message] of wrong) {
  Deno.test(`rlveProgram() refuses ${what}`, () => {
    assert.throws(() => rlveProgram({ name: "twice.py", source }, 0), (error: Error) => {
      assert.ok(error instanceof UsageError);
      assert.match(error.message, message);
      return true;
    });
  });
}

Deno.test("rlveProgram() refuses a difficulty that is no whole number from 0 on", () => {
  for (const difficulty of [-1, 0.5, NaN]) {
    assert.throws(() => rlveProgram(file, difficulty), RangeError);
  }
});

Deno.test("rlvePrograms() gives each file and difficulty an id of its own", () => {
  const other = { ...file, source: verifier.replace("Twice", "Thrice"), family: "thrice" };
  const programs = rlvePrograms([file, other], { maxDifficulty: 3 });
  assert.equal(new Set(programs.map(({ id }) => id)).size, 8);
  assert.deepEqual(programs.map(({ difficulty }) => difficulty), [0, 1, 2, 3, 0, 1, 2, 3]);
  for (const { id, source } of programs) assert.equal(id, environmentId(source));
});
