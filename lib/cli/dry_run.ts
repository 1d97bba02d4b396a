/**
 * `--dry-run`: the resolved configuration, what differs from its preset, what a run is expected to take, and what would
 * keep it from starting. Reads the files that are named, opens no engine and no sandbox.
 * @module
 */
import { stringify } from "@std/yaml";
import { UsageError } from "../core/mod.ts";
import {
  type Assumptions,
  assumptionsFor,
  changesOf,
  type Config,
  type ConfigChange,
  type Expectation,
  expectedScale,
  expectRun,
  resolveConfig,
} from "../loop/mod.ts";
import { presetFiles } from "./files.ts";
import { readInputs } from "./inputs.ts";
import { openModelText } from "./open_model.ts";
import { type Obstacle, obstaclesOf } from "./unable.ts";

export interface DryRun {
  config: Config;
  changes: ConfigChange[];
  expected: Expectation[];
  assumed: Assumptions;
  scale: number;
  prompts: { version: string; hash: string };
  /** What was left out while reading. */
  warnings: string[];
  obstacles: Obstacle[];
}

/**
 * Works it out.
 *
 * @throws {UsageError} naming the key, file or line that is wrong.
 */
export async function dryRun(config: Config): Promise<DryRun> {
  const warnings: string[] = [];
  const inputs = await readInputs(config, (event) => {
    if (event.kind === "warning") warnings.push(event.message);
  });
  const { dev, test } = inputs.heldout;
  const obstacles = obstaclesOf(config);
  return {
    config,
    changes: changesOf(resolveConfig({ preset: config.preset }, presetFiles()), config),
    expected: expectRun(config, { dev: dev.length, test: test.length }),
    assumed: assumptionsFor(config),
    scale: expectedScale(config),
    prompts: { version: inputs.prompt.version, hash: inputs.promptHash },
    warnings,
    obstacles: [...obstacles, ...obstacles.some(isAboutText) ? [] : unfitText(config)],
  };
}

function isAboutText({ key }: Obstacle): boolean {
  return key === "model" || key === "tokenizer";
}

/** Why the model's text does not do for the configuration, if so; a start finds that out when it opens it. */
function unfitText(config: Config): Obstacle[] {
  try {
    openModelText(config);
    return [];
  } catch (error) {
    if (error instanceof UsageError) return [{ key: "model", why: error.message }];
    throw error;
  }
}

/** As text. */
export function dryRunText(result: DryRun): string {
  const { config, changes, expected, assumed, warnings, obstacles } = result;
  const value = (item: unknown) => item === undefined ? "absent" : JSON.stringify(item);
  const count = (number: number) => number.toLocaleString("en-US");
  const row = (cells: readonly string[]) =>
    `  ${cells[0].padEnd(26)}${cells.slice(1).map((cell) => cell.padStart(17)).join("")}`;
  const percent = (share: number) => `${Math.round(100 * share)} %`;
  const { replies } = assumed;
  return [
    `preset ${[config.preset, ...config.overlays].join(" + ")}`,
    "",
    "configuration",
    ...stringify(config).trimEnd().split("\n").map((line) => `  ${line}`),
    "",
    "differs from the preset",
    ...changes.map(({ key, preset, now }) => `  ${key}: ${value(preset)} -> ${value(now)}`),
    ...(changes.length === 0 ? ["  nothing"] : []),
    "",
    "a whole run",
    row(["", "at least", "expected", "at most"]),
    ...expected.map(({ what, least, expected, most }) =>
      row([what, count(least), count(expected), count(most)])
    ),
    "",
    `assumed: ${
      percent(assumed.acceptance)
    } of the designer's replies pass the gates; a play takes ` +
    `${percent(assumed.turns)} of its turns; a reply ${percent(replies.designer)} (designer), ` +
    `${percent(replies.agent)} (agent), ${
      percent(replies.hint)
    } (hint) of its tokens; a document is ` +
    `as long as it may be; a brief has ${count(assumed.brief)} tokens beside document and memory ` +
    `(${assumed.program} each), an observation ${assumed.observation}; a hint is written 1.1 times; ` +
    "no play fails",
    ...(config.designer === "none" ? [] : [`designer's scale S with full groups: ${result.scale}`]),
    `prompts: ${result.prompts.version} (sha-256 ${result.prompts.hash.slice(0, 12)}…)`,
    ...warnings.map((warning) => `warning: ${warning}`),
    "",
    obstacles.length === 0 ? "it can start" : "it cannot start yet:",
    ...obstacles.map(({ key, why }) => `  ${key}: ${why}`),
  ].join("\n");
}
