/**
 * The doctor: what of this machine the project uses, what is limited and what is missing.
 * It changes nothing. Only a `missing` finding makes it fail.
 * @module
 */
import { askEngine, findEngine, findModel, NOT_SET_UP } from "./doctor/engine.ts";
import type { Finding } from "./doctor/finding.ts";
import { findCores, findDeno, findDisk, findGpu, findMemory } from "./doctor/machine.ts";
import { askAllPythons, findEnvironments, findPython } from "./doctor/python.ts";
import { examineSandbox } from "./doctor/layers.ts";
import { findSandbox, sandboxPython } from "./doctor/sandbox.ts";
import { unfitness } from "./setup/mod.ts";

export { exitCode, type Finding, formatFindings } from "./doctor/finding.ts";

export interface DoctorOptions {
  /** The project's folder. */
  root: string;
  denoVersion: string;
  cores: number;
  /** Bytes. */
  memory: { total: number; available: number };
  /** SPADE_PYTHON. */
  python?: string;
}

/** The wall alone, layer by layer. */
export async function examineWall(options: DoctorOptions): Promise<Finding[]> {
  const candidates = await askAllPythons(options.root, options.python);
  const fit = candidates.find(({ facts }) => facts !== undefined && unfitness(facts) === undefined);
  const python = await sandboxPython(options.root, fit?.name);
  if (python !== undefined) return await examineSandbox(python);
  return [{ name: "Sandbox", mark: "missing", found: "no Python to start it with" }];
}

/** Looks at everything once; takes a few seconds, most of it importing torch. */
export async function examine(options: DoctorOptions): Promise<Finding[]> {
  const { root } = options;
  const candidates = await askAllPythons(root, options.python);
  const answered = candidates.find(({ facts }) => facts !== undefined);
  const fit = candidates.find(({ facts }) => facts !== undefined && unfitness(facts) === undefined);
  const environments = await findEnvironments(root, { python: options.python });
  const settled = environments.every(({ mark }) => mark === "good");
  const isMade = environments.find(({ name }) => name.endsWith("engine"))?.mark === "good";
  const engine = isMade ? await askEngine(root) : NOT_SET_UP;
  const disk = answered?.facts?.diskFree;
  return [
    findDeno(options.denoVersion),
    findPython(candidates),
    ...environments,
    await findSandbox(root, fit?.name),
    findEngine(engine),
    await findModel(root),
    findGpu(answered?.facts, typeof engine === "string" ? undefined : engine.cuda),
    findCores(options.cores),
    findMemory(options.memory),
    ...(disk === undefined ? [] : [findDisk(disk, settled)]),
  ];
}
