/** Questions asked and answered in the real sandbox. */
import assert from "node:assert/strict";
import { playJobs } from "../../lib/cli/evaluate/play.ts";
import { presetFiles } from "../../lib/cli/files.ts";
import { suiteHash } from "../../lib/cli/evaluate/suites.ts";
import type { EvaluationPlay } from "../../lib/cli/evaluate/record.ts";
import type { Engine } from "../../lib/core/mod.ts";
import { compactPrompt } from "../../lib/designer/mod.ts";
import { compactChat } from "../../lib/engine/text/mod.ts";
import { resolveConfig } from "../../lib/loop/mod.ts";
import { type Question, questionEnvironments, questionProgram } from "../../lib/pool/mod.ts";
import { fakeSampler } from "../agent/fake_sampler.ts";
import { isSetUp, testSandbox } from "../gates/test_sandbox.ts";
import { tinyTokenizer } from "../text/tiny_tokenizer.ts";

const ask = (question: string, answer: string, kind: Question["kind"] = "boxed"): Question => ({
  question,
  answer,
  kind,
  family: "",
  skill: "",
});
const nasty =
  `"""\n\\ ' "quoted" {x} %s \\boxed{7} \u2028 \u00e9 \ud83c\udf19 \r\n\t# end"""; import os`;

Deno.test({ name: "questionProgram(): what is right, what is not", ignore: !isSetUp }, async () => {
  await using sandbox = await testSandbox();
  const cases: [Question, string, number][] = [
    [ask("half?", "\\frac{1}{2}"), "\\boxed{0.5}", 1],
    [ask("half?", "\\frac{1}{2}"), "\\boxed{2/4}", 1],
    [ask("half?", "\\frac{1}{2}"), "0.5", 1],
    [ask("half?", "\\frac{1}{2}"), "it is 0.5 I think", 0],
    [ask("half?", "\\frac{1}{2}"), "\\boxed{5}", 0],
    [ask("x?", "42"), "\\boxed{x = 42}", 1],
    [ask("x?", "42"), "\\boxed{}", 0],
    [ask("x?", "42"), "\\boxed{\\frac{}", 0],
    [ask("city?", "Paris"), "\\boxed{paris}", 1],
    [ask("city?", "Paris"), "\\boxed{Pairs}", 0],
    [ask("word?", "2/4", "exact"), "\\boxed{1/2}", 0],
    [ask("word?", "2/4", "exact"), " 2/4 ", 1],
    [ask(nasty, nasty.trim(), "exact"), nasty.trim(), 0],
    [ask(nasty, "7", "exact"), "\\boxed{7}", 1],
  ];
  for (const [question, reply, reward] of cases) {
    const started = await sandbox.start(questionProgram(question));
    assert.equal(started.kind, "ok");
    if (started.kind !== "ok") continue;
    await using process = started.value;
    const reset = await process.reset(3);
    assert.ok(reset.kind === "ok", JSON.stringify(reset));
    assert.equal(reset.value.observation, question.question);
    assert.deepEqual(reset.value.info, {});
    const stepped = await process.step(reply);
    assert.ok(stepped.kind === "ok", `${reply}: ${JSON.stringify(stepped)}`);
    assert.deepEqual(
      [stepped.value.observation, stepped.value.reward, stepped.value.terminated],
      ["Answered.", reward, true],
      reply,
    );
  }
});

Deno.test(
  { name: "an answer that cannot be checked is wrong, not missing", ignore: !isSetUp },
  async () => {
    await using sandbox = await testSandbox();
    const tokenizer = tinyTokenizer();
    const chat = compactChat(tokenizer);
    const items = questionEnvironments([ask("power?", "81"), ask("other?", "82")]);
    const config = resolveConfig({ preset: "nano", set: ["heldout=null"] }, presetFiles());
    const answer = "\\boxed{9^{9^{9^{9}}}}";
    const sampler = fakeSampler(tokenizer, () => answer);
    const plays: EvaluationPlay[] = [];
    const suite = { name: "q", items, hash: suiteHash(items) };
    const run = (isOurs: boolean) =>
      playJobs([{ suite: { ...suite, isOurs }, item: items[0], index: 0 }], {
        player: {
          config: { ...config, tokens: { ...config.tokens, agent: 64 } },
          engine: {} as Engine, // only asked when a model fails
          sandbox,
          tokenizer,
          chat,
          prompt: compactPrompt(),
          signal: new AbortController().signal,
        },
        sampler,
        mode: "sampled",
        seed: 0,
        concurrency: 1,
        onPlay: (play) => void plays.push(play),
      });
    await run(true);
    await run(false);
    assert.deepEqual(plays.map(({ outcome, unchecked }) => [outcome.kind, unchecked]), [
      ["scored", true],
      ["failed", false],
    ]);
    assert.deepEqual(plays[0].outcome, { kind: "scored", value: 0 });
    assert.deepEqual(plays[0].replies, [answer]);
  },
);
