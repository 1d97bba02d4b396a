import assert from "node:assert/strict";
import {
  DEFAULT_LIMITS,
  encodeLimits,
  encodeStanding,
  mergeLimits,
} from "../../lib/sandbox/limits.ts";

Deno.test("mergeLimits() keeps the base where nothing is given", () => {
  const merged = mergeLimits(DEFAULT_LIMITS, { requestCpuSeconds: 0.2 });
  assert.deepEqual(merged, { ...DEFAULT_LIMITS, requestCpuSeconds: 0.2 });
});

Deno.test("mergeLimits() refuses what is not a positive number", () => {
  for (const value of [0, -1, NaN, Infinity]) {
    assert.throws(() => mergeLimits(DEFAULT_LIMITS, { memoryMb: value }), RangeError);
  }
});

Deno.test("the default limits leave a request its time: inner deadlines below the outer ones", () => {
  const limits = DEFAULT_LIMITS;
  assert.ok(limits.requestCpuSeconds < limits.requestSeconds);
  assert.ok(limits.requestSeconds < limits.seconds);
  assert.ok(limits.requestCpuSeconds <= limits.cpuSeconds);
});

Deno.test("encodeLimits() writes five doubles in the zygote's order", () => {
  const bytes = encodeLimits({
    requestCpuSeconds: 1,
    requestSeconds: 2,
    cpuSeconds: 3,
    seconds: 4,
    memoryMb: 5,
  });
  const view = new DataView(bytes.buffer);
  assert.deepEqual([0, 1, 2, 3, 4].map((index) => view.getFloat64(8 * index, true)), [
    1,
    2,
    3,
    4,
    5,
  ]);
});

Deno.test("encodeStanding() writes memory and CPU", () => {
  const { buffer } = encodeStanding({ memoryMb: 5, cpuSeconds: 3 });
  assert.deepEqual([...new Float64Array(buffer)], [5, 3]);
});
