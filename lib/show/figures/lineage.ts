/** Which environments came from which. @module */
import * as Plot from "@observablehq/plot";
import { type Descent, generationsOf } from "../../analysis/mod.ts";
import { composeFigure, drawPanel, type Panel } from "../compose.ts";
import type { Figure } from "../figure.ts";
import { formatCount } from "../format.ts";
import { colour, series, type SeriesStyle } from "../style.ts";
import { layLineage, type LineageLayout, type PlacedNode } from "./lineage_layout.ts";
import { counted, type FigureOptions, labelOf, layout, rolloutAxis, shortId } from "./parts.ts";

/** How much is drawn, and what the roots are called. */
export interface LineageFigureOptions extends FigureOptions {
  /** Environments drawn at most, the largest trees first. @default 200 */
  most?: number;
  /** Document of each environment, by id; stands beside the roots. */
  documents?: ReadonlyMap<string, string>;
}

const fertile: SeriesStyle = { ...series.first, unjoined: true };
const recent: SeriesStyle = { ...series.first, filled: false, unjoined: true };
const dead: SeriesStyle = { ...series.third, colour: "muted", unjoined: true };
const first: SeriesStyle = { colour: "muted", symbol: "none", filled: false };
const further: SeriesStyle = { ...series.second, symbol: "none" };
/** More lines than these hide the trees. */
const mostLinks = 60;

/**
 * Trees of {@linkcode lineageOf}: across the rollout that accepted an environment, down its place in its tree.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { lineageOf } from "../../analysis/mod.ts";
 * const of = (id: string, parents: string[], rollout: number) =>
 *   ({ environment: { id, parents }, rollout, skill: "Optimization" });
 * const { text } = lineageFigure(lineageOf([of("a", [], 0), of("b", ["a"], 2)]));
 * assert.match(text, /a Optimization: 1 descendant in 1 generation/);
 * ```
 */
export function lineageFigure(
  lineage: readonly Descent[],
  options: LineageFigureOptions = {},
): Figure {
  const { most = 200, documents } = options;
  const { width, isWide } = layout(options);
  const rough = layLineage(lineage, { most, rootRows: 1 });
  const step = Math.max(4, Math.min(14, 820 / rough.rows));
  const laid = layLineage(lineage, { most, rootRows: Math.ceil(13 / step) });
  const byId = new Map(laid.nodes.map((node) => [node.environmentId, node]));
  const links = laid.nodes.flatMap((node) =>
    node.parents.slice(1).flatMap((id) => byId.has(id) ? [{ from: byId.get(id)!, to: node }] : [])
  );
  const drawnLinks = links.length > mostLinks ? [] : links;
  const unknown = lineage.filter(({ unknownParents }) => unknownParents.length > 0).length;
  const names = (node: PlacedNode) => {
    const document = documents?.get(node.environmentId);
    return shortId(node.environmentId) + (isWide ? ` ${labelOf(node.skill, 22)}` : "") +
      (isWide && document !== undefined ? ` ← ${shortId(document)}` : "");
  };
  const generations = generationsOf(lineage);
  return composeFigure({
    title: "Lineage: which environments led to which",
    subtitle: `A seed shown to the designer is a parent; n = ${
      counted(lineage.length, "environment")
    }, ${counted(generations.length, "generation")}; drawn: ${formatCount(laid.nodes.length)}.`,
    legend: laid.nodes.length === 0 ? [] : [
      { label: "has children", style: fertile },
      { label: "last rollout, may yet", style: recent },
      { label: "nobody's parent", style: dead },
      { label: "first parent", style: first },
      ...(drawnLinks.length > 0 ? [{ label: "further parent", style: further }] : []),
    ],
    panels: laid.nodes.length === 0 ? [] : [treePanel(laid, drawnLinks, names, step, width)],
    caption: laid.nodes.length === 0 ? "No environment has a known parent." : undefined,
    warnings: [
      ...(laid.barren > 0
        ? [`${counted(laid.barren, "environment")} without parent or child are not drawn`]
        : []),
      ...(laid.cut > 0
        ? [
          `${formatCount(laid.cut)} of ${
            counted(laid.cut + laid.nodes.length, "environment")
          } in trees are not drawn`,
        ]
        : []),
      ...(links.length > drawnLinks.length
        ? [`${counted(links.length, "line")} to further parents are not drawn`]
        : []),
      ...(unknown > 0
        ? [`shown seeds that are not among these: ${counted(unknown, "environment")}`]
        : []),
    ],
    text: [
      ...generations.map(({ generation, environments, dead }) =>
        `generation ${generation}: ${counted(environments, "environment")}, ${dead} nobody's parent`
      ),
      ...laid.nodes.filter(({ isRoot }) => isRoot).slice(0, 20).map((root) =>
        `${names(root)}: ${counted(root.descendants, "descendant")} in ${
          counted(root.depth, "generation")
        }`
      ),
    ].join("\n") || "no environments",
    width,
  });
}

function treePanel(
  { nodes, rows }: LineageLayout,
  links: readonly { from: PlacedNode; to: PlacedNode }[],
  nameOf: (node: PlacedNode) => string,
  step: number,
  width: number,
): Panel {
  const byId = new Map(nodes.map((node) => [node.environmentId, node]));
  const roots = nodes.filter(({ isRoot }) => isRoot);
  const edges = nodes.filter(({ isRoot }) => !isRoot)
    .map((to) => ({ from: byId.get(to.parents[0])!, to }));
  const longest = Math.max(...roots.map((root) => [...nameOf(root)].length));
  const kinds: [SeriesStyle, (node: PlacedNode) => boolean][] = [
    [fertile, ({ children }) => children.length > 0],
    [recent, ({ children, isDead }) => children.length === 0 && !isDead],
    [dead, ({ isDead }) => isDead],
  ];
  const ends = { x1: "x1", x2: "x2", y1: "y1", y2: "y2", curve: "bump-x" } as const;
  const place = ({ from, to }: { from: PlacedNode; to: PlacedNode }) => ({
    x1: from.rollout,
    x2: to.rollout,
    y1: from.y,
    y2: to.y,
  });
  return drawPanel({
    width,
    height: Math.ceil(rows * step) + 56,
    marginLeft: Math.ceil(longest * 6.2) + 16,
    marginRight: 16,
    marginTop: 10,
    marginBottom: 38,
    x: rolloutAxis(nodes.map(({ rollout }) => rollout), width, {
      label: "rollout that accepted it",
    }),
    y: { domain: [rows - 0.3, -0.7], axis: null },
    marks: [
      Plot.link(links.map(place), {
        ...ends,
        stroke: colour("second"),
        strokeOpacity: 0.55,
        strokeDasharray: "5 3",
      }),
      Plot.link(edges.map(place), { ...ends, stroke: colour("muted"), strokeWidth: 1.1 }),
      ...kinds.map(([style, is]) =>
        Plot.dot(nodes.filter(is), {
          x: "rollout",
          y: "y",
          symbol: style.symbol === "none" ? "circle" : style.symbol,
          r: Math.min(3.5, step * 0.42),
          stroke: colour(style.colour),
          fill: style.filled ? colour(style.colour) : colour("paper"),
        })
      ),
      Plot.text(roots, {
        x: "rollout",
        y: "y",
        text: nameOf,
        textAnchor: "end",
        dx: -7,
        fontSize: 10,
      }),
    ],
  });
}
