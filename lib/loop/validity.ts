/**
 * DesignValidity of designs, measured apart from training: the same documents, prompts and sampling seeds whatever the run, so
 * that two sets of weights differ in nothing else. Programs are checked by the gates `parse` and `contract`; none is kept.
 * @module
 */
import { createCursor, drawDocuments, truncateText } from "../corpus/mod.ts";
import { Random, seedOf } from "../core/mod.ts";
import { askDesigner } from "../designer/mod.ts";
import { checkProgram } from "../gates/mod.ts";
import { memoryLines, pickMemory } from "../memory/mod.ts";
import type { Loop } from "./context.ts";
import { settled } from "./settled.ts";

export interface DesignValidity {
  /** Designer replies asked for. */
  replies: number;
  /** Replies whose program passes `parse` and `contract`. */
  runs: number;
}

/** Asks for `replies` programs, skills in turn, and counts those that run. */
export async function measureValidity(
  loop: Loop,
  of: { weights: "base" | "current"; replies: number },
): Promise<DesignValidity> {
  const { config, engine, corpus } = loop;
  const skills = Array.from(
    { length: of.replies },
    (_, i) => config.skills[i % config.skills.length],
  );
  const documents = corpus &&
    drawDocuments(corpus, createCursor(seedOf("validity")), skills).documents;
  const records = loop.store.all("memory");
  const random = new Random(seedOf("validity"));
  const memory = skills.map((skill) =>
    memoryLines(pickMemory(records, skill, random, config.memory))
  );
  const sampler = of.weights === "base" ? engine.base : engine.sampler;
  const ran = await settled(skills.map(async (skill, i) => {
    const document = documents &&
      truncateText(documents[i].text, loop.tokenizer, { limit: config.documentTokens }).text;
    const { source } = await askDesigner({
      prompt: loop.prompt,
      chat: loop.chat,
      tokenizer: loop.tokenizer,
      sampler,
      brief: {
        skill,
        document: document ?? undefined,
        memory: memory[i],
        difficulty: config.difficulty,
      },
      seed: seedOf("validity", i),
      params: {
        maxTokens: config.tokens.designer,
        temperature: config.temperature,
        stopIds: loop.chat.stopIds,
      },
      context: config.context,
      signal: loop.signal,
    });
    const report = await checkProgram(source, {
      sandbox: loop.sandbox,
      maxTurns: config.maxTurns,
      requireActions: config.kind === "compact",
      limits: config.sandbox,
      signal: loop.signal,
      until: "contract",
    });
    return report.runs;
  }));
  return { replies: ran.length, runs: ran.filter(Boolean).length };
}
