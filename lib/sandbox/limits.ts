/**
 * Limits of one process. CPU time decides what hangs; wall time is a back-stop well above it.
 * @module
 */
import { failed, type Failure } from "../core/outcome.ts";
import type { SandboxLimits } from "../core/ports.ts";
import { LIMITS_BYTES } from "./frames.ts";

/** Limits of a process whose start names none; the loop's own are those of the preset. */
export const DEFAULT_LIMITS: Readonly<SandboxLimits> = {
  requestCpuSeconds: 2,
  requestSeconds: 30,
  cpuSeconds: 30,
  seconds: 3600,
  memoryMb: 256,
};

/** Longest program text, in UTF-8 bytes. */
export const MAX_SOURCE_BYTES = 128 * 1024;
/** Longest action, in UTF-8 bytes. */
export const MAX_ACTION_BYTES = 64 * 1024;

/** The failure of a program that is too long to be run. */
export function tooLong(source: string): Failure | undefined {
  const bytes = byteLength(source);
  if (bytes <= MAX_SOURCE_BYTES) return undefined;
  const problem = `is ${bytes} bytes, must be at most ${MAX_SOURCE_BYTES}`;
  return failed("designer", "contract", `program: ${problem}`);
}

/** Throws RangeError on a text for a program that is too long: `Cannot step: action is ...`. */
export function requireBytes(doing: string, what: string, text: string): void {
  if (text.length * 3 <= MAX_ACTION_BYTES) return;
  const bytes = byteLength(text);
  if (bytes > MAX_ACTION_BYTES) {
    const problem = `is ${bytes} bytes, must be at most ${MAX_ACTION_BYTES}`;
    throw new RangeError(`Cannot ${doing}: ${what} ${problem}`);
  }
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}

/** `limits` over `base`. Throws RangeError on a limit that is not a positive number. */
export function mergeLimits(
  base: Readonly<SandboxLimits>,
  limits: Partial<SandboxLimits> = {},
): SandboxLimits {
  const merged = { ...base };
  for (const key of Object.keys(base) as (keyof SandboxLimits)[]) {
    const value = limits[key] ?? base[key];
    if (!(Number.isFinite(value) && value > 0)) {
      throw new RangeError(
        `Cannot limit a process: ${key} is ${value}, must be a positive number`,
      );
    }
    merged[key] = value;
  }
  return merged;
}

/** The five doubles in front of a start request. */
export function encodeLimits(limits: SandboxLimits): Uint8Array {
  const bytes = new Uint8Array(LIMITS_BYTES);
  const view = new DataView(bytes.buffer);
  const order = [
    limits.requestCpuSeconds,
    limits.requestSeconds,
    limits.cpuSeconds,
    limits.seconds,
    limits.memoryMb,
  ];
  order.forEach((value, index) => view.setFloat64(8 * index, value, true));
  return bytes;
}

/** What a child is forked with: memory and CPU, two doubles. */
export function encodeStanding(
  limits: Pick<SandboxLimits, "memoryMb" | "cpuSeconds">,
): Uint8Array {
  const bytes = new Uint8Array(16);
  const view = new DataView(bytes.buffer);
  view.setFloat64(0, limits.memoryMb, true);
  view.setFloat64(8, limits.cpuSeconds, true);
  return bytes;
}
