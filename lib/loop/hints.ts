/**
 * The hint of an environment: asked of the designer's side, checked for leaks, stored with every attempt as one unit of
 * work.
 * @module
 */
import { writeHint } from "../hint/mod.ts";
import {
  type ActiveEnvironment,
  checkAborted,
  designerSide,
  idOf,
  type Loop,
  samplingSeed,
  withoutProgram,
} from "./context.ts";

/** The environment's hint, or null where none could be written without giving the answer away. */
export async function hintFor(
  loop: Loop,
  environment: ActiveEnvironment,
  rollout: number,
): Promise<string | null> {
  const { config } = loop;
  const id = idOf.hint(rollout, environment.slot);
  const stored = loop.store.get("hint", id);
  if (stored) return stored.text;
  const side = designerSide(loop);
  const written = await writeHint({
    prompt: loop.prompt,
    ...side,
    environment,
    params: {
      maxTokens: config.tokens.hint,
      temperature: config.hintTemperature,
      stopIds: side.chat.stopIds,
    },
    seed: (retry) =>
      samplingSeed(loop, "hint", { rollout, place: environment.slot, index: 0, retry }),
    sandbox: loop.sandbox,
    limits: config.sandbox,
    context: config.context,
    signal: loop.signal,
  });
  checkAborted(loop);
  loop.store.transaction(() => {
    for (const [retry, attempt] of written.tried.entries()) {
      loop.store.insert("reply", {
        id: `${id}/${retry}`,
        rollout,
        role: "hint",
        slot: environment.slot,
        attempt: retry,
        skill: environment.skill,
        ...withoutProgram,
        prompt: written.promptIds,
        ...attempt.reply,
        text: attempt.replyText,
        accepted: attempt.reason === "",
        environmentId: environment.id,
        seed: attempt.seed,
      });
    }
    loop.store.insert("hint", {
      id,
      rollout,
      environmentId: environment.id,
      replyId: written.tried.length > 0 ? `${id}/${written.tried.length - 1}` : null,
      text: written.text,
      reason: written.reason,
    });
  });
  return written.text;
}
