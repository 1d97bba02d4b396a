import assert from "node:assert/strict";
import {
  environmentDetail,
  environmentSummaries,
  findEnvironment,
  headerFacts,
  listTables,
  loadEnvironment,
  loadRun,
  playPairs,
  type RunTables,
  type TableReader,
} from "../../lib/analysis/mod.ts";
import { type TableName, UsageError } from "../../lib/core/mod.ts";
import { syntheticRun } from "../show/fixture.ts";

const tables = syntheticRun({ rollouts: 4, environments: 6 });

/** A store in memory that counts what is read. */
function reader(of: RunTables, read: TableName[] = []): TableReader {
  return {
    all(table, query) {
      read.push(table);
      const where = Object.entries(query?.where ?? {});
      const rows = of[table] as readonly Record<string, unknown>[];
      // deno-lint-ignore no-explicit-any
      return rows.filter((row) => where.every(([k, v]) => row[k] === v)) as any;
    },
  };
}

Deno.test("environmentSummaries() lists accepted and refused programs", () => {
  const all = environmentSummaries(tables);
  assert.equal(all.length, tables.environment.length);
  const refused = all.filter((e) => e.refusedBy !== undefined);
  assert.ok(refused.length > 0 && refused.every((e) => e.plain.scored === 0));
  const played = all.find((e) => e.plain.scored > 0)!;
  assert.ok(played.regret !== undefined && played.passed >= 6);
});

Deno.test("findEnvironment() takes a prefix and refuses none and several", () => {
  const id = tables.environment[0].id;
  assert.equal(findEnvironment(tables, id.slice(0, 12).toUpperCase()).id, id);
  assert.throws(() => findEnvironment(tables, "zz"), UsageError);
  assert.throws(() => findEnvironment(tables, ""), /give more digits/);
});

Deno.test("environmentDetail() pairs the arms by rollout and index and orders turns", () => {
  const id = tables.active[0].environmentId;
  const detail = environmentDetail(tables, id);
  assert.equal(detail.pairs.length, 16);
  const first = detail.pairs[0];
  assert.equal(first.plain?.arm, "plain");
  assert.equal(first.hinted?.arm, "hinted");
  assert.equal(detail.pairs[8].hinted, undefined);
  const turns = detail.turns.get(first.plain!.id)!;
  assert.deepEqual(turns.map((t) => t.index), turns.map((_, i) => i));
  assert.ok(detail.hint!.length > 0);
});

Deno.test("loadEnvironment() reads the rows of one environment and gives the same detail", () => {
  const id = tables.active[1].environmentId;
  const detail = environmentDetail(loadEnvironment(reader(tables), id), id);
  assert.deepEqual(detail, environmentDetail(tables, id));
});

Deno.test("loadRun() reads only the tables asked for", () => {
  const read: TableName[] = [];
  const loaded = loadRun(reader(tables, read), listTables);
  assert.deepEqual(read, [...listTables]);
  assert.equal(loaded.turn.length, 0);
  assert.equal(loaded.play.length, tables.play.length);
});

Deno.test("headerFacts() finds seed, sandbox, engine and versions", () => {
  const facts = Object.fromEntries(headerFacts(tables.run[0]).map((f) => [f.name, f.value]));
  assert.equal(facts.seed, "1");
  assert.equal(facts.sandbox, "userns+seccomp");
  assert.equal(facts.engine, "embedded, 0.1.0");
  assert.equal(facts.torch, "2.13.0+cpu");
  assert.deepEqual(headerFacts(undefined), []);
});

Deno.test("playPairs() gives the per-pair data of every regret: same seed, both arms, whatever the order", () => {
  const pairs = playPairs(tables.play);
  assert.deepEqual(playPairs([...tables.play].reverse()), pairs);
  for (const { environmentId, rollout, index, plain, hinted } of pairs) {
    for (const play of [plain, hinted]) {
      if (!play) continue;
      assert.deepEqual(
        [play.environmentId, play.rollout, play.index],
        [environmentId, rollout, index],
      );
    }
    if (plain && hinted) assert.equal(plain.seed, hinted.seed);
  }
  const both = pairs.filter(({ plain, hinted }) =>
    plain?.outcome.kind === "scored" && hinted?.outcome.kind === "scored"
  );
  assert.equal(both.length, tables.regret.reduce((sum, { pairs }) => sum + pairs, 0));
});
