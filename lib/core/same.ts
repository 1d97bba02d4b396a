/** For a schema and the type that documents it: that they say the same is checked by the compiler. @module */

/**
 * `true` where each type can stand for the other, else `never`.
 *
 * ```ts
 * true satisfies Same<{ kind: "ok" | "failed" }, { kind: "failed" | "ok" }>;
 * // @ts-expect-error a member is missing
 * true satisfies Same<{ kind: "ok" }, { kind: "ok"; value: number }>;
 * ```
 */
export type Same<A, B> = [A] extends [B] ? [B] extends [A] ? true : never : never;
