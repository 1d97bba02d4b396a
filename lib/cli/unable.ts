/**
 * What a configuration asks for and cannot be had here. A dry run lists it; a start is refused with it: nothing that is
 * configured is ever ignored.
 * @module
 */
import { existsSync } from "node:fs";
import { UsageError } from "../core/mod.ts";
import type { Config } from "../loop/mod.ts";
import { inProject } from "./files.ts";
import { addressOf } from "./open_model.ts";

/** A key of the configuration, and what stands in the way of it. */
export interface Obstacle {
  key: string;
  why: string;
}

/** Everything that must be given or changed before the configuration can start, in order of key. */
export function obstaclesOf(config: Config): Obstacle[] {
  const found: Obstacle[] = [];
  const check = (is: boolean, key: string, why: string) => {
    if (is) found.push({ key, why });
  };
  const { corpus, designer, engine, externalDesigner, kind, model, pool, topK, topP } = config;
  check(engine === "", "engine", "must be given: --engine URL, or --engine embedded");
  const address = engine === "" ? null : addressOf(engine);
  check(
    address?.kind === "openai" || address?.kind === "sglang",
    "engine",
    `${engine} only samples: a run needs an engine that trains`,
  );
  if (address?.kind === "slime") {
    const keepsNone = "slime keeps no starting weights to sample from";
    check(designer === "frozen", "designer", keepsNone);
    check(config.heldout !== null, "heldout", `${keepsNone}: set heldout=null`);
    check(config.klCoefficient > 0, "klCoefficient", "slime has no reference policy of ours");
    check(config.loraRank > 0, "loraRank", "slime trains all weights here");
  }
  check(
    externalDesigner !== null && addressOf(externalDesigner.engine).kind === "slime",
    "externalDesigner.engine",
    "slime takes part as the trained engine only",
  );
  check(model === "", "model", "must be given: --model DIR");
  const text = config.tokenizer ?? model;
  check(
    model !== "" && !existsSync(`${inProject(text)}/tokenizer.json`),
    "tokenizer",
    `there is no tokenizer.json in ${text}: name the folder that has it, --set tokenizer=DIR`,
  );
  check(corpus === "", "corpus", "must be given: --corpus FILE, or --overlay no-corpus");
  check(pool === "" || kind === "folder" && pool === null, "pool", "must be given: --set pool=DIR");
  check(
    designer === "external" && externalDesigner?.model === "",
    "externalDesigner.model",
    "must be given: --set externalDesigner.model=DIR",
  );
  check(
    kind === "rlve" && /^reasoning-gym(:|$)/.test(pool ?? "") &&
      !existsSync(inProject(".spade/reasoning-gym/bin/python")),
    "pool",
    "reasoning-gym is not installed: run `deno task setup reasoning-gym` first",
  );
  const uncorrected =
    "no engine here corrects restricted sampling, which trains a wrong ratio [D19]";
  check(topP < 1, "topP", uncorrected);
  check(topK > 0, "topK", uncorrected);
  check(config.screen && kind === "compact", "screen", "the compact policy can give no opinion");
  check(config.screenRequired && !config.screen, "screenRequired", "needs screen=true");
  return found;
}

/**
 * Refuses to start what cannot run.
 *
 * @throws {UsageError} naming every key and why.
 */
export function assertStartable(config: Config): void {
  const obstacles = obstaclesOf(config);
  if (obstacles.length === 0) return;
  const lines = obstacles.map(({ key, why }) => `  ${key}: ${why}`);
  throw new UsageError(`Cannot start preset ${config.preset}:\n${lines.join("\n")}`);
}
