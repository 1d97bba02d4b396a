import assert from "node:assert/strict";
import { closingLine, countJunit, countUnittest, settle } from "../../lib/cli/suites/count.ts";

Deno.test("closingLine() adds up and names skipped ones only when there are any", () => {
  const one = { passed: 2, failed: 0, skipped: 0 };
  assert.equal(closingLine([one, one]), "4 passed, 0 failed");
  assert.equal(
    closingLine([one, { passed: 0, failed: 1, skipped: 3 }]),
    "2 passed, 1 failed, 3 skipped",
  );
});

Deno.test("countJunit() counts passed, failed and skipped cases", () => {
  const xml = `<testsuites><testsuite name="a">
    <testcase name="one" time="0"></testcase><testcase name="two"/>
    <testcase name="three"><skipped/></testcase>
    <testcase name="four &lt;testcase"><failure message="x">trace</failure></testcase>
  </testsuite></testsuites>`;
  assert.deepEqual(countJunit(xml), { passed: 2, failed: 1, skipped: 1 });
  assert.deepEqual(countJunit(""), { passed: 0, failed: 0, skipped: 0 });
});

Deno.test("countUnittest() reads the closing lines", () => {
  const cases: [string, unknown][] = [
    ["Ran 5 tests in 0.1s\n\nOK\n", { passed: 5, failed: 0, skipped: 0 }],
    ["Ran 5 tests in 0.1s\n\nOK (skipped=2)\n", { passed: 3, failed: 0, skipped: 2 }],
    ["Ran 9 tests in 0.1s\n\nFAILED (failures=1, errors=2, skipped=1)\n", {
      passed: 5,
      failed: 3,
      skipped: 1,
    }],
    ["Ran 4 tests in 0.1s\n\nOK (expected failures=1)\n", { passed: 4, failed: 0, skipped: 0 }],
    ["Ran 4 tests in 0.1s\n\nFAILED (unexpected successes=1)\n", {
      passed: 3,
      failed: 1,
      skipped: 0,
    }],
    ["Traceback (most recent call last):", undefined],
  ];
  for (const [output, count] of cases) assert.deepEqual(countUnittest(output), count, output);
});

Deno.test("settle() makes a crash and an empty suite one failure", () => {
  const none = { passed: 0, failed: 0, skipped: 0 };
  assert.equal(settle(undefined, 0).failed, 1);
  assert.equal(settle(none, 5).failed, 1);
  assert.equal(settle({ ...none, passed: 3 }, 1).failed, 1);
  assert.deepEqual(settle({ ...none, passed: 3 }, 0), { ...none, passed: 3 });
  assert.equal(settle({ ...none, failed: 2 }, 1).failed, 2);
});
