/**
 * SPADE for Deno: self-play in adaptive synthetic executable environments. The public door; each room has its own.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { estimateRegret, plateau } from "./mod.ts";
 *
 * // A win rate of one half is in the band; a hint that always helps is a regret of one.
 * assert.equal(plateau(0.5), 1);
 * const pairs = Array.from({ length: 8 }, () => ({ plain: 0, hinted: 1 }));
 * assert.equal(estimateRegret(pairs, { seed: 0 }).outcome.kind, "scored");
 * ```
 * @module
 */
export * from "./lib/core/mod.ts";
export * from "./lib/reward/mod.ts";
export * from "./lib/grpo/mod.ts";
export * from "./lib/corpus/mod.ts";
export * from "./lib/memory/mod.ts";
export * from "./lib/designer/mod.ts";
export * from "./lib/gates/mod.ts";
export * from "./lib/hint/mod.ts";
export * from "./lib/pool/mod.ts";
export * from "./lib/agent/mod.ts";
export * from "./lib/sandbox/mod.ts";
export * from "./lib/engine/mod.ts";
export * from "./lib/engine/text/mod.ts";
export * from "./lib/store/mod.ts";
export * from "./lib/loop/mod.ts";
export * from "./lib/analysis/mod.ts";
export * from "./lib/show/mod.ts";
