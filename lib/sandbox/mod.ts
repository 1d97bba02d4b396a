/**
 * The host side of containment.
 * @module
 */
export { type SandboxOptions, startSandbox } from "./sandbox.ts";
export { DEFAULT_LIMITS, MAX_ACTION_BYTES, MAX_SOURCE_BYTES } from "./limits.ts";
