/** Rows of what was made: documents, replies of the designer's side, programs, verdicts, hints, sets, memory. @module */
import type { Row } from "./row.ts";

/** A corpus document that was drawn. */
export interface DocumentRow extends Row {
  /** The text as shown to the designer, truncated by tokens. */
  text: string;
  /** Skill it was drawn for. */
  skill: string;
  /** Where it comes from: stated by the corpus, else `<file>:<line>` or a path. */
  origin: string;
  /** Its licence; `unknown` where the corpus states none. */
  licence: string;
}

/** A reply of the designer's side: a program, a hint, or an opinion about a program. */
export interface ReplyRow extends Row {
  /** What was asked for: a program, a hint, or the screen's opinion. */
  role: "designer" | "hint" | "screen";
  /** Place in the environment set, from 0; of a hint or an opinion, that of its environment. */
  slot: number;
  /** 0 for the first try. */
  attempt: number;
  /** Skill asked for. */
  skill: string;
  /** Document it is grounded in; null without a corpus, and for hints and opinions. */
  documentId: string | null;
  /** Ids of the environments shown to the designer from memory. */
  parents: string[];
  /** Token ids of the whole prompt. */
  prompt: number[];
  /** Sampled token ids, the stop id included. */
  ids: number[];
  /** Natural log-probability of each sampled id under the sampler; as many as `ids`. */
  logps: number[];
  /** `stop`: ended by a stop id; `length`: cut at the limit. */
  finish: "stop" | "length";
  /** Version of the weights that sampled it. */
  weightsVersion: number;
  /** The reply's text, derived from its ids. */
  text: string;
  /** Whether the program runs as emitted (gates `parse` and `contract`); null for others than the designer's. */
  runsAsEmitted: boolean | null;
  /** Whether it runs after extraction from the reply; null for others than the designer's. */
  runsExtracted: boolean | null;
  /** Whether it passed every gate, the hint was usable, or the opinion could be read. */
  accepted: boolean;
  /** Environment it defines, explains or judges; null where its program was refused. */
  environmentId: string | null;
  /** Hash of the program's normalised syntax tree; null where it does not parse. */
  treeHash: string | null;
  /** What was left out of the prompt to make it fit: `memoryLines`, `documentTokens`. */
  cut: Record<string, number>;
  /** Sampling seed, in [0, 2^31). */
  seed: number;
}

/** A program; `id` is the sha-256 of its canonical source, and a program met again keeps its first row. */
export interface EnvironmentRow extends Row {
  /** The canonical source: what is hashed and executed. */
  source: string;
  /** Name of its class. */
  className: string;
  /** One line: the class and its integer constants. */
  description: string;
  /** Skill it exercises. */
  skill: string;
  /** Hash of its normalised syntax tree; equal for programs that differ in names and formatting only. */
  treeHash: string;
  /** Reply that wrote it; null for one from a folder. */
  replyId: string | null;
  /** Document it is grounded in, if any. */
  documentId: string | null;
  /** Ids of the environments its designer was shown from memory. */
  parents: string[];
}

/** The verdict of one gate on one reply's program (spade.md section 5). */
export interface GateRow extends Row {
  /** Reply whose program was judged. */
  replyId: string;
  /** Id of that program. */
  environmentId: string;
  /** Name of the gate. */
  gate: string;
  /** `skipped`: it could not judge, and neither admits nor refuses. */
  verdict: "pass" | "refuse" | "skipped";
  /** Why it refused or was skipped, in a word; empty when it passed. */
  reason: string;
  /** Numbers and texts the gate saw. */
  evidence: Record<string, unknown>;
}

/** The hint of an environment (spade.md section 6). */
export interface HintRow extends Row {
  /** Environment it explains. */
  environmentId: string;
  /** Reply that wrote it; null where none was asked for. */
  replyId: string | null;
  /** The hint; null where there is none. */
  text: string | null;
  /** Why there is none; empty when there is one. */
  reason: string;
}

/** An environment active in an epoch; `rollout` is the one that made the set. */
export interface ActiveRow extends Row {
  /** Place in the set, from 0. */
  slot: number;
  /** The environment. */
  environmentId: string;
  /** Skill it stands for in this set. */
  skill: string;
  /** How it came into the set: designed for it, filled from memory, left of the old set, or of a folder. */
  origin: "designed" | "memory" | "kept" | "folder";
  /** Reply that is trained for it, if any. */
  replyId: string | null;
  /** Hint used in the hinted arm; null: it has no hinted arm. */
  hint: string | null;
}

/** An environment remembered (spade.md section 11); `id` is the environment's, `rollout` the one that added it. */
export interface MemoryRow extends Row {
  /** Its skill. */
  skill: string;
  /** Its source. */
  source: string;
  /** One line about it. */
  description: string;
  /** Mean plain return of its scored plays, in [-1, 1]. */
  winRate: number;
  /** Share of successes among them, in [0, 1]. */
  successRate: number;
  /** Its regret; null where missing. */
  regret: number | null;
  /** Lower end of the regret's 95 % interval; null without one. */
  low: number | null;
  /** Upper end of it. */
  high: number | null;
  /** Plays counted. */
  plays: number;
  /** Its hint, to be used again when it fills a set. */
  hint: string | null;
  /** Document it is grounded in, if any. */
  documentId: string | null;
  /** Ids of the environments its designer was shown from memory. */
  parents: string[];
  /** Place in time; the smallest leaves first. */
  order: number;
}
