/**
 * The hostile suite (attacks.json) against the levels this machine can produce, and against the wall with layers
 * missing, compared with the stored table (attack_layers.json, written by `deno task attack --store`).
 */
import assert from "node:assert/strict";
import {
  ALONE,
  type Configuration,
  DROPPED,
  firstOf,
  LAYERS,
  levels,
  readSuite,
  readTable,
  type Row,
  runAttacks,
} from "../../lib/cli/attack.ts";
import { alive, outside, python } from "./helper.ts";
import { HOLDS_ALONE } from "./attack_expectations.ts";

const path = (name: string) => new URL(name, import.meta.url).pathname;
const suite = await readSuite(path("./attacks.json"));
const table = await readTable(path("./attack_layers.json"));
const isRoot = Deno.uid() === 0;
/** Kinds whose outcome differs between levels; the others are run once at the best and once at the least. */
const KERNEL = ["files", "network", "processes", "kernel", "ipc", "environment"];

interface Run {
  configuration: Configuration;
  only?: (name: string, kind: string) => boolean;
}

/** Runs, says which attacks got through, and compares what was seen with the table. */
async function run({ configuration, only = () => true }: Run): Promise<Set<string>> {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const targets = { port: (listener.addr as Deno.NetAddr).port, pid: Deno.pid };
  const weakened = path("./weakened");
  const outcomes = await runAttacks(suite, configuration, {
    python,
    weakened,
    targets,
    only: ({ name, kind }) => only(name, kind),
  });
  listener.close();
  for (const { attack, seen } of outcomes) {
    if (seen.startsWith("skipped")) {
      console.log(`skipped: ${configuration.name}: ${attack.name}: ${seen.slice(8)}`);
      continue;
    }
    const stored = table.attacks[attack.name]?.seen;
    assert.ok(stored, `${attack.name} is not in the table: run deno task attack --store`);
    if (configuration.name.endsWith("alone")) continue;
    assert.equal(
      seen,
      stored[configuration.name] ?? stored.full,
      `${configuration.name}: ${attack.name}`,
    );
  }
  return new Set(outcomes.filter(({ contained }) => !contained).map(({ attack }) => attack.name));
}

for (const [index, configuration] of levels(isRoot).entries()) {
  const isWhole = index === 0 || configuration.name === "seccomp, as a user";
  Deno.test(`every attack is contained: ${configuration.name}`, async () => {
    const through = await run({
      configuration,
      only: (_, kind) => isWhole || KERNEL.includes(kind),
    });
    assert.deepEqual([...through], []);
    const written =
      "import os; print([n for n in os.listdir('/tmp') if n[0] == 'w' and n[1:].isdigit()]" +
      " + [n for n in os.listdir('/dev/shm') if n == 'x' or n == 'w13'])";
    assert.equal(await outside(written), "[]");
    assert.deepEqual((await alive()).zombies, []);
  });
}

/** The same with one layer more: rows that the last layer owns differ between the two. */
const ONE_MORE: Record<string, string> = {
  "without descriptors, seccomp": "without seccomp",
  "without seccomp, privileges": "without seccomp",
  "without seccomp, limits": "without seccomp",
  "without seccomp, namespaces": "without seccomp",
  "without seccomp, namespaces, landlock": "without seccomp, namespaces",
};
/** These fill 600 MB each where no limit stops them: one of them will do here, `deno task attack --all` runs them all. */
const SLOW = ["memory bomb (numpy)", "huge alloc count (many small)", "zip bomb"];

for (const configuration of DROPPED) {
  const { name } = configuration;
  const seen = (row: Row, form: string | undefined) => row.seen[form ?? "full"] ?? row.seen.full;
  const owned = Object.entries(table.attacks)
    .filter(([attack, row]) =>
      seen(row, name) !== seen(row, ONE_MORE[name]) && !SLOW.includes(attack)
    ).map(([attack]) => attack);
  if (owned.length === 0) continue; // another layer answers in front of it: see ONE_MORE
  Deno.test(`${name}, ${owned.length} rows change as stored`, async () => {
    await run({ configuration, only: (attack) => owned.includes(attack) });
  });
}

for (const configuration of ALONE) {
  const layer = configuration.name.split(" ")[0] as keyof typeof HOLDS_ALONE;
  Deno.test(`${configuration.name} stops the attacks listed for it`, async () => {
    const listed = HOLDS_ALONE[layer];
    const through = await run({ configuration, only: (name) => listed.includes(name) });
    assert.deepEqual([...through], []);
    for (const name of listed) {
      assert.ok(
        table.attacks[name]?.alone.includes(layer),
        `${name} is not stored as held by ${layer}`,
      );
    }
  });
}

Deno.test("the table names every attack, and who answers first follows from what was seen", () => {
  assert.deepEqual(Object.keys(table.attacks), suite.attacks.map(({ name }) => name));
  assert.ok(suite.attacks.length >= 86);
  for (const [name, row] of Object.entries(table.attacks)) {
    assert.equal(row.first, firstOf(row.seen), name);
  }
});

Deno.test("every layer answers some attack, as the first or once the filter is gone", () => {
  const rows = Object.values(table.attacks);
  for (const layer of LAYERS) {
    assert.ok(
      rows.some(({ first, behind }) => first === layer || behind.includes(layer)),
      `${layer} owns no attack`,
    );
  }
});
