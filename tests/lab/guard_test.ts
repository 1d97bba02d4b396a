import assert from "node:assert/strict";
import { installGuard, ownKernel } from "../../lib/lab/guard.ts";
import { signalOr } from "../../lib/lab/settings.ts";

function parts() {
  const events = new EventTarget();
  const printed: unknown[][] = [];
  const ended: unknown[][] = [];
  const inner: Record<string, unknown> = {
    broadcastResult: (...values: unknown[]) => Promise.resolve(ended.push(values)),
  };
  const printer: Record<string, unknown> = {
    log() {},
    error: (...values: unknown[]) => printed.push(values),
  };
  const waits: number[] = [];
  const wait = (ms: number) => Promise.resolve(waits.push(ms));
  const listeners: [string, () => void][] = [];
  let collected = 0;
  return {
    hear: (signal: string) => listeners.forEach(([name, hear]) => name === signal && hear()),
    onSignal: (signal: string, hear: () => void) => void listeners.push([signal, hear]),
    collect: () => collected += 1,
    collected: () => collected,
    inner,
    printer,
    events,
    wait,
    waits,
    printed,
    ended,
    outer: { display() {}, broadcast() {} },
  };
}

Deno.test("a cell's end waits, the longer the more was printed", async () => {
  const kernel = parts();
  assert.equal(installGuard(kernel), true);
  const end = kernel.inner.broadcastResult as (...values: unknown[]) => Promise<void>;
  const log = kernel.printer.log as (text: string) => void;
  for (let line = 0; line < 100; line++) log("line");
  await end(1, "value");
  await end(2, "value");
  assert.deepEqual(kernel.waits, [110, 2]);
  assert.deepEqual(kernel.ended, [[1, "value"], [2, "value"]]);
});

Deno.test("what nobody caught is printed and goes no further", () => {
  const kernel = parts();
  installGuard(kernel);
  const error = new ErrorEvent("error", { error: "boom", cancelable: true });
  const rejection = new Event("unhandledrejection", { cancelable: true });
  Object.defineProperty(rejection, "reason", { value: "late" });
  for (const event of [error, rejection]) assert.equal(kernel.events.dispatchEvent(event), false);
  assert.deepEqual(kernel.printed.map((values) => values[1]), ["boom", "late"]);
});

Deno.test("an interrupt is told and stops what runs, but nothing that begins later", () => {
  const kernel = parts();
  installGuard(kernel);
  installGuard(kernel);
  const own = new AbortController();
  const [running, withOwn] = [signalOr(undefined), signalOr(own.signal)];
  kernel.hear("SIGUSR2");
  assert.deepEqual([kernel.collected(), running.aborted, kernel.printed], [1, false, []]);
  kernel.hear("SIGINT");
  assert.match(String(kernel.printed), /^Interrupted: work of this toolkit was asked to stop/);
  assert.equal(kernel.printed.length, 1);
  assert.deepEqual([running.aborted, withOwn.aborted, own.signal.aborted], [true, true, false]);
  assert.equal(running.reason.name, "AbortError");
  const later = signalOr(own.signal);
  assert.deepEqual([signalOr(undefined).aborted, later.aborted], [false, false]);
  own.abort("enough");
  assert.equal(later.reason, "enough");
});

Deno.test("a second installation changes nothing, and an unknown kernel is left alone", () => {
  const kernel = parts();
  installGuard(kernel);
  const { broadcastResult } = kernel.inner;
  assert.equal(installGuard(kernel), true);
  assert.equal(kernel.inner.broadcastResult, broadcastResult);
  const other = { ...parts(), inner: {} };
  const { log } = other.printer;
  assert.equal(installGuard(other), false);
  assert.equal(other.printer.log, log);
});

Deno.test("a script is no kernel", () => assert.equal(ownKernel(), undefined));
