/** An environment written by a model and judged by the gates. @module */
import { failed, type MemoryLine, ok, type Result, UsageError } from "../core/mod.ts";
import { askDesigner } from "../designer/mod.ts";
import { checkProgram, type EnvironmentKind, type GateReport } from "../gates/mod.ts";
import { askOptions, gateOptions, samplingSeed } from "../loop/mod.ts";
import { display, type Displayable } from "../show/mod.ts";
import { asked, type AskingOptions } from "./ask.ts";
import { forKind } from "./engine.ts";
import { type Environment, environmentOf } from "./environment.ts";
import { withProgress } from "./progress.ts";
import { type SandboxOption, withSandbox } from "./sandbox.ts";
import { signalOr } from "./settings.ts";
import { shownDesign } from "./show_design.ts";

/** How to ask for an environment. */
export interface DesignOptions extends AskingOptions, SandboxOption {
  /** What it shall train. @default the engine's first skill */
  skill?: string;
  /** Text that it shall be about. @default none */
  document?: string;
  /** Earlier environments that the prompt names. @default [] */
  memory?: readonly MemoryLine[];
  /** What the prompt asks for and the gates demand. @default the engine's kind */
  kind?: EnvironmentKind;
  /** Replies at most. @default 4 */
  attempts?: number;
}

/** A reply of the designer. */
export interface DesignReply {
  /** Token ids as sampled. */
  ids: number[];
  /** Natural log-probability of each id under the sampler. */
  logps: number[];
  /** Derived from the ids. */
  text: string;
  /** `length`: cut by its token limit. */
  finish: "stop" | "length";
  /** Number of the weights that wrote it. */
  weightsVersion: number;
}

/** One reply and what the gates found. */
export interface DesignAttempt {
  /** Sampling seed. */
  seed: number;
  /** What the designer answered. */
  reply: DesignReply;
  /** Verdicts up to the first refusal, and the program. */
  report: GateReport;
}

/** What became of a request for an environment. */
export interface Design {
  /** The accepted one; undefined when every reply was refused. */
  environment: Environment | undefined;
  /** The environment, or why there is none. */
  outcome: Result<Environment>;
  /** What it should train. */
  skill: string;
  /** The prompt's token ids; the same in all attempts. */
  prompt: number[];
  /** The prompt's text. */
  promptText: string;
  /** The last reply: the accepted one, if any is. */
  reply: DesignReply;
  /** All replies, in order. */
  attempts: DesignAttempt[];
}

/**
 * Asks a model for an environment, gates the program, and asks again for a refused one, as the loop does.
 *
 * ```ts ignore check
 * import { designEnvironment, engine } from "@spade/spade";
 *
 * await using policy = await engine();
 * const made = await designEnvironment({ engine: policy, seed: 1, skill: "Optimization" });
 * console.log(made); // verdicts and source
 * console.log(made.environment?.id, made.attempts.length);
 * ```
 *
 * @throws {UsageError} where there is no engine, or it cannot design this kind.
 * @throws {EngineError} where the engine is gone.
 * @throws {SandboxError} where the sandbox is.
 * @throws {RangeError} where the prompt leaves no room for a reply.
 */
export async function designEnvironment(options: DesignOptions): Promise<Design & Displayable> {
  const policy = forKind(asked(options.engine), options.kind);
  const { config } = policy;
  const { seed = 0, attempts = 4, document, memory = [] } = options;
  const skill = options.skill ?? config.skills[0] ?? "";
  const signal = signalOr(options.signal);
  if (!Number.isSafeInteger(attempts) || attempts < 1) {
    throw new UsageError(`Cannot design in ${attempts} attempts: must be a whole number from 1`);
  }
  const tries: DesignAttempt[] = [];
  let prompt: number[] = [];
  await withSandbox(
    options.sandbox,
    (sandbox) =>
      withProgress({ title: "design", unit: "replies" }, async (line) => {
        const asking = askOptions({ config, prompt: policy.prompt, signal }, policy);
        const gates = gateOptions({ config, sandbox, signal });
        for (let attempt = 0; attempt < attempts; attempt++) {
          signal.throwIfAborted();
          line.update({ done: attempt, note: `attempt ${attempt + 1} of at most ${attempts}` });
          const at = { rollout: 0, place: 0, index: attempt };
          const sampling = samplingSeed({ config: { seed } }, "designer", at);
          const answer = await askDesigner({
            ...asking,
            brief: { skill, document, memory, difficulty: config.difficulty },
            // the seed of the prompt's border words, too: all attempts have one prompt
            seed: sampling,
          });
          prompt = answer.prompt;
          const report = await checkProgram(answer.source, gates);
          tries.push({ seed: sampling, reply: { ...answer.reply, text: answer.text }, report });
          if (report.accepted) break;
        }
      }),
  );
  const last = tries[tries.length - 1];
  const outcome = outcomeOf(last.report, { skill, kind: config.kind as EnvironmentKind });
  const design: Design = {
    environment: outcome.kind === "ok" ? outcome.value : undefined,
    outcome,
    skill,
    prompt,
    promptText: policy.tokenizer.decode(prompt),
    reply: last.reply,
    attempts: tries,
  };
  return display(shownDesign, design);
}

function outcomeOf(
  { accepted, source, className, verdicts }: GateReport,
  as: { skill: string; kind: EnvironmentKind },
): Result<Environment> {
  if (accepted) return ok(environmentOf({ source, className, ...as }));
  const { gate, reason, evidence } = verdicts[verdicts.length - 1];
  return failed("designer", `${gate}: ${reason}`, String(evidence.detail ?? "") || undefined);
}
