/**
 * What a configuration asks for and cannot be had here. A dry run lists it; a start is refused with it: nothing that is
 * configured is ever ignored.
 * @module
 */
import { UsageError } from "../core/mod.ts";
import type { Config } from "../loop/mod.ts";

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
  check(model === "", "model", "must be given: --model DIR");
  check(corpus === "", "corpus", "must be given: --corpus FILE, or --overlay no-corpus");
  check(pool === "" || kind === "folder" && pool === null, "pool", "must be given: --set pool=DIR");
  check(
    designer === "external" && externalDesigner?.model === "",
    "externalDesigner.model",
    "must be given: --set externalDesigner.model=DIR",
  );
  const isNatural = !["compact", "folder", "rlve"].includes(kind);
  check(
    isNatural,
    "kind",
    `${kind} needs the chat template of the model, and only the compact form can be read yet`,
  );
  check(kind === "rlve", "kind", "there is no adapter for RLVE-style environments yet");
  check(
    config.thinking,
    "thinking",
    "needs a chat template that knows thinking; none can be read yet",
  );
  const uncorrected =
    "no engine here corrects restricted sampling, which trains a wrong ratio [D19]";
  check(topP < 1, "topP", uncorrected);
  check(topK > 0, "topK", uncorrected);
  check(config.screen && kind === "compact", "screen", "the compact policy can give no opinion");
  check(
    config.screen && kind !== "compact",
    "screen",
    "the loop does not ask for a screen yet; set screen=false",
  );
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
