/** The simulations of `deno task study:regret`, in small. */
import assert from "node:assert/strict";
import { Random } from "../../lib/core/mod.ts";
import { floorCells, pairingCells } from "../../scripts/study/regret.ts";
import { floorTable, pairingTable, worstTable } from "../../scripts/study/regret_tables.ts";
import { coin, drawPairs, kinds, spreadOf } from "../../scripts/study/returns.ts";

Deno.test("every kind of returns has the mean it claims, and lies in [-1, 1]", () => {
  for (const [name, arms] of Object.entries(kinds)) {
    for (const { mean, draw } of arms) {
      const values = Array.from({ length: 20_000 }, (_, i) => draw((i + 0.5) / 20_000));
      const average = values.reduce((sum, value) => sum + value, 0) / values.length;
      assert(Math.abs(average - mean) < 1e-3, name);
      assert(values.every((value) => Math.abs(value) <= 1), name);
    }
  }
});

Deno.test("drawPairs(): shared luck correlates the arms and leaves their means", () => {
  const arms: [ReturnType<typeof coin>, ReturnType<typeof coin>] = [coin(0.5), coin(0.5)];
  assert(Math.abs(spreadOf(arms, 0).correlation) < 0.02);
  assert(Math.abs(spreadOf(arms, 0.5).correlation - 0.5) < 0.02);
  assert(spreadOf(arms, 1).spread < 1e-9);
  const pairs = drawPairs(arms, 20_000, 0.9, new Random(3));
  assert(Math.abs(pairs.reduce((sum, { hinted }) => sum + hinted, 0) / 20_000 - 0.5) < 0.02);
});

Deno.test("floorCells(): the simulated floor is the one shown beside every regret", () => {
  const cells = floorCells(1000);
  for (const { published, formula, shrunken, spread, plays } of cells) {
    if (formula === null || plays < 8 || spread < 0.3) continue;
    assert(Math.abs(published - formula) < 0.05, `${published} is not ${formula}`);
    assert(shrunken < published / 2);
  }
  assert.match(floorTable(cells), /\| 0\.42 \| 8 \| 0\.3\d \| 0\.36 \| 0\.\d\d \|/);
});

Deno.test("pairingCells(): equal seeds narrow the interval where the arms share their luck", () => {
  const cells = pairingCells(60);
  for (const pairs of [8, 16, 32]) {
    const own = cells.filter((cell) => cell.pairs === pairs && cell.returns.startsWith("4"));
    assert.equal(own[0].width, 1);
    assert(own.at(-1)!.width < 0.75 && own.at(-1)!.deviation < 0.75);
  }
  assert.match(pairingTable(cells), /\| binary \.4 \/ \.6 \| 0\.\d\d \| 1\.00 \(1\.00\)/);
});

Deno.test("worstTable() shows the lowest cell, and cells without enough intervals", () => {
  const cell = { returns: "x", shared: 0, pairs: 4, spread: 0.3, without: 0.5 };
  const text = worstTable([{ ...cell, covered: 0.96 }, { ...cell, covered: 0.93, without: 0.1 }, {
    ...cell,
    covered: null,
  }]);
  assert.match(
    text,
    /\| 4 \| \.25 to \.5 \| 2 of 3 \| 93\.0 % \| 96\.0 % \| 10\.0 % to 50\.0 % \|/,
  );
});
