/**
 * How an engine is named: `embedded`, `tape:FILE`, a URL of a Tinker server, or `KIND:URL` where KIND is a profile
 * (`skyrl`, `miles`, …), a server that only samples (`openai`, `sglang`), or `slime`, whose URL is where we listen.
 * @module
 */
import { type ProfileName, profiles } from "./profiles.ts";

/** Where an engine is: started from here, or running at a URL and speaking one of these protocols. */
export type Address =
  | { kind: "embedded" }
  | { kind: "tape"; file: string }
  | { kind: "tinker"; url: string; profile?: ProfileName }
  | { kind: "openai" | "sglang"; url: string }
  | { kind: "slime"; listen: string };

/**
 * Reads a name.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * assert.deepEqual(parseAddress("skyrl:http://gpu:8000"), {
 *   kind: "tinker",
 *   url: "http://gpu:8000",
 *   profile: "skyrl",
 * });
 * ```
 *
 * @throws {RangeError} where it is none of these.
 */
export function parseAddress(text: string): Address {
  if (text === "embedded") return { kind: "embedded" };
  const [, before = "", rest] = /^(?:([a-z]+):)?(.+)$/s.exec(text) ?? [];
  if (before === "tape") return { kind: "tape", file: rest };
  const isUrl = (url: string) => /^https?:\/\/[^/]+/.test(url) && URL.canParse(url);
  if (isUrl(text)) return { kind: "tinker", url: text };
  if (isUrl(rest)) {
    if (before === "openai" || before === "sglang") return { kind: before, url: rest };
    if (before === "slime") return { kind: before, listen: rest };
    if (Object.hasOwn(profiles, before)) {
      return { kind: "tinker", url: rest, profile: before as ProfileName };
    }
  }
  const kinds = ["openai", "sglang", "slime", ...Object.keys(profiles)].join(", ");
  throw new RangeError(
    `Cannot use engine ${text}: must be embedded, a URL, tape:FILE or KIND:URL with KIND one of ${kinds}`,
  );
}
