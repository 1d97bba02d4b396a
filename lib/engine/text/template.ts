/**
 * The chat template that comes with a model, as a {@link Chat}. Guarantees: the ids are those of the rendered text as
 * the model's own tokenizer has them; text from programs, documents and observations cannot imitate a role marker,
 * because special ids come from the template's own text only [D4]; a conversation grows by {@link Chat.delta}, so that
 * sampled ids are never encoded again. Where the template rewrites earlier replies (it drops their thinking, or the
 * empty thinking it put in front of them), `stripsThinking` is true: each turn is then rendered whole.
 * @module
 */
import { Template } from "@huggingface/jinja";
import { z } from "zod";
import type { Chat, Message, Tokenizer } from "../../core/mod.ts";

const tokenText = z.union([z.string(), z.looseObject({ content: z.string() })]);
const named = z.looseObject({ name: z.string(), template: z.string() });

const tokenizerConfig = z.looseObject({
  chat_template: z.union([z.string(), z.array(named)]).nullish(),
  bos_token: tokenText.nullish(),
  eos_token: tokenText.nullish(),
});
const generationConfig = z.looseObject({
  eos_token_id: z.union([z.int(), z.array(z.int())]).nullish(),
});

/** What comes with a model and says how a conversation is written. */
export interface TemplateFiles {
  /** Content of `tokenizer_config.json`. */
  tokenizerConfig: unknown;
  /** Text of `chat_template.jinja`; it wins over the one in the configuration. */
  template?: string;
  /** Content of `generation_config.json`: its end tokens end a reply, too. */
  generationConfig?: unknown;
}

/** Choices that the template leaves. */
export interface TemplateOptions {
  /** Passed to the template as `enable_thinking`. @default false */
  thinking?: boolean;
}

/** Values the template is rendered with. */
type Context = Record<string, unknown>;

const dummy = (role: string, content: string): Message => ({ role, content });

/**
 * Chat over a Jinja template.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * const tokenizer = {
 *   encode: (text: string) => [...text].map((character) => character.charCodeAt(0)),
 *   decode: (ids: readonly number[]) => String.fromCharCode(...ids),
 *   specials: { "<s>": 1, "</s>": 2 },
 * };
 * const chat = templateChat(tokenizer, {
 *   template: "{% for m in messages %}<s>{{ m.role }}:{{ m.content }}</s>{% endfor %}" +
 *     "{% if add_generation_prompt %}<s>assistant:{% endif %}",
 *   tokenizerConfig: { eos_token: "</s>" },
 * });
 * assert.equal(chat.delta([{ role: "user", content: "A" }])[0], 1);
 * assert.deepEqual(chat.stopIds, [2]);
 * ```
 *
 * @throws {TypeError} when the files hold no template or no end token; {RangeError} when the template cannot be used:
 * it does not end replies by a stop token; by `first` and `delta` what the template itself raises.
 */
export function templateChat(
  tokenizer: Tokenizer,
  files: TemplateFiles,
  options: TemplateOptions = {},
): Chat {
  const config = read(tokenizerConfig, files.tokenizerConfig, "tokenizer_config.json");
  const source = files.template ?? templateOf(config.chat_template);
  if (source === undefined) throw new TypeError("Cannot read the chat template: there is none");
  if (options.thinking && !/think/.test(source)) {
    throw new RangeError("Cannot use the chat template with thinking: it does not know it");
  }
  const template = new Template(source);
  const [bos, eos] = [config.bos_token, config.eos_token].map((token) =>
    typeof token === "string" ? token : token?.content ?? ""
  );
  const spellings = Object.keys(tokenizer.specials).sort((a, b) => b.length - a.length);
  const stopIds = stopIdsOf(tokenizer, eos, files.generationConfig);
  const context = { bos_token: bos, eos_token: eos, enable_thinking: options.thinking ?? false };

  /** Text pieces and special tokens of the rendering; `mark` broke the spellings that stood in the data. */
  const render = (messages: readonly Message[], tools?: readonly unknown[], goOn = true) => {
    const mark = markOf(JSON.stringify([messages, tools ?? null]));
    const guard = <T>(value: T): T => guarded(value, spellings, mark) as T;
    const given: Context = {
      ...context,
      messages: guard(messages),
      add_generation_prompt: goOn,
      ...tools === undefined ? {} : { tools: guard(tools) },
    };
    return { text: template.render(given), mark };
  };
  // text cut at special tokens, which are pieces of their own
  const pattern = new RegExp(`(${spellings.map(escaped).join("|") || "$^"})`);
  const pieces = (text: string) => text.split(pattern).filter((piece) => piece !== "");
  const encode = ({ text, mark }: { text: string; mark: string }) =>
    pieces(text).flatMap((piece) => {
      const id = tokenizer.specials[piece];
      return id === undefined ? tokenizer.encode(piece.replaceAll(mark, "")) : [id];
    });
  const first = (messages: readonly Message[], tools?: readonly unknown[]) =>
    encode(render(messages, tools));
  /** What follows a reply's stop token when `messages` come next. */
  const delta = (messages: readonly Message[]) => {
    const reply = `reply${markOf(JSON.stringify(messages))}`;
    const { text, mark } = render([dummy("user", "a"), dummy("assistant", reply), ...messages]);
    const rest = text.slice(text.indexOf(reply) + reply.length);
    const [blank, stop] = pieces(rest);
    const ids = encode({ text: rest, mark });
    const isStop = (piece: string | undefined) => stopIds.includes(tokenizer.specials[piece ?? ""]);
    if (isStop(blank)) return ids.slice(1);
    if (blank?.trim() === "" && isStop(stop)) {
      return ids.slice(ids.indexOf(tokenizer.specials[stop]) + 1);
    }
    throw new RangeError("Cannot use the chat template: a reply must be ended by a stop token");
  };
  return {
    first,
    delta,
    stopIds,
    stripsThinking: rewritesReplies(options.thinking ?? false, render, delta, encode),
    placesTools: placesTools(render),
  };
}

