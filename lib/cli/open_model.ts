/**
 * A model opened: the engine that runs it, its tokenizer and its chat form.
 * @module
 */
import * as fs from "node:fs";
import * as path from "node:path";
import { type Chat, type Engine, type EventSink, type Tokenizer, UsageError } from "../core/mod.ts";
import {
  type Address,
  connectEngine,
  EmbeddedEngine,
  onlySamples,
  OpenAiSampler,
  parseAddress,
  readTape,
  replayEngine,
  SglangSampler,
  SlimeEngine,
  Wire,
} from "../engine/mod.ts";
import { compactChat, endToken, loadTokenizer, templateChat } from "../engine/text/mod.ts";
import type { Config } from "../loop/mod.ts";
import { inProject, pythonOf, readText, root } from "./files.ts";

export interface EngineOptions {
  config: Pick<Config, "engineThreads" | "engineKeyFile" | "loraRank">;
  /** Of a training run, the only thing that slime takes part in. */
  run?: Pick<Config, "temperature" | "rollouts">;
  /** Folder for the engine's log and checkpoints. @default no log is kept, and what is saved lies under `.spade/` */
  dir?: string;
  emit: EventSink;
  signal: AbortSignal;
}

/** The Python of one of the environments under `.spade/`. */
export function requirePython(name: "sandbox" | "engine"): string {
  const python = pythonOf(name);
  if (fs.existsSync(python)) return python;
  throw new UsageError(
    `Cannot find the ${name}'s Python (.spade/${name}): run \`deno task setup\` first`,
  );
}

/**
 * An engine on a model; `name` sets its files apart from those of another one.
 *
 * @throws {UsageError} where the engine's name, model or key file cannot be used.
 */
export async function openEngine(
  options: EngineOptions,
  of: { engine: string; model: string; name: string },
): Promise<Engine> {
  const { config, dir, emit, signal } = options;
  const address = addressOf(of.engine);
  const { loraRank, engineKeyFile } = config;
  const apiKey = engineKeyFile === null ? undefined : readText(engineKeyFile, "API key").trim();
  switch (address.kind) {
    case "tape":
      return replayEngine(readTape(readText(address.file, "tape")));
    case "openai": {
      const { url } = address;
      return onlySamples(new OpenAiSampler({ url, model: of.model, apiKey }), {
        engine: of.engine,
        model: of.model,
      });
    }
    case "sglang": {
      const headers: Record<string, string> = apiKey ? { authorization: `Bearer ${apiKey}` } : {};
      const wire = new Wire({ url: address.url.replace(/\/$/, ""), headers });
      return onlySamples(new SglangSampler(wire), { engine: of.engine, model: of.model });
    }
    case "tinker": {
      const engine = await connectEngine({ ...address, apiKey, loraRank, signal });
      for (const message of warningsOf(engine)) emit({ kind: "warning", message });
      return engine;
    }
    case "slime":
      return openSlime(options, { ...of, listen: address.listen, apiKey });
  }
  const model = inProject(of.model);
  if (!fs.existsSync(path.join(model, "config.json"))) {
    throw new UsageError(`Cannot start the engine: there is no model in ${of.model}`);
  }
  emit({ kind: "note", message: `starting the embedded engine on ${of.model}` });
  return await EmbeddedEngine.start({
    python: requirePython("engine"),
    script: path.join(root, "scripts", "engine", "server.py"),
    model,
    state: path.join(dir ?? path.join(root, ".spade"), of.name),
    log: dir && path.join(dir, `${of.name}.log`),
    threads: config.engineThreads,
    loraRank,
    signal,
  });
}

