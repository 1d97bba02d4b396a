/** A real kernel for a test, and what a cell left. */
import { Kernel, type Output, OutputCollector } from "../../lib/kernel/mod.ts";
import { type KernelName, kernelSpecs } from "../../lib/cli/jupyter/specs.ts";

/** Starts one of our kernels in notebooks/ of this checkout, or in `cwd`. */
export async function startKernel(
  name: KernelName,
  options: { cwd?: string; env?: Record<string, string> } = {},
): Promise<Kernel> {
  const { argv, env } = kernelSpecs()[name];
  const cwd = options.cwd ?? new URL("../../notebooks", import.meta.url).pathname;
  await Deno.mkdir(cwd, { recursive: true });
  return await Kernel.start({ argv, cwd, env: { ...env, ...options.env }, readyMs: 120_000 });
}

/** Runs a cell: its outputs, what it printed, its value or error as text. */
export async function runCell(kernel: Kernel, code: string, timeoutMs = 60_000) {
  const { status, messages, timedOut } = await kernel.execute(code, { timeoutMs });
  const outputs = new OutputCollector().collect(messages);
  return { status, timedOut, outputs, text: outputs.map(textOf).join("") };
}

function textOf(output: Output): string {
  if (output.output_type === "stream") return output.text;
  if (output.output_type === "error") return `${output.ename}: ${output.evalue}`;
  return String(output.data["text/plain"]);
}

/** Whether a process is there. */
export function isAlive(pid: number): boolean {
  try {
    Deno.kill(pid, "SIGCONT");
    return !/^State:\s+Z/m.test(Deno.readTextFileSync(`/proc/${pid}/status`));
  } catch {
    return false;
  }
}

/** Waits until `condition` holds, at most `ms`. */
export async function becomes(condition: () => boolean, ms = 15_000): Promise<boolean> {
  for (const end = performance.now() + ms; performance.now() < end;) {
    if (condition()) return true;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return condition();
}
