import assert from "node:assert/strict";
import { programOf, sandboxOf, withProcess } from "./helper.ts";

/** Nice values of all processes below this one. */
function niceBelow(): number[] {
  const all = new Map<number, { parent: number; nice: number }>();
  for (const { name } of Deno.readDirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const text = Deno.readTextFileSync(`/proc/${name}/stat`);
      const fields = text.slice(text.lastIndexOf(")") + 2).split(" ").map(Number);
      all.set(Number(name), { parent: fields[1], nice: fields[16] });
    } catch { /* it ended meanwhile */ }
  }
  return [...all].flatMap(([pid, { nice }]) => {
    let up: number | undefined = pid;
    while (up && up !== Deno.pid) up = all.get(up)?.parent;
    return up && pid !== Deno.pid ? [nice] : [];
  });
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const limits = { requestCpuSeconds: 1 };

Deno.test("a program that works long goes on at a lower priority; one that sleeps or waits does not", async () => {
  await using sandbox = await sandboxOf();
  const step = 'if action == "work":\n    while True:\n        pass\ntime.sleep(0.3)\n' +
    'return "next", 0.0, False, False, {}';
  const source = programOf({ head: "import time", step });
  await withProcess(sandbox, source, async (idle) => {
    assert.equal((await idle.step("sleep")).kind, "ok");
    assert.deepEqual(new Set(niceBelow()), new Set([0]));
    await withProcess(sandbox, source, async (busy) => {
      const ended = busy.step("work");
      let seen = false;
      for (let i = 0; i < 100 && !seen; i++) {
        await pause(10);
        seen = niceBelow().filter((nice) => nice === 10).length === 1;
      }
      assert.ok(seen, "no process gave way");
      const result = await ended;
      assert.equal(result.kind === "failed" && result.reason, "deadline");
    }, { limits });
  }, { limits });
});
