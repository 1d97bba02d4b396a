/** slime's side as its sources say it (v0.3.1); slime itself was never run here. */
import assert from "node:assert/strict";
import { Random, type RecordOf } from "../../lib/core/mod.ts";
import { SlimeDesk } from "../../lib/engine/slime/desk.ts";
import { type SlimeRollout, slimeRollout } from "../../lib/engine/slime/samples.ts";
import { wrongSettings } from "../../lib/engine/slime/settings.ts";
import { dataOf, type Sequence, type Unit, weighBatch } from "../../lib/grpo/mod.ts";
import { close, makeBatch } from "../grpo/help.ts";

/** A sequence of turns: trained and observed tokens after a prompt, log-probabilities by chance. */
function sequence(random: Random, prompt: number, mask: number[]): Sequence {
  const all = [...Array.from({ length: prompt }, () => 0), ...mask];
  return {
    ids: all.map(() => Math.floor(random.next() * 90)),
    logps: all.map((trained) => trained === 0 ? 0 : -3 * random.next()),
    mask: all,
  };
}

/** Both roles, several sequences a unit, an observation at the end, a unit without advantage. */
function mixedBatch(): RecordOf<"batch"> {
  const random = new Random(3);
  const units: Unit[] = [
    {
      id: "a",
      role: "agent",
      advantage: 1.25,
      sequences: [sequence(random, 3, [1, 1, 0, 0, 1, 1])],
    },
    {
      id: "b",
      role: "agent",
      advantage: -0.75,
      sequences: [
        sequence(random, 2, [1, 1, 1]),
        sequence(random, 5, [1, 0, 0]),
        sequence(random, 4, [1, 1, 1, 1]),
      ],
    },
    { id: "c", role: "agent", advantage: 0, sequences: [sequence(random, 1, [1, 1])] },
    {
      id: "d",
      role: "designer",
      advantage: 31.5,
      sequences: [sequence(random, 9, [1, 1, 1, 1, 1])],
    },
  ];
  return makeBatch(units);
}

/**
 * slime's loss as its loss.py has it: -min/max clipping at ratio r to the log-probabilities before the step, truncated
 * importance sampling between trainer and sampler, mean over a group's trained tokens, mean over groups. `p` and `p0`
 * cover the response of each sample.
 */
function slimeLoss({ samples, units }: SlimeRollout, p: number[][], p0: number[][]): number {
  const sums = new Map<number, number>();
  for (const { group, loss_mask } of samples) {
    sums.set(group, loss_mask.reduce((a, b) => a + b, sums.get(group) ?? 0));
  }
  let loss = 0;
  samples.forEach(({ group, reward, loss_mask, rollout_log_probs: q }, s) => {
    let sum = 0;
    loss_mask.forEach((trained, t) => {
      const ratio = Math.exp(p[s][t] - p0[s][t]);
      const clipped = Math.min(Math.max(ratio, 0.8), 1.28);
      const tis = Math.min(Math.max(Math.exp(p0[s][t] - q[t]), 0), 2);
      sum += trained * tis * Math.max(-ratio * reward, -clipped * reward);
    });
    loss += sum / Math.max(sums.get(group)!, 1);
  });
  return loss / units;
}

for (
  const [name, shift] of [["p0 = q", 0], ["a trainer that differs, beyond the cap", 2]] as const
) {
  Deno.test(`slimeRollout(): slime's gradient at r = 1 is that of weighBatch(), ${name}`, () => {
    const batch = mixedBatch();
    const random = new Random(5);
    const p0 = dataOf(batch).map(({ target }, i) =>
      target.map((_, t) =>
        batch.logps[batch.sequences[i].start + t + 1] + shift * (random.next() - 0.3)
      )
    );
    const { data, loss } = weighBatch(batch, p0);
    const rollout = slimeRollout(batch);
    const responses = p0.map((row, i) =>
      row.slice(row.length - rollout.samples[i].response_length)
    );
    close(slimeLoss(rollout, responses, responses), loss, 1e-12);
    rollout.samples.forEach(({ response_length: length }, s) => {
      const weights = data[s].weights!;
      assert.ok(
        weights.slice(0, -length).every((weight) => weight === 0),
        "the prompt trains nothing",
      );
      for (let t = 0; t < length; t++) {
        const at = (step: number) => {
          const p = responses.map((row) => [...row]);
          p[s][t] += step;
          return slimeLoss(rollout, p, responses);
        };
        // beyond r = 1 the slope of clipping has corners at .8 and 1.28 only
        close(-(at(1e-5) - at(-1e-5)) / 2e-5, weights.at(t - length)!, 1e-7);
      }
    });
  });
}

