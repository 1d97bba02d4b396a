import assert from "node:assert/strict";
import { planTorch, TORCH_CPU_INDEX } from "../../lib/cli/setup/mod.ts";

const steps = (facts: Parameters<typeof planTorch>[0]) =>
  planTorch(facts).map(({ build, extraIndex, needsConsent }) =>
    `${build}${extraIndex === undefined ? "" : "+index"}${needsConsent ? "?" : ""}`
  );

Deno.test("planTorch() asks for the CPU build first and for consent before a CUDA build", () => {
  assert.deepEqual(steps({ platform: "linux", nvidia: false }), ["cpu", "cpu+index", "cuda?"]);
  const accepted = { platform: "linux", nvidia: false, acceptCuda: true };
  assert.deepEqual(steps(accepted), ["cpu", "cpu+index", "cuda"]);
});

Deno.test("planTorch() prefers the CUDA build where there is an NVIDIA GPU", () => {
  assert.deepEqual(steps({ platform: "linux", nvidia: true }), ["cuda", "cpu", "cpu+index"]);
});

Deno.test("planTorch() keeps to the build that was asked for", () => {
  assert.deepEqual(steps({ platform: "linux", nvidia: true, wish: "cpu" }), ["cpu", "cpu+index"]);
  assert.deepEqual(steps({ platform: "linux", nvidia: false, wish: "cuda" }), ["cuda"]);
});

Deno.test("planTorch() takes the plain build on macOS", () => {
  assert.deepEqual(steps({ platform: "darwin", nvidia: false }), ["cpu"]);
});

Deno.test("planTorch() adds PyTorch's own index to one step only", () => {
  const extra = planTorch({ platform: "linux", nvidia: false }).map(({ extraIndex }) => extraIndex);
  assert.deepEqual(extra, [undefined, TORCH_CPU_INDEX, undefined]);
});
