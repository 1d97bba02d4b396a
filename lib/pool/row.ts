/**
 * One environment as it travels between pools: its program and what is known about it. Every field but the program may
 * be null. Names are those of published files, so that other tools read ours and we read theirs.
 * @module
 */
import { z } from "zod";
import { canonicalSource, environmentId, type Same } from "../core/mod.ts";

const text = z.string().nullable();
const rate = z.number().nullable();

/** Kinds of environment that a row can name. */
export const poolKinds = [
  "compact",
  "game-single",
  "game-multiturn",
  "game-corpus",
  "tool-use",
] as const;

/** One environment of a pool; null is unknown. */
export interface PoolRow {
  /** Sha-256 of the canonical source. */
  id: string;
  /** Name of its class. */
  class_name: string | null;
  /** One line on what it asks for. */
  description: string | null;
  /** Kind of its interface. */
  kind: "compact" | "game-single" | "game-multiturn" | "game-corpus" | "tool-use" | null;
  /** Skill it is for. */
  skill: string | null;
  /** Family of alike environments it belongs to. */
  family: string | null;
  /** Licence of the program. */
  licence: string | null;
  /** Where the program comes from. */
  origin: string | null;
  /** Ids of the environments it was written after. */
  parents: string[];
  /** Verdicts of the gates of whoever wrote the row. */
  gates: { gate: string; verdict: "pass" | "refuse" | "skipped"; reason: string }[];
  /** Mean return of plays without a hint, in [−1, 1]. */
  win_rate: number | null;
  /** Share of successes of the same plays. */
  success_rate: number | null;
  /** Mean hinted less mean plain return, in [−2, 2]. */
  regret: number | null;
  /** Plays behind the rates. */
  plays: number | null;
  /** The program. */
  source: string;
}

/** Schema of {@link PoolRow}. */
export const poolRow = z.object({
  id: z.string(),
  class_name: text,
  description: text,
  kind: z.enum(poolKinds).nullable(),
  skill: text,
  family: text,
  licence: text,
  origin: text,
  parents: z.array(z.string()),
  gates: z.array(z.object({
    gate: z.string(),
    verdict: z.enum(["pass", "refuse", "skipped"]),
    reason: z.string(),
  })),
  win_rate: rate,
  success_rate: rate,
  regret: rate,
  plays: z.number().int().nonnegative().nullable(),
  source: z.string(),
});
true satisfies Same<z.infer<typeof poolRow>, PoolRow>;
type Field = keyof PoolRow;

/** Columns in the order they are written. */
export const poolColumns = Object.keys(poolRow.shape) as Field[];

/**
 * What published pools call a column; the first that is not null counts. `source` is the program's text only where no
 * other column is: many pools keep the provenance there.
 */
const aliases: Record<Exclude<Field, "id">, readonly string[]> = {
  source: [
    "game_code",
    "env_code",
    "environment_code",
    "python_code",
    "program",
    "code",
    "source_code",
    "source",
  ],
  class_name: ["class_name", "game_name", "env_name", "environment_name", "name"],
  description: ["description", "summary"],
  kind: ["kind"],
  skill: ["skill", "skill_name", "cognitive_skill", "category"],
  family: ["family"],
  licence: ["licence", "license"],
  origin: ["origin", "provenance", "dataset", "source"],
  parents: ["parents", "parent_ids"],
  gates: ["gates"],
  win_rate: ["win_rate", "actor_win_rate", "mean_return"],
  success_rate: ["success_rate", "solve_rate"],
  regret: ["regret", "hint_regret"],
  plays: ["plays", "n_plays", "num_plays"],
};

/** Every column that is read. The file's own ids are not: an id is what the program's text says. */
export const knownColumns: ReadonlySet<string> = new Set(["id", ...Object.values(aliases).flat()]);

/** Longest program, in characters; the sandbox runs shorter ones only. */
const mostSource = 1 << 20;

/** The row of a line's or record's fields, or why there is none. */
export function rowOf(fields: Record<string, unknown>): PoolRow | string {
  const used = aliases.source.find((name) => has(fields, name));
  if (used === undefined) return "no program: none of the columns " + aliases.source.join(", ");
  const program = fields[used];
  if (typeof program !== "string") return `${used} is not text`;
  if (program.trim() === "") return `${used} is empty`;
  if (program.length > mostSource) {
    return `${used} has ${program.length} characters, at most ${mostSource}`;
  }
  const source = canonicalSource(program.toWellFormed());
  const pick = (field: keyof typeof aliases) => {
    const name = aliases[field].find((name) => name !== used && has(fields, name));
    return name === undefined ? null : plain(fields[name]);
  };
  const kind = pick("kind");
  const skill = pick("skill");
  const parsed = poolRow.safeParse({
    id: environmentId(source),
    class_name: pick("class_name"),
    description: pick("description"),
    // A kind we have no name for is no fault of the row.
    kind: poolKinds.find((name) => name === kind) ?? null,
    skill: typeof skill === "string" ? skillName(skill) : skill,
    family: pick("family"),
    licence: pick("licence"),
    origin: pick("origin"),
    parents: listed(pick("parents")),
    gates: listed(pick("gates")),
    win_rate: pick("win_rate"),
    success_rate: pick("success_rate"),
    regret: pick("regret"),
    plays: pick("plays"),
    source,
  });
  if (parsed.success) return parsed.data;
  const { path, message } = parsed.error.issues[0];
  return `${path.join(".")}: ${message}`;
}

function has(fields: Record<string, unknown>, name: string): boolean {
  return Object.hasOwn(fields, name) && fields[name] !== null && fields[name] !== undefined;
}

/** A value of Parquet as JSON has it; a number that is none is null. */
function plain(value: unknown): unknown {
  if (typeof value === "bigint") return Number(value);
  if (typeof value === "number" && !Number.isFinite(value)) return null;
  return typeof value === "string" ? value.toWellFormed() : value;
}

/** A list as such or as JSON text; null is empty. */
function listed(value: unknown): unknown {
  if (value === null) return [];
  if (typeof value !== "string") return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

/** `mathematical_reasoning` is Mathematical Reasoning. */
export function skillName(text: string): string {
  if (!/^[a-z]+([_-][a-z]+)*$/.test(text)) return text;
  return text.replaceAll("_", " ").replaceAll(/\b[a-z]/g, (letter) => letter.toUpperCase());
}

/** What a plain file says about itself: the first line's `# skill:`, or the end of a published file's name. */
export function statedSkill(source: string, file = ""): string | null {
  const line = /^# skill: (.+)$/m.exec(source.split("\n", 1)[0]);
  if (line) return line[1].trim();
  const name = /^game_\d+(?:_\d+)?_([a-z_-]+)\.py$/.exec(file);
  return name && skillName(name[1]);
}

/** First class of a program whose name ends in `Env`, as its text has it. */
export function statedClass(source: string): string | null {
  return /^class (\w*Env)\b/m.exec(source)?.[1] ?? null;
}

/** A file's name for a program: letters, digits and _ of its class, then its id. */
export function poolFile({ id, class_name, source }: PoolRow): string {
  const name = (statedClass(source) ?? class_name ?? "").replaceAll(/[^A-Za-z0-9_]/g, "");
  return `${name.slice(0, 60) || "Env"}_${id.slice(0, 12)}.py`;
}