Deno.test("slimeRollout() has the response from the first trained token on, one group a unit", () => {
  const { units, samples, metrics } = slimeRollout(mixedBatch());
  assert.equal(units, 4);
  assert.deepEqual(samples.map(({ group }) => group), [0, 1, 1, 1, 2, 3]);
  assert.deepEqual(samples.map(({ reward }) => reward), [1.25, -0.75, -0.75, -0.75, 0, 31.5]);
  for (const { tokens, response_length, loss_mask, rollout_log_probs } of samples) {
    assert.equal(loss_mask.length, response_length);
    assert.equal(rollout_log_probs.length, response_length);
    assert.equal(loss_mask[0], 1);
    assert.ok(response_length < tokens.length);
    loss_mask.forEach((trained, t) => assert.equal(rollout_log_probs[t] !== 0, trained === 1));
  }
  assert.deepEqual(samples[2].loss_mask, [1, 0, 0]);
  assert.equal(samples[0].tokens.length, 9);
  assert.deepEqual(metrics, { "spade/agents": 3, "spade/designers": 1, "spade/designer_scale": 1 });
});

Deno.test("wrongSettings() names each flag", () => {
  const settings = {
    ...{ advantage_estimator: "gspo", rewards_normalization: true, eps_clip_high: null },
    ...{ use_tis: true, tis_clip: 2, tis_clip_low: 0, custom_tis_function_path: null },
    rollout_temperature: 1,
  };
  assert.deepEqual(wrongSettings(settings, { temperature: 1 }), [
    'advantage_estimator is "gspo": start slime with --advantage-estimator grpo',
    "rewards_normalization is true: start slime with --disable-rewards-normalization",
    "eps_clip_high is null: start slime with --eps-clip-high 0.28",
  ]);
});

const asked = (rollout_id: number, change: Record<string, unknown> = {}) => ({
  session: "s",
  rollout_id,
  global_batch_size: null,
  router_url: "http://127.0.0.1:3000",
  evaluation: false,
  num_rollout: 12,
  settings: {},
  ...change,
});

/** A desk and what slime would hear. */
function open(change: Partial<ConstructorParameters<typeof SlimeDesk>[0]> = {}) {
  const desk = new SlimeDesk({ temperature: 1, rollouts: 10, pollMs: 30, ...change });
  const send = async (request: Request): Promise<[number, string]> => {
    const reply = await desk.handle(request);
    return [reply.status, await reply.text()];
  };
  const url = "http://127.0.0.1/slime/v1/";
  const headers = { "content-type": "application/json" };
  return {
    desk,
    post: (body: unknown, route = "rollouts", more: Record<string, string> = {}) =>
      send(
        new Request(url + route, {
          method: "POST",
          headers: { ...headers, ...more },
          body: typeof body === "string" ? body : JSON.stringify(body),
        }),
      ),
    get: (id: number | string) => send(new Request(`${url}rollouts/${id}`)),
    [Symbol.dispose]: () => void desk.close(410, "the test is over"),
  };
}

