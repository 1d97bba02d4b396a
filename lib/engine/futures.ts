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

/** Sends `body` to a heavy route and waits for its result. */
export async function submit<T>(
  wire: Wire,
  path: string,
  body: unknown,
  schema: z.ZodType<T>,
  options: CallOptions,
): Promise<T> {
  const { action, deadlineMs, signal: asked } = options;
  return await limited(action, deadlineMs, [asked], async (signal) => {
    const call = { action, deadlineMs, signal };
    const { request_id } = await wire.post(path, body, promiseReply, call);
    const outcome = z.union([failedFuture, waitingFuture, schema]);
    for (;;) {
      const poll = { ...call, deadlineMs: POLL_MS };
      const got = await wire.post("/api/v1/retrieve_future", { request_id }, outcome, poll);
      if (failedFuture.safeParse(got).success) {
        const { error, category } = got as z.infer<typeof failedFuture>;
        throw new EngineError(`Cannot ${action}: ${error}`, { retryable: category === "server" });
      }
      if (!waitingFuture.safeParse(got).success) return got as T;
    }
  });
}
