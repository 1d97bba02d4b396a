import { SetupError } from "./error.ts";

/** What one candidate said about itself when asked (see {@link PROBE}). */
export interface PythonFacts {
  version: [number, number, number];
  implementation: string;
  /** The interpreter itself, links followed. */
  executable: string;
  bits: number;
  freeThreaded: boolean;
  venv: boolean;
  ensurepip: boolean;
  platform: string;
  machine: string;
  /** Whether this machine shows an NVIDIA GPU. */
  nvidia: boolean;
  /** Free bytes where the project lies. */
  diskFree: number;
}

/** A candidate name and what came of asking it: facts, or why there are none. */
export interface Candidate {
  name: string;
  facts?: PythonFacts;
  problem?: string;
}

/** Oldest and newest minor version of Python 3 that the lock files hold wheels for. */
export const SUPPORTED = { oldest: 10, newest: 14 } as const;

/** Asked of each candidate; the current folder is the project. Prints one line of JSON. */
export const PROBE = `
import importlib.util as u, json, os, platform, shutil, struct, sys, sysconfig
print(json.dumps({
  "version": list(sys.version_info[:3]), "implementation": sys.implementation.name,
  "executable": os.path.realpath(sys.executable), "bits": struct.calcsize("P") * 8,
  "freeThreaded": bool(sysconfig.get_config_var("Py_GIL_DISABLED")),
  "venv": u.find_spec("venv") is not None, "ensurepip": u.find_spec("ensurepip") is not None,
  "platform": sys.platform, "machine": platform.machine(),
  "nvidia": os.path.exists("/dev/nvidia0") or shutil.which("nvidia-smi") is not None,
  "diskFree": shutil.disk_usage(".").free}))
`;

/** Names tried in order; SPADE_PYTHON, when set, is the only one. */
export function pythonNames(asked: string | undefined): string[] {
  if (asked !== undefined && asked !== "") return [asked];
  return ["python3", "python3.13", "python3.12", "python3.11", "python3.10", "python3.14"];
}

/** Reads a probe's answer; undefined when it is not one. */
export function parseFacts(text: string): PythonFacts | undefined {
  try {
    const facts = JSON.parse(text.trim().split("\n").at(-1) ?? "") as PythonFacts;
    const whole = Array.isArray(facts.version) && facts.version.every(Number.isInteger) &&
      typeof facts.executable === "string" && Number.isFinite(facts.diskFree);
    return whole ? facts : undefined;
  } catch {
    return undefined;
  }
}

/** Why this Python cannot carry an environment that needs Python 3.`oldest` or newer, or undefined. */
export function unfitness(
  facts: PythonFacts,
  oldest: number = SUPPORTED.oldest,
): string | undefined {
  const [major, minor] = facts.version;
  const version = facts.version.join(".");
  if (facts.implementation !== "cpython") return `is ${facts.implementation}, must be CPython`;
  if (major !== 3 || minor < oldest) return `is ${version}, must be 3.${oldest} or newer`;
  if (minor > SUPPORTED.newest) {
    return `is ${version}, and the lock files hold packages for 3.10 to 3.${SUPPORTED.newest}`;
  }
  if (facts.bits !== 64) return `is a ${facts.bits}-bit build, must be 64-bit`;
  if (facts.freeThreaded) return "is a free-threaded build, must be an ordinary one";
  if (!facts.venv || !facts.ensurepip) {
    return `is ${version} but has no ${facts.venv ? "ensurepip" : "venv"} module`;
  }
  return undefined;
}

/**
 * The first candidate that fits an environment that needs Python 3.`oldest` or newer.
 *
 * @throws SetupError with everything that was tried
 */
export function choosePython(
  candidates: readonly Candidate[],
  oldest: number = SUPPORTED.oldest,
): { name: string; facts: PythonFacts } {
  const tried: string[] = [];
  let withoutVenv: PythonFacts | undefined;
  let answered = false;
  for (const { name, facts, problem } of candidates) {
    const reason = facts === undefined ? problem ?? "did not answer" : unfitness(facts, oldest);
    if (facts !== undefined && reason === undefined) return { name, facts };
    answered ||= facts !== undefined;
    if (facts !== undefined && (!facts.venv || !facts.ensurepip)) withoutVenv ??= facts;
    tried.push(`${name} ${reason}`);
  }
  const list = `(tried: ${tried.join("; ")})`;
  const other =
    "or name another interpreter: SPADE_PYTHON=/path/to/python3 npx -y deno@2.9.6 task setup";
  if (withoutVenv !== undefined) {
    const minor = withoutVenv.version[1];
    throw new SetupError(
      "venv-missing",
      `Cannot make Python environments: Python lacks its venv or ensurepip module ${list}`,
      `Debian and Ubuntu ship them apart: apt-get install python3-venv (or python3.${minor}-venv), ${other}`,
    );
  }
  throw new SetupError(
    answered ? "python-unfit" : "python-missing",
    `Cannot find a Python that fits: must be CPython 3.${oldest} to 3.${SUPPORTED.newest} ${list}`,
    `Install one (Debian, Ubuntu: apt-get install python3 python3-venv), ${other}`,
  );
}
