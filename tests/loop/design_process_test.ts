/**
 * Designing a set of a natural-language kind: real gates in the real sandbox, real prompts and records; a script stands
 * for the model. Near-duplicates and the screen.
 */
import assert from "node:assert/strict";
import type {
  Chat,
  Engine,
  Message,
  RecordOf,
  Sampler,
  SampleRequest,
} from "../../lib/core/mod.ts";
import { seedOf } from "../../lib/core/mod.ts";
import { naturalPrompt } from "../../lib/designer/mod.ts";
import { compactChat } from "../../lib/engine/text/mod.ts";
import { readPromptFiles } from "../../lib/cli/inputs.ts";
import { gateNames } from "../../lib/gates/mod.ts";
import { screensSkipped } from "../../lib/analysis/mod.ts";
import { checkConfig, type Loop } from "../../lib/loop/mod.ts";
import { designSlot, repliesPerSlot } from "../../lib/loop/generate.ts";
import { knownPrograms } from "../../lib/loop/judge.ts";
import { ledgerRows } from "../../lib/loop/report.ts";
import type { SlotPlan } from "../../lib/loop/slots.ts";
import { Turnstile } from "../../lib/loop/turnstile.ts";
import { Twins } from "../../lib/loop/twins.ts";
import { Store } from "../../lib/store/mod.ts";
import { fakeSampler } from "../agent/fake_sampler.ts";
import { program } from "../gates/programs.ts";
import { testSandbox } from "../gates/test_sandbox.ts";
import { manifest, recordOf } from "../store/fixtures.ts";
import { tinyTokenizer } from "../text/tiny_tokenizer.ts";

const tokenizer = tinyTokenizer();
const rendered = (messages: readonly Message[]) =>
  tokenizer.encode(messages.map(({ role, content }) => `<${role}>${content}`).join("\n"));
const chat: Chat = { ...compactChat(tokenizer), first: rendered, delta: rendered };
const skills = ["Zero", "One", "Two", "Three"]
  .map((name) => ({
    ...{ name, family: "tool-use" as const, description: name, ideas: [] },
    difficulty: "medium" as const,
  }));

const sandbox = await testSandbox();
Deno.test.afterAll(async () => await sandbox[Symbol.asyncDispose]());

const good = (name: string) => program(`good/${name}.py`).source;
const archive = good("archive_desk");
/** Nearly the archive's desk. */
const second = `${archive}\n    def remark(self):\n        return "new"\n`;
/** The same with a fault that an own gate finds. */
const faulty = archive.replace("return self.opening()", "return self.openings()");

interface Script {
  /** Programs of each slot, attempt by attempt. */
  programs: string[][];
  /** Replies of the screen about each slot, in order of asking. */
  opinions?: (string | Error)[][];
  /** Milliseconds that every reply of a slot takes. */
  delays?: number[];
}

/** A loop whose model answers by the script: which slot is meant shows in the skill. */
function scripted(
  { programs, opinions = [], delays = [] }: Script,
  set: Record<string, unknown> = {},
  store = Store.memory({ run: recordOf("run", "run", -1), manifest }),
) {
  const asked = { designer: programs.map(() => 0), screen: programs.map(() => 0) };
  const screens: SampleRequest[] = [];
  const slotOf = (prompt: string) =>
    skills.findIndex(({ name }) =>
      prompt.includes(`Skill: ${name}\n`) || prompt.includes(`meant to train ${name}.`)
    );
  const quick = fakeSampler(tokenizer, (_, request) => {
    const prompt = tokenizer.decode(request.prompt);
    const slot = slotOf(prompt);
    if (!prompt.startsWith("<system>You review programs")) {
      return `\`\`\`python\n${programs[slot][asked.designer[slot]++]}\`\`\``;
    }
    screens.push(request);
    const opinion = opinions[slot]?.[asked.screen[slot]++] ?? "VERDICT: accept";
    if (opinion instanceof Error) throw opinion;
    return opinion;
  });
  const sampler: Sampler = {
    async sample(request) {
      const ms = delays[slotOf(tokenizer.decode(request.prompt))] ?? 0;
      await new Promise((resolve) => setTimeout(resolve, ms));
      return await quick.sample(request);
    },
  };
  const trainer = { state: () => Promise.resolve({}) } as unknown as Engine["trainer"];
  const engine = { sampler, base: sampler, trainer } as unknown as Engine;
  const config = checkConfig({
    ...{ preset: "p", kind: "tool-use", model: "m", skills: skills.map(({ name }) => name) },
    ...{ environments: programs.length, plays: 2, epoch: 1, delay: 1, rollouts: 2, maxTurns: 25 },
    ...{ context: 40_000, tokens: { designer: 8000, agent: 100, hint: 300 }, attempts: 2 },
    ...{ corpus: null, heldout: null, sandbox: { requestCpuSeconds: 1 }, ...set },
  });
  const loop = {
    ...{ name: "r", config, store, engine, sandbox, tokenizer, chat, corpus: null, pool: [] },
    prompt: naturalPrompt({ kind: "tool-use", files: readPromptFiles(), skills }),
    ...{ heldout: { dev: [], test: [] }, heldoutTrees: new Set<string>(), clock: () => 0 },
    ...{ emit: () => {}, signal: new AbortController().signal },
  } as Loop;
  return { loop, screens };
}

