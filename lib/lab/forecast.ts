/** What a training will take, before it starts. @module */
import { dryRun } from "../cli/dry_run.ts";
import { presetFiles } from "../cli/files.ts";
import { type Assumptions, type Config, type Expectation, resolveConfig } from "../loop/mod.ts";
import { display, type Displayable, escapeTerminal, formatCount, textTable } from "../show/mod.ts";

/** Which training. */
export interface ForecastOptions {
  /** `data/presets`. @default "nano" */
  preset?: string;
  /** `data/presets/overlays`, in order. @default [] */
  overlays?: readonly string[];
  /** Further changes, `key=value`, e.g. `rollouts=100`. @default [] */
  set?: readonly string[];
}

/** What a training is expected to take. */
export interface Forecast {
  /** The preset as it was changed. */
  config: Config;
  /** Calls, plays and tokens by role, each with its bounds. */
  expected: readonly Expectation[];
  /** What no configuration says, and the expected numbers rest on. */
  assumed: Assumptions;
  /** What would keep it from starting now. */
  obstacles: readonly string[];
}

/**
 * Numbers of calls, plays and tokens of a whole training, as `deno task train --dry-run` has them. Nothing is started,
 * and what is not there yet (a server, a corpus) is listed, not missed.
 *
 * ```ts ignore
 * import { forecast } from "@spade/spade";
 *
 * const { expected } = await forecast({ preset: "games-4b", set: ["rollouts=100"] });
 * console.log(expected.find(({ what }) => what === "tokens written: agent"));
 * ```
 *
 * @throws {UsageError} where an option is wrong, or a file that it names cannot be used.
 */
export async function forecast(options: ForecastOptions = {}): Promise<Forecast & Displayable> {
  const { preset = "nano", overlays = [], set = [] } = options;
  const result = await dryRun(resolveConfig({ preset, overlays, set: [...set] }, presetFiles()));
  const { config, expected, assumed } = result;
  const obstacles = result.obstacles.map(({ key, why }) => `${key}: ${why}`);
  return display(shownForecast, { config, expected, assumed, obstacles });
}

function shownForecast({ config, expected, obstacles }: Forecast): { text: string } {
  const rows = expected.map(({ what, ...counts }) => [
    what,
    ...[counts.least, counts.expected, counts.most].map((count) => formatCount(count)),
  ]);
  return {
    text: [
      escapeTerminal(`forecast of ${[config.preset, ...config.overlays].join(" + ")}`),
      textTable(["what", "#least", "#expected", "#most"], rows).trimEnd(),
      ...obstacles.map((why) => escapeTerminal(`to start it, ${why}`)),
    ].join("\n"),
  };
}
