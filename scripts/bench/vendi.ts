/**
 * Vendi scores of 2,000 made-up environments on one core, exactly and estimated, beside numpy (and scipy where the
 * Python given has it). Prints a table and stores it in data/results/vendi.json. Exit status 1 where a limit is
 * passed or the scores differ.
 *
 *   deno task bench:vendi [environments = 2000]
 *   SPADE_BENCH_PYTHON=python deno task bench:vendi     with another Python than the engine's
 */
import * as os from "node:os";
import * as process from "node:process";
import {
  estimateVendi,
  spectrumOf,
  tokenKernel,
  tokensOf,
  vendiOf,
} from "../../lib/analysis/mod.ts";
import { inProject } from "../../lib/cli/files.ts";
import { commitOf } from "./machine.ts";
import { madePrograms } from "./vendi_programs.ts";

/** CPU seconds, at 2,000 environments. */
const limits = { exact: 15, estimate: 5 };

const count = Number(Deno.args[0] ?? 2000);
if (!(Number.isInteger(count) && count >= 20)) {
  console.error(`Cannot measure ${Deno.args[0]} environments, must be a whole number, 20 or more`);
  Deno.exit(2);
}
const texts = madePrograms(count);
const load = os.loadavg()[0];

function timed<T>(work: () => T): { value: T; cpu: number; wall: number } {
  const cpu = process.cpuUsage(), since = performance.now();
  const value = work(), used = process.cpuUsage(cpu);
  return { value, cpu: (used.user + used.system) / 1e6, wall: (performance.now() - since) / 1e3 };
}

const kernel = timed(() => tokenKernel().matrix(texts));
const spectrum = timed(() => spectrumOf(kernel.value));
const exact = vendiOf(spectrum.value);
const estimate = timed(() => estimateVendi(kernel.value));
const residentMb = Deno.memoryUsage().rss / 2 ** 20;

const python = Deno.env.get("SPADE_BENCH_PYTHON") ?? inProject(".spade/engine/bin/python");
const other = await besidePython(python);
const { score, low, high } = estimate.value;
const result = {
  command: `deno task bench:vendi ${count}`,
  commit: await commitOf(),
  environments: count,
  bytes: Math.round(texts.reduce((sum, text) => sum + text.length, 0) / count),
  tokens: Math.round(texts.reduce((sum, text) => sum + tokensOf(text).length, 0) / count),
  load,
  here: { kernelSeconds: kernel.cpu, eigenvalueSeconds: spectrum.cpu, score: exact, residentMb },
  estimate: { seconds: estimate.cpu, score, low, high },
  python: other,
};
console.log(
  `${count} environments of ${result.bytes} bytes, ${result.tokens} tokens; load ${load}`,
);
console.log("CPU seconds            kernel  eigenvalues  together  score");
row("here, exact", kernel.cpu, spectrum.cpu, exact);
row(other.with, other.kernelSeconds, other.eigenvalueSeconds, other.score);
row("here, estimate", kernel.cpu, estimate.cpu, score);
console.log(`estimate's 95 % interval ${low} to ${high}; resident ${Math.round(residentMb)} MB`);
await Deno.writeTextFile(
  inProject("data/results/vendi.json"),
  JSON.stringify(result, (_, v) => typeof v === "number" ? Number(v.toPrecision(10)) : v, 1) + "\n",
);
const isSame = Math.abs(exact / other.score - 1) < 1e-9;
const isFast = kernel.cpu + spectrum.cpu <= limits.exact &&
  kernel.cpu + estimate.cpu <= limits.estimate;
if (!isSame) console.error(`Scores differ: ${exact} here, ${other.score} there`);
if (count <= 2000 && !isFast) console.error("Slower than the limits");
if (!isSame || (count <= 2000 && !isFast)) Deno.exit(1);

function row(name: string, first: number, second: number, value: number): void {
  const numbers = [first, second, first + second].map((x) => x.toFixed(2).padStart(9));
  console.log(`${name.padEnd(20)} ${numbers.join("  ")}  ${value}`);
}

interface Beside {
  with: string;
  kernelSeconds: number;
  eigenvalueSeconds: number;
  score: number;
}

/** One thread: the comparison is by core. */
async function besidePython(python: string): Promise<Beside> {
  const child = new Deno.Command(python, {
    args: [inProject("scripts/bench/vendi.py")],
    env: { OPENBLAS_NUM_THREADS: "1", OMP_NUM_THREADS: "1", MKL_NUM_THREADS: "1" },
    stdin: "piped",
    stdout: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(JSON.stringify(texts)));
  await writer.close();
  const { success, stdout } = await child.output();
  if (!success) throw new Error(`Cannot compare: ${python} failed`);
  return JSON.parse(new TextDecoder().decode(stdout));
}
