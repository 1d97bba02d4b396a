/**
 * The thread that holds the interpreter. It runs from a blob, with what the main thread hands it, and imports nothing else.
 *
 * Once, for the image: Pyodide is loaded, everything a program may import is imported, and the memory is copied. For a
 * play: the memory is laid back, JavaScript is emptied of all that leads out, and `sandbox/child.py` runs as at every
 * other level: its descriptor 3 is a device whose reads wait for the mailbox and whose writes are messages to the main
 * thread. From there on this thread belongs to the program.
 * @module
 */

/** What Pyodide consists of, and what was made of it. */
export interface Parts {
  /** Python, compiled. */
  wasm: Uint8Array<ArrayBuffer>;
  /** Its JavaScript. */
  glue: Uint8Array<ArrayBuffer>;
  /** Pyodide's own loader. */
  loader: Uint8Array<ArrayBuffer>;
  /** Only for the image: the standard library as an archive, and our Python files. */
  library?: Uint8Array<ArrayBuffer>;
  /**
   * REPLACE
   * Only for the image: our Python files by name.
   */
  sources?: Record<string, string>;
  /** Only for a play: the memory of an interpreter that has everything imported. */
  snapshot?: Uint8Array<ArrayBuffer>;
}

/** What the thread is to do. */
export interface Order {
  /** What it works with. */
  parts: Parts;
  /** `info` of Pyodide's lock file. */
  info: unknown;
  /** PYTHONHASHSEED. */
  hashSeed: number;
  /** Layers of the wall to leave out. */
  without: readonly string[];
  /** Int32: state (0 empty, 1 full), length, pages the memory may have; then the request. */
  mailbox?: SharedArrayBuffer;
}

/** The image's thread answers with this. */
export interface Filled {
  /** The memory, everything imported. */
  snapshot: Uint8Array<ArrayBuffer>;
  /** Version of Python. */
  python: string;
  /** Modules of the preload list that are not there, as the preload says them. */
  missing: string;
}

// deno-lint-ignore no-explicit-any
const world = globalThis as any;
const { WebAssembly } = world;
const post: (message: unknown, transfer?: Transferable[]) => void = world.postMessage.bind(world);
const FOLDER = "/sandbox";
const MAILBOX_HEADER = 12;
const DESCRIPTOR = 3;

/** Names that stay: the language, and what Pyodide calls while Python runs. */
const KEPT = new Set(
  `Object Function Array Number parseFloat parseInt Infinity NaN undefined Boolean String Symbol Date Promise RegExp
  Error AggregateError EvalError RangeError ReferenceError SyntaxError TypeError URIError globalThis JSON Math Intl
  ArrayBuffer Atomics Uint8Array Int8Array Uint16Array Int16Array Uint32Array Int32Array Float32Array Float64Array
  Uint8ClampedArray BigUint64Array BigInt64Array Float16Array DataView Map BigInt Set WeakMap WeakSet WeakRef Proxy
  Reflect FinalizationRegistry decodeURI decodeURIComponent encodeURI encodeURIComponent escape unescape eval isFinite
  isNaN SharedArrayBuffer WebAssembly Iterator crypto performance TextDecoder TextEncoder setTimeout clearTimeout
  queueMicrotask SuppressedError DisposableStack AsyncDisposableStack`.split(/\s+/),
);

world.onmessage = async ({ data }: { data: Order }) => {
  try {
    if (data.mailbox) await play(data, data.mailbox);
    else await fill(data);
  } catch (error) {
    post({ fatal: String(error).slice(0, 1000) });
  }
};

// deno-lint-ignore no-explicit-any
async function load(order: Order, extra: Record<string, unknown>): Promise<any> {
  const { parts } = order;
  // without these two Pyodide takes this for a browser and asks `fetch` for its files
  for (const name of ["Deno", "process"]) delete world[name];
  const { loadPyodide } = await import(moduleOf(parts.loader));
  const { default: createPyodideModule } = await import(moduleOf(parts.glue));
  const files: Record<string, [Uint8Array<ArrayBuffer>, string]> = {
    "pyodide.asm.wasm": [parts.wasm, "application/wasm"],
    "python_stdlib.zip": [parts.library ?? new Uint8Array(0), "application/zip"],
  };
  world.fetch = (url: unknown) => {
    const [bytes, type] = files[String(url).split("/").at(-1)!];
    return Promise.resolve(new Response(bytes, { headers: { "content-type": type } }));
  };
  return await loadPyodide({
    indexURL: "https://pyodide.invalid/",
    jsglobals: order.without.includes("interpreter") ? world : Object.create(null),
    createPyodideModule,
    lockFileContents: JSON.stringify({ info: order.info, packages: {} }),
    env: { HOME: "/", PYTHONHASHSEED: String(order.hashSeed) },
    stdin: () => null,
    stdout: () => {},
    stderr: () => {},
    ...extra,
  });
}

