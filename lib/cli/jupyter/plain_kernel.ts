/**
 * The launcher of `SPADE`: Deno's kernel as it is, with a stop button that works while a cell awaits.
 * @module
 */
import { workFolder } from "./kernel_files.ts";
import { denoKernel, openConnections, runKernel } from "./run_kernel.ts";

/** Runs the kernel of a connection file to its end; returns its exit code. */
export async function plainKernel(file: string, signal: AbortSignal): Promise<number> {
  using work = workFolder();
  const connections = await openConnections(file, work.path);
  const [program, ...args] = denoKernel(connections.file);
  return await runKernel(new Deno.Command(program, { args, stdin: "null" }), connections, {
    signal,
  });
}
