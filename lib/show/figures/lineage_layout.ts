/**
 * Where the environments of a lineage stand: a tree a root, children under their first parent, leaves in rows of their
 * own, a parent at the middle of its children.
 * @module
 */
import type { Descent } from "../../analysis/mod.ts";

/** An environment with its place. */
export interface PlacedNode extends Descent {
  /** Row, from 0 downwards; not whole for parents. */
  y: number;
  /** Whether it starts a tree. */
  isRoot: boolean;
}

/** What is drawn, and how much is not. */
export interface LineageLayout {
  /** Parents before children. */
  nodes: PlacedNode[];
  /** Rows in all. */
  rows: number;
  /** Environments of drawn or further trees that were too many. */
  cut: number;
  /** Roots without a child: they have no tree. */
  barren: number;
}

/**
 * The largest trees first, `most` environments in all. `rootRows`: rows between the starts of two trees, at the least,
 * so that their names have room. Of a tree that is cut the earliest environments stay.
 */
export function layLineage(
  lineage: readonly Descent[],
  options: { most: number; rootRows: number },
): LineageLayout {
  const children = new Map<string, Descent[]>();
  for (const row of lineage) {
    const [parent] = row.parents;
    if (parent === undefined) continue;
    children.set(parent, [...(children.get(parent) ?? []), row]);
  }
  const trees = lineage.filter(({ parents }) => parents.length === 0)
    .map((root) => treeOf(root, children));
  const fertile = trees.filter((tree) => tree.length > 1).sort((a, b) => b.length - a.length);
  const total = fertile.reduce((sum, tree) => sum + tree.length, 0);
  const nodes: PlacedNode[] = [];
  let next = 0;
  for (const tree of fertile) {
    const room = options.most - nodes.length;
    if (room < 2) break;
    const kept = tree.slice(0, room), ids = new Set(kept.map((row) => row.environmentId));
    const placed = new Map<string, number>();
    const start = next;
    place(
      kept[0],
      (id) => (children.get(id) ?? []).filter((c) => ids.has(c.environmentId)),
      placed,
      () => next++,
    );
    next = Math.max(next, start + options.rootRows) + 0.6;
    nodes.push(...kept.map((row, i) => ({
      ...row,
      y: placed.get(row.environmentId)!,
      isRoot: i === 0,
    })));
  }
  return {
    nodes,
    rows: Math.max(1, next),
    cut: total - nodes.length,
    barren: trees.length - fertile.length,
  };
}

/** A root and all below it by first parents, generation by generation. */
function treeOf(root: Descent, children: ReadonlyMap<string, Descent[]>): Descent[] {
  const found = [root];
  for (let i = 0; i < found.length; i++) found.push(...children.get(found[i].environmentId) ?? []);
  return found;
}

/** Rows of a node and all below it. A loop, for a lineage may be thousands of generations deep. */
function place(
  root: Descent,
  childrenOf: (id: string) => Descent[],
  placed: Map<string, number>,
  row: () => number,
): void {
  const stack = [{ node: root, isOpen: false }];
  while (stack.length > 0) {
    const { node, isOpen } = stack.pop()!, own = childrenOf(node.environmentId);
    if (own.length === 0) placed.set(node.environmentId, row());
    else if (isOpen) {
      const rows = own.map(({ environmentId }) => placed.get(environmentId)!);
      placed.set(node.environmentId, (rows[0] + rows[rows.length - 1]) / 2);
    } else {
      stack.push({ node, isOpen: true });
      stack.push(...own.map((child) => ({ node: child, isOpen: false })).reverse());
    }
  }
}
