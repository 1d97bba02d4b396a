/**
 * Run as a program without any permission: the process of one play.
 *
 * This main thread is trusted; the program has another thread of the same process, and no way into this one but
 * messages. It does what the zygote does at the kernel levels: forwards whole frames, at most one a request, measures
 * CPU time and memory of the whole process, and says how the play ended. The body of each frame to the host begins with a
 * token that the program's thread never sees: whatever else arrives on stdout ends the play.
 * stdin: a {@link RelayOrder} as JSON, the image, then frames. End of file ends the process.
 * @module
 */
import interpreter from "./interpreter.ts" with { type: "text" };
import type { Order, Parts } from "./interpreter.ts";
import {
  encodeFrame,
  EXIT,
  type Frame,
  FrameReader,
  LIMITS_BYTES,
  MAX_FRAME_BYTES,
  READY,
  REPLY,
  REQUEST,
  START,
} from "../frames.ts";
import { type Read, unpackImage, unpackJson } from "./pack.ts";
import { Piece } from "./piece.ts";

/** What a relay is told first. */
export interface RelayOrder {
  /** Characters of the token, ASCII. */
  token: string;
  /** PYTHONHASHSEED of the image. */
  hashSeed: number;
  /** Layers of the wall to leave out. */
  without: readonly string[];
}

/** Milliseconds between two looks at CPU time and memory. */
const LOOK_MS = 20;
/** Memory beyond the interpreter's own that a play may use: compiled code, messages under way. */
const SLACK_BYTES = 96 << 20;
const MAILBOX_HEADER = 12;
const PAGE = 65536;
/** What the interpreter may need before the program comes. */
const START_PAGES = 64;

class Relay {
  readonly #token: Uint8Array;
  readonly #mailbox = new SharedArrayBuffer(MAILBOX_HEADER + MAX_FRAME_BYTES);
  readonly #head = new Int32Array(this.#mailbox, 0, MAILBOX_HEADER / 4);
  readonly #piece = new Piece();
  #thread: Worker | undefined;
  #python = "";
  #missing: string[] = [];
  #confined = false;
  #play = 0;
  /** requestCpu, requestWall, cpu, wall in seconds; megabytes. */
  #limits: number[] = [];
  #began = 0;
  #asked: number | undefined;
  #answeredCpu = 0;
  #baseCpu = 0;
  #base = 0;
  #ended = false;

  constructor(token: string) {
    this.#token = new TextEncoder().encode(token);
  }

  launch(
    order: RelayOrder,
    header: { info: unknown; python: string; missing: string[] },
    parts: Parts,
  ): void {
    this.#python = header.python;
    this.#missing = header.missing;
    Atomics.store(this.#head, 2, parts.snapshot!.length / PAGE + START_PAGES);
    const code = URL.createObjectURL(new Blob([interpreter], { type: "application/typescript" }));
    this.#thread = new Worker(code, { type: "module" });
    this.#thread.onmessage = ({ data }) => this.#hear(data);
    this.#thread.onerror = (event) => {
      event.preventDefault();
      this.#die(`the interpreter failed: ${event.message}`);
    };
    const { hashSeed, without } = order;
    const message: Order = { parts, info: header.info, hashSeed, without, mailbox: this.#mailbox };
    this.#thread.postMessage(
      message,
      Object.values(parts).map((part: Uint8Array<ArrayBuffer>) => part.buffer),
    );
  }

