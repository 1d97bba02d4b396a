/**
 * Seeds are hashes of labels (spade.md section 2): the first 4 bytes, big-endian, of the sha-256 of the JSON array
 * of labels, modulo 2^31. Nothing else in `lib/` is random.
 * @module
 */
import { createHash } from "node:crypto";

/** What seeds are made of. */
export type Label = string | number;

/**
 * Hex sha-256 of UTF-8 text or bytes.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * assert.equal(sha256("").slice(0, 16), "e3b0c44298fc1c14");
 * ```
 */
export function sha256(data: string | Uint8Array): string {
  return createHash("sha256").update(data).digest("hex");
}

/**
 * Seed in [0, 2^31) of a list of labels.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * assert.equal(seedOf(0, "env", "abc", 3, 1), seedOf(0, "env", "abc", 3, 1));
 * assert.notEqual(seedOf(0, "env", "abc", 3, 1), seedOf(0, "env", "abc", 3, 2));
 * ```
 */
export function seedOf(...labels: Label[]): number {
  return createHash("sha256").update(JSON.stringify(labels)).digest().readUInt32BE(0) % 2 ** 31;
}

/**
 * A small seeded generator (mulberry32): uniform numbers in [0, 1); its whole state is one integer.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * const random = new Random(seedOf(0, "memory"));
 * random.next();
 * assert.equal(new Random(random.state).next(), random.next());
 * ```
 */
export class Random {
  /** `state`: the seed, later the whole state; a generator goes on from it. */
  constructor(public state: number) {}

  /** Number in [0, 1). */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let t = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  }

  /** Integer in [0, n). */
  integer(n: number): number {
    return Math.floor(this.next() * n);
  }

  /** A shuffled copy (Fisher-Yates). */
  shuffle<T>(items: readonly T[]): T[] {
    const copy = [...items];
    for (let i = copy.length - 1; i > 0; i--) {
      const j = this.integer(i + 1);
      [copy[i], copy[j]] = [copy[j], copy[i]];
    }
    return copy;
  }
}

/**
 * Environment id: sha-256 of the canonical source (LF, trailing spaces cut, one final newline, UTF-8).
 *
 * ```ts
 * import assert from "node:assert/strict";
 * // trailing spaces and line ends make no other program
 * assert.equal(environmentId("A = 1  \r\n"), environmentId("A = 1\n"));
 * assert.notEqual(environmentId("A = 1"), environmentId("A = 2"));
 * ```
 */
export function environmentId(source: string): string {
  return sha256(canonicalSource(source));
}

/**
 * The canonical text of a program; what is hashed, stored and executed.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * assert.equal(canonicalSource("\n\nA = 1  \r\nB = 2"), "A = 1\nB = 2\n");
 * ```
 */
export function canonicalSource(source: string): string {
  const lines = source.replaceAll("\r\n", "\n").replaceAll("\r", "\n").split("\n");
  return lines.map((line) => line.trimEnd()).join("\n").replace(/^\n+/, "").trimEnd() + "\n";
}
