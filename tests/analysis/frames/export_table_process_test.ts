/** Tables written to files and read again: types, nulls, unicode, 64-bit integers. */
import assert from "node:assert/strict";
import * as fs from "node:fs";
import { join } from "node:path";
import { tableFromIPC } from "@uwdata/flechette";
import { ColumnTable, desc, fromCSV } from "arquero";
import { parquetMetadata, parquetReadObjects, parquetSchema } from "hyparquet";
import { exportRun, exportTable, frameColumns, readTable } from "../../../lib/analysis/mod.ts";
import { UsageError } from "../../../lib/core/mod.ts";
import { Store } from "../../../lib/store/mod.ts";
import { filled, recordOf, tableNames } from "../../store/fixtures.ts";
import { withFolder } from "../../store/temporary.ts";

const large = Number.MAX_SAFE_INTEGER;
const rows = [
  {
    integer: 1,
    wide: large,
    big: 2n ** 62n,
    lacking: null,
    real: 0.1 + 0.2,
    text: 'é 漢 😀 "q", <b>\r\n\ttwo',
    is: true,
    json: { a: [1, { b: null }], t: "é" },
    ids: Int32Array.of(0, 2 ** 31 - 1),
    floats: Float64Array.of(-0.1, 5e-324),
    never: null,
  },
  {
    integer: -2,
    wide: -large,
    big: 0n,
    lacking: 7,
    real: null,
    text: null,
    is: null,
    json: null,
    ids: new Int32Array(0),
    floats: null,
    never: null,
  },
  {
    integer: 0,
    wide: 0,
    big: -(2n ** 62n),
    lacking: null,
    real: -1.7976931348623157e308,
    text: "",
    is: false,
    json: [1, "x"],
    ids: null,
    floats: new Float64Array(0),
    never: null,
  },
];
const names = Object.keys(rows[0]) as (keyof typeof rows[0])[];
const table = new ColumnTable(
  Object.fromEntries(names.map((name) => [name, rows.map((row) => row[name])])) as never,
);
/** Integers as bigint, lists as arrays, JSON as text: what a file with types gives back. */
const typed = rows.map((row) => ({
  ...row,
  integer: BigInt(row.integer),
  wide: BigInt(row.wide),
  lacking: row.lacking === null ? null : BigInt(row.lacking),
  json: row.json === null ? null : JSON.stringify(row.json),
  ids: row.ids === null ? null : Array.from(row.ids),
  floats: row.floats === null ? null : Array.from(row.floats),
}));

const bytesOf = (file: string) => new Uint8Array(fs.readFileSync(file)).buffer;

Deno.test("exportTable() to Parquet comes back value by value", () =>
  withFolder(async (dir) => {
    const file = join(dir, "t.parquet");
    assert.deepEqual(exportTable(table, file), {
      file,
      format: "parquet",
      rows: 3,
      bytes: fs.statSync(file).size,
    });
    assert.deepEqual(await parquetReadObjects({ file: bytesOf(file) }), typed);
    const { children } = parquetSchema(parquetMetadata(bytesOf(file)));
    const types = children.map(({ element }) => element.type ?? element.converted_type);
    assert.deepEqual(types, [
      ...["INT64", "INT64", "INT64", "INT64", "DOUBLE", "BYTE_ARRAY", "BOOLEAN", "BYTE_ARRAY"],
      ...["LIST", "LIST", "BYTE_ARRAY"],
    ]);
    assert.ok(children.every(({ element }) => element.repetition_type === "OPTIONAL"));
  }));

Deno.test("exportTable() to Arrow comes back value by value", () =>
  withFolder((dir) => {
    const file = join(dir, "t.arrow");
    exportTable(table, file);
    const read = tableFromIPC(new Uint8Array(bytesOf(file)), { useBigInt: true });
    const found = [...read].map((row) => ({
      ...row,
      ids: row.ids && Array.from(row.ids as Int32Array),
      floats: row.floats && Array.from(row.floats as Float64Array),
    }));
    assert.deepEqual(found, typed);
  }));

Deno.test("exportTable() to JSON lines comes back, integers beyond 2^53 as their digits", () =>
  withFolder((dir) => {
    const file = join(dir, "t.jsonl");
    exportTable(table, file);
    const lines = fs.readFileSync(file, "utf8").trimEnd().split("\n");
    assert.deepEqual(
      lines.map((line) => JSON.parse(line)),
      rows.map((row, at) => ({
        ...row,
        big: row.big === 0n ? 0 : String(row.big),
        ids: typed[at].ids,
        floats: typed[at].floats,
      })),
    );
  }));

