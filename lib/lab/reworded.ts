/** A program that says the same in other words, for audits of what a policy reads. @module */
import type { EnvironmentProcess, Observed, Result, Sandbox } from "../core/mod.ts";

/**
 * The sandbox with every observation of its programs put into other words; actions and rewards stay.
 *
 * ```ts ignore check
 * import { engine, openSandbox, play, rewordedSandbox } from "@spade/spade";
 *
 * await using policy = await engine();
 * const environment = Deno.readTextFileSync("data/heldout/dev/00_gap.py");
 * const reword = (text: string) => text.replaceAll("deeper", "further down");
 * await using sandbox = rewordedSandbox(await openSandbox(), reword);
 * console.log(await play(environment, { engine: policy, sandbox }));
 * ```
 */
export function rewordedSandbox(
  sandbox: Sandbox,
  reword: (observation: string) => string,
): Sandbox {
  return {
    level: sandbox.level,
    layers: sandbox.layers,
    parse: (source, options) => sandbox.parse(source, options),
    [Symbol.asyncDispose]: () => sandbox[Symbol.asyncDispose](),
    async start(source, options) {
      const started = await sandbox.start(source, options);
      return started.kind === "ok"
        ? { ...started, value: reworded(started.value, reword) }
        : started;
    },
  };
}

function reworded(
  process: EnvironmentProcess,
  reword: (observation: string) => string,
): EnvironmentProcess {
  const said = async <T extends Observed>(reply: Promise<Result<T>>): Promise<Result<T>> => {
    const result = await reply;
    if (result.kind !== "ok") return result;
    const observation = reword(result.value.observation);
    return { ...result, value: { ...result.value, observation } };
  };
  return {
    maxTurns: process.maxTurns,
    reset: (seed, options) => said(process.reset(seed, options)),
    step: (action) => said(process.step(action)),
    tools: () => process.tools(),
    call: (name, args) => said(process.call(name, args)),
    answer: (text) => said(process.answer(text)),
    criteria: () => process.criteria(),
    solution: () => process.solution(),
    [Symbol.asyncDispose]: () => process[Symbol.asyncDispose](),
  };
}
