/** A fake engine behind `fetch`, and short ways to build requests. */
import type { SampleRequest } from "../../lib/core/mod.ts";
import { Wire, type WireOptions } from "../../lib/engine/mod.ts";

export type Answer = (path: string, body: Record<string, unknown>, n: number) => Response | "never";

export interface Call {
  path: string;
  body: Record<string, unknown>;
}

export const json = (value: unknown, status = 200) =>
  new Response(JSON.stringify(value), { status });

/** A wire to `answer`; `calls` holds what was sent. A fault is thrown by `answer`; "never" hangs until aborted. */
export function fakeWire(answer: Answer, options: Partial<WireOptions> = {}): [Wire, Call[]] {
  const calls: Call[] = [];
  const wire = new Wire({
    url: "http://engine",
    pauseMs: 1,
    ...options,
    fetch: async (url, init) => {
      const path = new URL(url).pathname;
      const body = init.body ? JSON.parse(String(init.body)) : {};
      calls.push({ path, body });
      const signal = init.signal!;
      signal.throwIfAborted();
      await Promise.resolve();
      const given = answer(path, body, calls.length);
      if (given !== "never") return given;
      return await new Promise<Response>((_, reject) =>
        signal.addEventListener("abort", () => reject(signal.reason), { once: true })
      );
    },
  });
  return [wire, calls];
}

export function request(prompt: number[], seed = 1, maxTokens = 3): SampleRequest {
  return { prompt, seed, params: { maxTokens, temperature: 1, stopIds: [2] } };
}

export interface Choice {
  index: number;
  token_ids: number[];
  logprobs: { token_logprobs: (number | null)[] };
  finish_reason: string;
  prompt_token_ids?: number[];
}

/** A good answer to a completions call: every reply is [seed, 2], log-probability −0.5 each. */
export function completions(
  body: Record<string, unknown>,
  change: (choice: Choice) => void = () => {},
) {
  const choices = (body.prompt as number[][]).map((_, index) => {
    const choice: Choice = {
      index,
      token_ids: [(body.seed as number[])[index], 2],
      logprobs: { token_logprobs: [-0.5, -0.5] },
      finish_reason: "stop",
    };
    change(choice);
    return choice;
  });
  return { weights_version: 4, choices };
}