/** Our end of slime; slime itself is started beside it. */
function openSlime(
  { run, dir, emit }: EngineOptions,
  of: { listen: string; model: string; name: string; apiKey?: string },
): Engine {
  if (run === undefined) {
    throw new UsageError(
      `Cannot use slime:${of.listen} here: slime takes part in training only; for anything else sample from its router, ` +
        "sglang:URL",
    );
  }
  if (dir === undefined) throw new UsageError("Cannot use slime without a folder for its files");
  const { temperature, rollouts } = run;
  const tell = (message: string) => emit({ kind: "note", message });
  fs.mkdirSync(dir, { recursive: true });
  const given = path.join(dir, `${of.name}-given.txt`);
  const engine = new SlimeEngine({ ...of, temperature, rollouts, given, tell });
  tell(`listening at ${engine.url} for slime's scripts/slime/spade_bridge.py`);
  const message =
    "slime keeps its own optimiser and checkpoints: this run's adam is not used, and the trainer's " +
    "log-probabilities are in slime's log only";
  emit({ kind: "warning", message });
  return engine;
}

/** As `parseAddress`, with an error for users. */
export function addressOf(engine: string): Address {
  try {
    return parseAddress(engine);
  } catch (cause) {
    throw new UsageError((cause as Error).message, { cause });
  }
}

/** What a user must know of a server that is not ours. */
function warningsOf({ trainer: { capabilities } }: Engine): string[] {
  if (capabilities.adamPerCall) return [];
  return [
    `engine ${capabilities.engine} takes the learning rate only: set Adam's other numbers of this run ` +
    "(beta1, beta2, epsilon, weightDecay, gradClipNorm) in the server's own configuration",
  ];
}

/** A model's text: its tokenizer, its chat form, and whether that is the compact one. */
export interface ModelText {
  tokenizer: Tokenizer;
  chat: Chat;
  isCompact: boolean;
}

/**
 * Tokenizer and chat form of a folder: the compact form where the tokenizer has its end token, else the chat template
 * that comes with the model.
 *
 * @throws {UsageError} naming the file that is missing or cannot be used.
 */
export function openText(model: string, options: { thinking?: boolean } = {}): ModelText {
  if (!fs.existsSync(path.join(inProject(model), "tokenizer.json"))) {
    throw new UsageError(
      `Cannot read the tokenizer: there is no ${model}/tokenizer.json; put tokenizer.json, tokenizer_config.json, ` +
        "generation_config.json and chat_template.jinja (where the model has it) into a folder and name it with " +
        "--set tokenizer=DIR",
    );
  }
  const tokenizer = loadTokenizer(readJson(model, "tokenizer.json") as object);
  if (tokenizer.specials[endToken] !== undefined) {
    return { tokenizer, chat: compactChat(tokenizer), isCompact: true };
  }
  const optional = (name: string) => fs.existsSync(path.join(inProject(model), name));
  try {
    const chat = templateChat(tokenizer, {
      tokenizerConfig: readJson(model, "tokenizer_config.json"),
      template: optional("chat_template.jinja")
        ? readText(`${model}/chat_template.jinja`, "chat template")
        : undefined,
      generationConfig: optional("generation_config.json")
        ? readJson(model, "generation_config.json")
        : undefined,
    }, options);
    return { tokenizer, chat, isCompact: false };
  } catch (cause) {
    if (cause instanceof UsageError) throw cause;
    throw new UsageError(`Cannot use model ${model}: ${(cause as Error).message}`, { cause });
  }
}

/**
 * The text of a configuration's model, of the form that its kind of environment needs.
 *
 * @throws {UsageError} naming the key.
 */
export function openModelText(
  config: Pick<Config, "model" | "tokenizer" | "thinking" | "kind">,
): ModelText {
  const { model, tokenizer, thinking, kind } = config;
  const text = openText(tokenizer ?? model, { thinking });
  const isFixed = kind === "folder" || kind === "rlve";
  if (isFixed || text.isCompact === (kind === "compact")) return text;
  throw new UsageError(
    `Cannot use kind ${kind} with model ${model}: it ` +
      (text.isCompact ? "knows the compact chat form only" : "does not know the compact chat form"),
  );
}

function readJson(model: string, name: string): unknown {
  const text = readText(`${model}/${name}`, "model file");
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new UsageError(`Cannot read ${model}/${name}: ${(cause as Error).message}`, { cause });
  }
}
