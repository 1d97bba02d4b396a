/** The figure of the regret study. */
import * as Plot from "@observablehq/plot";
import {
  colour,
  composeFigure,
  drawPanel,
  type Figure,
  type Panel,
  series,
  widths,
} from "../../lib/show/mod.ts";
import type { CoverageCell, FloorCell, PairingCell } from "./regret.ts";

const height = 250, width = Math.floor(widths.wide / 3);
const frame = { width, height, marginLeft: 42, marginRight: 12, marginTop: 24, marginBottom: 38 };
const styles = [series.first, series.second, series.third] as const;
const center = { labelArrow: "none", labelAnchor: "center" } as const;
const grid = () => Plot.gridY({ stroke: colour("rule"), strokeOpacity: 1 });

/** Coverage by pairs, width of the paired interval by correlation, floor of the signal by plays. */
export function studyFigure(
  study: { coverage: CoverageCell[]; pairing: PairingCell[]; floor: FloorCell[] },
  repetitions: number,
): Figure {
  const held = study.coverage.filter((cell) => cell.covered !== null);
  const least = Math.min(...held.map((cell) => cell.covered!));
  const floor = study.floor.filter((cell) => cell.spread === 0.42 && cell.regret === 0);
  const at = (plays: number) => floor.find((cell) => cell.plays === plays)!;
  const numbers = `lowest coverage ${(100 * least).toFixed(1)} %; floor of the published signal ` +
    `${at(8).published.toFixed(2)} at 8 and ${at(16).published.toFixed(2)} at 16 plays, of the ` +
    `shrunken one ${at(8).shrunken.toFixed(2)} and ${at(16).shrunken.toFixed(2)}`;
  return composeFigure({
    title: "How far a measured regret can be trusted",
    subtitle: `Simulated plays; ${repetitions.toLocaleString("en")} data sets a point on the left.`,
    legend: [
      { label: "8 pairs; published signal", style: series.first },
      { label: "16 pairs; shrunk by its error", style: series.second },
      { label: "32 pairs", style: series.third },
    ],
    panels: [coveragePanel(held), pairingPanel(study.pairing), floorPanel(floor)],
    caption:
      `Left: every kind of returns, with and without shared luck; dashed: the 92 % that is ` +
      `asked for. Middle: binary returns, equal seeds over different ones. Right: spread .42, true ` +
      `regret 0. Here: ${numbers}.`,
    warnings: [],
    text: numbers,
    width: widths.wide,
  });
}

function coveragePanel(cells: readonly CoverageCell[]): Panel {
  const points = cells.map((cell) => ({ x: String(cell.pairs), y: 100 * cell.covered! }));
  return drawPanel({
    ...frame,
    x: { type: "point", domain: ["4", "8", "16", "32"], label: "pairs", ...center },
    y: { domain: [90, 100], label: "↑ %", labelArrow: "none", ticks: 5 },
    marks: [
      grid(),
      Plot.ruleY([92], { stroke: colour("second"), strokeDasharray: "6 3", strokeWidth: 1.5 }),
      Plot.ruleY([95], { stroke: colour("ink"), strokeWidth: 1 }),
      Plot.dot(points, {
        x: "x",
        y: "y",
        r: 2.6,
        fill: colour("first"),
        fillOpacity: 0.45,
      }),
    ],
  }, "Coverage of the 95 % interval");
}

function pairingPanel(cells: readonly PairingCell[]): Panel {
  const shown = cells.filter((cell) => cell.returns.startsWith("binary"));
  return drawPanel({
    ...frame,
    x: { domain: [0, 0.9], label: "correlation of the arms", ticks: 5, ...center },
    y: { domain: [0, 1.05], label: "↑ paired / unpaired", labelArrow: "none", ticks: 5 },
    marks: [
      grid(),
      ...[8, 16, 32].flatMap((pairs, i) => {
        const own = shown.filter((cell) => cell.pairs === pairs);
        return lineOf(own.map((cell) => ({ x: cell.correlation, y: cell.width })), i);
      }),
      Plot.ruleY([0], { stroke: colour("ink") }),
    ],
  }, "Width of the interval");
}

function floorPanel(cells: readonly FloorCell[]): Panel {
  return drawPanel({
    ...frame,
    x: {
      type: "log",
      domain: [4, 64],
      label: "plays an arm",
      tickFormat: "d",
      ticks: [4, 8, 16, 32, 64],
      ...center,
    },
    y: { domain: [0, 0.5], label: "↑ mean clipped signal", labelArrow: "none", ticks: 5 },
    marks: [
      grid(),
      ...lineOf(cells.map((cell) => ({ x: cell.plays, y: cell.published })), 0),
      ...lineOf(cells.map((cell) => ({ x: cell.plays, y: cell.shrunken })), 1),
      Plot.ruleY([0], { stroke: colour("ink") }),
    ],
  }, "Signal at zero true regret");
}

function lineOf(points: readonly { x: number; y: number }[], index: number): Plot.Markish[] {
  const style = styles[index], stroke = colour(style.colour);
  const dash = "dash" in style ? { strokeDasharray: style.dash } : {};
  return [
    Plot.line(points, { x: "x", y: "y", stroke, strokeWidth: 1.8, ...dash }),
    Plot.dot(points, {
      x: "x",
      y: "y",
      r: 3.5,
      stroke,
      symbol: style.symbol,
      fill: style.filled ? stroke : colour("paper"),
    }),
  ];
}
