/**
 * Verifier environments in the manner of RLVE (one parameter and seed, one problem, one answer, one score) as ordinary
 * programs of the sandbox: the author's file, and at its end a small environment class with the difficulty written
 * into it. So the id says file and difficulty, and nothing of it runs anywhere but behind the wall.
 * What a score is worth is said in `sandbox/rlve_env.py`.
 * @module
 */
import { canonicalSource, environmentId, UsageError } from "../core/mod.ts";
import type { PoolProgram } from "./program.ts";

/** A file that defines one verifier environment. */
export interface VerifierFile {
  /** For messages. */
  name: string;
  /** Its text. */
  source: string;
  /** Skill its problems stand for. */
  skill: string;
  /** Family of its programs, which differ in difficulty only. */
  family: string;
}

const classLine = /^class\s+(\w+)\s*(?:\(([^)]*)\))?\s*:/gm;

/**
 * The program of a file at one difficulty.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * const file = "from rlve_env import VerifiableEnvironment\n\nclass Twice(VerifiableEnvironment): ...\n";
 * const program = rlveProgram({ name: "twice.py", source: file }, 3);
 * assert.match(program, /class TwiceEnv\(VerifierProgram\):\n    verifier = Twice\n    difficulty = 3\n$/);
 * ```
 *
 * @throws {UsageError} unless the file has exactly one subclass of VerifiableEnvironment, at most one of
 * ParameterController, and no class whose name ends in Env.
 */
export function rlveProgram(
  file: Pick<VerifierFile, "name" | "source">,
  difficulty: number,
): string {
  if (!Number.isInteger(difficulty) || difficulty < 0) {
    throw new RangeError(`Cannot use difficulty ${difficulty}: must be a whole number >= 0`);
  }
  // a file of the published gym needs no other change
  const source = canonicalSource(
    file.source.replaceAll(/^from Gym\.\w+ import/gm, "from rlve_env import"),
  );
  const classes = [...source.matchAll(classLine)]
    .map(([, name, bases = ""]) => ({ name, bases: bases.split(",").map((base) => base.trim()) }));
  const refuse = (is: string, must: string) => {
    throw new UsageError(`Cannot use ${file.name}: ${is}, must be ${must}`);
  };
  const under = (base: string) =>
    classes.filter(({ bases }) => bases.some((name) => name.split(".").at(-1) === base))
      .map(({ name }) => name);
  const verifiers = under("VerifiableEnvironment");
  if (verifiers.length !== 1) {
    const found = verifiers.join(", ") || "none";
    refuse(`its subclasses of VerifiableEnvironment are ${found}`, "exactly one");
  }
  const controllers = under("ParameterController");
  if (controllers.length > 1) {
    refuse(`its subclasses of ParameterController are ${controllers.join(", ")}`, "at most one");
  }
  const other = classes.find(({ name }) => name.endsWith("Env"));
  if (other !== undefined) {
    refuse(`class ${other.name} ends in Env`, "another name: the program's own class ends so");
  }
  const lines = [
    "from rlve_env import VerifierProgram",
    "",
    "",
    `class ${verifiers[0]}Env(VerifierProgram):`,
    `    verifier = ${verifiers[0]}`,
    ...controllers.map((name) => `    controller = ${name}`),
    `    difficulty = ${difficulty}`,
  ];
  return canonicalSource(`${source}\n\n${lines.join("\n")}`);
}

/** Programs of all files at difficulties 0 to `maxDifficulty`. */
export function rlvePrograms(
  files: readonly VerifierFile[],
  options: { maxDifficulty: number },
): PoolProgram[] {
  return files.flatMap((file) =>
    Array.from({ length: options.maxDifficulty + 1 }, (_, difficulty) => {
      const source = rlveProgram(file, difficulty);
      const { skill, family } = file;
      return { id: environmentId(source), source, skill, family, difficulty };
    })
  );
}
