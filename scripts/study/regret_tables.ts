/** The README's tables of the regret study, as Markdown. */
import type { CoverageCell, FloorCell, PairingCell } from "./regret.ts";

const table = (head: string[], rows: string[][]) =>
  [head, head.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`).join("\n") + "\n";
const percent = (value: number) => `${(100 * value).toFixed(1)} %`;
const unique = <T>(values: readonly T[]) => [...new Set(values)];

/** Lowest and median coverage and the share without interval, by pairs and spread. */
export function worstTable(cells: readonly CoverageCell[]): string {
  const bands: [string, (spread: number) => boolean][] = [
    ["below .25", (spread) => spread < 0.25],
    [".25 to .5", (spread) => spread >= 0.25 && spread < 0.5],
    [".5 and more", (spread) => spread >= 0.5],
  ];
  const rows = unique(cells.map(({ pairs }) => pairs)).flatMap((pairs) =>
    bands.map(([name, has]) => {
      const own = cells.filter((cell) => cell.pairs === pairs && has(cell.spread));
      const covered = own.flatMap((cell) => cell.covered ?? []).sort((a, b) => a - b);
      const without = own.map((cell) => cell.without).sort((a, b) => a - b);
      const middle = covered[Math.floor(covered.length / 2)];
      return [
        String(pairs),
        name,
        `${covered.length} of ${own.length}`,
        covered.length > 0 ? percent(covered[0]) : "–",
        covered.length > 0 ? percent(middle) : "–",
        own.length > 0 ? `${percent(without[0])} to ${percent(without[without.length - 1])}` : "–",
      ];
    })
  );
  return table(
    ["pairs", "spread of a difference", "cells", "lowest coverage", "median", "without interval"],
    rows,
  );
}

/** Width of the paired interval over the unpaired one. */
export function pairingTable(cells: readonly PairingCell[]): string {
  const names = unique(cells.map(({ returns }) => returns));
  const counts = unique(cells.map(({ pairs }) => pairs));
  const rows = names.flatMap((returns) => {
    const own = cells.filter((cell) => cell.returns === returns);
    const first = own.filter((cell) => cell.pairs === counts[0]);
    return first.map(({ correlation }) => [
      returns,
      correlation.toFixed(2),
      ...counts.map((pairs) => {
        const cell = own.find((c) => c.pairs === pairs && c.correlation === correlation)!;
        return `${cell.width.toFixed(2)} (${cell.deviation.toFixed(2)})`;
      }),
    ]);
  });
  return table(["returns", "correlation of the arms", ...counts.map((n) => `n = ${n}`)], rows);
}

/** Mean clipped signals at zero and at true regrets. */
export function floorTable(cells: readonly FloorCell[]): string {
  const rows = cells.filter((cell) => cell.regret === 0).map(({ plays, spread, ...floor }) => {
    const at = (regret: number) =>
      cells.find((c) => c.plays === plays && c.spread === spread && c.regret === regret)!;
    const both = (cell: FloorCell) => `${cell.published.toFixed(2)} / ${cell.shrunken.toFixed(2)}`;
    return [
      spread.toFixed(2),
      String(plays),
      floor.published.toFixed(2),
      floor.formula!.toFixed(2),
      floor.shrunken.toFixed(2),
      both(at(0.15)),
      both(at(0.3)),
    ];
  });
  return table([
    ...["spread", "plays an arm", "floor", "by the formula", "floor, shrunken"],
    ...["at regret .15: published / shrunken", "at .30"],
  ], rows);
}
