/** Runs or resumes the small run in the folder given; a process of its own, so that it can be killed. */
import { runSmall, smallConfig } from "./support.ts";

const [dir, ...settings] = Deno.args;
console.log("started");
await runSmall({ dir, config: smallConfig(...settings) });
Deno.exit(0);
