/** The real sandbox for process tests. */
import type { Sandbox } from "../../lib/core/mod.ts";
import { startSandbox } from "../../lib/sandbox/mod.ts";

const own = new URL("../../.spade/sandbox/bin/python", import.meta.url).pathname;

/** Whether the Python of `deno task setup` is there; the system's may lack numpy. */
export const isSetUp = await Deno.stat(own).then(() => true, () => false);

export async function testSandbox(): Promise<Sandbox> {
  return await startSandbox({ python: isSetUp ? own : "/usr/bin/python3" });
}
