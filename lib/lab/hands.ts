/** What a person's answer does in a program: an action of a game, or a call or answer in tool use. @module */
import type { EnvironmentProcess, Failure, ToolFacts } from "../core/mod.ts";

/** What came of an answer. */
export interface Move {
  /** What was executed, as a run stores it. */
  action: string;
  /** Shown next. */
  observation: string;
  /** Null where nothing was paid: a call. */
  reward: number | null;
  /** The program's flag. */
  terminated: boolean;
  /** The program's flag. */
  truncated: boolean;
  /** Beside the observation; it may name the actions now allowed. */
  info: Record<string, unknown>;
}

/** How answers are given to a program. */
export interface Hands {
  /** Says how to answer; empty where the observation does. */
  how: string;
  /** Executes an answer. */
  move(process: EnvironmentProcess, answer: string): Promise<Move | Failure>;
}

/** The way to play a program that was reset: with tools where it offers them. */
export async function handsOf(process: EnvironmentProcess): Promise<Hands | Failure> {
  const offered = await process.tools();
  if (offered.kind !== "ok") return offered;
  return offered.value === null ? gameHands : toolHands(offered.value);
}

const gameHands: Hands = {
  how: "",
  async move(process, answer) {
    const action = boxed(answer);
    const stepped = await process.step(action);
    if (stepped.kind !== "ok") return stepped;
    return { action, ...stepped.value };
  },
};

/**
 * The action as programs expect it.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * assert.equal(boxed("left"), "\\boxed{left}");
 * assert.equal(boxed("so \\boxed{left}"), "so \\boxed{left}");
 * ```
 */
export function boxed(answer: string): string {
  return answer.includes("\\boxed{") ? answer : `\\boxed{${answer}}`;
}

function toolHands({ signatures }: ToolFacts): Hands {
  const tools = Object.entries(signatures)
    .map(([name, signature]) => `${name}(${signature?.names.join(", ") ?? ""})`);
  return {
    how: `Tools: ${tools.join(", ")}. Call one as NAME {"argument": value}; ` +
      "anything else is your answer.",
    async move(process, answer) {
      const call = callIn(answer, Object.keys(signatures));
      if (call !== undefined) {
        const called = await process.call(call.name, call.arguments);
        if (called.kind !== "ok") return called;
        const action = JSON.stringify({ calls: [{ kind: "call", ...call }], answer: null });
        return { action, ...called.value, reward: null, terminated: false, truncated: false };
      }
      const answered = await process.answer(answer);
      if (answered.kind !== "ok") return answered;
      return { action: JSON.stringify({ calls: [], answer }), ...answered.value };
    },
  };
}

/**
 * A call as a person writes it, or undefined.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * assert.deepEqual(callIn('find {"key": 1}', ["find"]), { name: "find", arguments: { key: 1 } });
 * assert.equal(callIn("find it", ["find"]), undefined);
 * ```
 */
export function callIn(
  answer: string,
  names: readonly string[],
): { name: string; arguments: Record<string, unknown> } | undefined {
  const [, name, rest] = /^(\w+)\s*(\{[\s\S]*\})?$/.exec(answer) ?? [];
  if (name === undefined || !names.includes(name)) return undefined;
  try {
    return { name, arguments: rest === undefined ? {} : JSON.parse(rest) };
  } catch {
    return undefined;
  }
}
