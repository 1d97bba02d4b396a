/**
 * A model opened: the engine that runs it, its tokenizer and its chat form.
 * @module
 */
import * as fs from "node:fs";
import * as path from "node:path";
import { type Chat, type Engine, type EventSink, type Tokenizer, UsageError } from "../core/mod.ts";
import { connectEngine, EmbeddedEngine } from "../engine/mod.ts";
import { compactChat, loadTokenizer } from "../engine/text/mod.ts";
import type { Config } from "../loop/mod.ts";
import { inProject, pythonOf, readText, root } from "./files.ts";

export interface EngineOptions {
  config: Pick<Config, "engineThreads">;
  /** Folder for the engine's log and checkpoints. */
  dir: string;
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

/** An engine on a model; `name` sets its files apart from those of another one. */
export async function openEngine(
  options: EngineOptions,
  of: { engine: string; model: string; name: string },
): Promise<Engine> {
  const { config, dir, emit, signal } = options;
  if (of.engine !== "embedded") {
    return await connectEngine({ url: of.engine, signal });
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
    state: path.join(dir, of.name),
    log: path.join(dir, `${of.name}.log`),
    threads: config.engineThreads,
    signal,
  });
}

/** Tokenizer and chat form of a model's folder. */
export function openText(model: string): { tokenizer: Tokenizer; chat: Chat } {
  const file = readText(`${model}/tokenizer.json`, "tokenizer");
  const tokenizer = loadTokenizer(JSON.parse(file));
  try {
    return { tokenizer, chat: compactChat(tokenizer) };
  } catch (cause) {
    throw new UsageError(
      `Cannot use model ${model}: only the compact chat form can be read; ` +
        (cause as Error).message,
      { cause },
    );
  }
}
