/** The GPU check tries itself without a GPU: a tiny model on the CPU takes the same path. */
import assert from "node:assert/strict";
import { folder } from "../loop/support.ts";

Deno.test("gpu_check.sh measures sampling, training and a rollout, and refuses without a GPU", async () => {
  using dir = folder();
  const out = `${dir.path}/gpu.json`;
  const check = (shape: string) =>
    new Deno.Command("scripts/gpu_check.sh", { args: [out], env: { SHAPE: shape } }).output();
  const { success, stderr } = await check("tiny");
  assert.ok(success, new TextDecoder().decode(stderr));
  const result = JSON.parse(await Deno.readTextFile(out));
  assert.ok(result.samplingMany.newTokensPerSecond > 0);
  assert.equal(result.samplingMany.newTokens, 256);
  assert.equal(result.training.lossFalls, true);
  assert.match(result.rollout.said ?? result.rollout.skipped, /64 scored|no deno/);
  if (result.device !== "CPU, to try the script only") return; // a GPU is here: not for a test
  const refused = await check("4b");
  assert.equal(refused.success, false);
  assert.match(new TextDecoder().decode(refused.stderr), /sees no GPU; SHAPE=tiny/);
});
