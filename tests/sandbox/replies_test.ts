import assert from "node:assert/strict";
import { decodeEnd, failureOf, initReply, stepReply } from "../../lib/sandbox/replies.ts";
import { kindOf } from "../../lib/sandbox/zygotes.ts";

const end = { why: null, detail: null, signal: null, code: null, cpu: 0 };

Deno.test("failureOf() names how a process ended and who is to blame", () => {
  const name = (change: Partial<Parameters<typeof failureOf>[0]>) => {
    const { blame, reason } = failureOf({ ...end, ...change });
    return `${blame} ${reason}`;
  };
  assert.equal(name({ code: 3 }), "designer crash");
  assert.equal(name({ signal: 11 }), "designer crash");
  assert.equal(name({ signal: 31 }), "designer policy");
  assert.equal(name({ why: "deadline", signal: 9 }), "designer deadline");
  assert.equal(name({ why: "protocol", signal: 9 }), "designer protocol");
  assert.equal(name({ why: "start" }), "host start");
  assert.equal(name({ why: "host" }), "host host");
});

Deno.test("replies of the wrong shape are refused", () => {
  const step = {
    i: 1,
    observation: "",
    reward: 1,
    terminated: false,
    truncated: false,
    info: {},
  };
  assert.ok(stepReply.safeParse(step).success);
  for (
    const change of [
      { reward: "1" },
      { reward: Infinity },
      { terminated: 1 },
      { info: [] },
      {
        observation: "x".repeat(65537),
      },
      { info: undefined },
      { info: { a: "x".repeat(300_000) } },
    ]
  ) assert.equal(stepReply.safeParse({ ...step, ...change }).success, false);
  // Python writes 1e+20, JavaScript 21 digits
  assert.ok(stepReply.safeParse({ ...step, info: { a: Array(10_922).fill(1e20) } }).success);
  assert.equal(initReply.safeParse({ i: 0, maxTurns: 0 }).success, false);
});

Deno.test("kindOf() sees numpy whether it is imported or only used", () => {
  assert.equal(kindOf("import math\n"), "bare");
  assert.equal(kindOf("import numpy as np\n"), "numpy");
  assert.equal(kindOf("x = np.zeros(3)\n"), "numpy");
  assert.equal(kindOf("snp = 1\n"), "bare");
  assert.equal(kindOf("from math_verify import parse\nimport numpy\n"), "math_verify");
  assert.equal(kindOf("import sympy\n"), "math_verify");
});

Deno.test("decodeEnd() reads a zygote's word on an end and refuses another shape", () => {
  const body = new Uint8Array(25 + 3);
  const view = new DataView(body.buffer);
  body[0] = 2;
  view.setInt32(1, -1, true);
  view.setInt32(5, 9, true);
  view.setFloat64(9, 0.25, true);
  view.setFloat64(17, 20480, true);
  body.set(new TextEncoder().encode("why"), 25);
  assert.deepEqual(decodeEnd(body), {
    exit: { why: "deadline", detail: "why", signal: 9, code: null, cpu: 0.25 },
    zygoteMb: 20,
  });
  assert.throws(() => decodeEnd(body.subarray(0, 24)), TypeError);
  body[0] = 7;
  assert.throws(() => decodeEnd(body), TypeError);
});
