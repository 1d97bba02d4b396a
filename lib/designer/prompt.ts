/**
 * The compact prompt of the embedded policy: records to messages whose roles are special tokens.
 * Data cannot leave its section because `encode` yields no special id, so no random markers are
 * needed here [D4].
 * @module
 */
import type { MemoryLine, Prompt } from "../core/mod.ts";
import { boxedAction, boxedActionPublished } from "./boxed.ts";
import { extractProgram, extractProgramPublished, withoutThinking } from "./program.ts";

/** Of the compact prompt. */
export interface CompactPromptOptions {
  /** Published parsing of replies and actions. @default false */
  parity?: boolean;
}

/**
 * Prompt of the `compact` kind.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * const messages = compactPrompt().agent({ skill: "Optimization" }, "goal 14");
 * assert.deepEqual(messages.map(({ role }) => role), ["play", "obs", "act"]);
 * ```
 */
export function compactPrompt(options: CompactPromptOptions = {}): Prompt {
  const { parity = false } = options;
  return {
    version: parity ? "compact/1+published-parsing" : "compact/1",
    designer: (brief) => [
      { role: "design", content: brief.skill },
      { role: "corpus", content: brief.document ?? "" },
      { role: "memory", content: brief.memory.map(compactMemory).join("\n") },
      { role: "program", content: "" },
    ],
    // The policy was not trained to repair: the reason stands where memory does, then it writes again.
    repair: (error) => [
      { role: "memory", content: error },
      { role: "program", content: "" },
    ],
    hint: (environment) => [
      { role: "program", content: environment.source },
      { role: "hint", content: "" },
    ],
    agent: (environment, observation) => [
      { role: "play", content: environment.skill },
      { role: "obs", content: observation },
      { role: "act", content: "" },
    ],
    observation: (text) => [
      { role: "obs", content: text },
      { role: "act", content: "" },
    ],
    program: parity ? extractProgramPublished : extractProgram,
    hintText: (reply) => withoutThinking(reply).trim(),
    action: parity ? boxedActionPublished : boxedAction,
  };
}

/** One memory record as one line: its verdict, then its one-line description. */
export function compactMemory(line: MemoryLine): string {
  return `${line.verdict} ${line.description.replace(/\s+/g, " ").trim()}`;
}
