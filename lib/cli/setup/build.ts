import type { Clock } from "../../core/mod.ts";
import { type Display, megabytes } from "./display.ts";
import { environmentFolder, type EnvironmentSpec, type Wishes } from "./environments.ts";
import { SetupError } from "./error.ts";
import { type Fetched, interrupted, pipInstall } from "./pip.ts";
import type { PythonFacts } from "./python.ts";
import { runProgram } from "./run.ts";
import { STAMP_NAME, writeStamp } from "./stamp.ts";
import { planTorch, type TorchSource } from "./torch.ts";

export interface BuildOptions {
  root: string;
  python: { name: string; facts: PythonFacts };
  wishes: Wishes;
  lock: string;
  display: Display;
  clock: Clock;
  signal?: AbortSignal;
  log: (line: string) => void;
  /** Asks yes or no; absent when nobody can answer. */
  confirm?: (question: string) => boolean;
}

/** What making one environment came to. Megabytes are 10^6 bytes. */
export interface Built extends Fetched {
  name: string;
  seconds: number;
  torch?: string;
}

/**
 * Makes one environment from nothing. Its stamp is removed first and written last, so whatever
 * ends this in between leaves an environment that the next set-up makes again.
 *
 * @throws SetupError
 */
export async function buildEnvironment(
  spec: EnvironmentSpec,
  options: BuildOptions,
): Promise<Built> {
  const { root, python, display, clock, signal } = options;
  const started = clock();
  const folder = environmentFolder(root, spec.name);
  display.say(`${spec.name}  ${spec.purpose}`);
  await removeIfThere(`${folder}/${STAMP_NAME}`);
  // Python empties the folder itself: Deno may not remove a program that it may run
  display.now("    making the environment");
  const made = await runProgram(python.name, ["-I", "-m", "venv", "--clear", folder], {
    cwd: root,
    signal,
    onLine: options.log,
  });
  if (made.interrupted) throw interrupted();
  if (made.code !== 0) throw venvFailure(spec, python.facts, made.output);
  const sum: Fetched = { packages: 0, downloadMB: 0, downloadSeconds: 0 };
  const counts = await countsBytes(folder, python.facts);
  const install = async (lock: string, extraIndex?: string, diskMB = spec.diskMB) => {
    const fetched = await pipInstall({
      ...options,
      python: `${folder}/bin/python`,
      lock,
      extraIndex,
      counts,
      attempt: {
        environment: spec.name,
        python: python.facts.version.join("."),
        machine: `${python.facts.platform} ${python.facts.machine}`,
        diskMB,
      },
    });
    sum.packages += fetched.packages;
    sum.downloadMB += fetched.downloadMB;
    sum.downloadSeconds += fetched.downloadSeconds;
  };
  const torch = spec.torchLocks.length === 0 ? undefined : await installTorch(options, install);
  for (const lock of spec.locks) await install(lock);
  await checkImports(spec, folder, options);
  await finishEnvironment(spec, folder, options);
  await writeStamp(folder, {
    format: 1,
    environment: spec.name,
    lock: options.lock,
    python: python.facts.version.join("."),
    asked: options.wishes.python,
    torch,
  });
  return { name: spec.name, seconds: clock() - started, torch, ...sum };
}

/** Tries the sources of torch in order; returns the build taken. */
async function installTorch(
  options: BuildOptions,
  install: (lock: string, extraIndex?: string, diskMB?: number) => Promise<void>,
): Promise<string> {
  const { display, wishes, python } = options;
  const plan = planTorch({ ...python.facts, wish: wishes.torch, acceptCuda: wishes.acceptCuda });
  const failures: { from: string; error: SetupError }[] = [];
  for (const source of plan) {
    if (source.build === "cuda") agreeToCuda(source, options, failures);
    display.say(`    torch (${source.build} build), asking ${source.from}`);
    try {
      await install(`scripts/engine/${source.lock}`, source.extraIndex, source.diskMB);
      return source.build;
    } catch (error) {
      const passing = error instanceof SetupError &&
        ["no-wheel", "offline", "refused", "certificate"].includes(error.code);
      if (!passing) throw error;
      failures.push({ from: source.from, error });
      display.say(`    ${describe(error)} there`);
    }
  }
  // an index that could not be asked is more worth explaining than one without the build
  throw (failures.find(({ error }) => error.code !== "no-wheel") ?? failures[0]).error;
}

