/**
 * A play over its own connection: the frames of the channel go straight to the child, what the zygote must know goes to
 * the zygote.
 *
 * It guarantees: one reply a request, nothing unasked; the play is over when the child has been reaped *and* all it sent
 * has been read, so a last reply never races with the news of its death. CPU time is counted by the zygote from the
 * moment the host sees that a play has made no progress for a tick (10 to 20 ms), so a request may use that much more
 * than its limit, and what a program uses between two requests counts for the later one.
 * @module
 */
import type { SandboxLimits } from "../core/ports.ts";
import type { Channel } from "./environment.ts";
import type { Connection, Ear } from "./connection.ts";
import type { Connections } from "./connections.ts";
import { BEGIN, COUNT, KILL, LOOK, START, UNCOUNT } from "./frames.ts";
import type { Listener } from "./launcher.ts";
import { encodeLimits } from "./limits.ts";
import type { Exit } from "./replies.ts";

/** Milliseconds between the end of a child's connection and its own. */
const GRACE_MS = 500;
const SIGKILL = 9;
/** After this time without an answer, and again each time it has passed, the zygote looks at what a child does. */
const LOOK_MS = 60;

/** A play with a connection of its own to its child. */
export class DirectPlay implements Channel, Ear {
  #listener!: Listener;
  #connection: Connection | undefined;
  #exit: Exit | undefined;
  /** What this side found wrong; it stands for the kill it led to. */
  #verdict: Pick<Exit, "why" | "detail"> | undefined;
  #killed = false;
  #over = false;
  #begun = false;
  #counted = false;
  #looked = 0;
  #progress = true;
  #askedAt: number | undefined;
  #grace: ReturnType<typeof setTimeout> | undefined;

  /** It takes a connection when it is started. */
  constructor(readonly connections: Connections, readonly limits: SandboxLimits) {}

  register(listener: Listener): number {
    this.#listener = listener;
    this.connections.playing.add(this);
    return 0;
  }

  forget(): void {
    this.#end({ why: "kill", detail: null, signal: null, code: null, cpu: 0 });
  }

  kill(): void {
    this.connections.launcher.kill();
  }

  send(kind: number, _play: number, message?: unknown): void {
    if (this.#over) return;
    if (kind === KILL) this.#kill();
    else if (kind === START) this.#start(message);
    else this.#request(message);
  }

  /** Called every tick: tells the zygote of a play that lasts, and of a request without an answer. */
  tick(now: number): void {
    if (!this.#connection?.confined || this.#killed) return;
    if (!this.#begun) this.#begin();
    if (this.#progress) {
      this.#progress = false;
    } else if (!this.#counted) {
      this.#counted = true;
      this.#tell(COUNT);
    }
    const asked = this.#askedAt;
    if (asked !== undefined && now - Math.max(asked, this.#looked) > LOOK_MS) {
      this.#looked = now;
      this.#tell(LOOK);
    }
    if (asked !== undefined && now - asked > this.limits.requestSeconds * 1000) {
      const took = ((now - asked) / 1000).toFixed(1);
      this.#condemn("deadline", `request took ${took} s, limit ${this.limits.requestSeconds} s`);
    }
  }

  /** Its limits, to the zygote. */
  #begin(): void {
    this.#begun = true;
    this.#tell(BEGIN, encodeLimits(this.limits));
  }

  frame(body: Uint8Array, surplus: boolean): void {
    if (this.#verdict) return;
    if (surplus) return this.#condemn("protocol", "more than one reply to a request");
    this.#progress = true;
    this.#askedAt = undefined;
    if (this.#counted) {
      this.#counted = false;
      this.#tell(UNCOUNT);
    }
    this.#listener.reply(body);
  }

  violation(detail: string): void {
    const confined = this.#connection?.confined;
    this.#condemn(confined ? "protocol" : "start", detail);
  }

  silent(): void {
    if (this.#exit) return this.#finish();
    if (this.#killed) return;
    this.#grace = setTimeout(() => this.#condemn("crash", "closed its descriptor"), GRACE_MS);
  }

  /** The zygote says how it ended. */
  exited(exit: Exit): void {
    this.#exit = exit;
    if (!this.#connection || this.#connection.ended) this.#finish();
  }

  /** The zygote itself is gone. */
  lost(detail: string): void {
    this.#connection?.close();
    this.#end({ why: "host", detail, signal: null, code: null, cpu: 0 });
  }

  async #start(message: unknown): Promise<void> {
    this.#askedAt = performance.now();
    try {
      const taken = this.connections.take(this.limits);
      this.#attach(taken instanceof Promise ? await taken : taken);
      if (this.connections.grantsMore(this.limits)) await this.#narrow();
    } catch (error) {
      const detail = (error as Error).message;
      this.#end({ why: "start", detail, signal: null, code: null, cpu: 0 });
      return;
    }
    if (!this.#killed && !this.#over) this.#connection!.send(message);
  }

  #attach(connection: Connection): void {
    this.#connection = connection;
    connection.ear = this;
    if (this.#over) return connection.close();
    if (connection.play !== undefined) this.named();
    if (connection.ended) this.silent();
  }

  /** A play that may use less than its child could hears nothing before it is limited, and is not limited before it has
   * limited itself: it could not raise the one to the other. */
  async #narrow(): Promise<void> {
    await this.#connection!.settled;
    if (this.#over || this.#connection!.ended) return;
    if (!this.#begun) this.#begin();
    await this.connections.announce();
  }

  /** Its number has arrived. */
  named(): void {
    this.connections.know(this.#connection!.play!, this);
    if (this.#killed) this.#tell(KILL);
  }

  #request(message: unknown): void {
    this.#askedAt = performance.now();
    if (!this.#connection!.send(message)) this.#condemn("protocol", "does not read its requests");
  }

  #condemn(why: NonNullable<Exit["why"]>, detail: string): void {
    this.#verdict ??= { why, detail };
    this.#kill();
  }

  #kill(): void {
    if (this.#killed) return;
    this.#killed = true;
    if (this.#connection?.play !== undefined) this.#tell(KILL);
  }

  #tell(kind: number, body?: Uint8Array): void {
    this.connections.launcher.send(kind, this.#connection!.play!, undefined, body);
  }

  #finish(): void {
    const exit = this.#exit!;
    if (exit.why === null && !this.#connection?.confined && !this.#verdict) {
      exit.why = "start";
      exit.detail = "died before it was confined";
    }
    const endedItself = exit.signal === null ? exit.code !== null : exit.signal !== SIGKILL;
    if (this.#verdict?.why === "crash" && endedItself) {
      // it was only late: what the zygote saw says more than a closed connection
      return this.#end({ ...exit, why: null, detail: null });
    }
    const stands = this.#verdict && (exit.why === null || exit.why === "kill");
    this.#end(stands ? { ...exit, ...this.#verdict } : exit);
  }

  #end(exit: Exit): void {
    if (this.#over) return;
    this.#over = true;
    clearTimeout(this.#grace);
    this.#connection?.close();
    this.connections.over(this, this.#connection?.play);
    this.#listener.ended(exit);
  }
}
