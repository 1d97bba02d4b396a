/**
 * `deno task bench:batch`: a batch of 768 plays of 8,192 tokens to the bytes of its training calls, as JSON and as
 * protocol buffers: seconds, bytes, and the memory it takes beside the batch itself.
 */
import * as fs from "node:fs";
import * as path from "node:path";
import { parseArgs } from "node:util";
import { root } from "../../lib/cli/files.ts";
import { type Datum, Random } from "../../lib/core/mod.ts";
import {
  assertStatistics,
  createBatch,
  dataOf,
  type Unit,
  weighBatch,
} from "../../lib/grpo/mod.ts";
import { TinkerTrainer, Wire } from "../../lib/engine/mod.ts";
import { commitOf, forgetPeak, peakMemoryMb } from "./machine.ts";

const { values: flags } = parseArgs({
  options: {
    plays: { type: "string", default: "768" },
    tokens: { type: "string", default: "8192" },
    repeats: { type: "string", default: "3" },
    out: { type: "string", default: "data/results/batch.json" },
    help: { type: "boolean", default: false },
  },
});
if (flags.help) {
  console.log("deno task bench:batch [--plays 768] [--tokens 8192] [--repeats 3] [--out FILE]");
  Deno.exit(0);
}
const plays = Number(flags.plays), length = Number(flags.tokens);

/** Plays as they were sampled: of every hundred tokens the second half is a reply, the first what it answers. */
function playsOf(): Unit[] {
  const random = new Random(1);
  const mask = Array.from({ length }, (_, t) => t % 100 >= 50 ? 1 : 0);
  return Array.from({ length: plays }, (_, i) => ({
    id: `play ${i}`,
    role: "agent" as const,
    advantage: random.next() - 0.5,
    sequences: [{
      ids: Array.from({ length }, () => random.integer(151_936)),
      logps: mask.map((trained) => trained ? -random.next() : 0),
      mask,
    }],
  }));
}

interface Measured {
  seconds: number;
  calls: number;
  megabytes: number;
  /** Beside the batch, at the most. */
  memoryMb: number;
}

/** The model, and for a batch the end: what the engine would answer is not what is measured. */
function futureOf(body: string): unknown {
  return body.includes("batch") ? { error: "the bench ends here" } : { model_id: "m" };
}

/** From the batch to the last body of one training call, through the trainer and a wire that ends here. */
async function measure(data: readonly Datum[], encoding: "json" | "proto"): Promise<Measured> {
  let last = 0, calls = 0, bytes = 0;
  const answers: Record<string, unknown> = {
    config: {},
    get_server_capabilities: { supported_models: [{ model_name: "m" }] },
    create_session: { session_id: "s" },
    create_model: { request_id: "model" },
    forward_backward: { request_id: "batch" },
  };
  const wire = new Wire({
    url: "http://127.0.0.1",
    fetch: (url, { body }) => {
      const route = url.split("/").at(-1)!;
      if (route === "forward_backward") {
        const sent = typeof body === "string" ? new TextEncoder().encode(body) : body as Uint8Array;
        calls += 1;
        bytes += sent.length;
        last = performance.now();
      }
      const isPoll = route === "retrieve_future";
      return Promise.resolve(
        Response.json(isPoll ? futureOf(body as string) : answers[route] ?? {}),
      );
    },
  });
  await using trainer = await TinkerTrainer.connect(wire, { encoding });
  forgetPeak();
  const before = peakMemoryMb(), started = performance.now();
  await trainer.forwardBackward(data, "cross_entropy").catch(() => {});
  while (calls === 0 || performance.now() - last < 1500) {
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return {
    seconds: (last - started) / 1000,
    calls,
    megabytes: bytes / 1e6,
    memoryMb: peakMemoryMb() - before,
  };
}

const units = playsOf();
const load = Deno.loadavg()[0];
const seconds = (since: number) => Math.round(performance.now() - since) / 1000;
forgetPeak();
const unitsMb = peakMemoryMb();
let since = performance.now();
const batch = createBatch(units, { id: "u0", rollout: 0, scale: 1 });
const batchSeconds = seconds(since);
const p0 = dataOf(batch).map(({ target }, i) => {
  const { start } = batch.sequences[i];
  return target.map((_, t) => batch.logps[start + t + 1]);
});
since = performance.now();
const weighted = weighBatch(batch, p0);
assertStatistics(weighted.statistics);
const weighSeconds = seconds(since);
const stages = { batchSeconds, weighSeconds, memoryMb: Math.round(peakMemoryMb() - unitsMb) };
console.log("batch and weights", JSON.stringify(stages));
const { data } = weighted;
const encodings: Record<string, Measured> = {};
for (const encoding of ["json", "proto"] as const) {
  const runs: Measured[] = [];
  for (let i = 0; i < Number(flags.repeats); i++) runs.push(await measure(data, encoding));
  const best = runs.toSorted((a, b) => a.seconds - b.seconds)[0];
  const memoryMb = Math.max(...runs.map((run) => run.memoryMb));
  encodings[encoding] = {
    ...best,
    seconds: Math.round(best.seconds * 1000) / 1000,
    megabytes: Math.round(best.megabytes * 10) / 10,
    memoryMb: Math.round(memoryMb),
  };
  console.log(encoding, JSON.stringify(encodings[encoding]));
}
const result = {
  command: ["deno task bench:batch", ...Deno.args].join(" "),
  commit: await commitOf(),
  date: new Date().toISOString().slice(0, 10),
  cores: navigator.hardwareConcurrency,
  load: Math.round(load * 100) / 100,
  plays,
  tokensPerPlay: Number(flags.tokens),
  stages,
  encodings,
};
fs.writeFileSync(path.join(root, flags.out), JSON.stringify(result, undefined, 1) + "\n");
