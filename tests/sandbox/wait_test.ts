import assert from "node:assert/strict";
import { DeadlineError, Semaphore, within } from "../../lib/sandbox/wait.ts";

async function crowd(size: number): Promise<{ order: number[]; most: number }> {
  const places = new Semaphore(size);
  const order: number[] = [];
  let inside = 0, most = 0;
  await Promise.all(Array.from({ length: 10 }, async (_, index) => {
    const release = await places.acquire(5000);
    order.push(index);
    most = Math.max(most, ++inside);
    await Promise.resolve();
    inside -= 1;
    release();
    release();
  }));
  assert.equal(places.inUse, 0);
  return { order, most };
}

Deno.test("Semaphore lets at most its size in, the others in order", async () => {
  assert.deepEqual(await crowd(1), { order: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9], most: 1 });
  assert.equal((await crowd(3)).most, 3);
});

Deno.test("Semaphore loses no place to a caller that gives up", async () => {
  const places = new Semaphore(1);
  const release = await places.acquire(1000);
  await assert.rejects(places.acquire(5), DeadlineError);
  const controller = new AbortController();
  const waiting = places.acquire(1000, controller.signal);
  controller.abort(new Error("enough"));
  await assert.rejects(waiting, /enough/);
  release();
  (await places.acquire(5))();
  assert.equal(places.inUse, 0);
});

Deno.test("Semaphore refuses a size that is not a positive integer", () => {
  for (const size of [0, -1, 1.5, NaN]) assert.throws(() => new Semaphore(size), RangeError);
});

Deno.test("within() gives the value, the error, or a DeadlineError", async () => {
  assert.equal(await within(Promise.resolve(1), 1000, "it"), 1);
  await assert.rejects(within(Promise.reject(new Error("no")), 1000, "it"), /no/);
  await assert.rejects(within(new Promise(() => {}), 5, "it"), /Waited 5 ms for it/);
});
