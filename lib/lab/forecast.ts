/** What a training will take, before it starts. @module */
import { presetFiles, readPrograms } from "../cli/files.ts";
import {
  type Assumptions,
  assumptionsFor,
  type Config,
  type Expectation,
  expectRun,
  resolveConfig,
} from "../loop/mod.ts";
import { display, type Displayable, escapeTerminal, formatCount, textTable } from "../show/mod.ts";

/** Which training. */
export interface ForecastOptions {
  /** `data/presets`. @default "nano" */
  preset?: string;
  /** `data/presets/overlays`, in order. @default [] */
  overlays?: readonly string[];
  /** Further changes, `key=value`, e.g. `rollouts=100`. @default [] */
  set?: readonly string[];
  /** What no configuration says, such as the share of accepted replies, where you know better. */
  assumed?: Partial<Assumptions>;
}

/** What a training is expected to take. */
export interface Forecast {
  /** The preset as it was changed. */
  config: Config;
  /** Calls, plays and tokens by role, each with its bounds. */
  expected: readonly Expectation[];
  /** What no configuration says, and the expected numbers rest on. */
  assumed: Assumptions;
}

/**
 * Numbers of calls, plays and tokens of a whole training, as `deno task train --dry-run` has them. Nothing is started, so
 * the model, its server and the corpus need not be there.
 *
 * ```ts ignore
 * import { forecast } from "@spade/spade";
 *
 * const { expected } = forecast({ preset: "games-4b", set: ["rollouts=100"], assumed: { acceptance: 0.8 } });
 * console.log(expected.find(({ what }) => what === "tokens written: agent"));
 * ```
 *
 * @throws {UsageError} where an option is wrong.
 */
export function forecast(options: ForecastOptions = {}): Forecast & Displayable {
  const { preset = "nano", overlays = [], set = [] } = options;
  const config = resolveConfig({ preset, overlays, set: [...set] }, presetFiles());
  const assumed = { ...assumptionsFor(config), ...options.assumed };
  const { heldout } = config;
  const count = (part: string) => heldout === null ? 0 : readPrograms(`${heldout}/${part}`).length;
  const expected = expectRun(config, { dev: count("dev"), test: count("test") }, assumed);
  return display(shownForecast, { config, expected, assumed });
}

function shownForecast({ config, expected }: Forecast): { text: string } {
  const rows = expected.map(({ what, ...counts }) => [
    what,
    ...[counts.least, counts.expected, counts.most].map((count) => formatCount(count)),
  ]);
  return {
    text: [
      escapeTerminal(`forecast of ${[config.preset, ...config.overlays].join(" + ")}`),
      textTable(["what", "#least", "#expected", "#most"], rows).trimEnd(),
    ].join("\n"),
  };
}
