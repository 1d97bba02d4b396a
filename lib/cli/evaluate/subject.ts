/** What an evaluation measures: a model's folder, or the weights of a run. @module */
import * as fs from "node:fs";
import * as path from "node:path";
import { type Engine, type Sampler, UsageError } from "../../core/mod.ts";
import { checkConfig, type Config, resolveConfig } from "../../loop/mod.ts";
import { Store } from "../../store/mod.ts";
import { findRun, hashFolder, inProject, presetFiles } from "../files.ts";
import type { Invocation } from "../main.ts";
import { openText } from "../open_model.ts";
import { listValue, numberValue, textValue, type Values } from "../options.ts";

/** What is measured: a configuration and where its weights come from. */
export interface Subject {
  config: Config;
  /** Folder of the engine's log and states. */
  dir: string;
  checkpoint: { id: string; engineState: string | null; weights: string | null } | null;
}

/** @throws {UsageError} naming what was given that does not go together, or is not there. */
export function subjectOf({ values, positionals }: Invocation): Subject {
  const [run] = positionals;
  const model = textValue(values.model);
  if ((run === undefined) === (model === undefined)) {
    throw new UsageError(
      "Cannot evaluate: must be given a RUN, or a --model, and not both. " +
        "See: deno task evaluate --help",
    );
  }
  return run === undefined ? subjectOfModel(values, model!) : subjectOfRun(values, run);
}

function subjectOfModel(values: Values, model: string): Subject {
  if (values.checkpoint !== undefined) {
    throw new UsageError("Cannot use --checkpoint: a --model has none");
  }
  const preset = textValue(values.preset) ?? (openText(model).isCompact ? "nano" : "fixed-pool");
  const dir = inProject(".spade/evaluate");
  fs.mkdirSync(dir, { recursive: true });
  return {
    config: configOf(values, preset, {}, model),
    dir,
    checkpoint: null,
  };
}

function subjectOfRun(values: Values, run: string): Subject {
  const dir = findRun(run);
  using store = Store.open(dir, { readonly: true });
  const kept = store.all("run")[0].config;
  const preset = textValue(values.preset);
  // Weights of older ones are gone.
  const rows = store.all("checkpoint", { orderBy: "rollout" }).slice(-Number(kept.checkpointsKept));
  const names = rows.map(({ id }) => Number(id.split("-").at(-1)));
  const wanted = numberValue("checkpoint", values.checkpoint) ?? names.at(-1) ?? 0;
  const row = rows[names.indexOf(wanted)];
  if (row === undefined && wanted !== 0) {
    throw new UsageError(
      `Cannot use --checkpoint ${wanted}: must be 0 or one of ${names.join(", ") || "none"}`,
    );
  }
  const base = preset === undefined ? kept : {};
  const config = configOf(values, preset, base, String(kept.model));
  const folder = row && path.join(dir, "engine", "weights", path.basename(row.engineState));
  return {
    config,
    dir,
    checkpoint: {
      id: row?.id ?? "start",
      engineState: row?.engineState ?? null,
      weights: folder ? hashFolder(folder, (file) => file === "model.safetensors") : null,
    },
  };
}

/** A configuration that plays programs whatever their kind, and reads nothing else. */
function configOf(
  values: Values,
  preset: string | undefined,
  base: Record<string, unknown>,
  model: string,
): Config {
  const files = presetFiles();
  const set = listValue(values.set);
  // A run's configuration stands where a preset's file does, so that settings go over either.
  const first = preset === undefined
    ? resolveConfig({ preset: "run", set }, { ...files, preset: () => JSON.stringify(base) })
    : resolveConfig({ preset, set }, files);
  const plain = { kind: "folder", designer: "none", designerLoss: false, pool: "", model };
  const without = { skills: [], corpus: null, heldout: null, externalDesigner: null, late: null };
  const engine = textValue(values.engine) ?? base.engine ?? "embedded";
  return checkConfig({ ...first, ...plain, ...without, engine });
}

/** The sampler of the weights that are measured. */
export async function samplerOf(
  engine: Engine,
  subject: Subject,
  signal: AbortSignal,
): Promise<Sampler> {
  const { checkpoint } = subject;
  if (checkpoint === null) return engine.sampler;
  if (checkpoint.engineState === null) return engine.base;
  await engine.trainer.load(checkpoint.engineState, { signal });
  await engine.trainer.publish({ signal });
  return engine.sampler;
}
