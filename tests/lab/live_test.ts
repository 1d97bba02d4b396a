import assert from "node:assert/strict";
import { liveOutputOf } from "../../lib/lab/live.ts";
import { display } from "../../lib/show/mod.ts";

Deno.test("liveOutput() replaces what it showed before", async () => {
  const sent: unknown[] = [];
  const kernel = {
    display: (bundle: object, options: object) => Promise.resolve(void sent.push(bundle, options)),
  };
  const output = liveOutputOf(kernel, "place");
  await output.show(display({ text: "one" }));
  await output.show(display({ text: "two", html: "<b>two</b>" }));
  assert.deepEqual(sent, [
    { "text/plain": "one" },
    { raw: true, display_id: "place", update: false },
    { "text/html": "<b>two</b>", "text/plain": "two" },
    { raw: true, display_id: "place", update: true },
  ]);
});

Deno.test("liveOutput() shows nothing outside a notebook", async () => {
  let asked = false;
  await liveOutputOf(undefined, "place").show(display(() => ({ text: String(asked = true) }), {}));
  assert.equal(asked, false);
});
