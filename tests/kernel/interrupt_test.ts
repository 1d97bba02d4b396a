import assert from "node:assert/strict";
import { kindOf } from "../../lib/kernel/interrupt.ts";

const listens = "Name:\tdeno\nSigCgt:\t0000000100004443\n";
const deaf = "Name:\tdeno\nSigCgt:\t0000000100000440\n";
/** One sample; `states` of the thread that speaks, of the one that computes, and of a worker. */
const sample = ([first, cells, worker]: string) =>
  `70 (deno) ${first} 1\n71 (V8 DefaultWorke) R 1\n77 (deno) ${cells} 1\n79 (worker-1) ${worker} 1\n\n`;
const kind = (states: string[], status: string) => kindOf(states.map(sample).join("") + status, 70);

Deno.test("JavaScript that runs all the time is ended by a request, whoever listens", () => {
  const always = Array(10).fill("SRS");
  assert.deepEqual([kind(always, listens), kind(always, deaf)], ["request", "request"]);
  assert.equal(kind(["SSS", ...always.slice(1)], listens), "request", "it collected garbage once");
});

Deno.test("JavaScript that waits now and then gets the signal, if it listens", () => {
  const now = ["SSS", "SSS", ...Array(8).fill("SRS")];
  assert.deepEqual([kind(now, listens), kind(now, deaf)], ["signal", "nothing"]);
});

Deno.test("what other threads compute does not count", () => {
  assert.equal(kind(Array(10).fill("RSR"), listens), "signal");
});

Deno.test("a thread that ended between two looks is no trouble", () => {
  const cut = "70 (deno) S 1\n\n".repeat(10);
  assert.equal(kindOf(cut + deaf, 70), "nothing");
});
