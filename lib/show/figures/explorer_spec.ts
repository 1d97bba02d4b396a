/** The vega-lite specification of the explorer: points, and the list of those that are chosen. @module */
import type { TargetBand } from "../../analysis/mod.ts";
import { colour, fontFamily, series, type SeriesStyle } from "../style.ts";
import type { ExplorerPoint } from "./explorer.ts";
import type { VegaSpec } from "./vega.ts";

/** Lines of the list: those of the largest regret among the chosen. */
export const listed = 22;

const places: [string, string, SeriesStyle][] = [
  ["below", "below the band: too hard", series.second],
  ["in", "in the band", series.first],
  ["above", "above: too easy", series.third],
];
const shapes: Record<string, string> = {
  circle: "circle",
  triangle: "triangle-up",
  square: "square",
};

/** `n` and `warnings` stand below the title. */
export function explorerSpec(
  points: readonly ExplorerPoint[],
  { title, n, warnings, band }: {
    title: string;
    n: string;
    warnings: readonly string[];
    band: TargetBand;
  },
): VegaSpec {
  const subtitle = [
    `${n}. Drag over points to list their environments; the list is by regret.`,
    ...warnings.map((warning) => `⚠ ${warning}`),
  ];
  return {
    $schema: "https://vega.github.io/schema/vega-lite/v5.json",
    background: colour("paper"),
    title: { text: title, subtitle, anchor: "start", offset: 12 },
    config: {
      font: fontFamily,
      title: {
        fontSize: 15,
        subtitleFontSize: 11,
        color: colour("ink"),
        subtitleColor: colour("muted"),
      },
      axis: {
        labelColor: colour("ink"),
        titleColor: colour("ink"),
        gridColor: colour("rule"),
        titleFontWeight: "normal",
      },
      header: { labelColor: colour("ink") },
      // JupyterLab's dark theme would write them in white
      legend: { labelColor: colour("ink"), titleColor: colour("ink") },
      view: { stroke: null },
    },
    data: { values: points },
    hconcat: [{ width: 330, height: 360, layer: [bandLayer(band), zero(), pointLayer()] }, list()],
    spacing: 24,
  };
}

function bandLayer({ low, high }: TargetBand): VegaSpec {
  return {
    data: { values: [{ low, high }] },
    mark: { type: "rect", color: colour("band"), tooltip: false },
    encoding: {
      x: { field: "low", type: "quantitative" },
      x2: { field: "high" },
    },
  };
}

function zero(): VegaSpec {
  return {
    data: { values: [{ regret: 0 }] },
    mark: { type: "rule", color: colour("ink") },
    encoding: { y: { field: "regret", type: "quantitative" } },
  };
}

function pointLayer(): VegaSpec {
  const domain = places.map(([place]) => place);
  const labels = `{${places.map(([place, label]) => `'${place}': '${label}'`).join(", ")}}`;
  const legend = {
    title: null,
    orient: "bottom",
    direction: "vertical",
    labelExpr: `${labels}[datum.value]`,
  };
  return {
    params: [{ name: "brush", select: "interval" }],
    mark: { type: "point", filled: true, size: 55, tooltip: true },
    encoding: {
      x: {
        field: "winRate",
        type: "quantitative",
        title: "win rate without hint (grey: target band)",
        scale: { domain: [0, 1] },
      },
      y: { field: "regret", type: "quantitative", title: "regret (hinted minus plain return)" },
      shape: {
        field: "place",
        type: "nominal",
        scale: { domain, range: places.map(([, , style]) => shapes[style.symbol]) },
        legend,
      },
      color: {
        field: "place",
        type: "nominal",
        scale: { domain, range: places.map(([, , style]) => colour(style.colour)) },
        legend,
      },
      opacity: { condition: { param: "brush", value: 0.7 }, value: 0.15 },
      tooltip: ["id", "name", "skill", "rollout", "winRate", "regret", "interval"].map((field) => ({
        field,
        ...(field === "winRate" || field === "regret" ? { format: ".3f" } : {}),
      })),
    },
  };
}

/** Texts in columns: a list that the brush can filter. */
function list(): VegaSpec {
  const column = (field: string, title: string, width: number, format?: string): VegaSpec => ({
    width,
    height: 360,
    title: {
      text: title,
      anchor: format ? "end" : "start",
      fontSize: 11,
      fontWeight: "bold",
      offset: 2,
    },
    mark: { type: "text", align: format ? "right" : "left", fontSize: 10, tooltip: false },
    encoding: {
      x: { value: format ? width : 0 },
      y: {
        field: "line",
        type: "ordinal",
        axis: null,
        scale: { domain: Array.from({ length: listed }, (_, i) => i + 1) },
      },
      text: { field, ...(format ? { type: "quantitative", format } : { type: "nominal" }) },
      color: { value: colour("ink") },
    },
  });
  return {
    transform: [
      { filter: { param: "brush" } },
      {
        window: [{ op: "row_number", as: "line" }],
        sort: [{ field: "regret", order: "descending" }],
      },
      { filter: `datum.line <= ${listed}` },
    ],
    hconcat: [
      column("id", "environment", 66),
      column("name", "class", 112),
      column("skill", "skill", 132),
      column("winRate", "wins", 34, ".2f"),
      column("regret", "regret", 44, "+.2f"),
    ],
    spacing: 6,
  };
}
