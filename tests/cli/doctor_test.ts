import assert from "node:assert/strict";
import { exitCode, formatFindings } from "../../lib/cli/doctor/finding.ts";
import {
  findCores,
  findDeno,
  findDisk,
  findGpu,
  findMemory,
} from "../../lib/cli/doctor/machine.ts";
import { findEngine, NOT_SET_UP } from "../../lib/cli/doctor/engine.ts";
import { findPython } from "../../lib/cli/doctor/python.ts";
import { describeSandbox } from "../../lib/cli/doctor/sandbox.ts";

Deno.test("formatFindings() prints one aligned line a finding", () => {
  const text = formatFindings([
    { name: "A", mark: "good", found: "one" },
    { name: "Long", mark: "missing", found: "two", hint: "do this" },
  ]);
  assert.equal(text, "✓ A     one\n✗ Long  two - do this");
});

Deno.test("exitCode() is 1 only when something needed is missing", () => {
  assert.equal(exitCode([{ name: "A", mark: "limited", found: "" }]), 0);
  assert.equal(exitCode([{ name: "A", mark: "missing", found: "" }]), 1);
});

Deno.test("the machine's findings are good or limited by their number", () => {
  assert.equal(findDeno("2.9.6").mark, "good");
  assert.equal(findDeno("2.9.7").mark, "limited");
  assert.equal(findCores(2).mark, "good");
  assert.equal(findCores(1).mark, "limited");
  assert.equal(findMemory({ total: 8e9, available: 5e9 }).mark, "good");
  assert.equal(findMemory({ total: 8e9, available: 3e9 }).mark, "limited");
  assert.equal(findDisk(1e9, true).mark, "good");
  assert.equal(findDisk(1e9, false).mark, "limited");
  assert.equal(findGpu(undefined, undefined).found, "none");
});

Deno.test("findEngine() calls a broken environment missing, an absent one limited", () => {
  assert.equal(findEngine(NOT_SET_UP).mark, "limited");
  assert.equal(findEngine("ModuleNotFoundError: No module named 'torch'").mark, "missing");
  const facts = { torch: "2.13.0+cpu", transformers: "5.24.0", cuda: false, threads: 2 };
  assert.equal(findEngine(facts).mark, "good");
});

Deno.test("findPython() says what was tried when none fits", () => {
  const finding = findPython([{ name: "python3", problem: "is not there" }]);
  assert.equal(finding.mark, "missing");
  assert.match(finding.found, /python3 is not there/);
});

Deno.test("describeSandbox() gives the reason for each missing layer", () => {
  assert.deepEqual(describeSandbox("full", { seccomp: true }), {
    name: "Sandbox",
    mark: "good",
    found: "level full",
  });
  const less = describeSandbox("seccomp", { seccomp: true, landlock: "kernel 5.4" });
  assert.equal(less.mark, "limited");
  assert.match(less.found, /no landlock: kernel 5\.4/);
});
