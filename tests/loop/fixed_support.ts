/** Runs without a designer whose success is certain: a sampler that can add and sort, on the real engine. */
import * as fs from "node:fs";
import * as path from "node:path";
import { inProject, presetFiles } from "../../lib/cli/files.ts";
import type { Engine, Sampler, Tokenizer } from "../../lib/core/mod.ts";
import { type Config, type Loop, resolveConfig } from "../../lib/loop/mod.ts";

const common = [
  ...["engine=embedded", "model=data/nano", "context=1024", "tokens.agent=24", "reserve=32"],
  ...["rollouts=3", "checkpointEvery=1", "sandbox.concurrency=32"],
];

/** Three rollouts of the preset fixed-rlve on the nano policy. */
export function fixedConfig(...more: string[]): Config {
  return resolveConfig({ preset: "fixed-rlve", set: [...common, ...more] }, presetFiles());
}

/** A folder of two of the shipped verifier files, without an index. */
export function twoVerifiers(dir: string): string {
  const pool = path.join(dir, "pool");
  fs.mkdirSync(pool, { recursive: true });
  for (const file of ["addition.py", "sorting.py"]) {
    fs.copyFileSync(inProject(`data/rlve/${file}`), path.join(pool, file));
  }
  return pool;
}

/** Eight plays of each, so that a window is judged in every rollout. */
export function climbing(pool: string): Config {
  return fixedConfig(`pool=${pool}`, "environments=6", "plays=8");
}

/** The right answer to a question of the two files. */
function answerTo(question: string): string {
  const numbers = (text: string) => text.match(/\d+/g)!.map(Number);
  const sum = /What is ([\d +]+)\?/.exec(question);
  if (sum) return String(numbers(sum[1]).reduce((a, b) => a + b, 0));
  const list = /between them: ([\d ]+)/.exec(question);
  return numbers(list![1]).sort((a, b) => a - b).join(" ");
}

/** Says what is right; log-probabilities and weights version are the engine's own. */
function solver(engine: Engine, tokenizer: Tokenizer, stopId: number): Sampler {
  return {
    async sample({ prompt }, options) {
      const answer = answerTo(tokenizer.decode(prompt));
      const ids = [...tokenizer.encode(`\\boxed{${answer}}`), stopId];
      const all = [...prompt, ...ids];
      const datum = { input: all.slice(0, -1), target: all.slice(1) };
      const [logps] = await engine.trainer.forward([datum], options);
      const { weightsVersion } = await engine.trainer.state(options);
      return { ids, logps: logps.slice(-ids.length), finish: "stop", weightsVersion };
    },
  };
}

/** The loop, played by the solver. */
export function withSolver(loop: Loop): Loop {
  const { engine } = loop;
  const sampler = solver(engine, loop.tokenizer, loop.chat.stopIds[0]);
  return {
    ...loop,
    engine: {
      trainer: engine.trainer,
      base: engine.base,
      sampler,
      log: () => engine.log(),
      [Symbol.asyncDispose]: () => engine[Symbol.asyncDispose](),
    },
  };
}
