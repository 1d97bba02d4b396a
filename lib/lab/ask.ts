/**
 * What the functions that ask a model share: who is asked, and many questions at a time.
 * @module
 */
import { UsageError } from "../core/mod.ts";
import { settled } from "../loop/mod.ts";
import { isClosed, type Policy } from "./engine.ts";

/** Options of every function that asks a model. */
export interface AskingOptions {
  /** Who is asked; see `engine()`. */
  engine: Policy;
  /** Same seed, same result on the same weights. @default 0 */
  seed?: number;
  /** Gives up. */
  signal?: AbortSignal;
}

/**
 * The model that is asked. A cell is not type-checked, so this is.
 *
 * @throws {UsageError} where there is none, or it is closed.
 */
export function asked(policy: Policy | undefined): Policy {
  const isOne = policy?.sampler !== undefined && policy.prompt !== undefined;
  if (isOne && !isClosed(policy)) return policy;
  const found = isOne ? "closed" : policy === undefined ? "missing" : "no opened engine";
  throw new UsageError(
    `Cannot ask a model: engine is ${found}, must be one of engine(): ` +
      "const policy = await engine(), then { engine: policy }",
  );
}

/** Results of `task` for 0 to `count` - 1, in order, at most `concurrency` at a time; after an error none begins. */
export async function inTurns<T>(
  count: number,
  concurrency: number,
  task: (index: number) => Promise<T>,
): Promise<T[]> {
  if (!(concurrency >= 1)) {
    throw new UsageError(`Cannot use concurrency ${concurrency}: must be at least 1`);
  }
  const results: T[] = Array(count);
  let next = 0, isBroken = false;
  const worker = async () => {
    while (next < count && !isBroken) {
      const index = next++;
      try {
        results[index] = await task(index);
      } catch (error) {
        isBroken = true;
        throw error;
      }
    }
  };
  await settled(Array.from({ length: Math.min(count, concurrency) }, worker));
  return results;
}
