/**
 * The connections of one zygote: a few wait with a confined child behind them, the others play.
 * @module
 */
import type { SandboxLimits } from "../core/ports.ts";
import { Connection } from "./connection.ts";
import { DirectPlay } from "./direct.ts";
import { LIMIT } from "./frames.ts";
import type { Launcher } from "./launcher.ts";
import { encodeStanding } from "./limits.ts";
import type { Exit } from "./replies.ts";
import type { Starts } from "./statistics.ts";

const TICK_MS = 10;
/** Ends of plays whose number has not been read yet; more than that are strangers'. */
const MAX_UNCLAIMED = 1024;

/** What a child is forked with; a play may have less, and then the zygote is asked first. */
type Standing = Pick<SandboxLimits, "memoryMb" | "cpuSeconds">;

/** All connections of one zygote. */
export class Connections {
  /** Plays that have not ended. */
  readonly playing = new Set<DirectPlay>();
  readonly #byNumber = new Map<number, DirectPlay>();
  readonly #unclaimed = new Map<number, Exit>();
  #waiting: Connection[] = [];
  #opening = 0;
  #closed = false;
  #ticker: ReturnType<typeof setInterval> | undefined;

  /** `standing`: what children are forked with. */
  constructor(
    readonly launcher: Launcher,
    readonly path: string,
    readonly size: number,
    private standing: Standing,
    readonly starts: Starts,
  ) {}

  /** Connections with a child that waits for a play. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** A first connection shows that there may be some. Throws what Deno throws. */
  async begin(): Promise<void> {
    if (this.size > 0) this.#waiting.push(await this.#open());
    else (await this.#open()).close();
    this.#fill();
  }

  /** A new play; it takes a connection when it is started. */
  play(limits: SandboxLimits): DirectPlay {
    this.#ticker ??= setInterval(() => {
      const now = performance.now();
      for (const play of this.playing) play.tick(now);
    }, TICK_MS);
    return new DirectPlay(this, limits);
  }

  /** A connection for a play: one that waits, or a new one. */
  take(limits: SandboxLimits): Connection | Promise<Connection> {
    const { memoryMb, cpuSeconds } = this.standing;
    if (limits.memoryMb > memoryMb || limits.cpuSeconds > cpuSeconds) return this.#more(limits);
    let connection = this.#waiting.shift();
    while (connection?.ended) connection = this.#waiting.shift();
    this.starts[connection ? "pooled" : "fresh"] += 1;
    this.#fill();
    return connection ?? this.#open();
  }

  /** Whether a child may use more than these limits. */
  grantsMore(limits: SandboxLimits): boolean {
    return limits.memoryMb < this.standing.memoryMb || limits.cpuSeconds < this.standing.cpuSeconds;
  }

  /** Tells the zygote what to fork with; returns when it has obeyed this and all that was sent before. */
  announce(): Promise<void> {
    return this.launcher.ask(LIMIT, encodeStanding(this.standing));
  }

  /** A play has learnt its number; its end may have come before. */
  know(number: number, play: DirectPlay): void {
    this.#byNumber.set(number, play);
    const exit = this.#unclaimed.get(number);
    this.#unclaimed.delete(number);
    if (exit) play.exited(exit);
  }

  /** The zygote says how a process ended. */
  exited(number: number, exit: Exit): void {
    const play = this.#byNumber.get(number);
    if (play) return play.exited(exit);
    const index = this.#waiting.findIndex((connection) => connection.play === number);
    if (index >= 0) return this.#waiting.splice(index, 1)[0].close();
    this.#unclaimed.set(number, exit);
    for (const oldest of this.#unclaimed.keys()) {
      if (this.#unclaimed.size <= MAX_UNCLAIMED) break;
      this.#unclaimed.delete(oldest);
    }
  }

  /** A play has ended. */
  over(play: DirectPlay, number: number | undefined): void {
    this.playing.delete(play);
    if (number !== undefined) this.#byNumber.delete(number);
    if (this.playing.size > 0) return;
    clearInterval(this.#ticker);
    this.#ticker = undefined;
    this.#fill(true);
  }

  /** The zygote is gone. */
  close(detail: string): void {
    this.#closed = true;
    clearInterval(this.#ticker);
    for (const connection of this.#waiting) connection.close();
    this.#waiting = [];
    for (const play of [...this.playing]) play.lost(detail);
  }

  async #open(): Promise<Connection> {
    const conn = await Deno.connect({ transport: "unix", path: this.path });
    const connection = new Connection(conn);
    if (this.#closed) connection.close();
    return connection;
  }

  /** Opens several at once when half are gone, or all that lack when nothing plays. */
  #fill(whole = false): void {
    const there = this.#waiting.length + this.#opening;
    if (this.#closed || there >= this.size || (!whole && there * 2 >= this.size)) return;
    for (let missing = this.size - there; missing > 0; missing--) {
      this.#opening += 1;
      this.#open().then((connection) => {
        if (!this.#closed) this.#waiting.push(connection);
      }, () => {}).finally(() => this.#opening -= 1);
    }
  }

  /** Children that may use more are forked anew, and from now on all are. */
  async #more(limits: SandboxLimits): Promise<Connection> {
    this.standing = {
      memoryMb: Math.max(limits.memoryMb, this.standing.memoryMb),
      cpuSeconds: Math.max(limits.cpuSeconds, this.standing.cpuSeconds),
    };
    await this.announce();
    for (const connection of this.#waiting) connection.close();
    this.#waiting = [];
    return await this.take(limits);
  }
}
