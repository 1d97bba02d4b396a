/** A hint for an environment. @module */
import { type Hint, writeHint } from "../hint/mod.ts";
import { samplingSeed } from "../loop/mod.ts";
import { display, type Displayable } from "../show/mod.ts";
import { asked, type AskingOptions } from "./ask.ts";
import { type EnvironmentLike, environmentOf } from "./environment.ts";
import { withProgress } from "./progress.ts";
import { type SandboxOption, withSandbox } from "./sandbox.ts";
import { signalOr } from "./settings.ts";
import { shownHint } from "./show_play.ts";

/** How to ask for a hint. */
export interface AskHintOptions extends AskingOptions, SandboxOption {
  /** 0 is greedy. @default the preset's, .3 */
  temperature?: number;
}

/**
 * Asks a model that sees the source for a hint: how to approach, not the answer. One that leaks is asked for once more;
 * after that `text` is null and `reason` says why.
 *
 * ```ts ignore check
 * import { engine, hint } from "@spade/spade";
 *
 * await using policy = await engine();
 * const environment = Deno.readTextFileSync("data/heldout/dev/00_gap.py");
 * const advice = await hint(environment, { engine: policy });
 * console.log(advice.text ?? advice.reason);
 * ```
 *
 * @throws {UsageError} where there is no source or no engine.
 * @throws {EngineError} where the engine is gone.
 */
export async function hint(
  environment: EnvironmentLike,
  options: AskHintOptions,
): Promise<Hint & Displayable> {
  const { config, prompt, chat, tokenizer, sampler } = asked(options.engine);
  const of = environmentOf(environment);
  const { seed = 0, temperature = config.hintTemperature } = options;
  const signal = signalOr(options.signal);
  const at = { rollout: 0, place: of.id, index: 0 };
  const written = await withSandbox(
    options.sandbox,
    (sandbox) =>
      withProgress({ title: `hint for ${of.className}`, unit: "" }, () =>
        writeHint({
          ...{ prompt, chat, tokenizer, sampler, sandbox, signal },
          environment: { ...of, skill: of.skill || (config.skills[0] ?? "") },
          params: { maxTokens: config.tokens.hint, temperature, stopIds: chat.stopIds },
          seed: (retry) => samplingSeed({ config: { seed } }, "hint", { ...at, retry }),
          limits: config.sandbox,
          context: config.context,
        })),
  );
  return display(shownHint, written);
}
