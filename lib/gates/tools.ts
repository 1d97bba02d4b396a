/**
 * Tool schemas as probes see them: whether they agree with the methods behind them, and arguments that they allow.
 * @module
 */
import type { Random, ToolFacts } from "../core/mod.ts";

type Schema = Record<string, unknown>;

/** A function schema with or without its `function` wrapper. */
function functionOf(tool: Schema): Schema {
  return isSchema(tool.function) ? tool.function : tool;
}

function isSchema(value: unknown): value is Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const namesOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];

export interface Tool {
  name: string;
  parameters: Schema;
}

/** Name and parameters of each tool that has a name. */
export function toolsOf(facts: ToolFacts): Tool[] {
  return facts.tools.map(functionOf).flatMap(({ name, parameters }) =>
    typeof name === "string" ? [{ name, parameters: isSchema(parameters) ? parameters : {} }] : []
  );
}

/** Words of JSON schema that a `type` may be. */
const typeWords = ["string", "integer", "number", "boolean", "array", "object", "null"];

/**
 * Where schemas, methods, instructions and criteria do not fit together, or undefined.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * const tool = { name: "find", parameters: { type: "object", properties: { key: { type: "string" } } } };
 * const facts = (names: string[]) => ({
 *   tools: [tool],
 *   signatures: { find: { names, required: [], variadic: false } },
 *   instructions: 1,
 *   criteria: 1,
 * });
 * assert.equal(toolProblem(facts(["key"])), undefined);
 * assert.equal(toolProblem(facts(["word"])), "tool find: method does not take key, its schema offers it");
 * ```
 */
export function toolProblem(facts: ToolFacts): string | undefined {
  if (facts.tools.length === 0) return "tools: none, must be at least one";
  if (facts.instructions === 0) return "instructions: none, must be at least one";
  if (facts.instructions !== facts.criteria) {
    return `criteria: ${facts.criteria} for ${facts.instructions} instructions, must be one for each`;
  }
  const seen = new Set<string>();
  for (const [index, item] of facts.tools.entries()) {
    const { name, parameters } = functionOf(item);
    if (typeof name !== "string" || !/^[A-Za-z_]\w{0,63}$/.test(name)) {
      return `tools[${index}]: name must be an identifier of at most 64 characters`;
    }
    if (seen.has(name)) return `tool ${name}: appears twice`;
    seen.add(name);
    const problem = agreement(parameters ?? {}, facts.signatures[name] ?? null);
    if (problem !== undefined) return `tool ${name}: ${problem}`;
  }
  return undefined;
}

function agreement(
  parameters: unknown,
  signature: ToolFacts["signatures"][string],
): string | undefined {
  if (signature === null) return "has no method";
  if (!isSchema(parameters) || (parameters.type ?? "object") !== "object") {
    return "parameters must be a schema of type object";
  }
  const properties = isSchema(parameters.properties) ? parameters.properties : {};
  const offered = Object.keys(properties);
  const required = namesOf(parameters.required);
  const odd = required.find((key) => !offered.includes(key));
  if (odd !== undefined) return `requires ${odd}, which is not among its properties`;
  const untaken = offered.find((key) => !signature.variadic && !signature.names.includes(key));
  if (untaken !== undefined) return `method does not take ${untaken}, its schema offers it`;
  const unasked = signature.required.find((key) => !required.includes(key));
  if (unasked !== undefined) return `method needs ${unasked}, its schema does not require it`;
  for (const [key, property] of Object.entries(properties)) {
    const types = isSchema(property) ? [property.type].flat() : [null];
    const strange = types.find((type) => type !== undefined && !typeWords.includes(String(type)));
    if (strange !== undefined) return `${key} is of unknown type ${JSON.stringify(strange)}`;
  }
  return undefined;
}

/**
 * Arguments that a tool's schema allows. Texts are drawn from `words`, so that they sometimes name something that is
 * there.
 */
export function sampleArguments(
  parameters: Schema,
  random: Random,
  words: readonly string[],
): Record<string, unknown> {
  const required = namesOf(parameters.required);
  const properties = isSchema(parameters.properties) ? parameters.properties : {};
  const out: Record<string, unknown> = {};
  for (const [key, property] of Object.entries(properties)) {
    if (!required.includes(key) && random.next() < 0.5) continue;
    out[key] = sampleValue(isSchema(property) ? property : {}, random, words, 0);
  }
  return out;
}

function sampleValue(schema: Schema, random: Random, words: readonly string[], depth: number) {
  if (Array.isArray(schema.enum) && schema.enum.length > 0) {
    return schema.enum[random.integer(schema.enum.length)];
  }
  switch ([schema.type].flat()[0]) {
    case "boolean":
      return random.next() < 0.5;
    case "integer":
    case "number": {
      const { minimum, maximum } = schema;
      const low = typeof minimum === "number" ? Math.ceil(minimum) : 0;
      const high = typeof maximum === "number" ? Math.floor(maximum) : low + 10;
      return low + random.integer(Math.max(1, high - low + 1));
    }
    case "array": {
      if (depth > 3) return [];
      const items = isSchema(schema.items) ? schema.items : {};
      return Array.from(
        { length: 1 + random.integer(2) },
        (): unknown => sampleValue(items, random, words, depth + 1),
      );
    }
    case "object":
      return depth > 3 ? {} : sampleArguments(schema, random, words);
    case "null":
      return null;
  }
  return words.length > 0 ? words[random.integer(words.length)] : "example";
}
