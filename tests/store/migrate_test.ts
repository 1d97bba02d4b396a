import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { verifyChain } from "../../lib/store/mod.ts";
import {
  currentVersion,
  migrate,
  type Migration,
  migrations,
  versionOf,
} from "../../lib/store/migrate.ts";
import { checkSchema } from "../../lib/store/schema.ts";
import { createTables } from "../../lib/store/sqlite.ts";
import { databaseOf } from "../../lib/store/store.ts";
import { filled } from "./fixtures.ts";

const list: Migration[] = [
  { to: 2, sql: ["ALTER TABLE play ADD COLUMN colour TEXT"] },
  { to: 3, sql: ["CREATE TABLE note (id TEXT PRIMARY KEY) STRICT", "CREATE INDEX i ON note (id)"] },
];

/** A filled run that says it is of the first version. */
function old() {
  const store = filled();
  const db = databaseOf(store);
  db.exec("PRAGMA user_version = 1");
  return { store, db };
}

Deno.test("the migrations make the present tables of those of the first version", () => {
  const db = new DatabaseSync(":memory:");
  createTables(db);
  for (const step of migrations.toReversed()) {
    for (const sql of step.sql.toReversed()) {
      const [, table, column] = /^ALTER TABLE "(\w+)" ADD COLUMN "(\w+)" \w+$/.exec(sql)!;
      db.exec(`ALTER TABLE "${table}" DROP COLUMN "${column}"`);
    }
  }
  db.exec("PRAGMA user_version = 1");
  assert.throws(() => checkSchema(db, "run"), /is missing/);
  migrate(db, "run");
  checkSchema(db, "run");
  assert.equal(versionOf(db), currentVersion());
  db.close();
});

Deno.test("migrate() lets an older run be read where only words were added", () => {
  const { store, db } = old();
  using _ = store;
  const words = [{ to: 2, sql: [] }];
  migrate(db, "run", { list: words, readonly: true });
  assert.equal(versionOf(db), 1, "nothing is written");
  migrate(db, "run", { list: words });
  assert.equal(versionOf(db), 2);
});

Deno.test("migrate() brings an old run up step by step; its chain holds (incidents 6.4)", () => {
  const { store, db } = old();
  using _ = store;
  migrate(db, "run", { list });
  assert.equal(versionOf(db), 3);
  migrate(db, "run", { list });
  assert.equal(verifyChain(store).difference, undefined);
});

Deno.test("migrate() leaves a run at the last whole step when one fails", () => {
  const { store, db } = old();
  using _ = store;
  const broken = [list[0], { to: 3, sql: ["CREATE TABLE note (id TEXT)", "no SQL"] }];
  assert.throws(() => migrate(db, "run", { list: broken }), /StoreError: .*to schema version 3/);
  assert.equal(versionOf(db), 2);
  assert.equal(db.prepare("SELECT 1 FROM sqlite_master WHERE name = 'note'").get(), undefined);
});

Deno.test("migrate() refuses a newer schema, and to migrate what is open for reading", () => {
  const { store, db } = old();
  using _ = store;
  assert.throws(() => migrate(db, "run r", { list, readonly: true }), /open it once for writing/);
  db.exec("PRAGMA user_version = 7");
  assert.throws(() => migrate(db, "run r", { list }), /StoreError: .*is 7, must be 1 to 3/);
});

Deno.test("checkSchema() accepts what createTables() made and names what differs", () => {
  const db = new DatabaseSync(":memory:");
  createTables(db);
  checkSchema(db, "run");
  db.exec("ALTER TABLE play DROP COLUMN seed");
  assert.throws(() => checkSchema(db, "run"), /"play.seed" is missing, must be INTEGER NOT NULL/);
  db.close();
});
