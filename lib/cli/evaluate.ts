/**
 * `deno task evaluate`: a model, or the weights of a run, measured on suites.
 * @module
 */
import * as fs from "node:fs";
import * as path from "node:path";
import { type Sampler, sha256, UsageError } from "../core/mod.ts";
import type { Config, Player } from "../loop/mod.ts";
import { ReasoningGym, withReasoningGym } from "../pool/mod.ts";
import { startSandbox } from "../sandbox/mod.ts";
import { escapeTerminal, formatCount } from "../show/mod.ts";
import { Counter } from "./counter.ts";
import { jobKey, jobsOf, playJobs } from "./evaluate/play.ts";
import { EvaluationFile, type EvaluationPlay, type Measured } from "./evaluate/record.ts";
import { samplerOf, subjectOf } from "./evaluate/subject.ts";
import { openSuite, type Suite, suites as registry } from "./evaluate/suites.ts";
import { summarize, summaryText } from "./evaluate/summary.ts";
import { commitOf, hashFolder, hashSources, inProject, root } from "./files.ts";
import { readInputs } from "./inputs.ts";
import type { Invocation } from "./main.ts";
import { openEngine, openText } from "./open_model.ts";
import { startReasoningGym } from "./open_pool.ts";
import { type Command, listValue, numberValue, textValue } from "./options.ts";
import { isolationValue, sandboxOf } from "./sandbox_options.ts";
import { toolkitVersion } from "./session.ts";

const suiteLines = Object.entries(registry).map(([name, { argument, does }]) =>
  `  ${(name + argument).padEnd(22)}${does}`
).join("\n");

export const evaluateCommand: Command = {
  name: "evaluate",
  does: "measure a model or a run's weights on suites",
  arguments: ["RUN?"],
  options: {
    suite: { type: "string", multiple: true },
    checkpoint: { type: "string" },
    model: { type: "string" },
    engine: { type: "string" },
    preset: { type: "string" },
    set: { type: "string", multiple: true },
    plays: { type: "string" },
    greedy: { type: "boolean" },
    seed: { type: "string" },
    items: { type: "boolean" },
    json: { type: "string" },
    "min-isolation": { type: "string" },
  },
  help: `deno task evaluate RUN --suite SUITE [options]
deno task evaluate --model DIR --suite SUITE [options]

Plays every item of the suites and prints mean return and success rate with 95 % intervals, whose
units are the items. Finished plays are kept as they end, below runs/; the same command goes on with
what is missing. Suites:

${suiteLines}

  --suite SUITE         may be repeated
  --checkpoint N        weights of RUN after N rollouts, 0: its start (default: the newest kept)
  --model DIR           folder of a model
  --engine URL          a Tinker-speaking server that already runs (default: start our own)
  --plays K             plays of each item (default: 4)
  --greedy              the likeliest token each time, instead of temperature 1
  --seed N              of the sampling (default: 0); instances are the same under every seed
  --preset NAME         where context, lengths and limits come from (default: the run's; nano, or
                        fixed-pool for a model with a chat template)
  --set KEY=VALUE       one of them, e.g. --set tokens.agent=512
  --items               a line for each item, too
  --json FILE           the numbers as JSON, items included; - prints them
  --min-isolation LEVEL refuse to run below this sandbox level (default: landlock+seccomp)`,
};

