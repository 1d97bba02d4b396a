import assert from "node:assert/strict";
import { parseStamp, type Stamp, stampProblem } from "../../lib/cli/setup/mod.ts";

const stamp: Stamp = {
  format: 1,
  environment: "engine",
  lock: "aa",
  python: "3.11.7",
  torch: "cpu",
};

Deno.test("parseStamp() takes whole stamps only", () => {
  assert.deepEqual(parseStamp(JSON.stringify(stamp)), stamp);
  for (const text of ["", "{", "null", "[]", "{}", JSON.stringify({ ...stamp, format: 2 })]) {
    assert.equal(parseStamp(text), undefined);
  }
  assert.equal(parseStamp(JSON.stringify({ ...stamp, lock: 1 })), undefined);
  assert.equal(parseStamp(JSON.stringify({ ...stamp, torch: 1 })), undefined);
});

Deno.test("stampProblem() names what differs", () => {
  assert.equal(stampProblem(stamp, { lock: "aa" }), undefined);
  assert.equal(stampProblem(stamp, { lock: "aa", torch: "cpu" }), undefined);
  assert.equal(stampProblem(undefined, { lock: "aa" }), "not finished");
  assert.equal(stampProblem(stamp, { lock: "bb" }), "its lock file changed");
  assert.match(stampProblem(stamp, { lock: "aa", torch: "cuda" }) ?? "", /cuda/);
  assert.match(stampProblem(stamp, { lock: "aa", asked: "/opt/python" }) ?? "", /SPADE_PYTHON/);
  const asked = { ...stamp, asked: "/opt/python" };
  assert.equal(stampProblem(asked, { lock: "aa", asked: "/opt/python" }), undefined);
  // unset again: what is there still fits the lock file
  assert.equal(stampProblem(asked, { lock: "aa" }), undefined);
});
