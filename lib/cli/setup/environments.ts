import type { TorchBuild } from "./torch.ts";

/** One of the project's Python environments. */
export interface EnvironmentSpec {
  name: "sandbox" | "engine";
  /** What it is for, in a few words. */
  purpose: string;
  /** Lock files below the root that always apply. */
  locks: string[];
  /** Lock files of which one applies (torch). */
  torchLocks: string[];
  /** Imported once at the end: proves that the packages work here and compiles what is used. */
  imports: string[];
  /** Without torch, in MB (10^6 bytes). */
  downloadMB: number;
  diskMB: number;
}

/** Both environments, in the order they are made. */
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
];

/** Everything an environment's stamp stands for. */
export function lockFiles(spec: EnvironmentSpec): string[] {
  return [...spec.locks, ...spec.torchLocks];
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
}
