import type { Clock } from "../../core/mod.ts";
import type { Display } from "./display.ts";
import { megabytes, seconds } from "./display.ts";
import { SetupError } from "./error.ts";
import { explainPip, type PipAttempt } from "./pip_error.ts";
import { parsePipLine, type PipEvent } from "./pip_output.ts";
import { runProgram } from "./run.ts";

/**
 * Runs pip and sees to it that pip ends when this program does, even by kill -9 (Linux: the
 * parent-death signal): an orphan would go on writing into an environment that is being remade.
 */
const PIP = `
import ctypes, os, runpy, signal, sys
if sys.platform == "linux":
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)
sys.argv = ["pip", *sys.argv[1:]]
runpy.run_module("pip", run_name="__main__", alter_sys=True)
`;

/** What a pip run fetched. Megabytes are 10^6 bytes. */
export interface Fetched {
  packages: number;
  downloadMB: number;
  downloadSeconds: number;
}

export interface PipOptions {
  root: string;
  /** The environment's interpreter. */
  python: string;
  /** Lock file below the root. */
  lock: string;
  extraIndex?: string;
  /** pip is 24.1 or newer and can report bytes while it downloads. */
  counts: boolean;
  attempt: PipAttempt;
  display: Display;
  clock: Clock;
  signal?: AbortSignal;
  /** Takes every line pip prints. */
  log: (line: string) => void;
}

/**
 * Installs exactly what a lock file names, wheels only, sums checked. Index, find-links,
 * certificates, constraints and cache are the user's: only PIP_USER is put aside, which cannot
 * work in an environment.
 *
 * @throws SetupError
 */
export async function pipInstall(options: PipOptions): Promise<Fetched> {
  const { clock, display, signal } = options;
  const fetched: Fetched = { packages: 0, downloadMB: 0, downloadSeconds: 0 };
  let open: { file: string; megabytes: number; since: number; done?: string } | undefined;
  let phase = "starting pip";
  const close = () => {
    if (open === undefined) return;
    const took = clock() - open.since;
    fetched.downloadSeconds += took;
    fetched.downloadMB += open.megabytes;
    display.say(`    ${name(open.file)}  ${megabytes(open.megabytes)}  ${seconds(took)}`);
    open = undefined;
  };
  const onEvent = (event: PipEvent) => {
    if (event.kind === "progress") {
      if (open !== undefined) open.done = megabytes(event.done / 1e6);
      return;
    }
    close();
    if (event.kind === "download") {
      open = { file: event.file, megabytes: event.megabytes, since: clock() };
    } else if (event.kind === "cached" || event.kind === "local") {
      const size = event.kind === "cached" ? `${megabytes(event.megabytes)}  from pip's cache` : "";
      display.say(`    ${name(event.file)}  ${size || "from this disk"}`);
    } else if (event.kind === "collect") phase = `looking for ${event.requirement}`;
    else if (event.kind === "install") phase = `unpacking ${count(event.packages.length)}`;
    else if (event.kind === "installed") fetched.packages += event.packages;
    else if (event.kind === "retry") display.say("    the index does not answer; pip tries again");
  };
  const started = clock();
  const tick = setInterval(() => {
    const what = open === undefined
      ? phase
      : `${name(open.file)}  ${open.done === undefined ? "" : `${open.done} of `}${
        megabytes(open.megabytes)
      }`;
    display.now(`    ${what}  ${seconds(clock() - (open?.since ?? started))}`);
  }, 250);
  const extra = options.extraIndex === undefined ? [] : ["--extra-index-url", options.extraIndex];
  const args = ["-I", "-c", PIP, "install", "--no-input", "--disable-pip-version-check"];
  args.push(
    "--progress-bar",
    options.counts ? "raw" : "off",
    "--no-deps",
    "--require-hashes",
    "--only-binary=:all:",
  );
  // only what is imported is worth compiling, and the import check right after does that
  args.push("--no-compile", ...extra, "-r", options.lock);
  try {
    const result = await runProgram(options.python, args, {
      cwd: options.root,
      env: { PIP_USER: "0" },
      signal,
      onLine: (line) => {
        options.log(line);
        onEvent(parsePipLine(line));
      },
    });
    close();
    if (result.interrupted) throw interrupted();
    if (result.code !== 0) throw explainPip(result.output, options.attempt);
    return fetched;
  } finally {
    clearInterval(tick);
    display.clear();
  }
}

/** The error of a set-up that was asked to stop. */
export function interrupted(): SetupError {
  return new SetupError(
    "interrupted",
    "Set-up was interrupted",
    "Start it again: what was downloaded is in pip's cache, the unfinished environment is remade",
  );
}

function count(packages: number): string {
  return packages === 1 ? "1 package" : `${packages} packages`;
}

/** "torch 2.13.0+cpu" of a wheel's file name. */
function name(file: string): string {
  const [project, version] = file.split("-");
  return version === undefined ? file : `${project.replaceAll("_", "-")} ${version}`;
}
