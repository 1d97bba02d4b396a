/**
 * Run as a program: makes the image that every play starts from and writes it to stdout. It runs no program of a model.
 *
 * The image is Pyodide (from npm; `deno run` resolves the static imports, so that no read permission is needed) and the
 * memory of an interpreter in which all that a program may import is imported. stdin: an {@link ImageOrder} as JSON.
 * @module
 */
import wasm from "pyodide/pyodide.asm.wasm" with { type: "bytes" };
import glue from "pyodide/pyodide.asm.mjs" with { type: "bytes" };
import loader from "pyodide/pyodide.mjs" with { type: "bytes" };
import library from "pyodide/python_stdlib.zip" with { type: "bytes" };
import lock from "pyodide/pyodide-lock.json" with { type: "json" };
import child from "../../../sandbox/child.py" with { type: "text" };
import preload from "../../../sandbox/preload.py" with { type: "text" };
import environment from "../../../sandbox/spade_env.py" with { type: "text" };
import verifier from "../../../sandbox/rlve_env.py" with { type: "text" };
import own from "../../../sandbox/wasm.py" with { type: "text" };
import contract from "../../../sandbox/runner/contract.py" with { type: "text" };
import parse from "../../../sandbox/runner/parse.py" with { type: "text" };
import program from "../../../sandbox/runner/program.py" with { type: "text" };
import interpreter from "./interpreter.ts" with { type: "text" };
import type { Filled, Order } from "./interpreter.ts";
import { packImage } from "./pack.ts";

/** What the host asks for. */
export interface ImageOrder {
  /** PYTHONHASHSEED that it is made with. */
  hashSeed: number;
  /** Layers of the wall to leave out. */
  without: readonly string[];
}

const sources = {
  "child.py": child,
  "preload.py": preload,
  "spade_env.py": environment,
  "rlve_env.py": verifier,
  "wasm.py": own,
  "runner/__init__.py": "",
  "runner/contract.py": contract,
  "runner/parse.py": parse,
  "runner/program.py": program,
};

if (import.meta.main) {
  const asked: ImageOrder = await new Response(Deno.stdin.readable).json();
  const order: Order = {
    parts: { wasm, glue, loader, library, sources },
    info: lock.info,
    ...asked,
  };
  const thread = new Worker(
    URL.createObjectURL(new Blob([interpreter], { type: "application/typescript" })),
    { type: "module" },
  );
  thread.onmessage = async ({ data }: MessageEvent<Filled | { fatal: string }>) => {
    if ("fatal" in data) {
      Deno.stderr.writeSync(new TextEncoder().encode(data.fatal));
      Deno.exit(1);
    }
    const { snapshot, python, missing } = data;
    const image = packImage(
      { info: lock.info, python, missing: missing.split(" ").filter(Boolean) },
      { wasm, glue, loader, snapshot },
    );
    const writer = Deno.stdout.writable.getWriter();
    for (const part of image) await writer.write(part);
    await writer.close();
    Deno.exit(0);
  };
  thread.postMessage(order);
}
