import assert from "node:assert/strict";
import { z } from "zod";
import { EngineError } from "../../lib/core/mod.ts";
import { submit } from "../../lib/engine/futures.ts";
import { fakeWire, json } from "./helper.ts";

const schema = z.object({ ok: z.literal(true) });
const call = { action: "try it", deadlineMs: 2_000 };
const refused = () => {
  throw new TypeError("error sending request: connection refused");
};

Deno.test("Wire repeats what says nothing about the request, a bounded number of times", async () => {
  const faults = [
    refused,
    () => json({ detail: "busy" }, 429),
    () => json({ detail: "broken" }, 500),
    () => new Response('{"ok": tr'),
    () => json({}, 408),
  ];
  const [wire, calls] = fakeWire((_, __, n) => faults[n - 1]?.() ?? json({ ok: true }));
  assert.deepEqual(await wire.post("/x", {}, schema, call), { ok: true });
  assert.equal(calls.length, 6);
});

Deno.test("Wire waits as long as the server asks, and no longer than the deadline", async () => {
  const busy = (seconds: string) =>
    new Response("{}", { status: 429, headers: { "retry-after": seconds } });
  const [wire, calls] = fakeWire((_, __, n) => n === 1 ? busy("0.3") : json({ ok: true }));
  const started = performance.now();
  await wire.post("/x", {}, schema, call);
  assert.ok(performance.now() - started >= 290);
  assert.equal(calls.length, 2);
  const [long] = fakeWire(() => busy("3600"));
  await assert.rejects(
    long.post("/x", {}, schema, { ...call, deadlineMs: 50 }),
    /no answer within 50 ms/,
  );
  const [unpaid] = fakeWire(() => json({ detail: "pay" }, 402));
  await assert.rejects(unpaid.post("/x", {}, schema, call), /402 \(billing is paused\): pay/);
});

Deno.test("submit() polls on while a call is at work, and sends it again when its result expired", async () => {
  const script = [
    () => json({ request_id: "a" }),
    ...Array.from({ length: 8 }, () => () => json({}, 408)),
    () => json({ type: "try_again" }),
    () => json({ detail: "expired" }, 410),
    () => json({ request_id: "b" }),
    () => json({ ok: true }),
  ];
  const [wire, calls] = fakeWire((_, __, n) => script[n - 1]?.() ?? json({}, 500));
  assert.deepEqual(await submit(wire, "/work", () => ({ seq_id: 4 }), schema, call), { ok: true });
  const sent = calls.filter(({ path }) => path === "/work").map(({ body }) => body);
  assert.deepEqual(sent, [{ seq_id: 4 }, { seq_id: 4 }]);
  assert.equal(calls.at(-1)!.body.request_id, "b");
  const [gone] = fakeWire((path) => path === "/work" ? json({ request_id: "a" }) : json({}, 410));
  await assert.rejects(submit(gone, "/work", () => ({}), schema, call), /answered 410/);
});

Deno.test("Wire gives up with the last words and the cause", async () => {
  const [wire, calls] = fakeWire(refused, { retries: 2 });
  await assert.rejects(wire.post("/x", {}, schema, call), (error) => {
    assert(error instanceof EngineError && error.retryable && error.cause instanceof TypeError);
    assert.match(
      error.message,
      /Cannot try it: the connection to http:\/\/engine failed .*refused/,
    );
    return true;
  });
  assert.equal(calls.length, 3);
  const [broken] = fakeWire(() => json({ detail: "out of memory" }, 500), { retries: 1 });
  await assert.rejects(broken.post("/x", {}, schema, call), /answered 500: out of memory/);
});

Deno.test("Wire does not repeat a refusal or a reply of another form", async () => {
  const [wire, calls] = fakeWire(() => json({ detail: "Cannot read prompt" }, 422));
  await assert.rejects(wire.post("/x", {}, schema, call), (error) => {
    assert(error instanceof EngineError && !error.retryable);
    assert.match(error.message, /422: Cannot read prompt/);
    return true;
  });
  assert.equal(calls.length, 1);
  const [other] = fakeWire(() => json({ ok: 1 }));
  await assert.rejects(other.post("/x", {}, schema, call), /unexpected form at ok/);
});

Deno.test("Wire ends a call that is never answered at its deadline", async () => {
  const [wire] = fakeWire(() => "never");
  const short = { action: "wait", deadlineMs: 20 };
  await assert.rejects(wire.post("/x", {}, schema, short), (error) => {
    assert(error instanceof EngineError && error.retryable);
    assert.match(error.message, /Cannot wait: no answer within 20 ms/);
    return true;
  });
});

Deno.test("Wire ends a body that never comes at its deadline", async () => {
  const [wire] = fakeWire(() => new Response(new ReadableStream()));
  await assert.rejects(wire.post("/x", {}, schema, { action: "wait", deadlineMs: 20 }), /20 ms/);
});

Deno.test("Wire rejects pending calls with the reason of its lifetime, and with the caller's", async () => {
  const life = new AbortController(), mine = new AbortController();
  const [wire] = fakeWire(() => "never", { lifetime: life.signal });
  const asked = wire.post("/x", {}, schema, { ...call, signal: mine.signal });
  const pending = wire.post("/x", {}, schema, call);
  mine.abort(new Error("enough"));
  await assert.rejects(asked, /enough/);
  life.abort(new EngineError("The engine stopped"));
  await assert.rejects(pending, /The engine stopped/);
  await assert.rejects(wire.post("/x", {}, schema, call), /The engine stopped/);
});
