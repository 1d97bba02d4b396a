/** Turns with tokens: a tokenizer of bytes, and the turns of a made-up run as it would have sampled them. */
import type { EnvironmentDetail } from "../../lib/analysis/mod.ts";
import { Random, type RecordOf, type Tokenizer } from "../../lib/core/mod.ts";

/** An id a byte; 256 ends a reply. */
export const bytes: Tokenizer = {
  specials: { "<|end|>": 256 },
  encode: (text) => [...new TextEncoder().encode(text)],
  decode: (ids) => new TextDecoder().decode(Uint8Array.from(ids.filter((id) => id < 256))),
};

type Turn = RecordOf<"turn">;

/** The same environment with token ids and log-probabilities. */
export function sampled(
  detail: EnvironmentDetail,
  change: (turn: Turn) => Turn = (turn) => turn,
): EnvironmentDetail {
  const random = new Random(1);
  const turns = new Map([...detail.turns].map(([id, of]) => [
    id,
    of.map((turn) => {
      const ids = [...bytes.encode(turn.text), 256], prompt = bytes.encode(turn.observation);
      return change({ ...turn, prompt, ids, logps: ids.map(() => 6 * Math.log(random.next())) });
    }),
  ]));
  return { ...detail, turns };
}
