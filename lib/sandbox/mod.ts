/**
 * The host side of containment.
 * @module
 */
export { type LocalSandbox, type SandboxOptions, startSandbox } from "./sandbox.ts";
export type { SandboxStatistics } from "./statistics.ts";
export { DEFAULT_LIMITS, MAX_ACTION_BYTES, MAX_SOURCE_BYTES } from "./limits.ts";
export { connectSandbox } from "./host/connect.ts";
export { type LaunchOptions, launchSandbox } from "./host/launch.ts";
export { type SandboxHost, type ServeOptions, serveSandbox } from "./host/serve.ts";
