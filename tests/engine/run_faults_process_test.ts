/**
 * Small real runs on a real engine behind a proxy that spoils what passes: each ends as the unbroken run, or with an
 * error that says what is wrong and nothing trained from it.
 */
import assert from "node:assert/strict";
import { EngineError, type RecordOf } from "../../lib/core/mod.ts";
import { compareRuns, Store } from "../../lib/store/mod.ts";
import { runSmall, smallConfig } from "../loop/support.ts";
import { changed, type Fate, type Fault, refusal, serverBehindProxy } from "./proxy.ts";

const { dir, server, proxy } = await serverBehindProxy();

const config = smallConfig("rollouts=2", `engine=${proxy.url}`);

/** A run behind the proxy; its folder, what became of it, and what was delivered meanwhile. */
async function runUnder(name: string, fault?: Fault) {
  const path = `${dir.path}/${name}`;
  proxy.counts.clear();
  proxy.delivered = 0;
  proxy.fault = fault;
  const started = performance.now();
  const error = await runSmall({ dir: path, config }).then(() => null, (cause) => cause);
  proxy.fault = undefined;
  return { path, error, delivered: proxy.delivered, seconds: (performance.now() - started) / 1000 };
}

const unbroken = await runUnder("unbroken");
assert.equal(unbroken.error, null);

function differencesFrom(path: string, without: string[] = []) {
  using a = Store.open(unbroken.path, { readonly: true });
  using b = Store.open(path, { readonly: true });
  return compareRuns(a, b).filter(({ table }) => ![...without, "run"].includes(table));
}

function tokensOf(ledger: readonly RecordOf<"ledger">[]): number {
  return ledger.reduce((sum, row) => sum + row.completionTokens, 0);
}

function assertError(error: unknown, message: RegExp): void {
  assert.ok(error instanceof EngineError, `got ${error}`);
  assert.match(error.message, message);
}

/** Whether a POST asks for an agent's turns, not for programs or hints. */
const isPlay = ({ route, body }: Parameters<Fault>[0]) =>
  route === "completions" && body.max_tokens === 8;

Deno.test("the unbroken run's ledger is what the engine delivered", () => {
  using store = Store.open(unbroken.path, { readonly: true });
  assert.equal(tokensOf(store.all("ledger")), unbroken.delivered);
});

Deno.test("faults of the wire in a tenth of all calls change no record, and no update counts twice", async () => {
  const lost = async (forward: () => Promise<unknown>): Promise<Fate> => {
    await forward();
    return "reset";
  };
  const fault: Fault = ({ route, n }, forward) => {
    // every training call once: done, and nobody hears of it
    if (["forward", "forward_backward", "optim_step"].includes(route)) {
      return n % 2 === 1 ? lost(forward) : undefined;
    }
    const kinds: (() => Fate | Promise<Fate>)[] = [
      () => "reset",
      () => "cut",
      () => refusal(503),
      () => refusal(429, { "retry-after": "0.05" }),
      () => lost(forward),
      async () => ({ ...await forward(), text: '{"choices": [{"token_ids": [1, 2' }),
    ];
    return n % 10 === 3 ? kinds[(n - 3) / 10 % kinds.length]() : undefined;
  };
  const run = await runUnder("wire", fault);
  assert.equal(run.error, null);
  assert.deepEqual(differencesFrom(run.path), []);
  assert.equal(run.delivered, unbroken.delivered);
  assert.ok(run.seconds < 10 * unbroken.seconds + 30, `${run.seconds} s`);
  assert.ok(proxy.counts.get("optim_step")! > 2);
});

Deno.test("replies that are not sound cost their play a try, and the ledger only what was received", async () => {
  // deno-lint-ignore no-explicit-any
  const spoil: ((choice: any) => void)[] = [
    (choice) => choice.logprobs.token_logprobs[0] = null,
    (choice) => delete choice.logprobs,
    (choice) => choice.prompt_token_ids[0] += 1,
    (choice) => choice.logprobs.token_logprobs.pop(),
    (choice) => choice.token_ids = [],
  ];
  let spoilt = 0;
  const run = await runUnder("unsound", (passing, forward) => {
    if (!isPlay(passing) || passing.n % 8 !== 0) return undefined;
    const change = spoil[spoilt++ % spoil.length];
    return forward().then((answer) => changed(answer, ({ choices }) => choices.forEach(change)));
  });
  assert.equal(run.error, null);
  assert.ok(spoilt > 3, `${spoilt} spoilt`);
  using store = Store.open(run.path, { readonly: true });
  const plays = store.all("play");
  assert.ok(plays.some(({ attempts, outcome }) => attempts === 2 && outcome.kind === "scored"));
  const trained = new Set(
    store.all("batch").flatMap(({ sequences }) => sequences)
      .map(({ unit }) => unit),
  );
  for (const { id, outcome } of plays) {
    if (outcome.kind === "failed") assert.ok(!trained.has(id), `${id} was trained`);
  }
  // the last update holds programs that older weights wrote
  for (const { rollout, meanDifference } of store.all("update")) {
    assert.ok(rollout === 2 || meanDifference < 1e-4, `${rollout}: ${meanDifference}`);
  }
  assert.equal(tokensOf(store.all("ledger")), run.delivered);
});

