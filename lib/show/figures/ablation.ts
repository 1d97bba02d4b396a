/** What each part of the method is worth: arms of a study side by side. @module */
import { composeFigure, type Panel } from "../compose.ts";
import type { Figure } from "../figure.ts";
import { formatChange, formatInterval, missing } from "../format.ts";
import { intervalPanel } from "./interval_panel.ts";
import { counted, type FigureOptions, labelOf, layout } from "./parts.ts";

/** A mean over seeds; without spread or with one seed no interval. */
export interface SeedMean {
  /** Mean. */
  mean: number;
  /** Lower end. */
  low?: number | null;
  /** Upper end. */
  high?: number | null;
  /** Seeds. */
  n: number;
}

/** One way to train, as `data/results/nano.json` has it under `arms`. */
export interface StudyArm {
  /** Its name; the first is the whole method. */
  arm: string;
  /** Seeds it was trained with. */
  seeds: number;
  /** Held-out plays of each seed, mode and moment. */
  plays?: number;
  /** Final minus starting return at temperature 1. */
  rise: SeedMean;
  /** The first arm's rise minus this one's, seed by seed. */
  spadeMinus?: SeedMean | null;
}

/**
 * Rise of each arm, and what the first arm has over it; the order is that given.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * const rise = { mean: 0.135, low: 0.119, high: 0.151, n: 5 };
 * const { text } = ablationFigure({ arms: [{ arm: "spade", seeds: 5, rise }] });
 * assert.equal(text, "spade: rise +0.135 [0.119,\u00a00.151], 5 seeds");
 * ```
 */
export function ablationFigure(
  { arms }: { /** The arms. */ arms: readonly StudyArm[] },
  options: FigureOptions = {},
): Figure {
  const { width, panel, isWide } = layout(options, 2);
  const seeds = [...new Set(arms.map((row) => row.seeds))].sort((a, b) => a - b);
  const bare = arms.filter(({ rise }) => rise.low == null).length;
  const short = arms.filter((row) => row.seeds < seeds[seeds.length - 1]).length;
  const names = arms.map(({ arm }) => labelOf(arm, isWide ? 22 : 20));
  const first = names[0] ?? "";
  return composeFigure({
    title: "Ablations: rise of held-out return by arm",
    subtitle: `Final minus starting mean return at temperature 1; n = ${
      counted(arms.length, "arm")
    } of ${seeds.join(" to ") || "no"} seeds. Intervals: 95 % over seeds.`,
    legend: [],
    panels: arms.length === 0 ? [] : [
      armPanel(arms, names, ({ rise }) => rise, { width: panel, heading: "Rise" }),
      ...(arms.some(({ spadeMinus }) => spadeMinus)
        ? [armPanel(arms, names, ({ spadeMinus }) => spadeMinus, {
          width: panel,
          heading: `${first} minus the arm, seed by seed`,
        })]
        : []),
    ],
    caption: arms.length === 0 ? "No arm is stored." : undefined,
    warnings: [
      ...(bare > 0 ? [`${counted(bare, "arm")} without interval`] : []),
      ...(short > 0 ? [`${counted(short, "arm")} with fewer seeds than others`] : []),
    ],
    text: arms.map(({ arm, rise, spadeMinus, seeds }) =>
      `${labelOf(arm, 60)}: rise ${formatChange(rise.mean, 3)} ${formatInterval(rise, 3)}, ${
        counted(seeds, "seed")
      }${
        spadeMinus
          ? `; ${first} has ${formatChange(spadeMinus.mean, 3)} ${
            formatInterval(spadeMinus, 3)
          } over it`
          : ""
      }`
    ).join("\n") || "no arms",
    width,
  });
}

function armPanel(
  arms: readonly StudyArm[],
  names: readonly string[],
  value: (arm: StudyArm) => SeedMean | null | undefined,
  options: { width: number; heading: string },
): Panel {
  const rows = arms.map((arm, i) => {
    const of = value(arm);
    return of
      ? { name: names[i], ...of, note: formatChange(of.mean, 3) }
      : { name: names[i], note: missing };
  });
  return intervalPanel(rows, { label: "mean return", ...options });
}
