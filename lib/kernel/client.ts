/**
 * A client of one running kernel.
 *
 * It guarantees: what a cell printed belongs to that cell and none of it is lost. Deno's kernel says that it is idle before
 * its queued output has left; so after each cell the client sends a silent request that publishes a mark. What is
 * published keeps its order, hence everything before the mark is the cell's.
 * @module
 */
import { type KernelMessage, Messages, readMessage } from "./message.ts";
import { ZmtpSocket } from "./socket.ts";

/** Where a kernel listens: the connection file of Jupyter's protocol. */
export interface Connection {
  /** Always `tcp`. */
  transport: "tcp";
  /** Always this machine. */
  ip: "127.0.0.1";
  /** What messages are signed with. */
  key: string;
  /** Always `hmac-sha256`. */
  signature_scheme: "hmac-sha256";
  /** Requests. */
  shell_port: number;
  /** What is published. */
  iopub_port: number;
  /** Questions to the user; unused here. */
  stdin_port: number;
  /** Interrupt and shutdown. */
  control_port: number;
  /** Heartbeat; unused here. */
  hb_port: number;
}

/** What became of a cell. */
export interface CellResult {
  /** `dead`: the kernel ended meanwhile. */
  status: "ok" | "error" | "dead";
  /** What it published, in order. */
  messages: KernelMessage[];
  /** The kernel's number of this execution. */
  executionCount: number | null;
  /** It did not end in time and was interrupted. */
  timedOut: boolean;
}

/** How long a cell may take and what happens then. */
export interface ExecuteOptions {
  /** Milliseconds until it is interrupted. @default 120_000 */
  timeoutMs?: number;
  /** Interrupts it, too. */
  signal?: AbortSignal;
  /** Called when it has not ended some seconds after an interrupt: the kernel hangs. */
  onHang?: () => void;
}

const MARK = "spade_mark";
/** What of ours is stopped may have a step to end. */
const GRACE_MS = 5_000;
const MARK_MS = 30_000;
const NUDGE_MS = 10;

/** Sends cells to a kernel and collects what each publishes. */
export class KernelClient implements Disposable {
  readonly #messages: Messages;
  readonly #shell: ZmtpSocket;
  readonly #control: ZmtpSocket;
  readonly #iopub: ZmtpSocket;
  readonly #replies = new Map<string, (reply: KernelMessage | undefined) => void>();
  #onPublished: (message: KernelMessage) => void = () => {};
  readonly #lost = new AbortController();

  private constructor(messages: Messages, sockets: [ZmtpSocket, ZmtpSocket, ZmtpSocket]) {
    this.#messages = messages;
    [this.#shell, this.#control, this.#iopub] = sockets;
    this.#pump(this.#shell, (message) => {
      this.#replies.get(message.parentId)?.(message);
      this.#replies.delete(message.parentId);
    });
    this.#pump(this.#control, () => {});
    this.#pump(this.#iopub, (message) => this.#onPublished(message));
  }

  /** Connects to a kernel that listens or is about to, and waits until it publishes to us. */
  static async connect(connection: Connection, signal: AbortSignal): Promise<KernelClient> {
    const messages = await Messages.open(connection.key);
    const { shell_port, control_port, iopub_port } = connection;
    const shell = await ZmtpSocket.connect(shell_port, "DEALER", signal);
    const control = await ZmtpSocket.connect(control_port, "DEALER", signal);
    const iopub = await ZmtpSocket.connect(iopub_port, "SUB", signal);
    const client = new KernelClient(messages, [shell, control, iopub]);
    // what is published before the kernel has registered us is dropped: ask until something arrives
    let heard = false;
    client.#onPublished = () => heard = true;
    while (!heard) {
      if (signal.aborted) {
        client[Symbol.dispose]();
        throw signal.reason;
      }
      await client.#request("kernel_info_request", {});
      if (!heard) await new Promise((resolve) => setTimeout(resolve, NUDGE_MS));
    }
    return client;
  }

  /** Aborted when a connection to the kernel ends. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  /** Runs one cell to its end. */
  async execute(code: string, options: ExecuteOptions = {}): Promise<CellResult> {
    const { timeoutMs = 120_000, signal, onHang } = options;
    const messages: KernelMessage[] = [];
    const mark = crypto.randomUUID();
    const marked = Promise.withResolvers<void>();
    this.#onPublished = (message) => {
      if (message.type === MARK && message.content.mark === mark) marked.resolve();
      else messages.push(message);
    };
    let timedOut = false;
    let hanging: ReturnType<typeof setTimeout> | undefined;
    const interrupt = () => {
      hanging ??= setTimeout(() => onHang?.(), GRACE_MS);
      this.interrupt().catch(() => {});
    };
    const late = setTimeout(() => {
      timedOut = true;
      interrupt();
    }, timeoutMs);
    signal?.addEventListener("abort", interrupt);
    const request = { store_history: true, silent: false, stop_on_error: true };
    const reply = await this.#request("execute_request", { ...request, ...execution(code) });
    signal?.removeEventListener("abort", interrupt);
    clearTimeout(late);
    clearTimeout(hanging);
    const dead: CellResult = { status: "dead", messages, executionCount: null, timedOut };
    if (reply === undefined) return dead;
    const publish = `Deno.jupyter.broadcast("${MARK}", { mark: "${mark}" }); void 0`;
    const silent = { store_history: false, silent: true, stop_on_error: false };
    const answered = await this.#request("execute_request", { ...silent, ...execution(publish) });
    if (answered === undefined || !await this.#arrives(marked.promise)) return dead;
    const { status, execution_count: count } = reply.content;
    return {
      status: status === "ok" ? "ok" : "error",
      messages,
      executionCount: typeof count === "number" ? count : null,
      timedOut,
    };
  }

  /** Interrupts the running cell; the kernel keeps its state. */
  async interrupt(): Promise<void> {
    await this.#control.send((await this.#messages.request("interrupt_request", {})).frames);
  }

  /** Asks the kernel to end. */
  async shutdown(): Promise<void> {
    const { frames } = await this.#messages.request("shutdown_request", { restart: false });
    await this.#control.send(frames).catch(() => {});
  }

  /** Closes the connections; the kernel goes on. */
  [Symbol.dispose](): void {
    for (const socket of [this.#shell, this.#control, this.#iopub]) socket[Symbol.dispose]();
  }

  /** The reply, or undefined where the kernel is gone. */
  async #request(
    type: string,
    content: Record<string, unknown>,
  ): Promise<KernelMessage | undefined> {
    const { id, frames } = await this.#messages.request(type, content);
    if (this.lost.aborted) return undefined;
    const { promise, resolve } = Promise.withResolvers<KernelMessage | undefined>();
    this.#replies.set(id, resolve);
    await this.#shell.send(frames).catch(() => resolve(undefined));
    return await promise;
  }

  async #arrives(mark: Promise<void>): Promise<boolean> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const gone = new Promise<boolean>((resolve) => {
      timer = setTimeout(() => resolve(false), MARK_MS);
      this.lost.addEventListener("abort", () => resolve(false));
    });
    const arrived = await Promise.race([mark.then(() => true), gone]);
    clearTimeout(timer);
    return arrived;
  }

  async #pump(socket: ZmtpSocket, take: (message: KernelMessage) => void): Promise<void> {
    try {
      for (;;) take(readMessage(await socket.receive()));
    } catch (error) {
      this.#lost.abort(error);
      for (const resolve of this.#replies.values()) resolve(undefined);
      this.#replies.clear();
    }
  }
}

function execution(code: string) {
  return { code, user_expressions: {}, allow_stdin: false };
}
