/**
 * Everything a run needs, opened in order and closed in reverse: sandbox, engine, text, corpus, programs. The store is
 * the caller's.
 * @module
 */
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { createCorpus, parseJsonl } from "../corpus/mod.ts";
import {
  type Clock,
  type Engine,
  type EventSink,
  type IsolationLevel,
  type Sandbox,
  sha256,
  UsageError,
} from "../core/mod.ts";
import { chooseSkills, compactPrompt, loadSkills } from "../designer/mod.ts";
import { connectEngine, EmbeddedEngine } from "../engine/mod.ts";
import { compactChat, loadTokenizer } from "../engine/text/mod.ts";
import { type Config, type FolderProgram, type Loop, selectionRule } from "../loop/mod.ts";
import { startSandbox } from "../sandbox/mod.ts";
import type { Manifest, Store } from "../store/mod.ts";
import {
  commitOf,
  hashFolder,
  inProject,
  pythonOf,
  readPrograms,
  readText,
  root,
} from "./files.ts";

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
}

/** An opened session; `loop(store)` is what the loop takes. */
export interface Session extends AsyncDisposable {
  sandbox: Sandbox;
  engine: Engine;
  manifest: Manifest;
  loop(store: Store): Loop;
}

function requirePython(name: "sandbox" | "engine"): string {
  const python = pythonOf(name);
  if (fs.existsSync(python)) return python;
  throw new UsageError(
    `Cannot find the ${name}'s Python (.spade/${name}): run \`deno task setup\` first`,
  );
}

async function openEngine(options: SessionOptions): Promise<Engine> {
  const { config, dir, emit, signal } = options;
  if (config.engine !== "embedded") {
    return await connectEngine({ url: config.engine, signal });
  }
  const model = inProject(config.model);
  if (!fs.existsSync(path.join(model, "config.json"))) {
    throw new UsageError(`Cannot start the engine: there is no model in ${config.model}`);
  }
  emit({ kind: "note", message: `starting the embedded engine on ${config.model}` });
  return await EmbeddedEngine.start({
    python: requirePython("engine"),
    script: path.join(root, "scripts", "engine", "server.py"),
    model,
    state: path.join(dir, "engine"),
    log: path.join(dir, "engine.log"),
    threads: config.engineThreads,
    signal,
  });
}

/** The corpus of a configuration, with what was left out told. */
function openCorpus(config: Config, emit: EventSink) {
  if (config.corpus === null) return null;
  const text = readText(config.corpus, "corpus");
  let parsed: ReturnType<typeof parseJsonl>;
  try {
    parsed = parseJsonl(text, { name: path.basename(config.corpus) });
  } catch (cause) {
    throw new UsageError((cause as Error).message, { cause });
  }
  if (parsed.documents.length === 0) {
    throw new UsageError(`Cannot use corpus ${config.corpus}: it has no documents`);
  }
  if (parsed.rejects.length > 0) {
    const lines = parsed.rejects.slice(0, 3).map(({ line, reason }) => `line ${line}: ${reason}`);
    emit({
      kind: "warning",
      message: `corpus: ${parsed.rejects.length} lines left out (${lines.join("; ")})`,
    });
  }
  return { ...parsed, hash: sha256(text) };
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

/** Refuses skills that no prompt knows. */
function checkSkills(config: Config): void {
  const known = loadSkills(readText("data/skills.yaml", "skills"));
  try {
    chooseSkills(known, config.skills);
  } catch (cause) {
    throw new UsageError((cause as Error).message, { cause });
  }
}

/** Opens everything; on an error what was opened is closed again. */
export async function openSession(options: SessionOptions): Promise<Session> {
  const { config, emit, clock, signal } = options;
  checkSkills(config);
  const corpus = openCorpus(config, emit);
  const programs = config.pool === null ? [] : readPrograms(config.pool);
  const heldout: { dev: FolderProgram[]; test: FolderProgram[] } = config.heldout === null
    ? { dev: [], test: [] }
    : { dev: readPrograms(`${config.heldout}/dev`), test: readPrograms(`${config.heldout}/test`) };
  const tokenizer = loadTokenizer(
    JSON.parse(readText(`${config.model}/tokenizer.json`, "tokenizer")),
  );
  const chat = compactChat(tokenizer);
  const prompt = compactPrompt();
  await using stack = new AsyncDisposableStack();
  const sandbox = stack.use(
    await startSandbox({
      python: requirePython("sandbox"),
      concurrency: config.sandbox.concurrency,
      minIsolation: options.minIsolation,
    }),
  );
  emit({ kind: "note", message: `sandbox level: ${sandbox.level}` });
  const heldoutPrograms = [...heldout.dev, ...heldout.test];
  const heldoutTrees = new Set(await treesOf(sandbox, heldoutPrograms, config.heldout ?? ""));
  const pool = await trainable(sandbox, programs, heldoutTrees, options);
  const engine = stack.use(await openEngine(options));
  const { capabilities } = engine.trainer;
  if (config.klCoefficient > 0 && !capabilities.reference) {
    throw new UsageError(
      `Cannot use klCoefficient ${config.klCoefficient}: engine ${capabilities.engine} has no ` +
        "reference policy; set klCoefficient=0 or use another engine",
    );
  }
  const flags = config.engine === "embedded" ? [`--threads ${config.engineThreads}`] : [];
  const manifest: Manifest = {
    format: 1,
    toolkit: {
      version: toolkitVersion,
      commit: commitOf(),
      // The sources themselves, not a difference: it needs no git and covers uncommitted files.
      diffHash: hashFolder(
        ".",
        (file) => /^(lib|sandbox|scripts[/\\]engine)[/\\].*\.(ts|py)$/.test(file),
      ),
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
      hash: sha256(readText("lib/designer/prompt.ts", "prompts")),
    },
    config: { ...config },
    seeds: { run: config.seed },
    engine: { name: capabilities.engine, version: capabilities.engineVersion, flags },
    sandbox: { level: sandbox.level, layers: { ...sandbox.layers } },
    selection: selectionRule,
    startedAt: new Date().toISOString(),
    command: ["deno", "task", "train", ...Deno.args],
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
