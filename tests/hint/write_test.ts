import assert from "node:assert/strict";
import { failed, SandboxError } from "../../lib/core/mod.ts";
import { compactPrompt } from "../../lib/designer/mod.ts";
import { compactChat } from "../../lib/engine/text/mod.ts";
import { type HintOptions, leakReason, writeHint } from "../../lib/hint/mod.ts";
import { fakeSampler } from "../agent/fake_sampler.ts";
import { fakeSandbox, Fault, guessGame } from "../gates/fake_sandbox.ts";
import { tinyTokenizer } from "../text/tiny_tokenizer.ts";

const tokenizer = tinyTokenizer();
const chat = compactChat(tokenizer);
const source = [
  "class AEnv:",
  "    def step(self, action):",
  "        self.x = self.b + d + self.GROW",
  "    def solution(self):",
  "",
].join("\n");

function ask(answers: readonly string[], more: Partial<HintOptions> = {}) {
  const sampler = fakeSampler(tokenizer, (call) => answers[call] ?? "again");
  const sandbox = fakeSandbox(() => guessGame());
  const options: HintOptions = {
    prompt: compactPrompt(),
    chat,
    tokenizer,
    sampler,
    environment: { id: "id", source, skill: "S" },
    params: { maxTokens: 24, temperature: 0.3, stopIds: chat.stopIds },
    seed: (retry) => 40 + retry,
    sandbox,
    ...more,
  };
  return { sampler, sandbox, hint: writeHint(options) };
}

/** A game whose solution is the same on every seed, and perhaps offered. */
const fixed = (answer: string, offered: string[] = []) =>
  fakeSandbox(() => ({
    ...guessGame(),
    reset: () => ["o", { actions: offered }],
    solution: () => ["1", ` ${answer} `],
  }));

Deno.test("writeHint() takes the first hint that passes", async () => {
  const { hint, sampler } = ask([" halve the range \n"]);
  const { text, reason, promptIds, tried } = await hint;
  const [{ reply, replyText, seed }] = tried;
  assert.deepEqual([text, reason, tried.length, seed], ["halve the range", "", 1, 40]);
  assert.equal(replyText, " halve the range \n");
  assert.deepEqual(sampler.requests[0].prompt, promptIds);
  assert.equal(sampler.requests[0].params.temperature, 0.3);
  assert.equal(reply.ids.length, reply.logps.length);
});

Deno.test("writeHint() asks once more, with another seed, then skips [D9]", async () => {
  const leak = "note that self.x = self.b + d + self.GROW here";
  const rewritten = await ask([leak, "add twice"]).hint;
  assert.deepEqual([rewritten.text, rewritten.tried.length, rewritten.tried[1].seed], [
    "add twice",
    2,
    41,
  ]);
  assert.equal(rewritten.tried[0].reason, "repeats a line of the program");
  const skipped = await ask([leak, leak]).hint;
  assert.deepEqual([skipped.text, skipped.tried.length], [null, 2]);
  assert.equal(skipped.reason, "repeats a line of the program");
});

Deno.test("writeHint() refuses empty, cut and long hints", async () => {
  const long = Array(101).fill("w").join(" ");
  const reasons = { "": "empty", " \n": "empty", "half a sen…": "cut by its token limit" };
  for (
    const [text, reason] of Object.entries({ ...reasons, [long]: "101 words, must be at most 100" })
  ) {
    assert.equal((await ask([text, text]).hint).reason, reason);
  }
});

Deno.test("writeHint() refuses an answer that is the same on seeds 0 to 19", async () => {
  const hint = await ask(["say Sesame", "say Sesame"], { sandbox: fixed("sesame") }).hint;
  assert.equal(hint.reason, "tells an answer that is the same on every seed");
  assert.equal((await ask(["say open"], { sandbox: fixed("sesame") }).hint).text, "say open");
  // Shorter than 4 characters, or offered in the game itself.
  assert.equal((await ask(["say abc"], { sandbox: fixed("abc") }).hint).text, "say abc");
  assert.equal(
    (await ask(["go north"], { sandbox: fixed("north", ["north"]) }).hint).text,
    "go north",
  );
});

Deno.test("writeHint() tells answers that vary with the seed apart", async () => {
  const sandbox = fakeSandbox(() => {
    let now = 0;
    return {
      ...guessGame(),
      reset: (seed: number) => (now = seed, ["o"]),
      solution: () => [`word${now}`],
    };
  });
  assert.equal((await ask(["say word3"], { sandbox }).hint).text, "say word3");
});

Deno.test("writeHint() starts no process for programs without solution()", async () => {
  const environment = { id: "id", source: "class AEnv: pass\n", skill: "S" };
  const { sandbox, hint } = ask(["fine"], { environment });
  assert.equal((await hint).text, "fine");
  assert.equal(sandbox.starts.length, 0);
});

Deno.test("writeHint() gives no hint where solution() fails, and throws where the host does", async () => {
  const faulty = (blame: "designer" | "host") =>
    fakeSandbox(() => guessGame(), {
      before: (request) => {
        if (request === "solution") throw new Fault(failed(blame, "crash"));
      },
    });
  assert.equal((await ask([], { sandbox: faulty("designer") }).hint).text, null);
  await assert.rejects(ask([], { sandbox: faulty("host") }).hint, SandboxError);
});

Deno.test("writeHint() refuses prompts beyond the context", async () => {
  const long = await ask([], { context: 60 }).hint;
  assert.equal(long.text, null);
  assert.match(long.reason, /prompt has \d+ tokens/);
});

Deno.test("leakReason() lets short code lines pass", () => {
  assert.equal(leakReason("use class AEnv: and more", source, []), undefined);
});