function moduleOf(text: Uint8Array<ArrayBuffer>): string {
  return URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
}

async function fill(order: Order): Promise<void> {
  const pyodide = await load(order, { _makeSnapshot: true });
  for (const [path, text] of Object.entries(order.parts.sources!)) {
    const full = `${FOLDER}/${path}`;
    pyodide.FS.mkdirTree(full.slice(0, full.lastIndexOf("/")));
    pyodide.FS.writeFile(full, text);
  }
  const [python, missing] = pyodide.runPython(
    `import sys; sys.path.insert(0, "${FOLDER}"); import wasm; "\\n".join(wasm.fill())`,
  ).split("\n");
  pyodide.runPython("import gc; del wasm; gc.collect()");
  const snapshot = pyodide.makeMemorySnapshot();
  post({ snapshot, python, missing } satisfies Filled);
}

async function play(order: Order, mailbox: SharedArrayBuffer): Promise<void> {
  const { snapshot } = order.parts;
  const head = new Int32Array(mailbox, 0, MAILBOX_HEADER / 4);
  boundMemory(head);
  const pyodide = await load(order, { _loadSnapshot: snapshot });
  const swallow = { write: (bytes: Uint8Array) => bytes.length, isatty: false };
  pyodide.setStdout(swallow);
  pyodide.setStderr(swallow);
  // gives 42 MB back at once
  for (const part of Object.values(order.parts)) part.buffer.transfer(0);
  openChannel(pyodide.FS, head, new Uint8Array(mailbox, MAILBOX_HEADER));
  const { run } = pyodide.pyimport("wasm");
  if (!order.without.includes("interpreter")) {
    for (const name of Object.getOwnPropertyNames(world)) if (!KEPT.has(name)) delete world[name];
    world.console = new Proxy({}, { get: () => () => {} }); // Pyodide's last words
  }
  run(order.without.join(" "));
  throw new Error("the interpreter returned");
}

/** Memory grows up to the pages that the main thread names. */
function boundMemory(head: Int32Array): void {
  const grow = WebAssembly.Memory.prototype.grow;
  WebAssembly.Memory.prototype.grow = function (pages: number) {
    if (this.buffer.byteLength / 65536 + pages > Atomics.load(head, 2)) {
      throw new RangeError("Cannot grow the memory: the limit of the play is reached");
    }
    return grow.call(this, pages);
  };
}

/** Descriptor 3. A read takes at most one request and waits where there is none. */
// deno-lint-ignore no-explicit-any
function openChannel(files: any, head: Int32Array, body: Uint8Array): void {
  let position = 0;
  const device = files.makedev(64, 3);
  files.registerDevice(device, {
    read: (_stream: unknown, buffer: Int8Array, offset: number, length: number) => {
      while (Atomics.load(head, 0) === 0) Atomics.wait(head, 0, 0);
      const end = Math.min(position + length, head[1]);
      buffer.set(body.subarray(position, end), offset);
      const count = end - position;
      position = end;
      if (position === head[1]) {
        position = 0;
        Atomics.store(head, 0, 0);
      }
      return count;
    },
    write: (_stream: unknown, buffer: Int8Array, offset: number, length: number) => {
      const bytes = Uint8Array.from(buffer.subarray(offset, offset + length));
      post(bytes, [bytes.buffer]);
      return length;
    },
  });
  files.mkdev("/dev/play", device);
  const { fd } = files.open("/dev/play", "r+");
  if (fd !== DESCRIPTOR) throw new Error(`the channel is descriptor ${fd}, must be ${DESCRIPTOR}`);
}
