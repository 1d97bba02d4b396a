/**
 * The natural-language prompts (spade.md sections 3, 6 and 7): four kinds of designer's brief and
 * everything else that a chat model is told, over the files of `data/prompts`. All data stand
 * between borders drawn for the prompt [D4].
 * @module
 */
import type { DesignerBrief, MemoryLine, Message, Prompt } from "../core/mod.ts";
import { boxedAction, boxedActionPublished } from "./boxed.ts";
import { betweenMarks, createMark } from "./markers.ts";
import { extractProgram, extractProgramPublished, withoutThinking } from "./program.ts";
import type { Skill } from "./skills.ts";
import { parseTemplate, type PromptFiles, renderTemplate, type Template } from "./template.ts";

/** Kinds of environment a chat model is asked for in words (spade.md section 3). */
export const naturalKinds = ["game-single", "game-multiturn", "game-corpus", "tool-use"] as const;
/** One of {@link naturalKinds}. */
export type NaturalKind = typeof naturalKinds[number];

/** What the prompts of a chat model are made from. */
export interface NaturalPromptOptions {
  /** What the designer is asked for. */
  kind: NaturalKind;
  /** The files of `data/prompts`. */
  files: PromptFiles;
  /** Skills the brief may name. */
  skills: readonly Skill[];
  /** Turns a program is told to allow. @default 25 */
  maxTurns?: number;
  /** Published parsing of replies and actions. @default false */
  parity?: boolean;
}

/**
 * Prompt of one of the four kinds.
 *
 * ```ts ignore
 * import { loadSkills, naturalPrompt } from "@spade/spade";
 *
 * // the files of data/prompts, each under its name without .md
 * const files: Record<string, string> = {};
 * for (const folder of ["", "parts/"]) {
 *   for (const { name, isFile } of Deno.readDirSync(`data/prompts/${folder}`)) {
 *     if (isFile) files[folder + name.slice(0, -3)] = Deno.readTextFileSync(`data/prompts/${folder}${name}`);
 *   }
 * }
 * const skills = loadSkills(Deno.readTextFileSync("data/skills.yaml"));
 * const prompt = naturalPrompt({ kind: "game-corpus", files, skills });
 * const brief = { skill: skills[0].name, document: "Tides", memory: [], difficulty: "medium" };
 * console.log(prompt.designer(brief).at(-1)?.content);
 * ```
 *
 * @throws {SyntaxError} when a file is missing or malformed; by `designer`, {RangeError} when the
 * brief's skill is unknown.
 */
export function naturalPrompt(options: NaturalPromptOptions): Prompt {
  const { kind, files, maxTurns = 25, parity = false } = options;
  const isTools = kind === "tool-use";
  const load = (name: string) => parseTemplate(name, files);
  const templates = {
    designer: load(kind),
    repair: load("repair"),
    hint: load(isTools ? "hint-tools" : "hint"),
    agent: load("agent"),
    agentTools: load("agent-tools"),
    observation: load("observation"),
    screen: load("screen"),
  };
  const data = (
    template: Template,
    key: string,
    text: string,
    seed: number,
    more: Record<string, string> = {},
  ): Message[] => {
    const mark = createMark(seed, [text]);
    return renderTemplate(template, { ...more, mark, [key]: betweenMarks(key, text, mark) });
  };
  return {
    version: versionOf(Object.values(templates), parity),
    designer: (brief, { seed = 0 } = {}) =>
      renderTemplate(templates.designer, {
        ...briefValues(brief, options.skills, seed),
        turns: String(maxTurns),
        solution: kind === "game-single"
          ? "It is required."
          : "Leave it out only where no list of actions is sure to win.",
      }),
    repair: (error, { seed = 0 } = {}) => data(templates.repair, "error", error, seed),
    hint: ({ source, skill }, { seed = 0 } = {}) =>
      data(templates.hint, "source", source, seed, { skill }),
    screen: ({ source, skill }, { seed = 0 } = {}) =>
      data(templates.screen, "source", source, seed, { skill }),
    agent: (_environment, observation, { seed = 0, tools } = {}) => {
      if (tools === undefined) return data(templates.agent, "observation", observation, seed);
      const listed = tools === "placed" ? "" : tools.map((tool) => JSON.stringify(tool)).join("\n");
      const mark = createMark(seed, [observation, listed]);
      return renderTemplate(templates.agentTools, {
        mark,
        tools: listed === "" ? "" : betweenMarks("tools", listed, mark),
        observation: betweenMarks("observation", observation, mark),
      });
    },
    observation: (text, { seed = 0 } = {}) =>
      data(templates.observation, "observation", text, seed),
    program: parity ? extractProgramPublished : extractProgram,
    hintText: (reply) => withoutThinking(reply).trim(),
    action: parity ? boxedActionPublished : boxedAction,
  };
}

function briefValues(
  brief: DesignerBrief,
  skills: readonly Skill[],
  seed: number,
): Record<string, string> {
  const skill = skills.find(({ name }) => name === brief.skill);
  if (skill === undefined) {
    throw new RangeError(
      `Cannot write a brief: skill "${brief.skill}" is unknown, must be one of ` +
        skills.map(({ name }) => name).join(", "),
    );
  }
  const document = brief.document ?? "";
  const mark = createMark(seed, [
    document,
    ...brief.memory.flatMap(({ source, description }) => [source, description]),
  ]);
  return {
    mark,
    skill: skill.name,
    description: skill.description,
    difficulty: brief.difficulty,
    ideas: skill.ideas.map((idea) => `- ${idea}`).join("\n"),
    document: document === "" ? "" : betweenMarks("document", document, mark),
    memory: brief.memory.map((line) => memoryEntry(line, mark)).join("\n\n"),
  };
}

/** A seed with its rates and code, or a negative with its description only [D3]. */
function memoryEntry(line: MemoryLine, mark: string): string {
  const description = line.description.replace(/\s+/g, " ").trim();
  const won = `${Math.round(100 * line.successRate)} % of the games are won`;
  if (line.verdict !== "good") {
    const lesson = line.verdict === "easy" ? "too easy" : "too hard";
    return `Avoid this, it was ${lesson} (${won}):\n${betweenMarks("memory", description, mark)}`;
  }
  const regret = line.regret === undefined
    ? "what a hint gains is not known"
    : `a hint gains ${line.regret.toFixed(2)} points a game`;
  return `Of a good level (${won}; ${regret}):\n${betweenMarks("memory", line.source, mark)}`;
}

function versionOf(templates: readonly Template[], parity: boolean): string {
  const names = templates.map(({ name, version }) => `${name}/${version}`).join(" ");
  return parity ? `${names}+published-parsing` : names;
}
