/**
 * The screen: the designer's side is asked for its opinion about a program that every other gate let through. Its replies
 * are stored, never trained.
 * @module
 */
import { EngineError, failed, type RecordOf } from "../core/mod.ts";
import { type GateVerdict, opinionIn, type Screen, screenGate } from "../gates/mod.ts";
import { designerSide, type Loop, samplingSeed, withoutProgram } from "./context.ts";
import { throwOnOutage } from "./groups.ts";

/** The reply whose program is looked at. */
export interface Screened {
  /** Rollout that asked for it. */
  rollout: number;
  /** Its place in the set. */
  slot: number;
  /** Number of the reply within its slot. */
  attempt: number;
  /** The reply. */
  replyId: string;
  /** The environment that its program would be. */
  environmentId: string;
  /** The program. */
  source: string;
  /** Skill it was asked for. */
  skill: string;
}

/**
 * Verdict of the gate `screen` and the replies behind it.
 *
 * @throws {EngineError} when the engine is gone, which is no opinion: a resumed run asks again.
 */
export async function askScreen(
  loop: Loop,
  of: Screened,
): Promise<{ verdict: GateVerdict; replies: RecordOf<"reply">[] }> {
  const { config, prompt, signal } = loop;
  const { sampler, tokenizer, chat } = designerSide(loop);
  const params = {
    maxTokens: config.tokens.hint,
    temperature: config.hintTemperature,
    stopIds: chat.stopIds,
  };
  const { rollout, slot, environmentId, source, skill } = of;
  const seedOf = (retry: number) =>
    samplingSeed(loop, "screen", { rollout, place: slot, index: of.attempt, retry });
  const replies: RecordOf<"reply">[] = [];
  const screen: Screen = async (_, { attempt: retry }) => {
    const messages = prompt.screen!({ source, skill }, { seed: seedOf(0) });
    const ids = chat.first(messages);
    const most = config.context - params.maxTokens;
    if (ids.length > most) {
      throw new RangeError(`prompt has ${ids.length} tokens, must be at most ${most}`);
    }
    const seed = seedOf(retry);
    const reply = await sampler.sample({ prompt: ids, params, seed }, { signal });
    if (reply.ids.length !== reply.logps.length) {
      throw new EngineError(
        `${reply.ids.length} ids have ${reply.logps.length} log-probabilities`,
      );
    }
    const text = tokenizer.decode(reply.ids);
    const said = prompt.hintText(text); // what was thought before is no verdict
    replies.push({
      id: `${of.replyId}/screen/${retry}`,
      rollout,
      role: "screen",
      slot,
      attempt: retry,
      skill,
      ...withoutProgram,
      prompt: ids,
      ...reply,
      text,
      accepted: opinionIn(said) !== undefined,
      environmentId,
      seed,
    });
    return said;
  };
  const { screenRequired } = config;
  const verdict = await screenGate(source, {
    screen: prompt.screen ? screen : undefined,
    screenRequired,
    signal,
  });
  if (replies.length < Number(verdict.evidence.tries)) {
    await throwOnOutage(loop, [failed("model", "screen")]);
  }
  return { verdict, replies };
}
