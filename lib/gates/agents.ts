/**
 * Probe agents: policies that know nothing. A game that one of them wins often teaches nothing
 * (spade.md section 5).
 * @module
 */
import { Random, seedOf } from "../core/mod.ts";
import type { Policy, View } from "./probe.ts";

export type ProbePolicy = Policy;

/** Longest content; the sandbox refuses actions beyond 64 KiB. */
const contentLength = 16_000;

const box = (content: string) => `\\boxed{${content.slice(0, contentLength)}}`;

/** A reply that says nothing and boxes nothing. */
const noop: Policy = () => "I do nothing.";

/** An empty box; the program receives the raw reply. */
const empty: Policy = () => "\\boxed{}";

/** One of the offered actions, else a token of the observation. */
const random: Policy = (view) => {
  const choices = view.actions ?? observationTokens(view.observation);
  const at = new Random(seedOf("gate", "random", view.seed, view.turn)).integer(choices.length);
  return choices.length > 0 ? box(choices[at]) : noop(view);
};

/** The observation itself as the action. */
const echo: Policy = (view) => box(view.observation);

/**
 * Every offered action in one box; separators alternate so that one that splits well is met half of
 * the time.
 */
const allOptions: Policy = (view) =>
  box((view.actions ?? []).join((view.seed + view.turn) % 2 === 0 ? ", " : " "));

/** Always the same action. */
export function constant(action: string): Policy {
  return () => box(action);
}

/** The agents of the floor gate that need no solution. */
export const probeAgents = { noop, empty, random, echo, "all-options": allOptions } as const;
export type ProbeAgentName = keyof typeof probeAgents;

/** Drives transcripts: the same offered index in every seed as far as the lists agree in length. */
export const explorer: Policy = (view: View) => {
  const choices = view.actions ?? observationTokens(view.observation);
  const at = Math.floor(new Random(seedOf("gate", "explorer", view.turn)).next() * choices.length);
  return choices.length > 0 ? box(choices[at]) : noop(view);
};

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
