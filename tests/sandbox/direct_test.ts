import assert from "node:assert/strict";
import type { Connections } from "../../lib/sandbox/connections.ts";
import { DirectPlay } from "../../lib/sandbox/direct.ts";
import { START } from "../../lib/sandbox/frames.ts";
import { DEFAULT_LIMITS } from "../../lib/sandbox/mod.ts";
import { type Exit, failureOf } from "../../lib/sandbox/replies.ts";

/** How a play ends whose connection falls silent before the zygote tells of `exit`. */
async function silentThen(exit: Partial<Exit>) {
  const connection = { play: 1, confined: true, ended: false, send: () => true, close() {} };
  const connections = {
    launcher: { send() {} },
    playing: new Set(),
    take: () => connection,
    grantsMore: () => false,
    know() {},
    over() {},
  };
  const play = new DirectPlay(connections as unknown as Connections, DEFAULT_LIMITS);
  const over = Promise.withResolvers<Exit>();
  play.register({ reply() {}, ended: over.resolve });
  play.send(START, 0, {});
  connection.ended = true;
  play.silent();
  await new Promise((resolve) => setTimeout(resolve, 600)); // longer than the grace
  play.exited({ why: "kill", detail: null, signal: null, code: null, cpu: 0, ...exit });
  return failureOf(await over.promise);
}

Deno.test("a late exit says how the program ended, unless it is the host's own kill", async () => {
  assert.equal((await silentThen({ signal: 31 })).reason, "policy");
  assert.match((await silentThen({ signal: 11 })).detail!, /signal 11/);
  assert.match((await silentThen({ code: 3 })).detail!, /code 3/);
  const killed = await silentThen({ signal: 9 });
  assert.deepEqual([killed.reason, killed.detail], ["crash", "closed its descriptor"]);
});
