/** The command of the kernelspec `SPADE (policy)`; see lib/cli/jupyter/policy_kernel.ts. */
import { UsageError } from "../../lib/core/mod.ts";
import { describeError } from "../../lib/cli/main.ts";
import { policyKernel } from "../../lib/cli/jupyter/policy_kernel.ts";

const stop = new AbortController();
for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  Deno.addSignalListener(name, () => stop.abort(new UsageError("the kernel was asked to end")));
}
let code = 1;
try {
  code = await policyKernel(Deno.args[0], {
    signal: stop.signal,
    env: (name) => Deno.env.get(name),
  });
} catch (error) {
  console.error(`Cannot start the kernel SPADE (policy): ${describeError(error)}`);
}
Deno.exit(code);
