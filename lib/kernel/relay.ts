/**
 * A relay in front of a kernel's control port: everything passes as it came, except a request to interrupt, which
 * `onInterrupt` may take over. Then the relay answers it, and the kernel never sees it.
 * @module
 */
import type { Connection } from "./client.ts";
import { encodeFrame, encodeFrames, type Frame, FrameReader, GREETING_BYTES } from "./frames.ts";
import { Messages, readMessage } from "./message.ts";
import { connected } from "./socket.ts";

/** Between whom a relay stands. */
export interface RelayOptions {
  /** What the clients know; its control port is the relay's. */
  connection: Connection;
  /** Where the kernel's own control port is. */
  port: number;
  /** Called for each signed request to interrupt; true: it is done, false: the kernel shall see it. */
  onInterrupt: () => Promise<boolean>;
}

/** Listens until it is disposed. */
export async function relayControl(options: RelayOptions): Promise<Disposable> {
  const { connection, port, onInterrupt } = options;
  const messages = await Messages.open(connection.key);
  const ended = new AbortController();
  const listener = Deno.listen({ hostname: connection.ip, port: connection.control_port });
  const open = new Set<Deno.Conn>();

  /** Joins one client to the kernel until either leaves. */
  async function join(client: Deno.Conn): Promise<void> {
    using stack = new DisposableStack();
    const hold = (connection: Deno.Conn) => {
      open.add(connection);
      stack.defer(() => {
        open.delete(connection);
        close(connection);
      });
    };
    hold(client);
    const kernel = await connected(port, ended.signal);
    hold(kernel);
    const take = async (frames: readonly Uint8Array[]) => {
      if (!isInterrupt(frames) || !await messages.isSigned(frames)) return false;
      if (!await onInterrupt()) return false;
      await write(client, encodeFrames(await messages.reply(frames, "interrupt_reply", OK)));
      return true;
    };
    await Promise.race([pass(client, kernel, take), pass(kernel, client)]);
  }

  async function accept(): Promise<void> {
    for await (const client of listener) join(client).catch(() => {});
  }
  accept().catch(() => {});
  return {
    [Symbol.dispose]() {
      ended.abort();
      close(listener);
      for (const connection of open) close(connection);
    },
  };
}

const OK = { status: "ok" };

/** Passes on whole messages, but those that `take` takes, until `from` ends. */
async function pass(
  from: Deno.Conn,
  to: Deno.Conn,
  take?: (frames: readonly Uint8Array[]) => Promise<boolean>,
): Promise<void> {
  const reader = new FrameReader();
  const chunk = new Uint8Array(16_384);
  let greeting = GREETING_BYTES;
  let message: Frame[] = [];
  for (;;) {
    const count = await from.read(chunk);
    if (count === null) return;
    // the greeting goes on at once: a side says its second half after the other's first
    const greeted = Math.min(greeting, count);
    if (greeted > 0) await write(to, chunk.slice(0, greeted));
    greeting -= greeted;
    reader.push(chunk.slice(greeted, count));
    for (let frame = reader.frame(); frame !== undefined; frame = reader.frame()) {
      message.push(frame);
      if (frame.more) continue;
      const isTaken = !frame.command && await take?.(message.map(({ body }) => body)) === true;
      if (!isTaken) await write(to, ...message.map(encodeFrame));
      message = [];
    }
  }
}

function isInterrupt(frames: readonly Uint8Array[]): boolean {
  try {
    return readMessage(frames).type === "interrupt_request";
  } catch {
    return false;
  }
}

/** One write to the system a message: two passes may write to the same side. */
async function write(to: Deno.Conn, ...parts: readonly Uint8Array[]): Promise<void> {
  const bytes = new Uint8Array(await new Blob(parts as Uint8Array<ArrayBuffer>[]).arrayBuffer());
  for (let at = 0; at < bytes.length;) at += await to.write(bytes.subarray(at));
}

function close(what: Deno.Conn | Deno.Listener): void {
  try {
    what.close();
  } catch {
    // closed already
  }
}