/** Designs the slots at once; per slot and attempt the last verdict. */
async function design(loop: Loop, rollout = 0): Promise<string[][]> {
  const { config, store } = loop;
  const twins = new Twins(
    repliesPerSlot(config),
    config.environments,
    knownPrograms(loop, rollout),
  );
  const plans = Array.from({ length: config.environments }, (_, slot): SlotPlan => {
    const skill = skills[slot].name;
    const brief = { skill, memory: [], difficulty: "medium" };
    return { slot, skill, document: null, brief, parents: [] };
  });
  const turnstile = new Turnstile(2);
  await Promise.all(plans.map((plan) => designSlot(loop, plan, rollout, twins, turnstile)));
  return plans.map(({ slot }) =>
    designsOf(store, rollout, slot).map(({ id }) => lastOf(store, id))
  );
}

const designsOf = (store: Store, rollout: number, slot: number) =>
  store.all("reply", { where: { rollout, slot, role: "designer" }, orderBy: "attempt" });

const order: readonly string[] = gateNames;

function lastOf(store: Store, replyId: string): string {
  const { gate, verdict, reason } = store.all("gate", { where: { replyId } })
    .toSorted((a, b) => order.indexOf(a.gate) - order.indexOf(b.gate)).at(-1)!;
  return `${gate} ${verdict}${reason && `: ${reason}`}`;
}

const near = "duplicate refuse: shares most of its pieces with a known environment";
const twin = "duplicate refuse: same syntax tree as a known environment";
const screened = { screen: true };

Deno.test("near-duplicates: the earlier place wins, whoever arrives first", async () => {
  const script = {
    programs: [[good("trip_desk")], [archive], [second, good("stock_moves")], [second, second]],
  };
  const expected = [
    ["duplicate pass"],
    ["duplicate pass"],
    [near, "duplicate pass"],
    [twin, twin],
  ];
  let verdicts: RecordOf<"gate">[] | undefined;
  for (const delays of [[], [900, 600, 300, 0], [0, 900, 0, 300]]) {
    const { loop } = scripted({ ...script, delays });
    assert.equal(loop.config.nearDuplicate, 0.9, "the default of natural kinds");
    assert.deepEqual(await design(loop), expected);
    const stored = loop.store.all("gate", { orderBy: "id" });
    verdicts ??= stored;
    assert.deepEqual(stored, verdicts);
    const refused = stored.find(({ replyId, gate }) =>
      replyId === "r0/s2/a0" && gate === "duplicate"
    )!;
    assert.equal(refused.evidence.nearest, loop.store.get("reply", "r0/s1/a0")!.environmentId);
  }
});

Deno.test("near-duplicates: off lets them in; what was refused stands in nobody's way", async () => {
  const twice = { programs: [[archive], [second]] };
  const off = scripted(twice, { nearDuplicate: null });
  assert.deepEqual(await design(off.loop), [["duplicate pass"], ["duplicate pass"]]);
  const mended = await design(scripted({ programs: [[faulty, archive], [second]] }).loop);
  assert.equal(mended[0][0], "contract refuse: exception");
  // The one that was right at once is earlier in the order (attempt, slot).
  assert.deepEqual([mended[0][1], mended[1]], [near, ["duplicate pass"]]);
  const alone = await design(scripted({ programs: [[faulty, archive]] }).loop);
  assert.equal(alone[0][1], "duplicate pass");
});

Deno.test("near-duplicates: a screen that refuses the earlier one frees the later", async () => {
  const script = {
    programs: [[archive, good("trip_desk")], [second]],
    opinions: [["VERDICT: reject because it is dull"]],
  };
  for (const delays of [[], [400, 0]]) {
    const { loop } = scripted({ ...script, delays }, screened);
    assert.deepEqual(await design(loop), [
      ["screen refuse: because it is dull", "screen pass"],
      ["screen pass"],
    ]);
  }
});

