/**
 * Which of reasoning-gym's data sets are played, and at which level: everything for a run, the hard settings for an
 * evaluation.
 * @module
 */
import { environmentId, UsageError } from "../core/mod.ts";
import type { PoolProgram } from "./program.ts";
import type { ReasoningGym, ReasoningGymDataset } from "./reasoning_gym.ts";
import { reasoningGymSource } from "./reasoning_gym_sandbox.ts";

/** Of an evaluation's hard settings. */
export const hardLevel = 3;

/** Which data sets, and how hard. */
export interface ReasoningGymSuiteOptions {
  /** Data sets. @default all that can be used */
  names?: readonly string[];
  /** Level of each data set, or its highest usable one below. @default 3 */
  level?: number;
}

/**
 * One environment a data set, at a level of its curriculum. The default is the fourth level, the last one of most
 * curricula (51 of 106 have four, 42 have more). Where a data set has fewer, its hardest; where it has no curriculum,
 * its default settings.
 *
 * @throws {UsageError} naming an unknown data set, or one whose package is missing.
 */
export async function reasoningGymSuite(
  gym: ReasoningGym,
  options: ReasoningGymSuiteOptions = {},
): Promise<PoolProgram[]> {
  const { names, level = hardLevel } = options;
  return (await choose(gym, names)).flatMap((dataset) => {
    const usable = dataset.levels.filter((other) => other <= level);
    return usable.length === 0 ? [] : [programOf(gym, dataset, usable.length - 1)];
  });
}

/**
 * Every data set at each of its usable levels; the difficulty is the level's place among these.
 *
 * @throws {UsageError} as {@link reasoningGymSuite}.
 */
export async function reasoningGymPrograms(
  gym: ReasoningGym,
  options: { names?: readonly string[]; maxDifficulty: number },
): Promise<PoolProgram[]> {
  const datasets = await choose(gym, options.names);
  return datasets.flatMap((dataset) =>
    dataset.levels.slice(0, options.maxDifficulty + 1)
      .map((_, difficulty) => programOf(gym, dataset, difficulty))
  );
}

async function choose(
  gym: ReasoningGym,
  names: readonly string[] | undefined,
): Promise<ReasoningGymDataset[]> {
  const all = await gym.datasets();
  if (names === undefined) return all.filter(({ levels }) => levels.length > 0);
  return [...new Set(names)].map((name) => {
    const found = all.find((dataset) => dataset.name === name);
    if (found === undefined) {
      const known = all.map((dataset) => dataset.name).join(", ");
      throw new UsageError(`Cannot use reasoning-gym's "${name}": must be one of ${known}`);
    }
    if (found.levels.length > 0) return found;
    throw new UsageError(
      found.missing === null
        ? `Cannot use reasoning-gym's "${name}": none of its levels can be used`
        : `Cannot use reasoning-gym's "${name}": it needs the package ${found.missing}, ` +
          "which is not installed",
    );
  });
}

function programOf(
  gym: ReasoningGym,
  dataset: ReasoningGymDataset,
  difficulty: number,
): PoolProgram {
  const level = dataset.levels[difficulty];
  const source = reasoningGymSource({ dataset: dataset.name, level }, gym.version);
  return {
    id: environmentId(source),
    source,
    skill: dataset.category,
    family: dataset.name,
    difficulty,
  };
}
