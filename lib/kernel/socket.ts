/**
 * One ZeroMQ socket over TCP to a kernel on this machine.
 * @module
 */
import { encodeFrames, FrameReader, greeting, GREETING_BYTES, readyCommand } from "./frames.ts";

const RETRY_MS = 15;

/** A connected socket: messages out by `send`, in by `receive`. */
export class ZmtpSocket implements Disposable {
  readonly #connection: Deno.Conn;
  readonly #reader = new FrameReader();
  readonly #chunk = new Uint8Array(65_536);

  private constructor(connection: Deno.Conn) {
    this.#connection = connection;
  }

  /**
   * Connects, trying again until the kernel listens or `signal` aborts.
   *
   * @throws the signal's reason, or what the connection failed with where it is not permitted.
   */
  static async connect(
    port: number,
    type: "DEALER" | "SUB",
    signal: AbortSignal,
  ): Promise<ZmtpSocket> {
    const socket = new ZmtpSocket(await connected(port, signal));
    const giveUp = () => socket[Symbol.dispose]();
    signal.addEventListener("abort", giveUp);
    try {
      await socket.#write(greeting());
      await socket.#until(() => socket.#reader.bytes(GREETING_BYTES));
      await socket.#write(readyCommand(type));
      await socket.#until(() => socket.#reader.frame());
      // all that is published
      if (type === "SUB") await socket.send([new Uint8Array([1])]);
      return socket;
    } catch (error) {
      socket[Symbol.dispose]();
      throw signal.aborted ? signal.reason : error;
    } finally {
      signal.removeEventListener("abort", giveUp);
    }
  }

  /** Sends a message of these frames. */
  async send(frames: readonly Uint8Array[]): Promise<void> {
    await this.#write(encodeFrames(frames));
  }

  /**
   * The frames of the next message.
   *
   * @throws {Error} where the kernel closed the connection.
   */
  async receive(): Promise<Uint8Array[]> {
    const bodies: Uint8Array[] = [];
    for (;;) {
      const { body, more, command } = await this.#until(() => this.#reader.frame());
      if (command) continue;
      bodies.push(body);
      if (!more) return bodies;
    }
  }

  /** Closes it; a pending `receive` fails. */
  [Symbol.dispose](): void {
    try {
      this.#connection.close();
    } catch {
      // closed already
    }
  }

  async #until<T>(take: () => T | undefined): Promise<T> {
    for (;;) {
      const taken = take();
      if (taken !== undefined) return taken;
      const count = await this.#connection.read(this.#chunk);
      if (count === null) throw new Error("the kernel closed the connection");
      this.#reader.push(this.#chunk.slice(0, count));
    }
  }

  async #write(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length;) at += await this.#connection.write(bytes.subarray(at));
  }
}

/** Connects to a port of this machine, trying again until somebody listens or `signal` aborts. */
export async function connected(port: number, signal: AbortSignal): Promise<Deno.Conn> {
  for (;;) {
    signal.throwIfAborted();
    try {
      return await Deno.connect({ hostname: "127.0.0.1", port });
    } catch (error) {
      if (error instanceof Deno.errors.NotCapable) throw error;
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
}
