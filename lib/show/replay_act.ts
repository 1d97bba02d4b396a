/** One stored action in a program. @module */
import { type EnvironmentProcess, ok, type Result, toolResponse } from "../core/mod.ts";

/** What came of it. */
export interface Acted {
  /** What the agent would be shown next. */
  observation: string;
  /** Null where nothing was paid: a turn of calls alone. */
  reward: number | null;
  /** The program's flag. */
  terminated: boolean;
  /** The program's flag. */
  truncated: boolean;
}

interface ToolAction {
  calls: (
    | { kind: "call"; name: string; arguments: Record<string, unknown> }
    | { kind: "problem"; message: string }
  )[];
  answer: string | null;
}

function toolActionOf(action: string): ToolAction | undefined {
  try {
    const value = JSON.parse(action);
    return Array.isArray(value?.calls) && "answer" in value ? value : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Whether a stored action has the form of tool use.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * assert.equal(isToolAction('{"calls": [], "answer": "4"}'), true);
 * assert.equal(isToolAction("4"), false);
 * ```
 */
export function isToolAction(action: string): boolean {
  return toolActionOf(action) !== undefined;
}

/** Executes it: a step of a game, or calls and an answer. An observation of nothing asked is the agent's own: empty here. */
export async function actAgain(
  process: EnvironmentProcess,
  action: string,
  tools: boolean,
): Promise<Result<Acted>> {
  if (!tools) {
    const stepped = await process.step(action);
    if (stepped.kind !== "ok") return stepped;
    const { observation, reward, terminated, truncated } = stepped.value;
    return ok({ observation, reward, terminated, truncated });
  }
  const { calls, answer } = toolActionOf(action)!;
  const texts: string[] = [];
  for (const item of calls) {
    if (item.kind === "problem") {
      texts.push(toolResponse(item.message));
      continue;
    }
    const called = await process.call(item.name, item.arguments);
    if (called.kind !== "ok") return called;
    texts.push(toolResponse(called.value.observation));
  }
  if (answer === null) {
    return ok({ observation: texts.join("\n"), reward: null, terminated: false, truncated: false });
  }
  const answered = await process.answer(answer);
  if (answered.kind !== "ok") return answered;
  const { observation, reward, terminated, truncated } = answered.value;
  return ok({ observation: [...texts, observation].join("\n"), reward, terminated, truncated });
}