function read<T>(schema: z.ZodType<T>, value: unknown, name: string): T {
  const parsed = schema.safeParse(value ?? {});
  if (parsed.success) return parsed.data;
  const { path, message } = parsed.error.issues[0];
  throw new TypeError(`Cannot read ${name}: ${path.join(".")}: ${message}`);
}

function templateOf(
  given: string | z.infer<typeof named>[] | null | undefined,
): string | undefined {
  if (!Array.isArray(given)) return given ?? undefined;
  return (given.find(({ name }) => name === "default") ?? given[0])?.template;
}

function stopIdsOf(tokenizer: Tokenizer, eos: string, generation: unknown): number[] {
  const { eos_token_id: ids } = read(generationConfig, generation, "generation_config.json");
  const own = tokenizer.specials[eos];
  const all = [...own === undefined ? [] : [own], ...[ids ?? []].flat()];
  if (all.length === 0) {
    throw new TypeError(
      `Cannot read the chat template: the end token ${JSON.stringify(eos)} is no special token`,
    );
  }
  return [...new Set(all)];
}

/** A character that stands in none of the data. */
function markOf(data: string): string {
  for (let code = 0xe000; code < 0xf8ff; code++) {
    const mark = String.fromCharCode(code);
    if (!data.includes(mark)) return mark;
  }
  throw new RangeError("Cannot render messages: they hold every private-use character");
}

/** The same value with every special spelling inside its texts broken by `mark`. */
function guarded(value: unknown, spellings: readonly string[], mark: string): unknown {
  if (typeof value === "string") {
    return spellings.reduce(
      (text, spelling) =>
        text.includes(spelling)
          ? text.replaceAll(spelling, spelling[0] + mark + spelling.slice(1))
          : text,
      value,
    );
  }
  if (Array.isArray(value)) return value.map((item) => guarded(item, spellings, mark));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map((entry) => guarded(entry, spellings, mark) as [string, unknown]),
  );
}

function escaped(spelling: string): string {
  return spelling.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}

type Render = (
  messages: readonly Message[],
  tools?: readonly unknown[],
  goOn?: boolean,
) => { text: string; mark: string };

/** Whether a conversation rendered whole differs from one that grew: opening, reply, stop token, delta. */
function rewritesReplies(
  thinking: boolean,
  render: Render,
  delta: (messages: readonly Message[]) => number[],
  encode: (rendered: { text: string; mark: string }) => number[],
): boolean {
  const reply = thinking ? "<think>\nB\n</think>\n\nC" : "C";
  const opening = [dummy("user", "a")];
  const next = [dummy("user", "d")];
  const whole = encode(render([...opening, dummy("assistant", reply), ...next]));
  const start = [...encode(render(opening)), ...encode({ text: reply, mark: "\ue000" })];
  const grown = [...start, whole[start.length], ...delta(next)];
  return grown.length !== whole.length || grown.some((id, i) => id !== whole[i]);
}

/** Whether tools given to the template show in its text. */
function placesTools(render: Render): boolean {
  const opening = [dummy("user", "a")];
  const tool = { type: "function", function: { name: "probe_tool", parameters: {} } };
  try {
    return render(opening, [tool]).text.includes("probe_tool");
  } catch {
    return false;
  }
}
