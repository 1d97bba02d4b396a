/**
 * Notebook files: nbformat 4, read, stripped of what a run leaves, written as Jupyter writes them.
 * @module
 */
import { z } from "zod";
import { UsageError } from "../core/errors.ts";
import type { Output } from "./outputs.ts";

const source = z.union([z.string(), z.array(z.string())]);
const metadata = z.record(z.string(), z.unknown());
const cell = z.looseObject({
  cell_type: z.enum(["code", "markdown", "raw"]),
  source,
  metadata,
  outputs: z.array(z.looseObject({ output_type: z.string() })).optional(),
  execution_count: z.number().nullable().optional(),
});
const notebook = z.looseObject({
  nbformat: z.literal(4),
  nbformat_minor: z.number(),
  metadata,
  cells: z.array(cell),
});

/** A cell as it is stored. */
export interface Cell {
  /** Only `code` runs. */
  cell_type: "code" | "markdown" | "raw";
  /** Text, or its lines. */
  source: string | string[];
  /** Its `tags`, among others. */
  metadata: Record<string, unknown>;
  /** Of a code cell. */
  outputs?: Output[];
  /** Of a code cell; null: it was not run. */
  execution_count?: number | null;
}

/** A notebook as it is stored. */
export interface Notebook {
  /** Of the file format. */
  nbformat: 4;
  /** Of the file format. */
  nbformat_minor: number;
  /** Its kernel, among others. */
  metadata: Record<string, unknown>;
  /** From top to bottom. */
  cells: Cell[];
}

/**
 * Reads a notebook's text; `name` is for the message.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * const text = '{"nbformat":4,"nbformat_minor":5,"metadata":{},"cells":[]}';
 * assert.deepEqual(parseNotebook(text, "a").cells, []);
 * assert.throws(() => parseNotebook("{}", "a"), /Cannot read notebook a/);
 * ```
 *
 * @throws {UsageError} where it is not one of nbformat 4.
 */
export function parseNotebook(text: string, name: string): Notebook {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new UsageError(`Cannot read notebook ${name}: it is not JSON`, { cause });
  }
  const parsed = notebook.safeParse(value);
  if (parsed.success) return parsed.data as unknown as Notebook;
  const { path, message } = parsed.error.issues[0];
  throw new UsageError(`Cannot read notebook ${name}: ${path.join(".")}: ${message}`);
}

/**
 * The text of a notebook file, formatted as Jupyter does.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * const empty = { nbformat: 4 as const, nbformat_minor: 5, metadata: {}, cells: [] };
 * assert.ok(writeNotebook(empty).endsWith(' "cells": []\n}\n'));
 * ```
 */
export function writeNotebook(notebook: Notebook): string {
  return JSON.stringify(notebook, null, 1) + "\n";
}

/**
 * A cell's text.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * assert.equal(sourceOf({ cell_type: "code", source: ["a\n", "b"], metadata: {} }), "a\nb");
 * ```
 */
export function sourceOf({ source }: Cell): string {
  return typeof source === "string" ? source : source.join("");
}

/**
 * Whether a cell carries a tag.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * const metadata = { tags: ["raises-exception"] };
 * assert.ok(hasTag({ cell_type: "code", source: "throw 1", metadata }, "raises-exception"));
 * ```
 */
export function hasTag({ metadata }: Cell, tag: string): boolean {
  return Array.isArray(metadata.tags) && metadata.tags.includes(tag);
}

/**
 * The notebook without outputs, execution counts and what a front end remembers of its last use.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * const run = { cell_type: "code" as const, source: "1", metadata: {}, outputs: [], execution_count: 3 };
 * const { cells } = stripped({ nbformat: 4, nbformat_minor: 5, metadata: {}, cells: [run] });
 * assert.equal(cells[0].execution_count, null);
 * ```
 */
export function stripped(notebook: Notebook): Notebook {
  return {
    ...notebook,
    cells: notebook.cells.map((cell) => {
      const { execution: _, ...metadata } = cell.metadata;
      if (cell.cell_type !== "code") return { ...cell, metadata };
      return { ...cell, metadata, outputs: [], execution_count: null };
    }),
  };
}

/**
 * Whether nothing of a run is stored in it.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * assert.ok(isStripped({ nbformat: 4, nbformat_minor: 5, metadata: {}, cells: [] }));
 * ```
 */
export function isStripped(notebook: Notebook): boolean {
  return notebook.cells.every((cell) =>
    (cell.outputs ?? []).length === 0 && (cell.execution_count ?? null) === null &&
    !("execution" in cell.metadata)
  );
}
