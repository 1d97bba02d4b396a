/**
 * A count of work that goes on: one line redrawn in place on a terminal, else a plain line now and then. On standard
 * error, so that what a command prints can be piped.
 * @module
 */
import { formatCount, formatSeconds } from "../show/mod.ts";

/** Seconds between two plain lines. */
const lineSeconds = 20;

export interface CounterOptions {
  /** What is counted, e.g. "plays". */
  noun: string;
  total: number;
  /** Already done; they say nothing about the speed. @default 0 */
  done?: number;
}

/** Tells how far work has come. */
export class Counter implements Disposable {
  #done: number;
  readonly #began: number;
  readonly #since = performance.now();
  #told = performance.now();
  readonly #terminal = Deno.stderr.isTerminal();

  constructor(readonly options: CounterOptions) {
    this.#began = this.#done = options.done ?? 0;
  }

  /** One more is done; `note` says what it was. */
  step(note = ""): void {
    this.#done += 1;
    const now = performance.now();
    const seconds = (now - this.#told) / 1000;
    if (seconds < (this.#terminal ? 0.1 : lineSeconds) && this.#done < this.options.total) return;
    this.#told = now;
    if (this.#terminal) this.#write(`\r${this.#line(now, note)}\x1b[K`);
    else if (this.#done < this.options.total) this.#write(this.#line(now, note) + "\n");
  }

  #line(now: number, note: string): string {
    const { noun, total } = this.options;
    const spent = (now - this.#since) / 1000;
    const left = spent / Math.max(1, this.#done - this.#began) * (total - this.#done);
    const counts = `${formatCount(this.#done)} of ${formatCount(total)} ${noun}`;
    return [counts, `${formatSeconds(left)} left`, note].filter((part) => part !== "").join(" · ");
  }

  #write(text: string): void {
    Deno.stderr.writeSync(new TextEncoder().encode(text));
  }

  [Symbol.dispose](): void {
    if (this.#terminal) this.#write("\r\x1b[K");
  }
}