function describe(error: SetupError): string {
  return error.code === "no-wheel" ? "not offered" : `no answer (${error.code})`;
}

function agreeToCuda(
  source: TorchSource,
  options: BuildOptions,
  failures: readonly { from: string; error: SetupError }[],
): void {
  const size = `${megabytes(source.downloadMB)} to download, ${megabytes(source.diskMB)} on disk`;
  options.display.say(`    the CUDA build of torch: about ${size}`);
  const room = options.python.facts.diskFree / 1e6;
  if (room < source.diskMB) throw diskFull(source.diskMB, room);
  if (!source.needsConsent) return;
  if (options.confirm?.(`    Take the CUDA build of torch (about ${size})?`)) return;
  const why = failures.map(({ from, error }) => `${from}: ${describe(error)}`).join("; ");
  throw new SetupError(
    "consent",
    `Cannot get the CPU build of torch (${why}), and the CUDA build (about ${size}) is only taken ` +
      "when you say so",
    "Make PyTorch's CPU index or a folder with the wheel reachable for pip (PIP_FIND_LINKS), or " +
      "accept the CUDA build: npx -y deno@2.9.6 task setup --accept-cuda",
  );
}

/** The error of a disk with less room than needed, both in MB. */
export function diskFull(needed: number, free: number): SetupError {
  return new SetupError(
    "disk-full",
    `Cannot set up: ${
      Math.round(free)
    } MB are free where the project lies, about ${needed} MB are needed`,
    "Free some room or move the project to a larger disk",
  );
}

async function checkImports(spec: EnvironmentSpec, folder: string, options: BuildOptions) {
  options.display.now("    importing everything once");
  const code = `import importlib\nfor name in ${
    JSON.stringify(spec.imports)
  }:\n    importlib.import_module(name)`;
  const result = await runProgram(`${folder}/bin/python`, ["-I", "-c", code], {
    cwd: options.root,
    signal: options.signal,
    onLine: options.log,
  });
  if (result.interrupted) throw interrupted();
  if (result.code === 0) return;
  const last = result.output.trim().split("\n").at(-1) ?? "";
  throw new SetupError(
    "import",
    `Cannot use .spade/${spec.name}: its packages are installed but do not import: ${last}`,
    "Often another Python helps (SPADE_PYTHON=/path/to/python3); the output is in .spade/setup.log",
  );
}

async function finishEnvironment(spec: EnvironmentSpec, folder: string, options: BuildOptions) {
  if (spec.finish === undefined) return;
  options.display.now(`    ${spec.finish[0]}`);
  const result = await runProgram(`${folder}/bin/python`, ["-I", ...spec.finish], {
    cwd: options.root,
    signal: options.signal,
    onLine: options.log,
  });
  if (result.interrupted) throw interrupted();
  if (result.code === 0) return;
  if (/No space left|Errno 28/.test(result.output)) {
    throw diskFull(spec.diskMB, options.python.facts.diskFree / 1e6);
  }
  const last = result.output.trim().split("\n").at(-1) ?? "";
  throw new SetupError(
    "finish",
    `Cannot make .spade/${spec.name}: ${spec.finish[0]} failed: ${last}`,
    "The output is in .spade/setup.log",
  );
}

function venvFailure(spec: EnvironmentSpec, facts: PythonFacts, output: string): SetupError {
  if (/No space left|Errno 28/.test(output)) return diskFull(spec.diskMB, facts.diskFree / 1e6);
  return new SetupError(
    "venv-missing",
    `Cannot make .spade/${spec.name} with ${facts.executable}: ${output.trim().slice(-300)}`,
    `Debian and Ubuntu: apt-get install python3-venv (or python3.${facts.version[1]}-venv)`,
  );
}

/** Whether this environment's pip can report bytes while it downloads (24.1 and newer). */
async function countsBytes(folder: string, facts: PythonFacts): Promise<boolean> {
  const packages = `${folder}/lib/python3.${facts.version[1]}/site-packages`;
  for await (const entry of Deno.readDir(packages)) {
    const found = /^pip-(\d+)\.(\d+).*\.dist-info$/.exec(entry.name);
    if (found !== null) return Number(found[1]) * 100 + Number(found[2]) >= 2401;
  }
  return false;
}

async function removeIfThere(path: string): Promise<void> {
  try {
    await Deno.remove(path);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}
