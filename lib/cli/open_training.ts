/**
 * A training opened, new or gone on with: its folder, session, store and loop. The command line and the notebooks share
 * it; what is shown meanwhile is theirs.
 * @module
 */
import * as fs from "node:fs";
import * as path from "node:path";
import { UsageError } from "../core/mod.ts";
import { checkConfig, type Config, type Loop, readState, restore, tell } from "../loop/mod.ts";
import { appendAmendment, differencesOf, Store } from "../store/mod.ts";
import { root } from "./files.ts";
import { openSession, type SessionOptions } from "./session.ts";

/** What a training needs, open; disposing closes all but the store of a resumed one. */
export interface OpenTraining extends AsyncDisposable {
  /** The run's records. */
  store: Store;
  /** What the loop takes. */
  loop: Loop;
}

/**
 * A free folder under runs/: `name`, or one after the preset and seed, numbered. It is not made.
 *
 * @throws {UsageError} where `name` is taken or is no name.
 */
export function newRunFolder(name: string | undefined, config: Config): string {
  const runs = path.join(root, "runs");
  if (name !== undefined) {
    if (!/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(name)) {
      throw new UsageError(`Cannot use --name ${name}: must be letters, digits, ".", "_" or "-"`);
    }
    const dir = path.join(runs, name);
    if (fs.existsSync(dir)) {
      const advice = fs.existsSync(path.join(dir, "run.sqlite"))
        ? "it exists; resume it, or choose a name"
        : "it exists and holds no run; remove it, or choose a name";
      throw new UsageError(`Cannot train into runs/${name}: ${advice}`);
    }
    return dir;
  }
  const stem = [config.preset, ...config.overlays, `s${config.seed}`].join("-");
  for (let n = 1;; n++) {
    const dir = path.join(runs, `${stem}-${n}`);
    if (!fs.existsSync(dir)) return dir;
  }
}

/**
 * Makes the run folder `options.dir` and opens all; where that fails the folder is gone again.
 *
 * @throws {UsageError} where the folder is there already.
 */
export async function startTraining(options: SessionOptions): Promise<OpenTraining> {
  const { dir } = options;
  fs.mkdirSync(path.dirname(dir), { recursive: true });
  // not recursive: what is there is another run, and stays
  if (fs.existsSync(dir)) throw new UsageError(`Cannot train into ${dir}: it exists`);
  fs.mkdirSync(dir);
  try {
    return await openNew(options);
  } catch (error) {
    fs.rmSync(options.dir, { recursive: true, force: true });
    throw error;
  }
}

async function openNew(options: SessionOptions): Promise<OpenTraining> {
  const { config, dir } = options;
  await using stack = new AsyncDisposableStack();
  const session = stack.use(await openSession(options));
  const { seed, preset } = config;
  const run = { id: "run", rollout: -1, seed, preset, config: { ...config } };
  const store = stack.use(Store.create(dir, { run, manifest: session.manifest }));
  const loop = session.loop(store);
  const parts = stack.move();
  return { store, loop, [Symbol.asyncDispose]: () => parts.disposeAsync() };
}

/** Whether a run has nothing left to do. */
export function isFinished(store: Store): boolean {
  return store.get("cursor", "state")?.value.finished === true;
}

/** Weights and corpus are the run's own: with others it would be another run. */
function refuseOtherRun(paths: readonly string[], config: Config): void {
  for (const [what, name] of [["model", config.model], ["corpus", config.corpus]]) {
    if (!paths.some((path) => path === what || path.startsWith(`${what}.hash`))) continue;
    throw new UsageError(
      `Cannot resume: the ${what} ${name} is not the one the run began with; ` +
        "put that one back, or start a new run",
    );
  }
}

/** The configuration that a run began with, but for where its engine runs and what its programs may import. */
export function keptConfig(
  store: Store,
  options: { engine?: string; packages?: string[] } = {},
): Config {
  const { engine, packages } = options;
  const { config } = store.all("run")[0];
  const kept = checkConfig(engine === undefined ? config : { ...config, engine });
  return { ...kept, sandbox: { ...kept.sandbox, packages: packages ?? kept.sandbox.packages } };
}

/**
 * Opens a stored run to go on with, from its last checkpoint and the batches after it. Closing it leaves `store` open.
 *
 * @throws {UsageError} when model or corpus are not the run's own.
 */
export async function resumeTraining(
  store: Store,
  options: SessionOptions,
): Promise<OpenTraining> {
  await using stack = new AsyncDisposableStack();
  const session = stack.use(await openSession(options));
  const loop = session.loop(store);
  const differences = differencesOf(
    { ...store.all("run")[0].manifest, startedAt: "", command: [] },
    { ...session.manifest, startedAt: "", command: [] },
  );
  refuseOtherRun(differences.map((difference) => difference.path), options.config);
  const { rollout } = readState(loop);
  if (differences.length > 0) {
    const message = `differs from the run's start: ${differences.map((d) => d.path).join(", ")}`;
    tell(loop, rollout, "warning", message);
  }
  if (store.lost !== undefined) {
    const message = `the database has lost the last ${store.lost.transactions} transactions ` +
      "it reported; their work is done again";
    tell(loop, rollout, "warning", message);
  }
  appendAmendment(options.dir, {
    at: session.manifest.startedAt,
    rollout,
    reason: "resume",
    differences,
  });
  const restored = await restore(loop);
  options.emit({
    kind: "note",
    message: `resuming at rollout ${rollout}: checkpoint ${restored.checkpoint ?? "none"}, ` +
      `${restored.applied} batches applied again`,
  });
  const parts = stack.move();
  return { store, loop, [Symbol.asyncDispose]: () => parts.disposeAsync() };
}
