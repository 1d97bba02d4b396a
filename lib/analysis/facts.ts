/**
 * Facts about a run for a header: what was run, with what, where.
 * @module
 */
import type { RecordOf } from "../core/mod.ts";

/** One line of a header. */
export interface Fact {
  /** What is told; a path such as `engine.name` where it comes from the manifest. */
  name: string;
  /** As text. */
  value: string;
}

/**
 * Manifest values by path (`engine.name`), objects and arrays opened up to three levels; longest values cut.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * const facts = manifestFacts({ engine: { name: "embedded" }, seeds: [1, 2], model: null });
 * assert.deepEqual(facts.map(({ name, value }) => `${name}=${value}`),
 *   ["engine.name=embedded", "seeds.0=1", "seeds.1=2"]);
 * ```
 */
export function manifestFacts(manifest: Record<string, unknown>): Fact[] {
  const facts: Fact[] = [];
  const visit = (value: unknown, path: string, depth: number) => {
    if (value === null || value === undefined) return;
    if (typeof value === "object" && depth < 3) {
      for (const [key, inner] of Object.entries(value)) {
        visit(inner, path === "" ? key : `${path}.${key}`, depth + 1);
      }
    } else {
      const text = typeof value === "string" ? value : JSON.stringify(value);
      facts.push({ name: path, value: text.length > 300 ? text.slice(0, 299) + "…" : text });
    }
  };
  visit(manifest, "", 0);
  return facts;
}

/**
 * Seed, preset, sandbox level, engine, versions, time: those that the manifest has, wherever it keeps them.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * const facts = headerFacts({ id: "r", preset: "nano", seed: 7, manifest: { sandboxLevel: "namespaces" } });
 * assert.deepEqual(facts.map(({ name }) => name), ["run", "preset", "seed", "sandbox"]);
 * ```
 */
export function headerFacts(
  run: Pick<RecordOf<"run">, "id" | "preset" | "seed" | "manifest"> | undefined,
): Fact[] {
  if (!run) return [];
  const all = manifestFacts(run.manifest);
  const pick = (name: string, pattern: RegExp): Fact[] => {
    const found = all.filter((f) => pattern.test(f.name)).slice(0, 4);
    return found.length > 0 ? [{ name, value: found.map((f) => f.value).join(", ") }] : [];
  };
  return [
    { name: "run", value: run.id },
    { name: "preset", value: run.preset },
    { name: "seed", value: String(run.seed) },
    ...pick("started", /^(started|startedAt|created|createdAt|time)$/i),
    ...pick("sandbox", /^sandbox(Level)?(\.(level|name))?$/i),
    ...pick("engine", /^engine(\.(name|engine|version|engineVersion))?$/i),
    ...pick("model", /^(engine\.)?model(\.(id|name|revision))?$/i),
    ...pick("toolkit", /^(toolkit|commit)(\.(version|commit))?$/i),
    ...all.filter((f) => /^versions\.[^.]+$/.test(f.name))
      .slice(0, 6).map((f) => ({ name: f.name.slice("versions.".length), value: f.value })),
  ];
}
