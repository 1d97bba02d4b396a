/**
 * A real HTTP proxy on loopback in front of a real engine, which spoils what a test tells it to: on the wire (reset, cut,
 * silence, refused) or in what a reply says. It keeps count of what it delivered whole.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { inProject, pythonOf } from "../../lib/cli/files.ts";
import { folder } from "../loop/support.ts";

/** One request on its way to the engine. */
export interface Passing {
  /** Last part of the path: `completions`, `optim_step`, … */
  route: string;
  // deno-lint-ignore no-explicit-any
  body: any;
  /** How many of this route came so far, this one included. */
  n: number;
}

/** What the engine answered. */
export interface Answer {
  status: number;
  headers: Record<string, string>;
  text: string;
}

/**
 * What becomes of a request. `forward` asks the engine. `reset` closes the connection without a word, `silence` keeps it
 * open, `cut` sends the head and half of the body; an answer is delivered as it is.
 */
export type Fault = (passing: Passing, forward: () => Promise<Answer>) => Fate | Promise<Fate>;
export type Fate = Answer | "reset" | "cut" | "silence" | undefined;

/** A reply with another status. */
export const refusal = (status: number, headers: Record<string, string> = {}): Answer => ({
  status,
  headers: { "content-type": "application/json", ...headers },
  text: JSON.stringify({ detail: `the proxy says ${status}` }),
});

/** A changed copy of a JSON answer. */
// deno-lint-ignore no-explicit-any
export function changed(answer: Answer, change: (value: any) => void): Answer {
  const value = JSON.parse(answer.text);
  change(value);
  return { ...answer, text: JSON.stringify(value) };
}

export class FaultyProxy implements AsyncDisposable {
  /** Decides; undefined passes everything on. */
  fault: Fault | undefined;
  /** Requests by route. */
  readonly counts = new Map<string, number>();
  /** Tokens of sampled replies delivered unspoilt. */
  delivered = 0;
  #server: Server | undefined;
  #port = 0;

  constructor(public target: string) {}

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Begins to listen, at the same port as before. */
  async open(): Promise<this> {
    const server = createServer((request, response) => void this.#serve(request, response));
    await new Promise<void>((resolve) => server.listen(this.#port, "127.0.0.1", () => resolve()));
    this.#port = (server.address() as AddressInfo).port;
    this.#server = server;
    return this;
  }

  /** From now on connections are refused; open ones are reset. */
  async close(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (server === undefined) return;
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeAllConnections();
    await closed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Uint8Array[] = [];
    for await (const part of request) parts.push(part);
    const bytes = new Uint8Array(await new Blob(parts as BlobPart[]).arrayBuffer());
    const path = request.url ?? "/";
    const route = path.split("/").at(-1)!;
    const n = (this.counts.get(route) ?? 0) + 1;
    this.counts.set(route, n);
    const forward = async (): Promise<Answer> => {
      const got = await fetch(this.target + path, {
        method: request.method,
        headers: { "content-type": request.headers["content-type"] ?? "application/json" },
        ...request.method === "POST" ? { body: bytes } : {},
      });
      const type = got.headers.get("content-type") ?? "application/json";
      return { status: got.status, headers: { "content-type": type }, text: await got.text() };
    };
    try {
      const body = bytes.length > 0 ? JSON.parse(new TextDecoder().decode(bytes)) : {};
      const given = await this.fault?.({ route, body, n }, forward);
      if (given === "silence") return;
      if (given === "reset") return void request.socket.destroy();
      const answer = given === undefined || given === "cut" ? await forward() : given;
      if (given === undefined && route === "completions") this.#count(answer);
      const out = new TextEncoder().encode(answer.text);
      response.writeHead(answer.status, { ...answer.headers, "content-length": out.length });
      if (given !== "cut") return void response.end(out);
      response.write(out.subarray(0, out.length >> 1), () => request.socket.destroy());
    } catch {
      request.socket.destroy(); // the engine is away
    }
  }

  #count({ status, text }: Answer): void {
    if (status !== 200) return;
    for (const choice of JSON.parse(text).choices) this.delivered += choice.token_ids.length;
  }
}

/** The embedded engine's server as one that runs elsewhere; it keeps its port when started again. */
export class RunningServer implements AsyncDisposable {
  #child: Deno.ChildProcess | undefined;
  #port = 0;

  constructor(readonly state: string, readonly model = inProject("data/nano")) {}

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  async start(): Promise<this> {
    this.#child = new Deno.Command(pythonOf("engine"), {
      args: [
        ...["-s", inProject("scripts/engine/server.py"), "--model", this.model],
        ...["--state", this.state, "--port", String(this.#port)],
      ],
      env: { OMP_NUM_THREADS: "1" },
      stdin: "null",
      stdout: "piped",
      stderr: "null",
    }).spawn();
    const reader = this.#child.stdout.getReader();
    const line = new TextDecoder().decode((await reader.read()).value);
    await reader.cancel();
    this.#port = JSON.parse(line).port;
    return this;
  }

  /** Kills it as the kernel would. */
  async kill(): Promise<void> {
    this.#child?.kill("SIGKILL");
    await this.#child?.status;
    this.#child = undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
  }
}

/** A server behind a proxy for all tests of a file; they end with the last of them. */
export async function serverBehindProxy() {
  const dir = folder();
  const server = await new RunningServer(`${dir.path}/state`).start();
  const proxy = await new FaultyProxy(server.url).open();
  Deno.test.afterAll(async () => {
    await proxy.close();
    await server.kill();
    dir[Symbol.dispose]();
  });
  return { dir, server, proxy };
}
