/**
 * Skills are data: `data/skills.yaml` holds them, this module checks and orders them.
 * @module
 */
import { parse } from "@std/yaml";
import { z } from "zod";
import type { Same } from "../core/mod.ts";

/** A skill that environments are to exercise. */
export interface Skill {
  /** Unique in its file. */
  name: string;
  /** Skills of games, or of tool use. */
  family: "game" | "tool-use";
  /** What it is, for the designer. */
  description: string;
  /** The difficulty word of the prompt. */
  difficulty: "easy" | "medium" | "hard";
  /** Example ideas shown to the designer. */
  ideas: string[];
}

const skill = z.strictObject({
  name: z.string().min(1),
  family: z.enum(["game", "tool-use"]),
  description: z.string().min(1),
  difficulty: z.enum(["easy", "medium", "hard"]),
  ideas: z.array(z.string().min(1)).min(1),
});

true satisfies Same<z.infer<typeof skill>, Skill>;

const skillFile = z.strictObject({ skills: z.array(skill).min(1) });

/**
 * Reads the text of a skills file, in file order.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * const yaml = "skills: [{name: A, family: game, description: d, difficulty: easy, ideas: [i]}]";
 * assert.equal(loadSkills(yaml)[0].name, "A");
 * ```
 *
 * @throws {SyntaxError} when the text is no YAML, {TypeError} when an entry has the wrong shape,
 * {RangeError} when a name appears twice.
 */
export function loadSkills(yaml: string): Skill[] {
  const parsed = skillFile.safeParse(parseYaml(yaml));
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw new TypeError(`Cannot load skills: ${issue.path.join(".")}: ${issue.message}`, {
      cause: parsed.error,
    });
  }
  const { skills } = parsed.data;
  const names = skills.map(({ name }) => name);
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined) {
    throw new RangeError(`Cannot load skills: "${twice}" appears twice, names must be unique`);
  }
  return skills;
}

/**
 * The skills of that name, in the order of `names`.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * const skills = loadSkills(`
 * skills:
 *   - { name: A, family: game, description: d, difficulty: easy, ideas: [i] }
 *   - { name: B, family: game, description: d, difficulty: easy, ideas: [i] }
 * `);
 * assert.deepEqual(chooseSkills(skills, ["B", "A"]).map(({ name }) => name), ["B", "A"]);
 * assert.throws(() => chooseSkills(skills, ["C"]), /must be one of A, B/);
 * ```
 *
 * @throws {RangeError} when a name is unknown.
 */
export function chooseSkills(skills: readonly Skill[], names: readonly string[]): Skill[] {
  return names.map((name) => {
    const found = skills.find((item) => item.name === name);
    if (found) return found;
    const known = skills.map((item) => item.name).join(", ");
    throw new RangeError(`Cannot choose skill: "${name}" is unknown, must be one of ${known}`);
  });
}

function parseYaml(text: string): unknown {
  try {
    return parse(text);
  } catch (cause) {
    throw new SyntaxError(
      `Cannot load skills: ${cause instanceof Error ? cause.message : String(cause)}`,
      { cause },
    );
  }
}
