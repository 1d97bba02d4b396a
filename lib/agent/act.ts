/**
 * What a reply does in an environment: one step of a game, or calls and an answer in tool use.
 * @module
 */
import {
  type EnvironmentProcess,
  failed,
  type Failure,
  type Prompt,
  type ToolFacts,
  toolResponse,
} from "../core/mod.ts";
import { nothingAsked, parseToolReply, type ToolReply } from "./tools.ts";

/** Longest action or answer a sandbox accepts, in UTF-8 bytes. */
const actionBytes = 64 * 1024;

/** Calls of one reply that are run; the rest are told so. */
const mostCalls = 32;

export interface Acted {
  observation: string;
  /** Null where nothing was paid: a turn of calls alone. */
  reward: number | null;
  terminated: boolean;
  truncated: boolean;
}

/** How replies act; `tools` go into the chat template. */
export interface Actor {
  tools?: Record<string, unknown>[];
  /** `onAction` hears what is about to be executed, as text. */
  act(reply: string, onAction: (action: string) => void): Promise<Acted | Failure>;
}

/** Games: the boxed action, one step. */
export function gameActor(process: EnvironmentProcess, prompt: Prompt): Actor {
  return {
    async act(reply, onAction) {
      const action = prompt.action(reply);
      const tooLong = lengthFault(action);
      if (tooLong) return tooLong;
      onAction(action);
      const stepped = await process.step(action);
      if (stepped.kind !== "ok") return stepped;
      const { observation, reward, terminated, truncated } = stepped.value;
      return { observation, reward, terminated, truncated };
    },
  };
}

/**
 * Tool use: calls in their order, then the answer. Calls that were not understood get a message in their place; the
 * environment itself answers unknown names and wrong arguments. `offered` is what it offers after its reset.
 */
export function toolActor(process: EnvironmentProcess, offered: ToolFacts): Actor {
  const isText = textParameters(offered);
  return {
    tools: offered.tools,
    act: (reply, onAction) => {
      const asked = parseToolReply(reply, isText);
      onAction(JSON.stringify({ calls: asked.items.slice(0, mostCalls), answer: asked.answer }));
      return actWithTools(process, asked);
    },
  };
}

async function actWithTools(
  process: EnvironmentProcess,
  { items, answer }: ToolReply,
): Promise<Acted | Failure> {
  const texts: string[] = [];
  for (const item of items.slice(0, mostCalls)) {
    if (item.kind === "problem") {
      texts.push(toolResponse(item.message));
      continue;
    }
    const called = await process.call(item.name, item.arguments);
    if (called.kind !== "ok") return called;
    texts.push(toolResponse(called.value.observation));
  }
  if (items.length > mostCalls) {
    texts.push(toolResponse(`Only the first ${mostCalls} calls of a reply are run.`));
  }
  if (answer === null) {
    const observation = items.length > 0 ? texts.join("\n") : nothingAsked;
    return { observation, reward: null, terminated: false, truncated: false };
  }
  const tooLong = lengthFault(answer);
  if (tooLong) return tooLong;
  const answered = await process.answer(answer);
  if (answered.kind !== "ok") return answered;
  const { reward, terminated, truncated } = answered.value;
  const observation = [...texts, answered.value.observation].join("\n");
  return { observation, reward, terminated, truncated };
}

function lengthFault(action: string): Failure | undefined {
  const bytes = new TextEncoder().encode(action).length;
  if (bytes <= actionBytes) return undefined;
  return failed("agent", "action", `is ${bytes} bytes, must be at most ${actionBytes}`);
}

/** Whether a tool's schema calls a parameter a text. */
function textParameters({ tools }: ToolFacts): (tool: string, parameter: string) => boolean {
  const isRecord = (value: unknown): value is Record<string, unknown> =>
    typeof value === "object" && value !== null;
  const texts = new Set<string>();
  for (const tool of tools) {
    const schema = isRecord(tool.function) ? tool.function : tool;
    const parameters = isRecord(schema.parameters) ? schema.parameters : {};
    const properties = isRecord(parameters.properties) ? parameters.properties : {};
    for (const [key, property] of Object.entries(properties)) {
      if (isRecord(property) && property.type === "string") texts.add(`${schema.name} ${key}`);
    }
  }
  return (tool, parameter) => texts.has(`${tool} ${parameter}`);
}
