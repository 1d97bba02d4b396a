/**
 * Writes one hint for an accepted environment (spade.md section 6). A hint that is empty, cut, too
 * long or leaks is asked for once more; after that the environment has none. Never trained. Sampler
 * faults are thrown, not caught.
 * @module
 */
import {
  type Chat,
  EngineError,
  type Prompt,
  type Result,
  type Sampler,
  type SampleReply,
  type SamplingParams,
  type Sandbox,
  type SandboxLimits,
  type Tokenizer,
} from "../core/mod.ts";
import { constantAnswers, leakReason } from "./leak.ts";

/** Longest hint. */
const wordLimit = 100;

/** What one hint needs. */
export interface HintOptions {
  /** Turns the program into messages and finds the hint in the reply. */
  prompt: Prompt;
  /** Turns messages into ids. */
  chat: Chat;
  /** Of the model that answers. */
  tokenizer: Tokenizer;
  /** The model that answers. */
  sampler: Sampler;
  /** The program, shown whole. */
  environment: { id: string; source: string; skill: string };
  /** Temperature .3 by the recipe. */
  params: SamplingParams;
  /** Sampling seed of the first try (0) and the rewrite (1). */
  seed: (retry: number) => number;
  /** Finds the answers a hint must not tell. */
  sandbox: Sandbox;
  /** Changes to the sandbox's own limits. */
  limits?: Partial<SandboxLimits>;
  /** Tokens of prompt and reply together; a longer prompt gives no hint. @default Infinity */
  context?: number;
  /** Gives up. */
  signal?: AbortSignal;
}

/** One call: its reply and why its hint was not taken (empty: it was). */
export interface HintAttempt {
  /** As sampled. */
  reply: SampleReply;
  /** Its text, derived from the ids. */
  replyText: string;
  /** Sampling seed. */
  seed: number;
  /** Why it was refused; empty: it was taken. */
  reason: string;
}

/** A hint, or why there is none. */
export interface Hint {
  /** Null: skipped, see `reason`. */
  text: string | null;
  /** Empty when there is a hint. */
  reason: string;
  /** The same in both attempts. */
  promptIds: number[];
  /** Every attempt, in order; none where the prompt does not fit. */
  tried: HintAttempt[];
}

/**
 * Asks for a hint, at most twice.
 *
 * ```ts ignore check
 * import {
 *   compactChat,
 *   compactPrompt,
 *   EmbeddedEngine,
 *   loadTokenizer,
 *   startSandbox,
 *   writeHint,
 * } from "@spade/spade";
 *
 * const [model, python] = ["data/nano", ".spade/engine/bin/python"];
 * await using engine = await EmbeddedEngine.start({ python, model, state: "runs/state" });
 * await using sandbox = await startSandbox({ python: ".spade/sandbox/bin/python" });
 * const tokenizer = loadTokenizer(JSON.parse(Deno.readTextFileSync(`${model}/tokenizer.json`)));
 * const chat = compactChat(tokenizer);
 * const source = Deno.readTextFileSync("data/environments/good/archive_desk.py");
 * const { text, reason } = await writeHint({
 *   ...{ tokenizer, chat, prompt: compactPrompt(), sampler: engine.sampler, sandbox },
 *   environment: { id: "archive", source, skill: "Optimization" },
 *   params: { maxTokens: 24, temperature: 0.3, stopIds: chat.stopIds },
 *   seed: (retry) => retry,
 * });
 * console.log(text ?? `no hint: ${reason}`);
 * ```
 *
 * @throws {SandboxError} when the host fails twice during the leak check.
 * @throws {EngineError} when a reply's ids and log-probabilities do not match, or as the sampler
 * throws.
 */
export async function writeHint(options: HintOptions): Promise<Hint> {
  const { prompt, chat, environment, params, context = Infinity } = options;
  const promptIds = chat.first(prompt.hint(environment, { seed: options.seed(0) }));
  if (promptIds.length + params.maxTokens > context) {
    const most = context - params.maxTokens;
    const reason = `prompt has ${promptIds.length} tokens, must be at most ${most}`;
    return { text: null, reason, promptIds, tried: [] };
  }
  const answers = await constantAnswers(environment.source, options);
  const tried = [await ask(promptIds, 0, answers, options)];
  if (tried[0].reason !== "") tried.push(await ask(promptIds, 1, answers, options));
  const { replyText, reason } = tried[tried.length - 1];
  const text = reason === "" ? prompt.hintText(replyText) : null;
  return { text, reason, promptIds, tried };
}

async function ask(
  promptIds: number[],
  retry: number,
  answers: Result<string[]>,
  options: HintOptions,
): Promise<HintAttempt> {
  const { prompt, tokenizer, sampler, environment, params, signal } = options;
  const seed = options.seed(retry);
  const reply = await sampler.sample({ prompt: promptIds, params, seed }, { signal });
  if (reply.ids.length !== reply.logps.length) {
    throw new EngineError(
      `Cannot use hint: ${reply.ids.length} ids have ${reply.logps.length} log-probabilities`,
    );
  }
  const replyText = tokenizer.decode(reply.ids);
  const hint = prompt.hintText(replyText);
  return { reply, replyText, seed, reason: refusal(hint, reply, environment.source, answers) };
}

function refusal(
  text: string,
  reply: SampleReply,
  source: string,
  answers: Result<string[]>,
): string {
  if (text === "") return "empty";
  if (reply.finish === "length") return "cut by its token limit";
  const words = text.split(/\s+/).length;
  if (words > wordLimit) return `${words} words, must be at most ${wordLimit}`;
  // Without the answers nobody can tell what leaks: no hint.
  if (answers.kind !== "ok") return `solution() fails: ${answers.reason}`;
  return leakReason(text, source, answers.value) ?? "";
}
