/**
 * What is known of the servers that speak the Tinker protocol, as far as it differs (engines.md sections 2 and 3; read
 * in their sources in August 2026, not run here, but for our own and SkyRL's with JAX). A profile changes how a model is
 * asked for, how its losses are sent and what a user is warned of; what a server answers still counts more.
 * @module
 */
import { UsageError } from "../core/mod.ts";

/** What is known of one kind of server. */
export interface Profile {
  /** Its name in options and messages. */
  name: string;
  /** One line for people. */
  what: string;
  /** How a model is created: all weights by rank 0, all weights by a field of its own, or adapters only. */
  training: "rank 0" | "parameterization" | "adapters";
  /** Adam's fields that an optimiser step's call sets; the others are the server's own. */
  adam: "all" | "learning rate";
  /** Losses whose numbers can be relied on. The loop needs `cross_entropy` only. */
  losses: readonly string[];
  /** Encoding of training calls. */
  encoding: "json" | "proto" | "auto";
  /** What a step's gradient is of its data's: where it is the mean, see `means.ts`. @default "sum" */
  gradient?: "sum" | "mean";
  /** A training call sent again counts twice: `seq_id` is not looked at. @default false */
  countsTwice?: boolean;
  /** Loading weights leaves gradients where they are. @default false */
  keepsGradients?: boolean;
  /** Sent as `X-API-Key` where no key is given: such servers want one, any one. */
  anyKey?: string;
  /** What else a user must know, one sentence each. */
  notes: readonly string[];
}

/** All kinds of server that are known, and `tinker` for one that is not. */
export const profiles = {
  embedded: {
    name: "embedded",
    what: "scripts/engine of this project, on the CPU or one GPU",
    training: "rank 0",
    adam: "all",
    losses: ["cross_entropy", "importance_sampling", "ppo", "cispo"],
    encoding: "json",
    notes: [],
  },
  skyrl: {
    name: "skyrl",
    what: "SkyRL's Tinker server: FSDP or Megatron, one machine or many",
    training: "rank 0",
    adam: "learning rate",
    losses: ["cross_entropy", "importance_sampling"],
    encoding: "auto",
    notes: [
      "Set beta1, beta2, eps, weight decay and max_grad_norm in its --backend-config; a call changes the learning rate only.",
      "Its trainer divides logits by a temperature of its own: leave trainer.algorithm.temperature at 1.",
      "Builds before August 2026 drop all but the last chunk of a batch on Megatron.",
      "Release 0.3.0, the one on PyPI, would apply a repeated call twice: use a later build.",
      "Full training is for one tenant; weights can be loaded as a model's first request only.",
    ],
  },
  jax: {
    name: "jax",
    what: "SkyRL's Tinker server with its JAX backend, adapters only; also on a CPU",
    training: "adapters",
    adam: "all",
    losses: ["cross_entropy"],
    encoding: "json",
    gradient: "mean",
    countsTwice: true,
    keepsGradients: true,
    notes: [
      "Trains adapters: set loraRank, at most max_lora_rank of its --backend-config.",
      "Run with release 0.3.0. It averages where the protocol sums: only cross-entropy is translated, one batch a step.",
      "Never clips gradients.",
      "A reply that is lost on its way is an error: 0.3.0 would apply a repeated call twice.",
      "Sampling loads published weights over the trained ones: publish after each step, before sampling.",
      "A model in the place of one that left gradients behind begins with them: restart the server after a crash.",
    ],
  },
  miles: {
    name: "miles",
    what: "Miles' Tinker server (slime's lineage): Megatron and SGLang",
    training: "parameterization",
    adam: "all",
    losses: ["cross_entropy", "importance_sampling", "ppo"],
    encoding: "auto",
    anyKey: "tml-none",
    notes: [
      "Full training needs --tinker-full-training; sampling then reloads the fleet at each publication.",
      "Experimental, by its own word.",
    ],
  },
  tuft: {
    name: "tuft",
    what: "TuFT: FSDP and vLLM, adapters only",
    training: "adapters",
    adam: "all",
    losses: ["cross_entropy", "importance_sampling"],
    encoding: "proto",
    anyKey: "tml-none",
    notes: ["Trains adapters: set loraRank."],
  },
  hosted: {
    name: "hosted",
    what: "the hosted Tinker service, best effort",
    training: "adapters",
    adam: "all",
    losses: ["cross_entropy", "importance_sampling", "ppo"],
    encoding: "auto",
    notes: [
      "Trains adapters: set loraRank. It wants a key: set engineKeyFile.",
      "It may refuse our protocol version; there is no public description of its wire.",
      "Sampled log-probabilities are the raw model's: keep temperature at 1.",
    ],
  },
  tinker: {
    name: "tinker",
    what: "a Tinker server that is not known; asked as SkyRL is",
    training: "rank 0",
    adam: "learning rate",
    losses: ["cross_entropy"],
    encoding: "auto",
    notes: ["Not known: its optimiser may ignore Adam's fields of our calls."],
  },
} as const satisfies Record<string, Profile>;

/** Name of a known kind of server. */
export type ProfileName = keyof typeof profiles;

/** What is sent to create a model. `rank` 0: all weights. */
export function modelBody(
  profile: Profile,
  rank: number,
  seed: number,
): Record<string, unknown> {
  if (rank === 0 && profile.training === "adapters") {
    throw new UsageError(
      `Cannot train all weights on ${profile.name}: it trains adapters only, loraRank must be above 0`,
    );
  }
  if (rank === 0 && profile.training === "parameterization") {
    return { parameterization: { type: "full" } };
  }
  return {
    lora_config: rank === 0
      ? { rank }
      : { rank, seed, train_attn: true, train_mlp: true, train_unembed: false },
  };
}
