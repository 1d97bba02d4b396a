/** The accepted environments of a run as rows of a pool. @module */
import { meanScored } from "../../core/mod.ts";
import { gateNames } from "../../gates/mod.ts";
import { poolKinds, type PoolRow } from "../../pool/mod.ts";
import type { Store } from "../../store/mod.ts";

/** With the verdicts that let them in, the rates of their plain plays and their newest regret. */
export function rowsOfRun(store: Store, name: string): PoolRow[] {
  const { kind } = store.all("run")[0].config;
  const order = (gate: string) => (gateNames as readonly string[]).indexOf(gate);
  return store.all("environment", { orderBy: "rollout" }).map((row) => {
    const plays = store.all("play", { where: { environmentId: row.id, arm: "plain" } })
      .filter(({ outcome }) => outcome.kind === "scored");
    const { mean } = meanScored(plays.map(({ outcome }) => outcome));
    const wins = plays.filter(({ success }) => success).length;
    const where = { environmentId: row.id };
    const regret = store.all("regret", { where, orderBy: "rollout" }).at(-1);
    const gates = row.replyId === null
      ? []
      : store.all("gate", { where: { replyId: row.replyId } });
    return {
      id: row.id,
      class_name: row.className || null,
      description: row.description || null,
      kind: poolKinds.find((known) => known === kind) ?? null,
      skill: row.skill || null,
      family: null,
      licence: null,
      origin: `SPADE run ${name}, rollout ${row.rollout}`,
      parents: row.parents,
      gates: gates.sort((a, b) => order(a.gate) - order(b.gate))
        .map(({ gate, verdict, reason }) => ({ gate, verdict, reason })),
      win_rate: mean ?? null,
      success_rate: plays.length > 0 ? wins / plays.length : null,
      regret: regret?.outcome.kind === "scored" ? regret.outcome.value : null,
      plays: plays.length,
      source: row.source,
    };
  });
}
