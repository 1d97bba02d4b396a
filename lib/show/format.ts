/**
 * Numbers as people read them: one way everywhere.
 * @module
 */
import type { Estimate, Share } from "../analysis/mod.ts";

/** What stands for a number that does not exist. */
export const missing = "–";

/**
 * Two decimals with a true minus sign; `digits` for others.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * assert.deepEqual([formatNumber(0.375), formatNumber(-1, 0), formatNumber(null)], ["0.38", "−1", "–"]);
 * ```
 */
export function formatNumber(value: number | undefined | null, digits = 2): string {
  if (value === undefined || value === null || !Number.isFinite(value)) return missing;
  const text = Math.abs(value).toFixed(digits);
  return value < 0 && Number(text) !== 0 ? `−${text}` : text;
}

/**
 * As {@link formatNumber} with a plus sign, for changes.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * assert.deepEqual([0.1, -0.1].map((value) => formatChange(value)), ["+0.10", "−0.10"]);
 * ```
 */
export function formatChange(value: number | undefined, digits = 2): string {
  const text = formatNumber(value, digits);
  return text === missing || text.startsWith("−") ? text : `+${text}`;
}

/**
 * `[0.31, 0.44]` with a space that does not break, or a dash.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * assert.equal(formatInterval({ low: 0.31, high: 0.44 }), "[0.31,\u00a00.44]");
 * assert.equal(formatInterval({ low: null, high: null }), "–");
 * ```
 */
export function formatInterval(
  of: { low?: number | null; high?: number | null },
  digits = 2,
): string {
  if (of.low === undefined || of.low === null || of.high === undefined || of.high === null) {
    return missing;
  }
  return `[${formatNumber(of.low, digits)},\u00a0${formatNumber(of.high, digits)}]`;
}

/**
 * `0.38 [0.31, 0.44]`; without interval only the mean.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * const counts = { scored: 8, failed: 0, skipped: 0, clusters: 8 };
 * const of = { mean: 0.38, low: 0.31, high: 0.44, interval: "bootstrap", ...counts };
 * assert.equal(formatEstimate(of), "0.38 [0.31,\u00a00.44]");
 * ```
 */
export function formatEstimate(of: Estimate, digits = 2): string {
  const interval = formatInterval(of, digits);
  const mean = formatNumber(of.mean, digits);
  return interval === missing ? mean : `${mean} ${interval}`;
}

/**
 * `84 %`.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * assert.equal(formatPercent(0.84), "84 %");
 * ```
 */
export function formatPercent(share: number | undefined, digits = 0): string {
  return share === undefined || !Number.isFinite(share)
    ? missing
    : `${(share * 100).toFixed(digits)} %`;
}

/**
 * `84 % (210 of 250)`.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * // one digit more where rounding would claim all of them
 * assert.equal(formatShare({ share: 0.996, count: 249, of: 250 }), "99.6 % (249 of 250)");
 * ```
 */
export function formatShare(share: Share): string {
  // One more digit where rounding would claim all or nothing.
  const rounded = Math.round((share.share ?? 0) * 100);
  const digits = share.count > 0 && share.count < share.of && rounded % 100 === 0 ? 1 : 0;
  return `${formatPercent(share.share, digits)} (${formatCount(share.count)} of ${
    formatCount(share.of)
  })`;
}

/**
 * `3,600`.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * assert.equal(formatCount(3600), "3,600");
 * ```
 */
export function formatCount(count: number): string {
  return Math.round(count).toString().replaceAll(/\B(?=(\d{3})+$)/g, ",");
}

/**
 * `950`, `12.3 k`, `4.56 M`.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * assert.deepEqual([950, 12_300, 4_560_000].map(formatLarge), ["950", "12.3 k", "4.56 M"]);
 * ```
 */
export function formatLarge(count: number): string {
  if (count < 1000) return formatCount(count);
  if (count < 1e6) return `${(count / 1e3).toFixed(1)} k`;
  return `${(count / 1e6).toFixed(2)} M`;
}

/**
 * `42 s`, `7 min 05 s`, `1 h 02 min`.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * assert.deepEqual([42, 425, 3725].map(formatSeconds), ["42 s", "7 min 05 s", "1 h 02 min"]);
 * ```
 */
export function formatSeconds(seconds: number): string {
  if (!Number.isFinite(seconds)) return missing;
  const s = Math.max(0, Math.round(seconds));
  const pad = (n: number) => String(n).padStart(2, "0");
  if (s < 60) return `${s} s`;
  if (s < 3600) return `${Math.floor(s / 60)} min ${pad(s % 60)} s`;
  return `${Math.floor(s / 3600)} h ${pad(Math.floor(s % 3600 / 60))} min`;
}

/**
 * `12 plays, 3 failed, 1 skipped`: what a mean was computed from.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * assert.equal(formatCounts({ scored: 12, failed: 3, skipped: 0 }), "12 plays, 3 failed");
 * ```
 */
export function formatCounts(
  counts: { scored: number; failed: number; skipped: number },
  noun = "plays",
): string {
  const parts = [`${formatCount(counts.scored)} ${noun}`];
  if (counts.failed > 0) parts.push(`${formatCount(counts.failed)} failed`);
  if (counts.skipped > 0) parts.push(`${formatCount(counts.skipped)} skipped`);
  return parts.join(", ");
}