  /** From the host. */
  obey({ kind, play, body }: Frame): void {
    if (kind === START) {
      const view = new DataView(body.buffer, body.byteOffset, LIMITS_BYTES);
      this.#play = play;
      this.#limits = [0, 8, 16, 24, 32].map((offset) => view.getFloat64(offset, true));
      this.#began = performance.now();
      this.#baseCpu = this.#answeredCpu = cpuSeconds();
      this.#base = Deno.memoryUsage().rss;
      Atomics.add(this.#head, 2, Math.ceil(this.#limits[4] * 1024 * 1024 / PAGE));
      setInterval(() => this.#look(), LOOK_MS);
      this.#ask(body.subarray(LIMITS_BYTES));
    } else if (kind === REQUEST) {
      this.#ask(body);
    }
  }

  #ask(request: Uint8Array): void {
    if (this.#asked !== undefined) return this.#end("host", "asked twice");
    if (Atomics.load(this.#head, 0) !== 0) {
      return this.#end("protocol", "does not read its requests");
    }
    this.#asked = performance.now();
    const body = new Uint8Array(this.#mailbox, MAILBOX_HEADER);
    new DataView(this.#mailbox).setUint32(MAILBOX_HEADER, request.length, true);
    body.set(request, 4);
    this.#head[1] = request.length + 4;
    Atomics.store(this.#head, 0, 1);
    Atomics.notify(this.#head, 0);
  }

  /** From the program's thread, which may say anything once it is confined. */
  #hear(data: unknown): void {
    if (this.#ended) return;
    if (!(data instanceof Uint8Array)) {
      const fatal = (data as { fatal?: unknown } | null)?.fatal;
      return this.#die(typeof fatal === "string" ? fatal : "sent what is not bytes");
    }
    let bytes = data;
    if (!this.#confined) {
      if (bytes[0] !== 1) {
        return this.#end("start", `not confined: ${new TextDecoder().decode(bytes.subarray(1))}`);
      }
      this.#confined = true;
      this.#ready();
      bytes = bytes.subarray(1);
    }
    if (bytes.length === 0) return;
    if (this.#asked === undefined) return this.#end("protocol", "spoke without being asked");
    const problem = this.#piece.push(bytes);
    if (problem !== undefined) return this.#end("protocol", problem);
    const whole = this.#piece.take();
    if (whole === undefined) return;
    if (this.#overdrawn()) return;
    this.#asked = undefined;
    this.#answeredCpu = cpuSeconds();
    this.#say(REPLY, whole);
  }

  #ready(): void {
    const kinds = ["read", "write", "net", "env", "run", "ffi", "sys", "import"] as const;
    const layers = Object.fromEntries(kinds.map((name) => {
      const { state } = Deno.permissions.querySync({ name } as Deno.PermissionDescriptor);
      return [name, state === "granted" ? "granted" : true];
    }));
    const message = { layers, python: this.#python, missing: this.#missing };
    this.#say(READY, new TextEncoder().encode(JSON.stringify(message)));
  }

  /** CPU time, wall time and memory of the whole process. */
  #look(): void {
    if (this.#ended || this.#overdrawn()) return;
    const [, requestWall, , wall, memoryMb] = this.#limits;
    const now = performance.now();
    const { rss } = Deno.memoryUsage();
    const asked = this.#asked === undefined ? 0 : (now - this.#asked) / 1000;
    const life = (now - this.#began) / 1000;
    if (asked > requestWall) {
      this.#end("deadline", `request took ${asked.toFixed(1)} s, limit ${requestWall} s`);
    } else if (life > wall) {
      this.#end("deadline", "process lived longer than its wall limit");
    } else if (rss - this.#base > memoryMb * 1024 * 1024 + SLACK_BYTES) {
      const used = Math.round((rss - this.#base) / 1024 / 1024);
      this.#end("memory", `process used ${used} MB more than at its start, limit ${memoryMb} MB`);
    }
  }

  #overdrawn(): boolean {
    const [requestCpu, , cpu] = this.#limits;
    const now = cpuSeconds();
    const used = now - this.#answeredCpu;
    const total = now - this.#baseCpu;
    if (used > requestCpu) {
      this.#end("deadline", `request used ${used.toFixed(3)} s CPU, limit ${requestCpu} s`);
    } else if (total > cpu) {
      this.#end("deadline", `process used ${total.toFixed(3)} s CPU, limit ${cpu} s`);
    }
    return this.#ended;
  }

  #die(detail: string): void {
    this.#end(this.#confined ? "crash" : "start", detail.toWellFormed().slice(0, 1000));
  }

  #end(why: string, detail: string): void {
    if (this.#ended) return;
    this.#ended = true;
    const exit = { why, detail, code: null, signal: null, cpu: cpuSeconds() - this.#baseCpu };
    this.#say(EXIT, new TextEncoder().encode(JSON.stringify(exit)));
    Deno.exit(0);
  }

  #say(kind: number, body: Uint8Array): void {
    const signed = new Uint8Array(this.#token.length + body.length);
    signed.set(this.#token);
    signed.set(body, this.#token.length);
    let rest = encodeFrame(kind, this.#play, undefined, signed);
    while (rest.length > 0) rest = rest.subarray(Deno.stdout.writeSync(rest));
  }
}

function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

async function read(size: number): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(size);
  for (let have = 0; have < size;) {
    const count = await Deno.stdin.read(bytes.subarray(have));
    if (count === null) Deno.exit(0);
    have += count;
  }
  return bytes;
}

if (import.meta.main) {
  const order = await unpackJson(read satisfies Read) as RelayOrder;
  const { header, parts } = await unpackImage(read);
  const relay = new Relay(order.token);
  relay.launch(order, header, parts as unknown as Parts);
  const frames = new FrameReader();
  const chunk = new Uint8Array(1 << 16);
  for (;;) {
    const count = await Deno.stdin.read(chunk);
    if (count === null) Deno.exit(0);
    for (const frame of frames.push(chunk.subarray(0, count))) relay.obey(frame);
  }
}
