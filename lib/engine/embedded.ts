/**
 * The embedded engine: `scripts/engine/server.py` as a child process, its trainer and its two samplers.
 *
 * Guarantees: the child listens on loopback only, sees none of the parent's environment, and is gone when this object is
 * disposed or this process ends, however it ends. When the child dies, every pending call rejects with an EngineError
 * that carries its last log lines.
 * @module
 */
import type { Engine, Sampler, Trainer } from "../core/mod.ts";
import { EngineProcess } from "./process.ts";
import { BatchSampler } from "./sampler.ts";
import { TinkerTrainer } from "./tinker.ts";
import { Wire } from "./wire.ts";

/** How to start {@link EmbeddedEngine}. */
export interface EmbeddedOptions {
  /** Python of the engine's environment, e.g. `.spade/engine/bin/python`. */
  python: string;
  /** A causal-LM folder of transformers. */
  model: string;
  /** Folder for saved weights; made when needed. */
  state: string;
  /** The server's program. @default "scripts/engine/server.py" */
  script?: string;
  /** Threads that compute. @default 1 */
  threads?: number;
  /** What the model is called. @default the folder's name */
  name?: string;
  /** Rows decoded together. @default 256 */
  rows?: number;
  /** Rank of trained adapters; 0: all weights train. @default 0 */
  loraRank?: number;
  /** A file the log is appended to, or a function that gets each line. */
  log?: string | ((line: string) => void);
  /** Longest wait for the ready line. @default 120_000 */
  readyMs?: number;
  /** Gives up the start. */
  signal?: AbortSignal;
}

/**
 * One child process with a trainer, a sampler of the published and one of the starting weights.
 *
 * ```ts ignore check
 * import { EmbeddedEngine, loadTokenizer } from "@spade/spade";
 *
 * const [model, python] = ["data/nano", ".spade/engine/bin/python"];
 * await using engine = await EmbeddedEngine.start({ python, model, state: "runs/state" });
 * const tokenizer = loadTokenizer(JSON.parse(Deno.readTextFileSync(`${model}/tokenizer.json`)));
 * const prompt = tokenizer.encode("goal 14");
 * const params = { maxTokens: 8, temperature: 1, stopIds: [] };
 * const { ids, logps } = await engine.sampler.sample({ prompt, params, seed: 0 });
 * console.log(tokenizer.decode(ids), logps);
 * ```
 */
export class EmbeddedEngine implements Engine {
  /** Trains all weights of the model. */
  readonly trainer: Trainer;
  /** Samples from the last published weights. */
  readonly sampler: Sampler;
  /** Samples from the starting weights, whatever was trained since. */
  readonly base: Sampler;
  /** Where it listens, on loopback. */
  readonly url: string;
  readonly #process: EngineProcess;
  readonly #close: () => Promise<void>;
  readonly #state: string;

  private constructor(
    state: string,
    process: EngineProcess,
    wire: Wire,
    trainer: TinkerTrainer,
    close: () => void,
  ) {
    this.#state = state;
    this.#process = process;
    this.trainer = trainer;
    this.url = wire.url;
    this.sampler = new BatchSampler(wire, { model: "current" });
    this.base = new BatchSampler(wire, { model: "base" });
    this.#close = async () => {
      const unloading = trainer[Symbol.asyncDispose]();
      await process[Symbol.asyncDispose]();
      await unloading;
      close();
    };
  }

  /** Starts the process, waits until it is ready and opens a trained model on it. */
  static async start(options: EmbeddedOptions): Promise<EmbeddedEngine> {
    const { python, model, state, threads = 1, log, signal } = options;
    const [sink, close] = logSink(log);
    let process: EngineProcess | undefined;
    try {
      const [started, { port }] = await EngineProcess.start({
        python,
        args: [
          ...["-s", options.script ?? "scripts/engine/server.py"],
          ...["--model", model, "--state", state, "--port", "0", "--threads", String(threads)],
          ...["--parent-pid", String(Deno.pid)],
          ...(options.name === undefined ? [] : ["--name", options.name]),
          ...(options.rows === undefined ? [] : ["--max-rows", String(options.rows)]),
        ],
        env: {
          PATH: "/usr/bin:/bin",
          LANG: "C.UTF-8",
          PYTHONHASHSEED: "0",
          PYTHONUNBUFFERED: "1",
          OMP_NUM_THREADS: String(threads),
          MKL_NUM_THREADS: String(threads),
          OMP_WAIT_POLICY: "PASSIVE",
          MKL_CBWR: "AUTO,STRICT",
        },
        sink,
        readyMs: options.readyMs,
        signal,
      });
      process = started;
      const wire = new Wire({ url: `http://127.0.0.1:${port}`, lifetime: process.died });
      const trainer = await TinkerTrainer.connect(wire, { signal, loraRank: options.loraRank });
      return new EmbeddedEngine(state, process, wire, trainer, close);
    } catch (error) {
      await process?.[Symbol.asyncDispose]();
      close();
      throw error;
    }
  }

  /** Removes saved weights but those given; see {@link Trainer.save}. */
  async keepOnly(paths: readonly string[]): Promise<void> {
    const kept = new Set(paths.map((path) => path.split("/").at(-1)));
    const folder = `${this.#state}/weights`;
    for await (const { name } of Deno.readDir(folder)) {
      if (!kept.has(name)) await Deno.remove(`${folder}/${name}`, { recursive: true });
    }
  }

  /** Process id of the child. */
  get pid(): number {
    return this.#process.pid;
  }

  /** The last lines of its log. */
  log(): string {
    return this.#process.log();
  }

  /** Stops the child; resolves when it is gone. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#close();
  }
}

function logSink(log: EmbeddedOptions["log"]): [((line: string) => void) | undefined, () => void] {
  if (typeof log !== "string") return [log, () => {}];
  const file = Deno.openSync(log, { append: true, create: true });
  const encoder = new TextEncoder();
  let open = true;
  const write = (line: string) => {
    if (open) file.writeSync(encoder.encode(line + "\n"));
  };
  return [write, () => {
    if (open) file.close();
    open = false;
  }];
}
