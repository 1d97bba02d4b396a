/**
 * Validity of designs, measured apart from training: the same documents, prompts and sampling seeds whatever the run, so
 * that two sets of weights differ in nothing else. Programs are checked by the gates `parse` and `contract`; none is kept.
 * @module
 */
import { createCursor, drawDocuments, truncateText } from "../corpus/mod.ts";
import { Random, seedOf } from "../core/mod.ts";
import { askDesigner } from "../designer/mod.ts";
import { checkProgram } from "../gates/mod.ts";
import { memoryLines, pickMemory } from "../memory/mod.ts";
import type { Loop } from "./context.ts";
import { askOptions } from "./generate.ts";
import { gateOptions } from "./judge.ts";
import { settled } from "./settled.ts";

/** How many of the programs asked for run. */
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
  const asking = askOptions(loop, { sampler, tokenizer: loop.tokenizer, chat: loop.chat });
  const gates = gateOptions(loop);
  const ran = await settled(skills.map(async (skill, i) => {
    const document = documents &&
      truncateText(documents[i].text, loop.tokenizer, { limit: config.documentTokens }).text;
    const { source } = await askDesigner({
      ...asking,
      brief: {
        skill,
        document: document ?? undefined,
        memory: memory[i],
        difficulty: config.difficulty,
      },
      seed: seedOf("validity", i),
    });
    const report = await checkProgram(source, { ...gates, until: "contract" });
    return report.runs;
  }));
  return { replies: ran.length, runs: ran.filter(Boolean).length };
}
