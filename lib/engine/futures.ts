/**
 * Promises of the Tinker protocol: a call answers with a request id, a long poll brings the result.
 * @module
 */
import { z } from "zod";
import { EngineError } from "../core/mod.ts";
import { limited } from "./deadline.ts";
import { failedFuture, promiseReply, waitingFuture } from "./replies.ts";
import type { CallOptions, Wire } from "./wire.ts";

/** One poll with its tries; servers answer a poll within 30 s (Miles, ours) to 300 s (SkyRL). */
const POLL_MS = 330_000;
/** Times a call is sent whose result expires (410). */
const SENDINGS = 3;

/** How a body is sent: bodies are large, and made when it is their turn; the default is at once. */
export type Turn = <T>(send: () => Promise<T>) => Promise<T>;

/** Sends what `body` gives to a heavy route and waits for its result. */
export async function submit<T>(
  wire: Wire,
  path: string,
  body: () => unknown,
  schema: z.ZodType<T>,
  options: CallOptions & { turn?: Turn },
): Promise<T> {
  const { action, deadlineMs, signal: asked, binary, once, turn = (post) => post() } = options;
  return await limited(action, deadlineMs, [asked], async (signal) => {
    const call = { action, deadlineMs, signal };
    const post = () => wire.post(path, body(), promiseReply, { ...call, once });
    const send = async () => (await turn(post)).request_id;
    let request_id = await send();
    const outcome = z.union([failedFuture, waitingFuture, schema]);
    const poll = { ...call, deadlineMs: POLL_MS, binary };
    for (let sent = 1;;) {
      let got: unknown;
      try {
        got = await wire.post("/api/v1/retrieve_future", { request_id }, outcome, poll);
      } catch (error) {
        const status = error instanceof EngineError ? error.status : undefined;
        if (status === 408) continue; // still at work
        if (status !== 410 || once || sent === SENDINGS) throw error;
        // the result was thrown away before we fetched it; the same seq_id is the same request
        request_id = await send();
        sent += 1;
        continue;
      }
      if (failedFuture.safeParse(got).success) {
        const { error, category } = got as z.infer<typeof failedFuture>;
        throw new EngineError(`Cannot ${action}: ${error}`, { retryable: category === "server" });
      }
      if (!waitingFuture.safeParse(got).success) return got as T;
    }
  });
}
