/**
 * Everything a run needs, opened in order and closed in reverse: sandbox, engine, text, corpus, programs. The store is
 * the caller's.
 * @module
 */
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { createCorpus } from "../corpus/mod.ts";
import {
  type Clock,
  type Engine,
  type EventSink,
  type IsolationLevel,
  type Sandbox,
  UsageError,
} from "../core/mod.ts";
import { recordEngine, writeTapeLine } from "../engine/mod.ts";
import {
  type Config,
  type DesignerSide,
  type FolderProgram,
  type Loop,
  selectionRule,
} from "../loop/mod.ts";
import { startSandbox } from "../sandbox/mod.ts";
import type { Manifest, Store } from "../store/mod.ts";
import { commitOf, hashFolder, hashSources } from "./files.ts";
import { readInputs } from "./inputs.ts";
import { openEngine, openModelText } from "./open_model.ts";
import { openPool } from "./open_pool.ts";
import { sandboxOf } from "./sandbox_options.ts";
import { assertStartable } from "./unable.ts";

export const toolkitVersion = "0.1.0";

export interface SessionOptions {
  config: Config;
  /** Folder of the run: the engine's log and checkpoints go there. */
  dir: string;
  emit: EventSink;
  clock: Clock;
  signal: AbortSignal;
  /** @default "landlock+seccomp" */
  minIsolation?: IsolationLevel;
  /** Write every answer of the engine to `tape.jsonl` in `dir`. @default false */
  record?: boolean;
  /** One that is open already, and stays open. @default one is started on the configuration */
  sandbox?: Sandbox;
  /** What the run was started by, for its manifest. @default this process's command line */
  command?: readonly string[];
}

/** An opened session; `loop(store)` is what the loop takes. */
export interface Session extends AsyncDisposable {
  sandbox: Sandbox;
  engine: Engine;
  manifest: Manifest;
  loop(store: Store): Loop;
}

/** Syntax trees of programs, in their order. */
async function treesOf(
  sandbox: Sandbox,
  programs: readonly FolderProgram[],
  folder: string,
): Promise<string[]> {
  const parsed = await Promise.all(programs.map(({ source }) => sandbox.parse(source)));
  return parsed.map((result, i) => {
    if (result.kind === "ok") return result.value.treeHash;
    const { id, family } = programs[i];
    throw new UsageError(
      `Cannot use program ${family || id.slice(0, 12)} of ${folder}: ` +
        `${result.reason} ${result.detail ?? ""}`,
    );
  });
}

/** The pool without the held-out programs: no run trains on them. */
async function trainable(
  sandbox: Sandbox,
  pool: readonly FolderProgram[],
  heldoutTrees: ReadonlySet<string>,
  options: SessionOptions,
): Promise<FolderProgram[]> {
  const folder = options.config.pool ?? "";
  const trees = await treesOf(sandbox, pool, folder);
  const kept = pool.filter((_, i) => !heldoutTrees.has(trees[i]));
  const left = pool.length - kept.length;
  if (left > 0) {
    const message = `pool ${folder}: ${left} held-out programs left out`;
    options.emit({ kind: "warning", message });
  }
  return kept;
}

/** The other model of `designer: external`, in an engine of its own that is never trained. */
async function openDesigner(
  options: SessionOptions,
  stack: AsyncDisposableStack,
): Promise<DesignerSide | undefined> {
  const { designer, externalDesigner } = options.config;
  if (designer !== "external" || externalDesigner === null) return undefined;
  const text = openModelText({ ...options.config, ...externalDesigner });
  const engine = await openEngine(options, { ...externalDesigner, name: "designer" });
  stack.use(engine);
  return { sampler: engine.base, ...text };
}

/** The same engine, its answers written down as they come. */
function recorded(engine: Engine, file: string): Engine {
  return recordEngine(engine, (line) => fs.appendFileSync(file, writeTapeLine(line)));
}

