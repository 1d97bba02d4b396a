/**
 * A batch as slime's samples (engines.md section 4.2). slime's loss is the sum over its groups of the mean over the
 * group's trained tokens, divided by the number of groups: with one group a unit, the advantage as reward and slime's
 * normalisation of rewards off, that is SPADE's objective.
 * @module
 */
import type { RecordOf } from "../../core/mod.ts";

/** One training sequence. `loss_mask` and `rollout_log_probs` cover the last `response_length` tokens. */
export interface SlimeSample {
  /** Number of the sequence in the batch. */
  index: number;
  /** Number of its unit in the batch; the bridge names it as slime's version does. */
  group: number;
  /** Prompt and response. */
  tokens: number[];
  /** Tokens from the first trained one on. */
  response_length: number;
  /** 1 where trained. */
  loss_mask: number[];
  /** Sampler's log-probabilities, 0 where masked. */
  rollout_log_probs: number[];
  /** The unit's advantage. */
  reward: number;
  /** slime's word for a sample that is whole. */
  status: "completed";
  /** Rollout of the batch: each makes one update. */
  weight_versions: string[];
  /** Whose it is. */
  metadata: { unit: string; role: "agent" | "designer" };
}

/** What a rollout function of slime is answered with. */
export interface SlimeRollout {
  /** Groups: slime's global batch size of this step. */
  units: number;
  /** One a training sequence. */
  samples: SlimeSample[];
  /** For slime's own log. */
  metrics: Record<string, number>;
}

/**
 * One sample a sequence, from the first trained token on as response. Units without advantage are among them: they
 * count in the mean. A sequence that trains nothing is left out; its unit has another that does.
 */
export function slimeRollout(batch: RecordOf<"batch">): SlimeRollout {
  const groups = new Map<string, number>();
  const samples: SlimeSample[] = [];
  for (const { unit, role, advantage, start, length } of batch.sequences) {
    const end = start + length;
    const first = batch.mask.slice(start, end).indexOf(1);
    if (first < 0) continue;
    const mask = batch.mask.slice(start + first, end);
    const group = groups.getOrInsert(unit, groups.size);
    samples.push({
      index: samples.length,
      group,
      tokens: batch.ids.slice(start, end),
      response_length: mask.length,
      loss_mask: mask,
      rollout_log_probs: batch.logps.slice(start + first, end).map((logp, t) =>
        mask[t] === 1 ? logp : 0
      ),
      reward: advantage,
      status: "completed",
      weight_versions: [String(batch.rollout)],
      metadata: { unit, role },
    });
  }
  return {
    units: groups.size,
    samples,
    metrics: {
      "spade/agents": batch.agents,
      "spade/designers": batch.designers,
      "spade/designer_scale": batch.scale,
    },
  };
}
