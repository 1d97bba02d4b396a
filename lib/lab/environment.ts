/**
 * Environments as people hand them from one function to the next: a program, and what is known of it.
 * @module
 */
import { canonicalSource, environmentId, UsageError } from "../core/mod.ts";
import type { EnvironmentKind } from "../gates/mod.ts";
import { describeProgram } from "../memory/mod.ts";

/** A program with its names. */
export interface Environment {
  /** Sha-256 of the canonical source. */
  id: string;
  /** Canonical source, Python. */
  source: string;
  /** Its class that ends in `Env`. */
  className: string;
  /** One line. */
  description: string;
  /** What it trains; empty where nobody said. */
  skill: string;
  /** What it was made as; undefined where nobody said. */
  kind?: EnvironmentKind;
}

/** What stands for an environment: its source, or an object that has it, e.g. a row of `run.environments()`. */
export type EnvironmentLike = string | Partial<Environment> & { source: string };

/**
 * The environment that is meant. What is not given is read from the source: the skill from a first line
 * `# skill: Optimization`.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * const { className, skill } = environmentOf("# skill: Optimization\nclass RoadEnv:\n    pass\n");
 * assert.deepEqual([className, skill], ["RoadEnv", "Optimization"]);
 * ```
 *
 * @throws {UsageError} where there is no source.
 */
export function environmentOf(given: EnvironmentLike | undefined): Environment {
  const like = typeof given === "string" ? { source: given } : given;
  if (typeof like?.source !== "string" || like.source.trim() === "") {
    throw new UsageError(
      `Cannot use environment: it is ${given === "" ? "empty" : like?.source ?? given}, must be ` +
        "the source of a program or an object with `source`; a design that was refused has none",
    );
  }
  const source = canonicalSource(like.source);
  return {
    id: environmentId(source),
    source,
    className: like.className || /^class (\w+Env)\b/m.exec(source)?.[1] || "",
    description: like.description || describeProgram(source),
    skill: like.skill || /^# skill: *(.+?) *$/m.exec(source)?.[1] || "",
    ...like.kind && { kind: like.kind },
  };
}
