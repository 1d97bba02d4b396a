/**
 * Probe agents: policies that know nothing. A game that one of them wins often teaches nothing
 * (spade.md section 5). In tool use, to do nothing is to answer `done` at once.
 * @module
 */
import { Random, seedOf } from "../core/mod.ts";
import type { Move, Policy, View } from "./probe.ts";
import { sampleArguments } from "./tools.ts";

/** How a probe agent chooses its next reply. */
export type ProbePolicy = Policy;

/** Longest content; the sandbox refuses actions beyond 64 KiB. */
const contentLength = 16_000;

const box = (content: string) => `\\boxed{${content.slice(0, contentLength)}}`;

const nothing = "I do nothing.";

/** A reply that says nothing and boxes nothing. */
const noop: Policy = ({ desk }) => desk ? done : nothing;

/** The answer that ends an instruction of a tool-use environment. */
export const done: Move = { answer: "done" };

/** An empty box; the program receives the raw reply. */
const empty: Policy = ({ desk }) => desk ? { answer: "" } : "\\boxed{}";

/** One of the offered actions, else a token of the observation; in tool use a random call. */
const random: Policy = (view) => {
  const generator = new Random(seedOf("gate", "random", view.seed, view.turn));
  if (view.desk) return randomCall(view, generator);
  const choices = view.actions ?? observationTokens(view.observation);
  const at = generator.integer(choices.length);
  return choices.length > 0 ? box(choices[at]) : nothing;
};

/** The observation itself as the action. */
const echo: Policy = ({ desk, observation }) =>
  desk ? { answer: observation.slice(0, contentLength) } : box(observation);

/**
 * Every offered action in one box; separators alternate so that one that splits well is met half of
 * the time.
 */
const allOptions: Policy = (view) =>
  box((view.actions ?? []).join((view.seed + view.turn) % 2 === 0 ? ", " : " "));

/** Always the same action; in tool use once, then answers. */
export function constant(action: string): Policy {
  return (view) => {
    if (!view.desk) return box(action);
    return view.turn === 0 ? toolMove(action) : done;
  };
}

/** The agents of the floor gate that need no solution. */
export const probeAgents = { noop, empty, random, echo, "all-options": allOptions } as const;
export type ProbeAgentName = keyof typeof probeAgents;

/**
 * Drives transcripts: the same offered index in every seed as far as the lists agree in length; in tool use each tool in
 * turn, then answers.
 */
export const explorer: Policy = (view: View) => {
  const generator = new Random(seedOf("gate", "explorer", view.turn));
  if (view.desk) {
    const { tools, answersLeft, turnsLeft } = view.desk;
    const calls = Math.min(2 * tools.length, 16);
    if (tools.length === 0 || view.turn >= calls || turnsLeft <= answersLeft) return done;
    const { name, parameters } = tools[view.turn % tools.length];
    return { name, arguments: sampleArguments(parameters, generator, wordsOf(view.observation)) };
  }
  const choices = view.actions ?? observationTokens(view.observation);
  const at = Math.floor(generator.next() * choices.length);
  return choices.length > 0 ? box(choices[at]) : nothing;
};

/** A random tool with arguments that its schema allows; now and then an answer, and answers when turns run out. */
function randomCall({ desk, observation }: View, random: Random): Move {
  const { tools, answersLeft, turnsLeft } = desk!;
  const at = random.integer(tools.length + 1);
  if (at === tools.length || turnsLeft <= answersLeft) return done;
  const { name, parameters } = tools[at];
  return { name, arguments: sampleArguments(parameters, random, wordsOf(observation)) };
}

/** The move behind an item of `solution()`: a call where it is one's JSON, else an answer. */
export function toolMove(text: string): Move {
  try {
    const { name, arguments: given } = JSON.parse(text);
    if (typeof name === "string") return { name, arguments: given ?? {} };
  } catch { /* an answer */ }
  return { answer: text };
}

/** Words and identifiers of a text, at most 200. */
function wordsOf(text: string): string[] {
  return [...new Set(text.match(/[\p{L}\p{N}][\p{L}\p{N}_@.-]*/gu) ?? [])].slice(0, 200);
}

/** Quoted tokens, else tokens of list lines, else words; at most 200. */
export function observationTokens(observation: string): string[] {
  const quoted = [...observation.matchAll(/"([^"\n]{1,80})"|'([^'\n]{1,80})'|`([^`\n]{1,80})`/g)]
    .map((match) => match[1] ?? match[2] ?? match[3]);
  const listed = [...observation.matchAll(/^\s*(?:[-*•]|\d+[.)])\s+(.{1,80})$/gm)]
    .map((match) => match[1].trim());
  const named = [...quoted, ...listed];
  const tokens = named.length > 0 ? named : observation.match(/[\p{L}\p{N}_-]+/gu) ?? [];
  return [...new Set(tokens)].slice(0, 200);
}
