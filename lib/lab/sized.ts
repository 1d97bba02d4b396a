/** How much a notebook does: all of it by hand, less where it is only tested. @module */
import { setting } from "./settings.ts";

/**
 * A number, or whatever sets how long a cell runs: `full`, or `short` in a process whose variable `SPADE_SHORT` is 1, as
 * tests of notebooks set it.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * const pairs = sized(32, 4);
 * assert.ok(pairs === 32 || pairs === 4);
 * ```
 */
export function sized<T>(full: T, short: T): T {
  return setting("SPADE_SHORT") === "1" ? short : full;
}