Deno.test("SlimeDesk gives each rollout in its turn; repeats have the same answer", async () => {
  using slime = open();
  const { desk, post, get } = slime;
  const waiting = desk.asked();
  assert.equal((await get(0))[0], 404);
  assert.deepEqual(await post(asked(0)), [202, '{"rollout_id":0}']);
  const question = await waiting;
  assert.deepEqual(await post(asked(0)), [202, '{"rollout_id":0}']);
  assert.equal(await desk.asked(), question, "a repeat is no new question");
  assert.deepEqual(await get(0), [202, '{"rollout_id":0}']);
  assert.match((await post(asked(1))).join(), /409.*rollout 1: rollout 0 has not been given/);

  const poll = get(0);
  desk.give(0, "{}");
  assert.deepEqual(await poll, [200, "{}"]);
  assert.deepEqual(await get(0), [200, "{}"]);
  assert.equal((await post(asked(0)))[0], 202, "slime lost its answer and asks again");
  assert.deepEqual(await get(0), [200, "{}"]);
  assert.match((await post(asked(2))).join(), /409.*rollout 2: rollout 0 has just been given/);

  const next = desk.asked();
  assert.equal((await post(asked(1)))[0], 202);
  assert.equal((await next).rollout_id, 1);
  assert.deepEqual(await get(0), [200, "{}"]);
  assert.match(
    (await post(asked(0))).join(),
    /409.*rollout 0: it is over, this run is at rollout 1/,
  );
  desk.give(1, "[]");
  assert.match((await get(0)).join(), /409.*it is over/);
});

Deno.test("SlimeDesk refuses by name what it cannot serve", async () => {
  using slime = open({ apiKey: "k" });
  const { post } = slime;
  const key = { "x-api-key": "k" };
  const refused = async (body: unknown, words: RegExp, more = key, route = "rollouts") =>
    assert.match((await post(body, route, more)).join(" "), words);
  await refused(asked(0), /401 .*not this run's key/, { "x-api-key": "j" });
  await refused(
    asked(0),
    /415 .*application\/json/,
    { ...key, "content-type": "text/plain" } as never,
  );
  await refused("{", /400 .*not JSON/);
  await refused(asked(-1), /400 .*rollout_id/);
  await refused(asked(0, { router_url: "file:///etc/passwd" }), /400 .*router_url/);
  await refused({ ...asked(0), settings: { x: "y".repeat(70_000) } }, /413 .*65536 bytes/);
  await refused(asked(0, { evaluation: true }), /422 .*without --eval-interval/);
  await refused(asked(0, { num_rollout: 11 }), /422 .*--num-rollout is 11, must be at least 12/);
  await refused(asked(0, { settings: { use_tis: false } }), /422 .*with --use-tis/);
  await refused({}, /404 .*no such route/, key, "nothing");
  await refused({ session: "other", reason: "" }, /409 .*not the one/, key, "end");
});

Deno.test("SlimeDesk: an end is told to both sides", async () => {
  using slime = open();
  const { desk, post } = slime;
  await post(asked(0));
  desk.give(0, "{}");
  const waiting = desk.asked();
  assert.equal((await post({ session: "s", reason: "out of memory" }, "end"))[0], 200);
  await assert.rejects(waiting, /Cannot go on: slime has ended \(out of memory\)/);
  await assert.rejects(desk.asked(), /out of memory/);
  assert.ok(desk.lifetime.aborted);
  assert.match((await post(asked(1))).join(), /410.*out of memory/);

  using over = open({ pollMs: 5_000 });
  await over.post(asked(0));
  const poll = over.get(0);
  over.desk.close(410, "Cannot give another rollout: the run is over");
  await over.desk.told(1_000);
  assert.match((await poll).join(), /410.*the run is over/);
});

Deno.test("SlimeDesk waits for slime within bounds, and for a caller no longer than it wants", async () => {
  using never = open({ startMs: 20 });
  await assert.rejects(never.desk.asked(), /slime has asked for no rollout within 0.02 s/);
  using silent = open({ silenceMs: 40, pollMs: 60 });
  await silent.post(asked(0));
  await silent.get(0); // longer than the silence allowed: a poll is a sign of life
  await silent.desk.asked();
  await assert.rejects(
    new Promise((_, reject) =>
      silent.desk.lifetime.addEventListener("abort", () => reject(silent.desk.lifetime.reason))
    ),
    /slime has not asked for rollout 0 again within 0.04 s/,
  );
  using slow = open({ updateMs: 30 });
  await slow.post(asked(0));
  slow.desk.give(0, "{}");
  await slow.get(0);
  await assert.rejects(slow.desk.asked(), /not asked for the rollout after 0 within 0.03 s/);
  using patient = open();
  const controller = new AbortController();
  const waiting = patient.desk.asked(controller.signal);
  controller.abort(new Error("the user"));
  await assert.rejects(waiting, /the user/);
});
