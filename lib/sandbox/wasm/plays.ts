/**
 * Where plays at the wasm level come from: one image for each hash seed, made when first asked for, and a few processes
 * that wait with the interpreter laid out. A process has one play and is never used again.
 * @module
 */
import { SandboxError } from "../../core/errors.ts";
import { within } from "../wait.ts";
import type { ImageOrder } from "./image.ts";
import { imageHeader } from "./pack.ts";
import { entry, type RelayReady, WasmPlay } from "./play.ts";

/** How processes are started, and how many wait. */
export interface WasmOptions {
  /** Deno to run. */
  deno: string;
  /** Processes started in advance, for each hash seed that is in use. */
  pool: number;
  /** Layers of the wall to leave out. */
  without: readonly string[];
  /** Milliseconds a process may take to start. */
  deadlineMs: number;
}

/** Nothing is allowed to the maker of the image either; Deno resolves what it imports. */
const IMAGE_FLAGS = [
  "run",
  "--quiet",
  "--no-prompt",
  "--unstable-raw-imports",
  "--v8-flags=--liftoff-only",
];

/** The processes of one sandbox. */
export class WasmPlays {
  readonly #waiting = new Map<number, WasmPlay[]>();
  readonly #alive = new Set<WasmPlay>();
  #filling: Promise<void> = Promise.resolve();
  #disposed = false;

  /** Starts none before one is asked for. */
  constructor(readonly options: WasmOptions) {}

  /** What the first process says of itself. Throws SandboxError where there can be none. */
  async probe(): Promise<RelayReady> {
    const play = await this.#start(0);
    const ready = await play.ready;
    if (!this.#keep(0, play)) play.kill();
    this.#fill(0);
    return ready;
  }

  /** A process that has been asked nothing yet. The kind of program makes no difference: there is no numpy. */
  async get(_kind: string, hashSeed: 0 | 1): Promise<WasmPlay> {
    if (this.#disposed) throw new SandboxError("Cannot start a play: the sandbox is closed");
    const waiting = this.#waiting.get(hashSeed) ?? [];
    let play = waiting.shift();
    while (play?.closed) play = waiting.shift();
    play ??= await this.#start(hashSeed);
    this.#fill(hashSeed);
    return play;
  }

  /** Ends all, plays included. */
  async close(): Promise<void> {
    this.#disposed = true;
    for (const play of this.#alive) play.kill();
    await this.#filling;
    await Promise.all([...this.#alive].map((play) => play.done));
  }

  async #start(hashSeed: number): Promise<WasmPlay> {
    const { deno, without, deadlineMs } = this.options;
    const image = await this.#image(hashSeed);
    const play = await WasmPlay.start({ deno, image, hashSeed, without, deadlineMs });
    if (this.#disposed) {
      play.kill();
      await play.done;
      throw new SandboxError("Cannot start a play: the sandbox is closed");
    }
    this.#alive.add(play);
    play.done.then(() => this.#alive.delete(play));
    return play;
  }

  #keep(hashSeed: number, play: WasmPlay): boolean {
    const waiting = this.#waiting.get(hashSeed) ?? [];
    this.#waiting.set(hashSeed, waiting);
    return waiting.length < this.options.pool && waiting.push(play) > 0;
  }

  /** One at a time, behind the plays: what waits costs the plays as little as possible. */
  #fill(hashSeed: number): void {
    this.#filling = this.#filling.then(async () => {
      while (!this.#disposed && (this.#waiting.get(hashSeed)?.length ?? 0) < this.options.pool) {
        this.#keep(hashSeed, await this.#start(hashSeed));
      }
    }).catch(() => {}); // the next start says what is wrong
  }

  #image(hashSeed: number): Promise<Uint8Array<ArrayBuffer>> {
    const order: ImageOrder = { hashSeed, without: this.options.without };
    const key = JSON.stringify([this.options.deno, order]);
    let image = images.get(key);
    if (image === undefined) {
      image = makeImage(this.options, order);
      images.set(key, image);
      image.catch(() => images.delete(key));
    }
    return image;
  }
}

/** Of this process: an image takes seconds, is the same each time and is never written to. */
const images = new Map<string, Promise<Uint8Array<ArrayBuffer>>>();

/** Runs `image.ts`. It inherits the environment (Deno's cache, certificates) and holds nothing of a model. */
async function makeImage(
  { deno, deadlineMs }: WasmOptions,
  order: ImageOrder,
): Promise<Uint8Array<ArrayBuffer>> {
  let child: Deno.ChildProcess;
  try {
    child = new Deno.Command(deno, {
      args: [...IMAGE_FLAGS, entry("image.ts")],
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
  } catch (cause) {
    if (cause instanceof Deno.errors.NotCapable) throw cause;
    throw new SandboxError(`Cannot start the sandbox: ${deno} does not run`, { cause });
  }
  const writer = child.stdin.getWriter();
  writer.write(new TextEncoder().encode(JSON.stringify(order))).then(() => writer.close())
    .catch(() => {}); // it ended at once: its status says so
  const output = child.output();
  try {
    const { success, stdout, stderr } = await within(output, deadlineMs, "the wasm image");
    if (!success) throw new Error(new TextDecoder().decode(stderr).trim().slice(-1000));
    imageHeader(stdout);
    return stdout;
  } catch (cause) {
    try {
      child.kill("SIGKILL");
    } catch {
      // it was gone already
    }
    await output;
    const { message } = cause as Error;
    throw new SandboxError(`Cannot start the sandbox: no wasm image: ${message}`, { cause });
  }
}