Deno.test("made-up log-probabilities are refused before the update, naming the turn", async () => {
  let spoilt = 0;
  const run = await runUnder("made-up", (passing, forward) => {
    if (!isPlay(passing) || passing.n < 20) return undefined;
    spoilt++;
    // finite and below 0: nothing but the trainer can tell
    return forward().then((answer) =>
      changed(answer, ({ choices }) => {
        // deno-lint-ignore no-explicit-any
        for (const { logprobs } of choices as any[]) logprobs.token_logprobs.fill(-6);
      })
    );
  });
  assert.ok(spoilt > 0);
  assertError(
    run.error,
    /Cannot apply batch u0: .*mean \|p0 - q\|.* worst is unit r0\/[0-9a-f]{16}\/plain\/\d+ turn \d+ with/,
  );
  assert.equal(proxy.counts.get("optim_step"), undefined);
  using store = Store.open(run.path, { readonly: true });
  assert.deepEqual([store.count("update"), store.count("batch")], [0, 0]);
});

/** Replies of the second rollout say that other weights gave them. */
const ofVersion = (version: number, times: number): Fault => {
  let left = times;
  return (passing, forward) => {
    const isLate = proxy.counts.has("save_weights_for_sampler");
    if (!isPlay(passing) || !isLate || left-- <= 0) return undefined;
    return forward().then((answer) => changed(answer, (value) => value.weights_version = version));
  };
};

Deno.test("replies of older or newer weights than those published stop the run by name", async () => {
  for (const version of [0, 2]) {
    const run = await runUnder(`weights-${version}`, ofVersion(version, Infinity));
    assertError(
      run.error,
      new RegExp(`of weights version ${version}, must be 1, .*published last`),
    );
    using store = Store.open(run.path, { readonly: true });
    assert.equal(store.count("update"), 1);
    assert.equal(store.count("play", { rollout: 1 }), 0);
  }
});

Deno.test("one reply of older weights costs its plays a try", async () => {
  const run = await runUnder("weights-once", ofVersion(0, 1));
  assert.equal(run.error, null);
  using store = Store.open(run.path, { readonly: true });
  const late = store.all("play", { where: { rollout: 1 } });
  assert.ok(late.some(({ attempts, outcome }) => attempts === 2 && outcome.kind === "scored"));
  for (const { weightsVersion } of store.all("turn", { where: { rollout: 1 } })) {
    assert.equal(weightsVersion, 1);
  }
});

Deno.test("an engine killed and restarted mid-rollout is named; the run goes on to the same end", async () => {
  let restarted: Promise<unknown> | undefined;
  const run = await runUnder("killed", (passing) => {
    const isLate = proxy.counts.has("save_weights_for_sampler");
    if (restarted || !isPlay(passing) || !isLate) return undefined;
    restarted = server.kill().then(() => server.start());
    return "reset";
  });
  await restarted;
  assertError(run.error, /Cannot .*: the engine answered 404: Cannot find model/);
  {
    using store = Store.open(run.path, { readonly: true });
    assert.equal(store.count("update"), 1);
  }
  const again = await runUnder("killed");
  assert.equal(again.error, null);
  assert.deepEqual(differencesFrom(run.path, ["event"]), []);
});

Deno.test("an engine killed between an applied step and its record applies the batch once", async () => {
  let restarted: Promise<unknown> | undefined;
  const run = await runUnder("applied", async ({ route }, forward) => {
    if (restarted || route !== "retrieve_future" || !proxy.counts.has("optim_step")) return;
    await forward(); // the step is applied
    restarted = server.kill().then(() => server.start());
    return "reset";
  });
  await restarted;
  assert.ok(run.error instanceof EngineError, `got ${run.error}`);
  const again = await runUnder("applied");
  assert.equal(again.error, null);
  assert.deepEqual(differencesFrom(run.path, ["event"]), []);
});
