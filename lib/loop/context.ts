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
import type { Config } from "./config.ts";

/** A program of a held-out set or a fixed pool. */
export interface FolderProgram {
  id: string;
  source: string;
  skill: string;
  family: string;
  /** Of a program that is its family's at one difficulty. */
  difficulty?: number;
  seen: boolean;
}

/** Who designs and hints, and its text. */
export interface DesignerSide {
  sampler: Sampler;
  tokenizer: Tokenizer;
  chat: Chat;
}

export interface Loop {
  /** Name of the run; unique among the runs an engine serves. */
  name: string;
  config: Config;
  store: Store;
  engine: Engine;
  sandbox: Sandbox;
  tokenizer: Tokenizer;
  chat: Chat;
  prompt: Prompt;
  /** Another model that designs and hints (`designer: external`). */
  externalDesigner?: DesignerSide;
  corpus: Corpus | null;
  pool: readonly FolderProgram[];
  heldout: { dev: readonly FolderProgram[]; test: readonly FolderProgram[] };
  /** Syntax trees of the held-out programs: a designer that writes one is refused, so no run trains on them. */
  heldoutTrees: ReadonlySet<string>;
  clock: Clock;
  emit: EventSink;
  signal: AbortSignal;
}

/** An environment of the current set. */
export interface ActiveEnvironment {
  slot: number;
  id: string;
  source: string;
  skill: string;
  origin: "designed" | "memory" | "kept" | "folder";
  replyId: string | null;
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
  loop: Pick<Loop, "config">,
  id: string,
  rollout: number,
  index: number,
): number {
  return seedOf(loop.config.seed, "env", id, rollout, index);
}

/** Sampling seed of one request (spade.md section 2). */
export function samplingSeed(
  loop: Loop,
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
