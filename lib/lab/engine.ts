/**
 * A model that answers: an engine, its model's text and its prompts, opened by one call.
 * @module
 */
import { checkConfig, type Config, resolveConfig } from "../loop/mod.ts";
import type { Chat, Engine, Prompt, Tokenizer, Trainer } from "../core/mod.ts";
import { presetFiles } from "../cli/files.ts";
import { openPrompt } from "../cli/inputs.ts";
import { addressOf, openEngine, openModelText } from "../cli/open_model.ts";
import { type EnvironmentKind, gateRules } from "../gates/mod.ts";
import { display, type Displayable, escapeTerminal } from "../show/mod.ts";
import { withProgress } from "./progress.ts";
import { setting, signalOr } from "./settings.ts";

/** How to open a {@link Policy}. */
export interface OpenEngineOptions {
  /**
   * A server that runs already: a URL, or KIND:URL as `deno task engines` lists them. @default the variable
   * SPADE_ENGINE; without it our own engine is started
   */
  url?: string;
  /** Folder of the model, or its name on the server. @default the preset's */
  model?: string;
  /** Where turns, lengths, skills and prompts come from; `data/presets`. @default "nano" */
  preset?: string;
  /** Changes to the preset by name; `data/presets/overlays`. @default [] */
  overlays?: readonly string[];
  /** Further changes, `key=value`, e.g. `tokenizer=data/nano`. @default [] */
  set?: readonly string[];
  /** Gives up the start. */
  signal?: AbortSignal;
}

/** An engine with its model's text and prompts. Close it, or declare it with `await using`. */
export interface Policy extends Engine, Displayable {
  /** Text to ids and back. */
  tokenizer: Tokenizer;
  /** Conversations to ids. */
  chat: Chat;
  /** Records to conversations. */
  prompt: Prompt;
  /** The preset as it was changed: turns, lengths, skills, temperatures. */
  config: Config;
  /** Where it listens; undefined where it is a tape. */
  url: string | undefined;
}

/**
 * Opens a model. By default our own engine on the nano policy (0.9 million parameters, in `data/nano`), which designs
 * and plays `compact` environments on a processor.
 *
 * ```ts ignore check
 * import { designEnvironment, engine } from "@spade/spade";
 *
 * await using policy = await engine(); // in a notebook: const policy = await engine()
 * console.log(policy, await designEnvironment({ engine: policy, seed: 1 }));
 * ```
 *
 * @throws {UsageError} where the engine is not set up, or preset, model or tokenizer cannot be used.
 * @throws {EngineError} where the engine does not start, or nothing answers at `url`.
 */
export async function engine(options: OpenEngineOptions = {}): Promise<Policy> {
  const { preset = "nano", overlays = [], model } = options;
  const url = options.url ?? setting("SPADE_ENGINE");
  const set = [
    ...options.set ?? [],
    ...(url === undefined ? [] : [`engine=${JSON.stringify(url)}`]),
    ...(model === undefined ? [] : [`model=${JSON.stringify(model)}`]),
  ];
  const config = resolveConfig({ preset, overlays, set }, presetFiles());
  const { isCompact, ...text } = openModelText(config);
  const { prompt } = openPrompt(config, isCompact);
  const signal = signalOr(options.signal);
  signal.throwIfAborted();
  const opened = await withProgress(
    { title: `opening ${config.engine} on ${config.model}`, unit: "" },
    () => openEngine({ config, emit: () => {}, signal }, { ...config, name: "engine" }),
  );
  const listens = (opened as { url?: string }).url;
  const address = addressOf(config.engine);
  const policy = {
    ...text,
    prompt,
    config,
    url: listens ?? ("url" in address ? config.engine : undefined),
    trainer: opened.trainer,
    sampler: opened.sampler,
    base: opened.base,
    log: () => opened.log(),
    [Symbol.asyncDispose]: () => {
      closed.add(opened.trainer);
      return opened[Symbol.asyncDispose]();
    },
  };
  return display(({ config, trainer: { capabilities }, url }) => {
    const { kind, engine, model, maxTurns, tokens } = config;
    return {
      text: escapeTerminal([
        `engine    ${engine} (${capabilities.engine} ${capabilities.engineVersion})`,
        `model     ${model}`,
        `listens   ${url ?? "nowhere"}`,
        `designs   ${kind}, replies of at most ${tokens.designer} tokens`,
        `plays     at most ${maxTurns} turns of ${tokens.agent} tokens`,
      ].join("\n")),
    };
  }, policy);
}

const closed = new WeakSet<Trainer>();

/** Whether a policy was closed. */
export function isClosed(policy: Policy): boolean {
  return closed.has(policy.trainer);
}

/**
 * The same policy for another kind of environment.
 *
 * @throws {UsageError} where the model's chat form does not fit the kind.
 */
export function forKind(policy: Policy, kind: EnvironmentKind | undefined): Policy {
  if (kind === undefined || kind === policy.config.kind) return policy;
  const isTool = (of: string) => of === "tool-use";
  const skills = isTool(kind) === isTool(policy.config.kind) ? policy.config.skills : [];
  const { returns } = gateRules(kind);
  const config = checkConfig({ ...policy.config, kind, skills, returns });
  const { isCompact } = openModelText(config);
  return { ...policy, config, prompt: openPrompt(config, isCompact).prompt };
}
