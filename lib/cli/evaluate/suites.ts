/**
 * The suites a model can be measured on. Each is a list of programs with what is known about them; how they are played
 * is the same for all.
 * @module
 */
import * as fs from "node:fs";
import { sha256, UsageError } from "../../core/mod.ts";
import {
  parseQuestions,
  questionEnvironments,
  type ReasoningGym,
  reasoningGymSuite,
} from "../../pool/mod.ts";
import { inProject } from "../files.ts";
import { readPool } from "../pool/read.ts";

export interface SuiteItem {
  id: string;
  source: string;
  skill: string;
  family: string;
  /** How rewards make a return. @default "last" */
  returns?: "last" | "sum";
}

export interface Suite {
  /** As it was asked for. */
  name: string;
  items: SuiteItem[];
  /** Sha-256 over the items: the same hash, the same suite. */
  hash: string;
  /**
   * The programs are ours: one that breaks on a reply was broken by it, and the reply is no right answer. Programs of
   * others are to blame themselves.
   */
  isOurs: boolean;
}

/** What a suite may need to be opened; started when first asked for. */
export interface SuiteParts {
  gym(): Promise<ReasoningGym>;
}

/** One kind of suite: what is written after its name, and how it is opened. */
interface Registered {
  /** In brackets where it may be left out. */
  argument: string;
  does: string;
  open(argument: string, name: string, parts: SuiteParts): Promise<Suite> | Suite;
}

/** By name; asked for as NAME or NAME:ARGUMENT. */
export const suites: Record<string, Registered> = {
  folder: {
    argument: ":DIR",
    does: "programs of a folder: those of index.json, else all *.py",
    open: openFolder,
  },
  questions: {
    argument: ":FILE.jsonl",
    does: 'question, answer, kind: "boxed" (mathematical equality) or "exact"',
    open: openQuestions,
  },
  "reasoning-gym": {
    argument: "[:A,B]",
    does: "data sets of the library, all or some, at their hard settings",
    open: openReasoningGym,
  },
};

/**
 * Opens a suite by what the user wrote.
 *
 * @throws {UsageError} naming the suite, the file and the line.
 */
export async function openSuite(name: string, parts: SuiteParts): Promise<Suite> {
  const cut = name.indexOf(":");
  const kind = cut === -1 ? name : name.slice(0, cut);
  if (!Object.hasOwn(suites, kind)) {
    const known = Object.entries(suites).map(([key, { argument }]) => key + argument);
    throw new UsageError(`Cannot use suite ${name}: must be one of ${known.join(", ")}`);
  }
  const argument = cut === -1 ? "" : name.slice(cut + 1);
  const { argument: form } = suites[kind];
  if (argument === "" && form.startsWith(":")) {
    throw new UsageError(`Cannot use suite ${name}: must be ${kind}${form}`);
  }
  return await suites[kind].open(argument, name, parts);
}

async function openFolder(place: string, name: string): Promise<Suite> {
  const { rows } = await readPool(place, { limit: 0 });
  const items = rows.map(({ id, source, skill, family, kind }) => ({
    id,
    source,
    skill: skill ?? "",
    family: family ?? "",
    returns: kind === "game-corpus" ? "sum" as const : "last" as const,
  }));
  return { name, items, hash: suiteHash(items), isOurs: false };
}

function openQuestions(file: string, name: string): Suite {
  let content: string;
  try {
    content = fs.readFileSync(inProject(file), "utf8");
  } catch (cause) {
    throw new UsageError(`Cannot read questions ${file}: ${(cause as Error).message}`, { cause });
  }
  const { questions, malformed } = parseQuestions(content);
  if (malformed.length > 0) {
    // A part of an examination is another examination: no line is left out in silence.
    const first = malformed.slice(0, 5).map(({ line, reason }) => `line ${line}: ${reason}`);
    throw new UsageError(
      `Cannot use questions ${file}: ${malformed.length} malformed; ${first.join("; ")}`,
    );
  }
  if (questions.length === 0) {
    throw new UsageError(`Cannot use questions ${file}: it holds no question`);
  }
  const items = questionEnvironments(questions);
  return { name, items, hash: suiteHash(items), isOurs: true };
}

/** An item is a data set, its plays are that many of its questions. */
async function openReasoningGym(
  argument: string,
  name: string,
  parts: SuiteParts,
): Promise<Suite> {
  const names = argument === "" ? undefined : argument.split(",").map((part) => part.trim());
  const programs = await reasoningGymSuite(await parts.gym(), { names });
  const items = programs.map(({ id, source, skill, family }) => ({ id, source, skill, family }));
  return { name, items, hash: suiteHash(items), isOurs: false };
}

export function suiteHash(items: readonly SuiteItem[]): string {
  const facts = items.map(({ id, skill, family, returns }) => [id, skill, family, returns ?? ""]);
  return sha256(JSON.stringify(facts));
}
