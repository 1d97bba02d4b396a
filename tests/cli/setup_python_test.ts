import assert from "node:assert/strict";
import {
  choosePython,
  parseFacts,
  type PythonFacts,
  pythonNames,
  unfitness,
} from "../../lib/cli/setup/mod.ts";

const facts: PythonFacts = {
  version: [3, 11, 7],
  implementation: "cpython",
  executable: "/usr/bin/python3.11",
  bits: 64,
  freeThreaded: false,
  venv: true,
  ensurepip: true,
  platform: "linux",
  machine: "x86_64",
  nvidia: false,
  diskFree: 1e11,
};

Deno.test("pythonNames() tries only SPADE_PYTHON when it is set", () => {
  assert.deepEqual(pythonNames("/opt/python"), ["/opt/python"]);
  assert.equal(pythonNames(undefined)[0], "python3");
  assert.deepEqual(pythonNames(""), pythonNames(undefined));
});

Deno.test("parseFacts() reads the last line only, and nothing else", () => {
  assert.deepEqual(parseFacts(`some warning\n${JSON.stringify(facts)}\n`), facts);
  assert.equal(parseFacts("pyenv: python3.13: command not found"), undefined);
  assert.equal(parseFacts('{"version": "3.11"}'), undefined);
});

Deno.test("unfitness() accepts 3.10 to 3.14 and says why others do not fit", () => {
  for (const minor of [10, 11, 12, 13, 14]) {
    assert.equal(unfitness({ ...facts, version: [3, minor, 0] }), undefined);
  }
  assert.match(unfitness({ ...facts, version: [3, 9, 18] }) ?? "", /is 3\.9\.18, must be 3\.10/);
  assert.match(unfitness({ ...facts, version: [3, 15, 0] }) ?? "", /3\.10 to 3\.14/);
  assert.match(unfitness({ ...facts, version: [2, 7, 18] }) ?? "", /must be 3\.10/);
  assert.match(unfitness({ ...facts, implementation: "pypy" }) ?? "", /CPython/);
  assert.match(unfitness({ ...facts, bits: 32 }) ?? "", /64-bit/);
  assert.match(unfitness({ ...facts, freeThreaded: true }) ?? "", /free-threaded/);
  assert.match(unfitness({ ...facts, ensurepip: false }) ?? "", /no ensurepip/);
});

Deno.test("choosePython() takes the first that fits", () => {
  const old = {
    name: "python3",
    facts: { ...facts, version: [3, 9, 2] as [number, number, number] },
  };
  const chosen = choosePython([old, { name: "python3.12", problem: "is not there" }, {
    name: "python3.11",
    facts,
  }]);
  assert.equal(chosen.name, "python3.11");
});

Deno.test("choosePython() passes over what is too old for one environment", () => {
  const older = { name: "python3", facts };
  const newer = {
    name: "python3.12",
    facts: { ...facts, version: [3, 12, 1] as typeof facts.version },
  };
  assert.equal(choosePython([older, newer], 12).name, "python3.12");
  assert.throws(
    () => choosePython([older], 12),
    /must be CPython 3\.12 to 3\.14 \(tried: python3 is 3\.11\.7, must be 3\.12 or newer\)/,
  );
});

Deno.test("choosePython() explains a missing, an unfit and an incomplete Python apart", () => {
  const code = (candidates: Parameters<typeof choosePython>[0]) => {
    try {
      choosePython(candidates);
    } catch (error) {
      return error as { code: string; message: string; hint: string };
    }
    throw new Error("it chose one");
  };
  const missing = code([{ name: "python3", problem: "is not there" }]);
  assert.equal(missing.code, "python-missing");
  assert.match(missing.message, /tried: python3 is not there/);
  assert.match(missing.hint, /SPADE_PYTHON/);
  const unfit = code([{ name: "python3", facts: { ...facts, version: [3, 8, 0] } }]);
  assert.equal(unfit.code, "python-unfit");
  const incomplete = code([{ name: "python3", facts: { ...facts, ensurepip: false } }]);
  assert.equal(incomplete.code, "venv-missing");
  assert.match(incomplete.hint, /python3\.11-venv/);
});
