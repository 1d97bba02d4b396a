import assert from "node:assert/strict";
import { type KernelMessage, type Output, OutputCollector } from "../../lib/kernel/mod.ts";

const message = (type: string, content: Record<string, unknown>): KernelMessage => ({
  type,
  content,
  parentId: "",
  metadata: {},
});
const printed = (text: string, name = "stdout") => message("stream", { name, text });
const shown = (text: string, id?: string, type = "display_data") =>
  message(type, { data: { "text/plain": text }, metadata: {}, transient: { display_id: id } });
const texts = (outputs: Output[]) =>
  outputs.map((output) =>
    output.output_type === "stream"
      ? output.text
      : "data" in output
      ? output.data["text/plain"]
      : output.ename
  );

Deno.test("what is printed in a row is one output, by stream", () => {
  const outputs = new OutputCollector().collect([
    printed("a"),
    printed("b"),
    printed("!", "stderr"),
    printed("c"),
  ]);
  assert.deepEqual(texts(outputs), ["ab", "!", "c"]);
});

Deno.test("a display is updated in place, from a later cell too", () => {
  const collector = new OutputCollector();
  const first = collector.collect([shown("0 %", "bar"), shown("other")]);
  const second = collector.collect([shown("100 %", "bar", "update_display_data")]);
  assert.deepEqual(texts(first), ["100 %", "other"]);
  assert.deepEqual(second, []);
});

Deno.test("outputs are cleared at once, or when the next one comes", () => {
  const clear = (wait: boolean) => message("clear_output", { wait });
  const collect = (messages: KernelMessage[]) => texts(new OutputCollector().collect(messages));
  assert.deepEqual(collect([printed("a"), clear(false)]), []);
  assert.deepEqual(collect([printed("a"), clear(true)]), ["a"]);
  assert.deepEqual(collect([printed("a"), clear(true), printed("b"), printed("c")]), ["bc"]);
});

Deno.test("status and unknown messages are no outputs", () => {
  const outputs = new OutputCollector().collect([
    message("status", { execution_state: "busy" }),
    message("error", { ename: "Error", evalue: "x", traceback: null }),
  ]);
  assert.deepEqual(outputs, [{ output_type: "error", ename: "Error", evalue: "x", traceback: [] }]);
});