Deno.test("near-duplicates: environments of earlier rollouts count, also in a resumed rollout", async () => {
  const { loop } = scripted({ programs: [[archive]] });
  assert.deepEqual(await design(loop), [["duplicate pass"]]);
  const script = { programs: [[second, good("stock_moves")]] };
  const next = scripted(script, {}, loop.store);
  assert.deepEqual(await design(next.loop, 1), [[near, "duplicate pass"]]);

  // Slot 0 is stored, slot 1 is not: as after a kill.
  const cut = scripted({ programs: [[archive]] });
  await design(cut.loop);
  const both = { programs: [["never asked"], [second, good("stock_moves")]] };
  const resumed = scripted(both, {}, cut.loop.store);
  assert.deepEqual(await design(resumed.loop), [["duplicate pass"], [near, "duplicate pass"]]);
});

Deno.test("screen: asked last, its replies are stored and counted, it never accepts [D8]", async () => {
  const { loop, screens } = scripted({
    programs: [
      [good("trip_desk")],
      [archive, good("storm_alerts")],
      [faulty, faulty],
      [good("stock_moves")],
    ],
    opinions: [
      ["<think>VERDICT: reject because it is short</think>Fine.\nVERDICT: accept"],
      ["", "VERDICT: reject because the goal is shown", new Error("busy"), "I like it."],
    ],
  }, screened);
  const { store, config } = loop;
  assert.deepEqual(await design(loop), [
    ["screen pass"],
    ["screen refuse: because the goal is shown", "screen skipped: no verdict in the reply"],
    ["contract refuse: exception", "contract refuse: exception"],
    ["screen pass"],
  ]);
  const refused = store.get("reply", "r0/s1/a0")!;
  const skipped = store.get("reply", "r0/s1/a1")!;
  assert.deepEqual([refused.accepted, skipped.accepted], [false, true]);
  assert.equal(store.all("environment").length, 3);

  const replies = store.all("reply", { where: { role: "screen" }, orderBy: "id" });
  assert.deepEqual(replies.map(({ id, accepted }) => [id, accepted]), [
    ["r0/s0/a0/screen/0", true],
    ["r0/s1/a0/screen/0", false],
    ["r0/s1/a0/screen/1", true],
    ["r0/s1/a1/screen/1", false],
    ["r0/s3/a0/screen/0", true],
  ]);
  for (const { id, slot, seed, environmentId } of replies) {
    const [, attempt, retry] = /a(\d)\/screen\/(\d)/.exec(id)!.map(Number);
    assert.equal(seed, seedOf(config.seed, "screen", 0, slot, attempt, "plain", 0, retry));
    const judged = store.all("gate", { where: { replyId: `r0/s${slot}/a${attempt}` } })[0];
    assert.equal(environmentId, judged.environmentId);
  }
  const { params } = screens[0];
  assert.deepEqual([params.maxTokens, params.temperature], [300, 0.3]);
  assert.deepEqual(screensSkipped(store.all("gate")).count, 1);
  assert.deepEqual(screensSkipped(store.all("gate")).of, 4);

  const ledger = ledgerRows(loop, 0, [], 1).find(({ stage }) => stage === "screen")!;
  const tokens = replies.reduce((sum, { ids }) => sum + ids.length, 0);
  assert.deepEqual([ledger.role, ledger.calls, ledger.completionTokens], ["gates", 5, tokens]);
  assert.ok(ledger.promptTokens > 5 * 1000);
  const design0 = ledgerRows(loop, 0, [], 1).find(({ role }) => role === "designer")!;
  assert.equal(design0.calls, 6, "opinions are no designs");
});

Deno.test("screenRequired refuses what got no opinion; a prompt without room gets none", async () => {
  const script = () => ({ programs: [[archive, archive]], opinions: [["", " ", "", ""]] });
  const required = scripted(script(), { ...screened, screenRequired: true });
  assert.deepEqual(await design(required.loop), [[
    "screen refuse: no opinion: empty reply",
    twin,
  ]]);
  assert.equal(screensSkipped(required.loop.store.all("gate")).count, 1);
  const narrow = scripted(script(), {
    ...screened,
    context: 16_000,
    tokens: {
      ...{ designer: 3000, agent: 100, hint: 12_000 },
    },
  });
  assert.match((await design(narrow.loop))[0][0], /^screen skipped: failed: prompt has \d+ tokens/);
  assert.equal(narrow.screens.length, 0);
});

Deno.test("screen: an engine that is gone is no opinion", async () => {
  const gone = new Error("connection refused");
  const { loop } = scripted({ programs: [[archive]], opinions: [[gone, gone]] }, screened);
  const trainer = { state: () => Promise.reject(gone) } as unknown as Engine["trainer"];
  const engine = { ...loop.engine, trainer } as Engine;
  await assert.rejects(design({ ...loop, engine }), /connection refused/);
  assert.equal(loop.store.count("reply"), 0, "nothing of the reply is kept: resume asks again");
});
