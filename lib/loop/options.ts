/**
 * Every option of a run, resolved. Their defaults stand in `schema.ts`; presets and overlays are YAML under data/presets.
 * Lengths are in tokens, times in seconds, ages in rollouts, unless a member says otherwise.
 * @module
 */
import type { AdamParams } from "../core/mod.ts";
import type { SignalName } from "../reward/mod.ts";

/** A run's configuration (spade.md sections 2 to 13). */
export type Config = {
  /** Name of the preset it began with. */
  preset: string;
  /** Names of the overlays laid over it, in order. */
  overlays: string[];
  /** One run seed; every generator hangs from it. */
  seed: number;
  /**
   * `embedded` starts our engine on `model`; a URL, or KIND:URL, uses one that already runs; tape:FILE plays a recorded
   * one back; empty: must be given.
   */
  engine: string;
  /** File that holds the engine's API key: the key itself is never stored. */
  engineKeyFile: string | null;
  /** Rank of the adapters that train; 0: all weights train. */
  loraRank: number;
  /** Folder of a transformers causal model, relative to the project; empty: must be given. */
  model: string;
  /** Folder of the model's tokenizer and chat template; null: the model's folder. */
  tokenizer: string | null;
  /** Kind of environment; `folder` and `rlve` have no designer. */
  kind:
    | "compact"
    | "game-single"
    | "game-multiturn"
    | "game-corpus"
    | "tool-use"
    | "folder"
    | "rlve";
  /** Both roles think before they answer; the model's template must know it. */
  thinking: boolean;
  /** Names of the skills that environments are designed for. */
  skills: string[];
  /** Skills of one epoch, in rotation; 0 or at least the number of skills: all of them. */
  skillsPerEpoch: number;
  /** Difficulty word of the designer's prompt. */
  difficulty: string;
  /** Environments in a set. */
  environments: number;
  /** Plain plays of an environment per rollout. */
  plays: number;
  /** Hinted plays of a new environment; null: as many as `plays` [D1]. */
  hintedPlays: number | null;
  /** Rollouts that share one set of environments. */
  epoch: number;
  /** Rollouts between a designer sample and its update; 0 or a multiple of `epoch` [D20]. */
  delay: number;
  /** Rollouts in all; `resume` goes on to this number. */
  rollouts: number;
  /** Times the designer is asked for one place of the set. */
  attempts: number;
  /** In one attempt: how often a refused program is shown its error and asked for again. */
  repairTurns: number;
  /** Longest reply of each role; an opinion of the screen may be as long as a hint. */
  tokens: { designer: number; agent: number; hint: number };
  /** Longest conversation, prompt and replies together. */
  context: number;
  /** Tokens that must be left for another turn. */
  reserve: number;
  /** Turns of a play at most. */
  maxTurns: number;
  /** Sampling temperature of both roles. */
  temperature: number;
  /** Of both roles; below 1 only where the engine corrects for it [D19]. */
  topP: number;
  /** 0: off; else only where the engine corrects for it [D19]. */
  topK: number;
  /** Of hints and of the screen's opinions. */
  hintTemperature: number;
  /** A slot's first refused reply is trained, too, its raw reward .1 below the least of its skill (section 3). */
  penaliseInvalid: boolean;
  /**
   * Programs are refused that share a larger part of their pieces with an environment of this run; null: none for it, as
   * for `compact`, whose programs have one form.
   */
  nearDuplicate: number | null;
  /** The designer's side gives its opinion as the last gate. */
  screen: boolean;
  /** A screen without an answer refuses. */
  screenRequired: boolean;
  /** Published parsing of replies and actions, published rules for what is missing. */
  parity: boolean;
  /** What the designer is paid for (section 8). */
  signal: SignalName;
  /** `learning-potential` also pays `variance` of the same plays. */
  addVariance: boolean;
  /** Weights and bounds of the signal `blend` (section 8). */
  blend: {
    regretWeight: number;
    progressWeight: number;
    plateauWeight: number;
    frontierWeight: number;
    regretFloor: boolean;
    unsigned: boolean;
  };
  /** Target band of the win rate, and the distance over which its reward falls to 0. */
  plateau: { low: number; high: number; ramp: number };
  /** Decay of the two means of a skill's tracker, 0 < slow < fast < 1. */
  trackers: { fast: number; slow: number };
  /** A play's number: its last reward, or the sum of all, as for `game-corpus` [D13]. */
  returns: "last" | "sum";
  /** Largest factor S of the designer's advantages (section 8). */
  scaleCap: number;
  /**
   * `two-pass`: the trainer's log-probabilities first, then weights -dL/dlogp, on any server. `one-pass`: the server's own
   * importance sampling, a third less work; the ratio is not truncated at 2 and there is no k3 term.
   */
  objective: "two-pass" | "one-pass";
  /** β of the k3 term against the starting weights (section 9); 0: none. */
  klCoefficient: number;
  /** What a return is compared with: its group's mean and spread, the mean only, or the past (section 9). */
  advantages: "grpo" | "mean-only" | "ema-baseline";
  /** Decay of the running mean of `ema-baseline`. */
  baselineDecay: number;
  /** Groups without spread leave the batch and its count of units. */
  dropDeadGroups: boolean;
  /** Truncated plays keep their place in rates and groups, but are not trained. */
  maskTruncated: boolean;
  /** Adam's numbers, constant over the run. */
  adam: AdamParams;
  /** Batches with a larger mean |p0 - q| are refused: sampler and trainer are not the same model. */
  maxDifference: number;
  /** Rollouts between checkpoints. */
  checkpointEvery: number;
  /** Checkpoints kept on disk. */
  checkpointsKept: number;
  /**
   * `frozen`: a frozen copy of the starting weights designs and hints. `external`: the model of `externalDesigner` does.
   * `none`: no designer, `pool` is needed.
   */
  designer: "shared" | "frozen" | "external" | "none";
  /** Another model that designs and hints: as `engine`, `model` and `tokenizer`. */
  externalDesigner: { engine: string; model: string; tokenizer: string | null } | null;
  /** Off: designer samples are stored, not trained. */
  designerLoss: boolean;
  /** From rollout `start` on: another context and band. */
  late: {
    start: number;
    context?: number;
    plateau: { low?: number; high?: number; ramp?: number };
  } | null;
  /** JSONL of documents, or null: no documents; empty: must be given. */
  corpus: string | null;
  /** Tokens of a document that are shown. */
  documentTokens: number;
  /** Past environments in a designer's prompt: to build on, and to avoid. */
  memory: { seeds: number; negatives: 0 | 1 };
  /** Environments remembered. */
  memorySize: number;
  /**
   * Environments of runs without a designer; empty: must be given. `folder`: a folder of programs. `rlve`: a folder of
   * verifier files, or `reasoning-gym`, or `reasoning-gym:NAME,NAME` for some of its data sets.
   */
  pool: string | null;
  /** How sets are drawn from the pool: evenly, by difficulty windows (`rlve`), or where success is changing. */
  controller: "none" | "window" | "progress";
  /**
   * Difficulty of verifier environments, whatever the controller up to `max`. A window of at most `width` difficulties
   * climbs when `ratio` of `attempts` plays at its highest one succeeded.
   */
  window: { max: number; attempts: number; ratio: number; width: number };
  /** A control, not a method: returns permuted within groups, signals within skills. */
  shuffleRewards: boolean;
  /** Folder of the held-out environments; null: no evaluation. */
  heldout: string | null;
  /** Rollouts between development-set evaluations. */
  evaluateEvery: number;
  /** Plays of each held-out environment and mode. */
  evaluationPlays: { dev: number; test: number };
  /**
   * Limits of a program: CPU seconds decide what hangs, wall seconds are back-stops well above them, as a play waits for
   * a slow engine. `packages` may be imported beside the usual ones; `level` is the wall, `any` the best there is.
   */
  sandbox: {
    requestCpuSeconds: number;
    requestSeconds: number;
    cpuSeconds: number;
    seconds: number;
    memoryMb: number;
    concurrency: number;
    packages: string[];
    level: "any" | "kernel" | "wasm";
  };
  /** Threads of the embedded engine. */
  engineThreads: number;
};
