/**
 * What the loop is given: the ports, the store and a configuration. Nothing here is created by the loop itself, so a
 * test can put a delay, a fault or a tape in front of any of them.
 * @module
 */
import {
  type Chat,
  type Clock,
  type Engine,
  type EventSink,
  type Prompt,
  type Sampler,
  type Sandbox,
  seedOf,
  type Tokenizer,
  UsageError,
} from "../core/mod.ts";
import type { Corpus } from "../corpus/mod.ts";
import type { Store } from "../store/mod.ts";
import type { Config } from "./options.ts";

/** A program of a held-out set or a fixed pool. */
export interface FolderProgram {
  /** Sha-256 of its canonical source. */
  id: string;
  /** The program. */
  source: string;
  /** Skill it stands for. */
  skill: string;
  /** Family of alike programs it belongs to. */
  family: string;
  /** Of a program that is its family's at one difficulty. */
  difficulty?: number;
  /** Of a held-out program: whether the model's own corpus knew its family. */
  seen: boolean;
}

/** Who designs and hints, and its text. */
export interface DesignerSide {
  /** Draws replies and hints. */
  sampler: Sampler;
  /** Text to ids and back. */
  tokenizer: Tokenizer;
  /** Messages to ids. */
  chat: Chat;
}

/** All that a training needs, opened. */
export interface Loop {
  /** Name of the run; unique among the runs an engine serves. */
  name: string;
  /** Every option, resolved. */
  config: Config;
  /** The run's records. */
  store: Store;
  /** Samples and trains. */
  engine: Engine;
  /** Runs the programs. */
  sandbox: Sandbox;
  /** The trained model's. */
  tokenizer: Tokenizer;
  /** How its conversations are written as ids. */
  chat: Chat;
  /** What designer, agent and hint writer are told. */
  prompt: Prompt;
  /** Another model that designs and hints (`designer: external`). */
  externalDesigner?: DesignerSide;
  /** Documents the designer is grounded in; null without a corpus. */
  corpus: Corpus | null;
  /** Environments of a run without a designer; else empty. */
  pool: readonly FolderProgram[];
  /** Held-out environments: `dev` for choices, `test` for the end. */
  heldout: { dev: readonly FolderProgram[]; test: readonly FolderProgram[] };
  /** Syntax trees of the held-out programs: a designer that writes one is refused, so no run trains on them. */
  heldoutTrees: ReadonlySet<string>;
  /** Milliseconds from any start; times are recorded, nothing hangs from them. */
  clock: Clock;
  /** Is told what happens, to be shown. */
  emit: EventSink;
  /** Stops the loop at the next safe place; the run can be resumed. */
  signal: AbortSignal;
}

/** An environment of the current set. */
export interface ActiveEnvironment {
  /** Place in the set, from 0. */
  slot: number;
  /** Sha-256 of its canonical source. */
  id: string;
  /** The program. */
  source: string;
  /** Skill it stands for. */
  skill: string;
  /** Made for this set, taken again from memory, kept from the set before, or from the pool. */
  origin: "designed" | "memory" | "kept" | "folder";
  /** Designer reply that is trained for it; null where none is. */
  replyId: string | null;
  /** Its hint; null where none could be written. */
  hint: string | null;
}

/** The designer's side of a run: the trained model, a frozen copy of its start, or another model. */
export function designerSide(loop: Loop): DesignerSide {
  const { config, engine, tokenizer, chat } = loop;
  if (config.designer !== "external") {
    const sampler = config.designer === "frozen" ? engine.base : engine.sampler;
    return { sampler, tokenizer, chat };
  }
  if (loop.externalDesigner) return loop.externalDesigner;
  throw new UsageError("Cannot design: designer is external and no other model is open");
}

/** Readable record ids: equal in every run of the same seed, unique within a run. */
export const idOf = {
  reply: (rollout: number, slot: number, attempt: number) => `r${rollout}/s${slot}/a${attempt}`,
  hint: (rollout: number, slot: number) => `r${rollout}/s${slot}/hint`,
  play: (rollout: number, environment: string, arm: string, index: number) =>
    `r${rollout}/${environment.slice(0, 16)}/${arm}/${index}`,
  batch: (rollout: number) => `u${rollout}`,
};

/** Columns of a reply that holds no program: a hint, an opinion. */
export const withoutProgram = {
  documentId: null,
  parents: [] as string[],
  runsAsEmitted: null,
  runsExtracted: null,
  treeHash: null,
  cut: {},
};

/** Seed of an instance; equal in both arms [D1]. */
export function environmentSeed(
  loop: { config: Pick<Config, "seed"> },
  id: string,
  rollout: number,
  index: number,
): number {
  return seedOf(loop.config.seed, "env", id, rollout, index);
}

/** Sampling seed of one request (spade.md section 2). */
export function samplingSeed(
  loop: { config: Pick<Config, "seed"> },
  role: "designer" | "hint" | "screen" | "agent",
  at: {
    rollout: number;
    place: string | number;
    index: number;
    arm?: string;
    turn?: number;
    retry?: number;
  },
): number {
  return seedOf(
    loop.config.seed,
    role,
    at.rollout,
    at.place,
    at.index,
    at.arm ?? "plain",
    at.turn ?? 0,
    at.retry ?? 0,
  );
}

/** Tells how far a stage has come: now, and each time the function returned is called. */
export function countStage(
  loop: Loop,
  rollout: number,
  stage: string,
  total: number,
): () => void {
  let done = 0;
  const tell = () => loop.emit({ kind: "stage", rollout, stage, done, total });
  tell();
  return () => {
    done += 1;
    tell();
  };
}

/** Tells what is worth keeping: shown now, stored as an event of the run. Outside a transaction. */
export function tell(
  loop: Pick<Loop, "emit" | "store">,
  rollout: number,
  kind: "note" | "warning",
  message: string,
): void {
  loop.emit({ kind, message });
  const id = `e${loop.store.count("event")}`;
  loop.store.transaction(() =>
    loop.store.insert("event", { id, rollout, kind, message, data: {} })
  );
}

/** Stops the loop at a safe place when the user asked for it. */
export function checkAborted(loop: Pick<Loop, "signal">): void {
  loop.signal.throwIfAborted();
}