Deno.test("exportTable() to CSV keeps text, and tells missing from empty", () =>
  withFolder((dir) => {
    const file = join(dir, "t.csv");
    exportTable(table.select("integer", "wide", "lacking", "real", "text", "is", "ids"), file);
    assert.equal(
      fs.readFileSync(file, "utf8"),
      "integer,wide,lacking,real,text,is,ids\n" +
        `1,9007199254740991,,0.30000000000000004,"é 漢 😀 ""q"", <b>\r\n\ttwo",true,"[0,2147483647]"\n` +
        "-2,-9007199254740991,7,,,,[]\n" +
        '0,0,,-1.7976931348623157e+308,"",false,\n',
    );
    exportTable(table.select("integer", "real", "text"), file);
    const read = fromCSV(fs.readFileSync(file, "utf8").replace("\r\n\ttwo", ""));
    assert.deepEqual(read.array("integer"), [1, -2, 0]);
    assert.deepEqual(read.array("real"), [0.1 + 0.2, null, -1.7976931348623157e308]);
  }));

Deno.test("exportTable() writes what is seen: filtered, in order, in pieces, or nothing", () =>
  withFolder(async (dir) => {
    const n = 150_000;
    const long = new ColumnTable({
      at: Int32Array.from({ length: n }, (_, i) => i),
      half: Float64Array.from({ length: n }, (_, i) => i / 2),
    } as never);
    const seen = long.filter("d.at % 2 == 1").orderby(desc("at"));
    const file = join(dir, "t.parquet");
    assert.equal(exportTable(seen, file).rows, n / 2);
    const read = await parquetReadObjects({ file: bytesOf(file) });
    assert.equal(read.length, n / 2);
    assert.deepEqual(read[0], { at: BigInt(n - 1), half: (n - 1) / 2 });
    assert.deepEqual(read.at(-1), { at: 1n, half: 0.5 });
    for (const format of ["parquet", "arrow", "csv", "jsonl"]) {
      const none = exportTable(long.filter("false"), join(dir, `none.${format}`));
      assert.equal(none.rows, 0);
    }
    const none = parquetSchema(parquetMetadata(bytesOf(join(dir, "none.parquet"))));
    assert.deepEqual(none.children.map(({ element }) => element.type), ["INT64", "DOUBLE"]);
    assert.equal(fs.readFileSync(join(dir, "none.csv"), "utf8"), "at,half\n");
  }));

Deno.test("exportTable() names a wrong ending and leaves nothing half written", () =>
  withFolder((dir) => {
    assert.throws(() => exportTable(table, join(dir, "t.xlsx")), UsageError);
    assert.throws(() => exportTable(table, join(dir, "t")), /its ending is "", must be one of par/);
    assert.throws(() => exportTable(new ColumnTable({}), join(dir, "t.csv")), /has no column/);
    assert.throws(() => exportTable(table, join(dir, "none", "t.csv")), /ENOENT|NotFound/);
    const file = join(dir, "t.jsonl");
    fs.writeFileSync(file, "before");
    const cyclic: unknown[] = [];
    cyclic.push(cyclic);
    assert.throws(() => exportTable(new ColumnTable({ a: [cyclic] } as never), file), TypeError);
    assert.deepEqual(fs.readdirSync(dir), ["t.jsonl"]);
    assert.equal(fs.readFileSync(file, "utf8"), "before");
  }));

Deno.test("exportRun() writes every table, token columns on request", () =>
  withFolder(async (dir) => {
    using store = Store.memory();
    for (const name of tableNames) {
      store.transaction(() => store.insert(name, recordOf(name, "a") as never));
    }
    const written = exportRun(store, join(dir, "new", "folder"), { tokens: true });
    assert.deepEqual(written.map((one) => one.table), tableNames);
    for (const { table, file } of written) {
      const { children } = parquetSchema(parquetMetadata(bytesOf(file)));
      const columns = frameColumns(table).map(({ name }) => name);
      assert.deepEqual(children.map(({ element }) => element.name), columns);
    }
    const [turn] = await parquetReadObjects({
      file: bytesOf(join(dir, "new/folder/turn.parquet")),
    });
    assert.deepEqual(turn.logps, recordOf("turn", "a").logps);
    const [only] = exportRun(store, dir, { tables: ["turn"], format: "jsonl" });
    assert.ok(!fs.readFileSync(only.file, "utf8").includes("logps"));
    assert.throws(() => exportRun(store, dir, { tables: ["plays" as never] }), /no such table/);
    assert.throws(() => exportRun(store, dir, { format: "xlsx" as never }), /no such format/);
  }));

Deno.test("exportTable() of a stored table has one schema, whatever is missing", () =>
  withFolder((dir) => {
    const schemaOf = (store: Store) => {
      const file = join(dir, "play.parquet");
      exportTable(readTable(store, "play"), file);
      return JSON.stringify(parquetSchema(parquetMetadata(bytesOf(file))).children);
    };
    using none = Store.memory();
    using some = filled(3);
    assert.equal(schemaOf(none), schemaOf(some));
  }));
