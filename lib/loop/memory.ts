/**
 * Memory after a rollout: environments just played are added, or re-scored when they were there [D21].
 * @module
 */
import type { RecordOf } from "../core/mod.ts";
import { addMemory, rescoreMemory } from "../memory/mod.ts";
import { meanOf } from "../reward/mod.ts";
import type { Loop } from "./context.ts";
import type { PlayedEnvironment } from "./set.ts";
import { returnsOf } from "./windows.ts";

type Memory = RecordOf<"memory">;

/** Inside a transaction: adds and re-scores in slot order; the oldest beyond the limit leave. */
export function remember(
  loop: Pick<Loop, "store" | "config">,
  set: readonly PlayedEnvironment[],
  regrets: ReadonlyMap<string, RecordOf<"regret">>,
  rollout: number,
): void {
  const { store, config } = loop;
  const before = store.all("memory");
  const at = { rollout, limit: config.memorySize };
  let memory: Memory[] = before;
  for (const played of [...set].sort((a, b) => a.environment.slot - b.environment.slot)) {
    memory = rememberOne(store, memory, played, regrets.get(played.environment.id), at);
  }
  const kept = new Set(memory.map(({ id }) => id));
  for (const { id } of before) if (!kept.has(id)) store.remove("memory", id);
  const touched = new Set(set.map(({ environment }) => environment.id));
  store.replace("memory", memory.filter(({ id }) => touched.has(id)));
}

function rememberOne(
  store: Loop["store"],
  records: Memory[],
  { environment, plain }: PlayedEnvironment,
  regret: RecordOf<"regret"> | undefined,
  at: { rollout: number; limit: number },
): Memory[] {
  const returns = returnsOf(plain);
  if (returns.length === 0) return records;
  const successes = plain.filter((play) => play.success && play.outcome.kind === "scored").length;
  const measured = regret?.outcome.kind === "scored"
    ? { value: regret.outcome.value, low: regret.low, high: regret.high }
    : undefined;
  if (records.some(({ id }) => id === environment.id)) {
    return rescoreMemory(records, environment.id, { returns, successes, regret: measured });
  }
  const row = store.get("environment", environment.id)!;
  return addMemory(records, {
    id: environment.id,
    rollout: at.rollout,
    skill: environment.skill,
    source: environment.source,
    description: row.description,
    winRate: meanOf(returns),
    successRate: successes / returns.length,
    regret: measured?.value ?? null,
    low: measured?.low ?? null,
    high: measured?.high ?? null,
    plays: returns.length,
    hint: environment.hint,
    documentId: row.documentId,
    parents: row.parents,
  }, { limit: at.limit }).records;
}
