import assert from "node:assert/strict";
import { Turnstile } from "../../lib/loop/turnstile.ts";

Deno.test("Turnstile lets a few through at a time, the lowest place first, whatever fails", async () => {
  const turnstile = new Turnstile(2);
  const done: number[] = [];
  let inside = 0;
  const pass = (place: number) =>
    turnstile.pass(place, async () => {
      inside += 1;
      assert.ok(inside <= 2);
      await new Promise((resolve) => setTimeout(resolve, 1));
      inside -= 1;
      done.push(place);
      if (place === 1) throw new Error("no");
    });
  const results = await Promise.allSettled([9, 8, 3, 1, 2].map(pass));
  assert.deepEqual(done, [9, 8, 1, 2, 3]);
  assert.deepEqual(results.filter(({ status }) => status === "rejected").length, 1);
  await pass(4);
  assert.equal(done.at(-1), 4);
});
