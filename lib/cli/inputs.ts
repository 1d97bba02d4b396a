/**
 * The files a configuration names, read and checked before anything starts: prompts, skills, corpus, programs.
 * @module
 */
import * as fs from "node:fs";
import * as path from "node:path";
import { createCorpus, poolOf } from "../corpus/mod.ts";
import { type EventSink, type Prompt, sha256, UsageError } from "../core/mod.ts";
import {
  chooseSkills,
  compactPrompt,
  loadSkills,
  type NaturalKind,
  naturalKinds,
  naturalPrompt,
  type PromptFiles,
  type Skill,
} from "../designer/mod.ts";
import type { Config, FolderProgram } from "../loop/mod.ts";
import { type CorpusFiles, readCorpus } from "./corpus_files.ts";
import { inProject, readPrograms, readText } from "./files.ts";

/** What the files of a configuration hold. */
export interface Inputs {
  prompt: Prompt;
  /** Sha-256 of the prompts' texts: another wording is another hash. */
  promptHash: string;
  corpus: CorpusFiles | null;
  heldout: { dev: FolderProgram[]; test: FolderProgram[] };
}

/**
 * Reads them all. `isCompact`: the model's chat form, which decides the prompts of the kinds without a designer.
 *
 * @throws {UsageError} naming the key, the file and the line that is wrong.
 */
export async function readInputs(
  config: Config,
  emit: EventSink,
  options: { isCompact?: boolean } = {},
): Promise<Inputs> {
  const { heldout } = config;
  return {
    ...openPrompt(config, options.isCompact ?? true),
    corpus: await openCorpus(config, emit),
    heldout: heldout === null
      ? { dev: [], test: [] }
      : { dev: readPrograms(`${heldout}/dev`), test: readPrograms(`${heldout}/test`) },
  };
}

/** The skills of a configuration, or an error that names the unknown one. */
function readSkills(config: Config): Skill[] {
  const known = loadSkills(readText("data/skills.yaml", "skills"));
  let skills: Skill[];
  try {
    skills = chooseSkills(known, config.skills);
  } catch (cause) {
    throw new UsageError(`skills: ${(cause as Error).message}`, { cause });
  }
  const family = config.kind === "tool-use" ? "tool-use" : "game";
  const other = skills.find((skill) => skill.family !== family);
  if (other !== undefined && config.designer !== "none") {
    throw new UsageError(
      `Cannot use skill "${other.name}" with kind ${config.kind}: it is a ${other.family} skill`,
    );
  }
  return skills;
}

/** The prompts of `data/prompts` by path, without `.md`. */
export function readPromptFiles(folder = "data/prompts"): PromptFiles {
  const names = (fs.readdirSync(inProject(folder), { recursive: true }) as string[])
    .filter((name) => name.endsWith(".md") && name !== "README.md").sort();
  return Object.fromEntries(
    names.map((name) => [name.slice(0, -3), readText(path.join(folder, name), "prompt")]),
  );
}

/** Sha-256 of names and texts. */
export function promptHashOf(files: PromptFiles): string {
  return sha256(JSON.stringify(Object.entries(files).sort(([a], [b]) => a < b ? -1 : 1)));
}

/** The prompts of a configuration, of the form that its model's chat needs. */
export function openPrompt(
  config: Config,
  isCompact: boolean,
): { prompt: Prompt; promptHash: string } {
  const skills = readSkills(config);
  const { maxTurns, parity } = config;
  const isFixed = config.kind === "folder" || config.kind === "rlve";
  const kind = isFixed && !isCompact ? "game-multiturn" : config.kind;
  if (!naturalKinds.includes(kind as NaturalKind)) {
    const promptHash = sha256(readText("lib/designer/prompt.ts", "prompts"));
    return { prompt: compactPrompt({ parity }), promptHash };
  }
  const files = readPromptFiles();
  try {
    const prompt = naturalPrompt({ kind: kind as NaturalKind, files, skills, maxTurns, parity });
    return { prompt, promptHash: promptHashOf(files) };
  } catch (cause) {
    throw new UsageError((cause as Error).message, { cause });
  }
}

/** The corpus of a configuration, with what was left out told. */
async function openCorpus(config: Config, emit: EventSink): Promise<CorpusFiles | null> {
  if (config.corpus === null || config.corpus === "") return null;
  const read = await readCorpus(config.corpus);
  if (read.documents.length === 0) {
    throw new UsageError(`Cannot use corpus ${config.corpus}: it has no documents`);
  }
  if (read.rejects.length > 0) {
    const lines = read.rejects.slice(0, 3).map(({ line, reason }) => `line ${line}: ${reason}`);
    const message = `corpus: ${read.rejects.length} lines left out (${lines.join("; ")})`;
    emit({ kind: "warning", message });
  }
  const corpus = createCorpus(read.documents);
  const without = config.skills.find((skill) => poolOf(corpus, skill) === undefined);
  if (without !== undefined) {
    throw new UsageError(
      `Cannot use corpus ${config.corpus}: it has no document for skill ${without}, only for ` +
        Object.keys(corpus).sort().join(", "),
    );
  }
  return read;
}
