/** The command of the kernelspec `SPADE`; see lib/cli/jupyter/plain_kernel.ts. */
import { plainKernel } from "../../lib/cli/jupyter/plain_kernel.ts";

const stop = new AbortController();
for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  Deno.addSignalListener(name, () => stop.abort(new Error("the kernel was asked to end")));
}
let code = 1;
try {
  code = await plainKernel(Deno.args[0], stop.signal);
} catch (error) {
  console.error(`Cannot start the kernel SPADE: ${error}`);
}
Deno.exit(code);
