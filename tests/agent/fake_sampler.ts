/** A sampler that answers from a list, or by a function of the request. */
import type { Sampler, SampleReply, SampleRequest, Tokenizer } from "../../lib/core/mod.ts";

export interface FakeSampler extends Sampler {
  requests: SampleRequest[];
}

/** `answer` gives the text of call n; "…" at its end cuts the reply by length. */
export function fakeSampler(
  tokenizer: Tokenizer,
  answer: (call: number, request: SampleRequest) => string,
  change: (reply: SampleReply, call: number) => SampleReply = (reply) => reply,
): FakeSampler {
  const requests: SampleRequest[] = [];
  return {
    requests,
    // deno-lint-ignore require-await
    async sample(request) {
      const call = requests.push(request) - 1;
      const text = answer(call, request);
      const cut = text.endsWith("…");
      const ids = cut
        ? tokenizer.encode(text.slice(0, -1))
        : [...tokenizer.encode(text), request.params.stopIds[0]];
      const finish = cut ? "length" : "stop";
      const logps = ids.map((_, i) => -0.5 - i / 100);
      return change({ ids, logps, finish, weightsVersion: 3 }, call);
    },
  };
}
