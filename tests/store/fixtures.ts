/** Generated records of any table, and a manifest. */
import { z } from "zod";
import { Random, type RecordOf, records, type TableName } from "../../lib/core/mod.ts";
import { type Manifest, type RunRecord, Store } from "../../lib/store/mod.ts";

const texts = ["", "play", "line\nline", 'quote " \\', "\u0001 mark", "nul \0 inside", "é 漢 😀"];

/** Any value that a zod shape accepts; texts with NUL, unpaired surrogates and markers included. */
function generate(schema: z.ZodType, random: Random): unknown {
  const depth = (inner: unknown) => generate(inner as z.ZodType, random);
  if (schema instanceof z.ZodNullable) return random.next() < 0.3 ? null : depth(schema.unwrap());
  if (schema instanceof z.ZodOptional) return depth(schema.unwrap());
  if (schema instanceof z.ZodNumber) {
    return schema.isInt ? random.integer(1000) : random.next() * 10 ** (random.integer(20) - 10);
  }
  if (schema instanceof z.ZodString) {
    return texts[random.integer(texts.length)] + (random.next() < 0.1 ? "\ud800" : "");
  }
  if (schema instanceof z.ZodBoolean) return random.next() < 0.5;
  if (schema instanceof z.ZodEnum) return schema.options[random.integer(schema.options.length)];
  if (schema instanceof z.ZodLiteral) return schema.value;
  if (schema instanceof z.ZodUnion) {
    return depth(schema.options[random.integer(schema.options.length)]);
  }
  if (schema instanceof z.ZodArray) {
    return Array.from({ length: random.integer(5) }, () => depth(schema.element));
  }
  if (schema instanceof z.ZodObject) {
    return Object.fromEntries(
      Object.entries(schema.shape).map(([key, inner]) => [key, depth(inner)]),
    );
  }
  if (schema instanceof z.ZodRecord) {
    return {
      z: depth(schema.valueType),
      a: depth(schema.valueType),
      "nul \0": depth(schema.valueType),
    };
  }
  if (schema instanceof z.ZodUnknown) {
    return [random.integer(9), { text: "nul \0 \ud800", none: null }, true][random.integer(3)];
  }
  throw new TypeError(`Cannot generate ${schema.type}`);
}

/** A record with the given id and rollout; equal arguments give equal records. */
export function recordOf<T extends TableName>(table: T, id: string, rollout = 0): RecordOf<T> {
  let state = 0;
  for (const letter of `${table} ${id}`) state = (state * 31 + letter.codePointAt(0)!) | 0;
  const record = generate(records[table], new Random(state)) as RecordOf<T>;
  return { ...record, id, rollout };
}

export const tableNames = Object.keys(records) as TableName[];

export const manifest: Manifest = {
  format: 1,
  toolkit: { version: "0.1.0", commit: null, diffHash: null },
  versions: { deno: "2.9.6" },
  hardware: {
    os: "linux",
    architecture: "x86_64",
    cpu: "test",
    cores: 2,
    memoryMb: 1024,
    accelerators: [],
  },
  model: { id: "nano", revision: null, hash: null },
  corpus: null,
  prompts: { version: "nano-1", hash: "0" },
  config: { environments: 24 },
  seeds: { run: 0 },
  engine: { name: "embedded", version: "1", flags: [] },
  sandbox: { level: "full", layers: { seccomp: true } },
  selection: "the last one",
  startedAt: "2026-11-29T20:00:00Z",
  command: ["spade", "train"],
};

export const run: RunRecord = { id: "run", rollout: -1, seed: 0, preset: "nano", config: { a: 1 } };

/** A run in memory with `transactions` units of two plays, one turn each, memory and a cursor. */
export function filled(transactions = 3): Store {
  const store = Store.memory({ run, manifest });
  fill(store, 0, transactions);
  return store;
}

/** Units `from` to `to - 1`; each is one transaction of rollout = its number. */
export function fill(store: Store, from: number, to: number): void {
  for (let i = from; i < to; i++) {
    store.transaction(() => {
      store.insert("play", [recordOf("play", `p${i}a`, i), recordOf("play", `p${i}b`, i)]);
      store.insert("turn", [recordOf("turn", `t${i}a`, i), recordOf("turn", `t${i}b`, i)]);
      store.replace("memory", [recordOf("memory", "m", i), recordOf("memory", `m${i}`, i)]);
      if (i > 1) store.remove("memory", `m${i - 2}`);
      store.replace("cursor", { id: "corpus", rollout: i, value: { at: i } });
      store.insert("event", recordOf("event", `e${i}`, i));
    });
  }
}
