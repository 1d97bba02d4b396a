/** A watch over log-probabilities that an engine made up. @module */
import { EngineError } from "../core/mod.ts";

/** This many tokens in a row with a log-probability of exactly 0 mean that the engine fills in zeros. */
const ZEROS = 16;

/** Counts zeros in a row over the replies of one sampler. */
export class ZeroWatch {
  #row = 0;

  /**
   * Looks at one reply.
   *
   * @throws {EngineError} at the 16th zero in a row.
   */
  watch(logps: readonly number[]): void {
    const nonzero = logps.findLastIndex((logp) => logp !== 0);
    this.#row = nonzero < 0 ? this.#row + logps.length : logps.length - 1 - nonzero;
    if (this.#row >= ZEROS) {
      throw new EngineError(
        `Cannot use a sampled reply: ${this.#row} log-probabilities in a row are exactly 0; ` +
          "the engine fills in missing ones",
      );
    }
  }
}
