/**
 * What is asked of the designer for a new set: of each slot its skill, document and memory seeds.
 * @module
 */
import type { DesignerBrief, RecordOf } from "../core/mod.ts";
import { drawDocuments, truncateText } from "../corpus/mod.ts";
import { activeSkills, skillOfSlot } from "../grpo/mod.ts";
import { memoryLines, pickMemory } from "../memory/mod.ts";
import { designerSide, type Loop } from "./context.ts";
import { type LoopState, withMemoryRandom } from "./state.ts";

/** What one place of a new set is asked for. */
export interface SlotPlan {
  /** Place in the set, from 0. */
  slot: number;
  /** Skill it is for. */
  skill: string;
  /** Document it is grounded in, cut to its length; null without a corpus. */
  document: RecordOf<"document"> | null;
  /** What the designer is told. */
  brief: DesignerBrief;
  /** Ids of the memory seeds shown. */
  parents: string[];
}

/** Skills, documents and memory seeds of every slot of the set designed at `rollout`; advances `state`. */
export function planSlots(loop: Loop, state: LoopState, rollout: number): SlotPlan[] {
  const { config } = loop;
  const active = activeSkills(config.skills.length, {
    rollout,
    interval: config.epoch,
    perEpoch: config.skillsPerEpoch,
  }).map((index) => config.skills[index]);
  const skills = Array.from(
    { length: config.environments },
    (_, slot) => skillOfSlot(active, slot),
  );
  let documents: (SlotPlan["document"])[] = skills.map(() => null);
  if (loop.corpus) {
    const drawn = drawDocuments(loop.corpus, state.corpus, skills);
    state.corpus = drawn.cursor;
    const limit = config.documentTokens;
    const { tokenizer } = designerSide(loop);
    documents = drawn.documents.map((document) => ({
      rollout,
      ...document,
      text: truncateText(document.text, tokenizer, { limit }).text,
    }));
  }
  const memory = loop.store.all("memory");
  return skills.map((skill, slot): SlotPlan => {
    const picked = withMemoryRandom(
      state,
      (random) => pickMemory(memory, skill, random, config.memory),
    );
    const document = documents[slot];
    const brief = {
      skill,
      document: document?.text,
      memory: memoryLines(picked),
      difficulty: config.difficulty,
    };
    const parents = picked.seeds.map(({ id }) => id);
    return { slot, skill, document, brief, parents };
  });
}
