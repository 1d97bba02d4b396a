/**
 * The wasm level: the portable wall, for machines whose kernel gives none. Python compiled to WebAssembly (Pyodide) in a
 * Deno process without any permission, one process a play; `sandbox/README.md` says what that stops.
 * @module
 */
export { type WasmOptions, WasmPlays } from "./plays.ts";