/** Opens everything; on an error what was opened is closed again. */
export async function openSession(options: SessionOptions): Promise<Session> {
  const { config, emit, clock, signal } = options;
  assertStartable(config);
  const { tokenizer, chat, isCompact } = openModelText(config);
  const { corpus, prompt, promptHash, heldout } = await readInputs(config, emit, { isCompact });
  await using stack = new AsyncDisposableStack();
  const wall = options.sandbox ??
    stack.use(await startSandbox(sandboxOf(config, options.minIsolation)));
  const { programs, sandbox } = await openPool(config, wall, stack);
  const { kernel } = sandbox.layers;
  const reason = typeof kernel === "string" ? ` (kernel levels: ${kernel})` : "";
  emit({ kind: "note", message: `sandbox level: ${sandbox.level}${reason}` });
  const heldoutPrograms = [...heldout.dev, ...heldout.test];
  const heldoutTrees = new Set(await treesOf(sandbox, heldoutPrograms, config.heldout ?? ""));
  const pool = await trainable(sandbox, programs, heldoutTrees, options);
  const opened = stack.use(
    await openEngine({ ...options, run: config }, { ...config, name: "engine" }),
  );
  const engine = options.record ? recorded(opened, path.join(options.dir, "tape.jsonl")) : opened;
  const { capabilities } = engine.trainer;
  if (capabilities.rowExact === false) {
    const message = "on this processor a reply's last bits depend on its neighbours: " +
      "the same seed may give other records";
    emit({ kind: "warning", message });
  }
  if (config.klCoefficient > 0 && !capabilities.reference) {
    throw new UsageError(
      `Cannot use klCoefficient ${config.klCoefficient}: engine ${capabilities.engine} has no ` +
        "reference policy; set klCoefficient=0 or use another engine",
    );
  }
  const longest = Math.max(config.context, config.late?.context ?? 0);
  if (longest > capabilities.maxContext) {
    throw new UsageError(
      `Cannot use context ${longest}: model ${config.model} holds at most ${capabilities.maxContext}`,
    );
  }
  const other = await openDesigner(options, stack);
  const flags = [
    ...(config.engine === "embedded" ? [`--threads ${config.engineThreads}`] : []),
    ...(capabilities.rowExact === undefined ? [] : [`row-exact ${capabilities.rowExact}`]),
  ];
  const manifest: Manifest = {
    format: 1,
    toolkit: {
      version: toolkitVersion,
      commit: commitOf(),
      // The sources themselves, not a difference: it needs no git and covers uncommitted files.
      diffHash: hashSources(["lib", "sandbox", "scripts/engine"]),
    },
    versions: {
      deno: Deno.version.deno,
      engine: capabilities.engineVersion,
    },
    hardware: {
      os: `${os.platform()} ${os.release()}`,
      architecture: os.arch(),
      cpu: os.cpus()[0]?.model ?? "unknown",
      cores: os.cpus().length,
      memoryMb: Math.round(os.totalmem() / 1e6),
      accelerators: [],
    },
    model: {
      id: config.model,
      revision: null,
      hash: hashFolder(config.model, (file) => /\.(safetensors|json)$/.test(file)),
    },
    corpus: corpus === null || config.corpus === null
      ? null
      : { name: config.corpus, hash: corpus.hash, documents: corpus.documents.length },
    prompts: {
      version: prompt.version,
      hash: promptHash,
    },
    config: { ...config },
    seeds: { run: config.seed },
    engine: { name: capabilities.engine, version: capabilities.engineVersion, flags },
    sandbox: { level: sandbox.level, layers: { ...sandbox.layers } },
    selection: selectionRule,
    startedAt: new Date().toISOString(),
    command: [...options.command ?? ["deno", "task", "train", ...Deno.args]],
  };
  const parts = stack.move();
  return {
    sandbox,
    engine,
    manifest,
    loop: (store) => ({
      name: path.basename(options.dir).replaceAll(/[^A-Za-z0-9_-]/g, "-"),
      config,
      store,
      engine,
      sandbox,
      tokenizer,
      chat,
      prompt,
      externalDesigner: other,
      corpus: corpus === null ? null : createCorpus(corpus.documents),
      pool,
      heldout,
      heldoutTrees,
      clock,
      emit,
      signal,
    }),
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}