export async function evaluateSuites(invocation: Invocation): Promise<number> {
  const { values, signal } = invocation;
  const plays = numberValue("plays", values.plays) ?? 4;
  if (plays === 0) throw new UsageError("Cannot use --plays 0: must be at least 1");
  const seed = numberValue("seed", values.seed) ?? 0;
  const mode = values.greedy === true ? "greedy" : "sampled";
  const names = listValue(values.suite);
  if (names.length === 0) {
    throw new UsageError(
      "Cannot evaluate: no --suite is given. See: deno task evaluate --help",
    );
  }
  await using stack = new AsyncDisposableStack();
  let gym: ReasoningGym | undefined;
  const parts = { gym: async () => gym ??= stack.use(await startReasoningGym()) };
  const suites: Suite[] = [];
  for (const name of new Set(names)) suites.push(await openSuite(name, parts));
  const subject = subjectOf(invocation);
  const { config } = subject;
  const text = openText(config.tokenizer ?? config.model, { thinking: config.thinking });
  const { prompt, promptHash } = await readInputs(config, () => {}, text);

  const wall = stack.use(await startSandbox(sandboxOf(config, isolationValue(values))));
  const sandbox = gym === undefined ? wall : withReasoningGym(wall, gym);
  const engine = stack.use(
    await openEngine(
      { config, dir: subject.dir, emit: () => {}, signal },
      { ...config, name: "engine" },
    ),
  );
  const sampler = await samplerOf(engine, subject, signal);
  const { capabilities } = engine.trainer;
  const context = Math.min(config.context, capabilities.maxContext);
  const player: Player = {
    config: { ...config, context },
    engine,
    sandbox,
    tokenizer: text.tokenizer,
    chat: text.chat,
    prompt,
    signal,
  };
  const measured: Measured = {
    toolkit: { version: toolkitVersion, commit: commitOf(), diffHash: sourcesHash() },
    model: {
      id: config.model,
      hash: hashFolder(config.model, (file) => /\.(safetensors|json)$/.test(file)),
      checkpoint: subject.checkpoint?.id ?? null,
      weights: subject.checkpoint?.weights ?? null,
    },
    engine: { name: capabilities.engine, version: capabilities.engineVersion },
    prompts: { version: prompt.version, hash: promptHash },
    suites: suites.map(({ name, hash, items }) => ({ name, hash, items: items.length })),
    plays,
    mode,
    seed,
    settings: settingsOf(player.config),
    sandbox: sandbox.level,
  };
  const runs = subject.checkpoint === null ? inProject("runs") : subject.dir;
  using file = EvaluationFile.open(path.join(runs, "evaluations"), measured, {
    startedAt: new Date().toISOString(),
    command: ["deno", "task", "evaluate", ...Deno.args],
  });
  const all = await playMissing(file, suites, plays, { player, sampler, mode, seed });
  const summaries = summarize(suites.map(({ name }) => name), all);
  const record = path.relative(root, file.file);
  const json = textValue(values.json);
  if (json !== "-") {
    console.log(summaryText(summaries, { items: values.items === true }));
    console.log(`record   ${escapeTerminal(record)}`);
  }
  if (json !== undefined) writeJson(json, { ...measured, record, results: summaries });
  return 0;
}

/** Plays what the file does not hold yet; all plays of the suites. */
async function playMissing(
  file: EvaluationFile,
  suites: readonly Suite[],
  plays: number,
  how: { player: Player; sampler: Sampler; mode: "sampled" | "greedy"; seed: number },
): Promise<EvaluationPlay[]> {
  const kept = new Map(file.found.map((play) => [jobKey(play), play]));
  const jobs = jobsOf(suites, plays);
  const keyOf = ({ suite, item, index }: (typeof jobs)[number]) =>
    jobKey({ suite: suite.name, item: item.id, index });
  const missing = jobs.filter((job) => !kept.has(keyOf(job)));
  const done = jobs.length - missing.length;
  if (done > 0) {
    console.error(`${formatCount(done)} of ${formatCount(jobs.length)} plays are kept from before`);
  }
  using counter = new Counter({ noun: "plays", total: jobs.length, done });
  const { concurrency } = how.player.config.sandbox;
  try {
    await playJobs(missing, {
      ...how,
      concurrency,
      onPlay: (play) => {
        file.append(play);
        kept.set(jobKey(play), play);
        counter.step();
      },
    });
  } catch (error) {
    counter[Symbol.dispose]();
    console.error(
      `stopped: ${formatCount(kept.size)} of ${formatCount(jobs.length)} plays are kept in ` +
        `${escapeTerminal(path.relative(root, file.file))}; the same command goes on`,
    );
    throw error;
  }
  return jobs.map((job) => kept.get(keyOf(job))!);
}

/** Sha-256 of the sources that play; not of the command's texts. */
function sourcesHash(): string {
  const rooms = ["lib/agent", "lib/core", "lib/engine", "lib/reward", "lib/sandbox"];
  const hash = hashSources([...rooms, "lib/designer", "lib/pool", "sandbox", "scripts/engine"]);
  return sha256([hash, hashFolder("lib/loop", (file) => file === "groups.ts")].join("\n"));
}

/** What of a configuration decides a play. */
function settingsOf(config: Config): Record<string, unknown> {
  const { context, tokens, reserve, maxTurns, thinking, topP, topK, parity } = config;
  const { concurrency: _, ...sandbox } = config.sandbox;
  return {
    context,
    maxTokens: tokens.agent,
    reserve,
    maxTurns,
    thinking,
    topP,
    topK,
    parity,
    sandbox,
  };
}

function writeJson(file: string, value: unknown): void {
  const text = JSON.stringify(value, null, 1);
  if (file === "-") return console.log(text);
  try {
    fs.writeFileSync(inProject(file), text + "\n");
  } catch (cause) {
    if (!(cause instanceof Deno.errors.NotCapable)) {
      throw new UsageError(`Cannot write ${file}: ${(cause as Error).message}`, { cause });
    }
    throw new UsageError(
      `Cannot write ${file}: must lie below runs/; or print it: --json - > ${file}`,
      { cause },
    );
  }
}
