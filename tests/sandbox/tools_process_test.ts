/** The requests of tool use, in the real sandbox. */
import assert from "node:assert/strict";
import type { Sandbox } from "../../lib/core/ports.ts";
import { sandboxOf, value } from "./helper.ts";

const source = `class ShelfEnv(ToolUseEnv):
    def reset(self, seed=None):
        self.state = {"shelf": []}
        self.tools = [{"type": "function", "function": {"name": "put", "parameters": {
            "type": "object", "properties": {"thing": {"type": "string"}}, "required": ["thing"]}}}]
        self.instructions = ["Put the cup of %d." % seed, "Put a jar."]
        self.criteria = [lambda state: "cup" in state["shelf"], lambda state: state["shelf"][1] == "jar"]
        return self.opening()

    def tool_put(self, thing):
        if thing == "bomb":
            raise ValueError("boom")
        self.state["shelf"].append(thing)
        return ", ".join(self.state["shelf"])

    def solution(self):
        return [{"name": "put", "arguments": {"thing": "cup"}}, "done"]
`;

Deno.test("requests of tool use", async (t) => {
  await using sandbox = await sandboxOf();
  await t.step("tools, calls, answers, criteria", () => serves(sandbox));
  await t.step("a tool that raises; a game", () => fails(sandbox));
});

async function serves(sandbox: Sandbox) {
  await using process = value(await sandbox.start(source, { maxTurns: 9 }));
  assert.match(value(await process.reset(4)).observation, /^Instruction 1 of 2: Put the cup of 4/);
  const facts = value(await process.tools());
  assert.deepEqual(facts?.signatures, {
    put: { names: ["thing"], required: ["thing"], variadic: false },
  });
  assert.deepEqual([facts?.tools.length, facts?.instructions, facts?.criteria], [1, 2, 2]);
  assert.deepEqual(value(await process.criteria()), [false, "IndexError: list index out of range"]);
  assert.equal(value(await process.call("put", { thing: "cup\ud800" })).observation, "cup\ufffd");
  value(await process.reset(4));
  assert.equal(value(await process.call("put", { thing: "cup" })).observation, "cup");
  assert.match(
    value(await process.call("put", { things: 1 })).observation,
    /^Bad arguments for put/,
  );
  assert.match(value(await process.call("reset", {})).observation, /^Unknown tool/);
  assert.equal(value(await process.answer("ok")).terminated, false);
  value(await process.call("put", { thing: "jar" }));
  assert.deepEqual(value(await process.criteria()), [true, true]);
  const { reward, terminated } = value(await process.answer("done"));
  assert.deepEqual([reward, terminated], [1, true]);
  assert.deepEqual(value(await process.solution()), [
    '{"name":"put","arguments":{"thing":"cup"}}',
    "done",
  ]);
  await assert.rejects(process.answer("x".repeat(70_000)), RangeError);
  await assert.rejects(process.call("put", { thing: "x".repeat(70_000) }), RangeError);
}

async function fails(sandbox: Sandbox) {
  await using process = value(await sandbox.start(source));
  value(await process.reset(4));
  const called = await process.call("put", { thing: "bomb" });
  assert.ok(called.kind === "failed" && called.blame === "designer");
  assert.equal(called.reason, "exception");
  assert.match(called.detail ?? "", /ValueError: boom/);
  const game = "class GameEnv:\n    def reset(self, seed=None): return '', {}\n";
  await using other = value(await sandbox.start(game));
  value(await other.reset(1));
  assert.equal(value(await other.tools()), null);
}
