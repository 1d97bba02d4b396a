/**
 * One line about long work that updates in place, with rate and time left. What is done within two seconds says
 * nothing.
 * @module
 */
import { escapeTerminal, formatNumber, formatSeconds } from "../show/mod.ts";
import { nowhere, type Outlet, outlet } from "./outlet.ts";
import { seconds } from "./settings.ts";

/** What a progress line says. */
export interface ProgressState {
  /** What is being done, e.g. `regret of GapEnv`. */
  title: string;
  /** What is counted, in the plural. */
  unit: string;
  /** Undefined where it is not known. */
  total?: number;
  /** What was done before the start. @default 0 */
  begun?: number;
  /** Of `total`. */
  done: number;
  /** Since the start. */
  seconds: number;
  /** Said behind, e.g. the stage. */
  note?: string;
  /** The work is over; `stopped`: before its end. */
  end?: "done" | "stopped";
}

/** Seconds that pass before anything is shown. */
const silence = 2;
const barWidth = 12;

/**
 * The line's text.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * assert.equal(
 *   progressText({ title: "regret", unit: "plays", total: 16, done: 4, seconds: 8 }),
 *   "regret ███░░░░░░░░░ 4 of 16 plays · 30 a minute · 24 s left",
 * );
 * ```
 */
export function progressText(state: ProgressState): string {
  const { title, unit, total, done, begun = 0, seconds, note, end } = state;
  const rate = seconds > 0 ? (done - begun) / seconds : 0;
  const known = total !== undefined && total > 0;
  const full = known ? Math.round(Math.min(1, done / total) * barWidth) : 0;
  const bar = known ? ` ${"█".repeat(full)}${"░".repeat(barWidth - full)}` : "";
  const counted = known ? `${done} of ${total} ${unit}` : done > 0 ? `${done} ${unit}` : "";
  const time = end === undefined
    ? known && rate > 0 ? `${formatSeconds((total - done) / rate)} left` : formatSeconds(seconds)
    : end === "done"
    ? `in ${formatSeconds(seconds)}`
    : `stopped after ${formatSeconds(seconds)}`;
  const parts = [counted, rate > 0 ? rateText(rate) : "", time, note ?? ""];
  const said = parts.filter((part) => part !== "").join(" · ");
  return escapeTerminal(`${title}${bar} ${said}`).replaceAll("\n", " ");
}

/** Per second where that is above one, else per minute. */
function rateText(perSecond: number): string {
  const [rate, name] = perSecond >= 1 ? [perSecond, "second"] : [perSecond * 60, "minute"];
  return `${formatNumber(rate, rate < 10 ? 1 : 0).replace(/\.0$/, "")} a ${name}`;
}

/** The line that shows; work that begins within its work shows none of its own. */
let front: ProgressLine | undefined;

/**
 * The line of one piece of work; dispose it when the work is over. Of several at a time the first one shows.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * const said: string[] = [];
 * const outlet = {
 *   every: 0,
 *   show: (line: string) => void said.push(line),
 *   hide: () => {},
 *   end: () => Promise.resolve(),
 * };
 * let now = 0;
 * {
 *   const options = { outlet, clock: () => now };
 *   await using line = new ProgressLine({ title: "plays", unit: "plays", total: 2 }, options);
 *   now = 10; // seconds
 *   line.step();
 * }
 * assert.ok(said[0].includes("1 of 2 plays"));
 * ```
 */
export class ProgressLine implements AsyncDisposable {
  readonly #state: ProgressState;
  readonly #outlet: Outlet;
  readonly #clock: () => number;
  #started: number;
  readonly #timer: ReturnType<typeof setInterval>;
  #last = -Infinity;
  #shown = false;
  #isDone = false;
  #isPaused = false;

  /** `outlet` and `clock` (seconds): this process's. */
  constructor(
    of: { title: string; unit: string; total?: number },
    options: { outlet?: Outlet; clock?: () => number } = {},
  ) {
    this.#outlet = options.outlet ?? (front === undefined ? outlet() : nowhere);
    front ??= this;
    this.#clock = options.clock ?? seconds;
    this.#state = { ...of, done: 0, seconds: 0 };
    this.#started = this.#clock();
    this.#timer = setInterval(() => this.#draw(), 250);
  }

  /** One more is done. */
  step(): void {
    this.update({ done: this.#state.done + 1 });
  }

  /** Counting begins now, after what had to be opened first; `done` of `total` were done before. */
  begin(done: number, total: number): void {
    this.#started = this.#clock();
    this.update({ done, begun: done, total });
  }

  /** Makes room for what the caller prints; {@link update} goes on. */
  pause(): void {
    this.#isPaused = true;
    this.#last = -Infinity;
    this.#outlet.hide();
  }

  /** Says something else from now on. */
  update(change: Partial<Pick<ProgressState, "done" | "begun" | "total" | "note">> = {}): void {
    this.#isPaused = false;
    Object.assign(this.#state, change);
    this.#draw();
  }

  /** The work came to its end; without this the line says that it was stopped. */
  finish(): void {
    this.#isDone = true;
  }

  #draw(): void {
    const now = this.#clock();
    if (this.#isPaused || !this.#shown && now - this.#started < silence) return;
    if (now - this.#last >= this.#outlet.every) this.#write(now);
  }

  #write(now: number, end?: ProgressState["end"]): void {
    this.#last = now;
    this.#shown = true;
    this.#outlet.show(progressText({ ...this.#state, seconds: now - this.#started, end }));
  }

  /** Leaves a last line, where there was one. */
  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer);
    if (front === this) front = undefined;
    if (!this.#shown) return;
    this.#write(this.#clock(), this.#isDone ? "done" : "stopped");
    await this.#outlet.end();
  }
}

/**
 * Runs `use` with a line of its own, for work of one's own.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * const squares = await withProgress({ title: "squares", unit: "numbers", total: 3 }, (line) =>
 *   Promise.resolve([1, 2, 3].map((n) => {
 *     line.step();
 *     return n * n;
 *   })));
 * assert.deepEqual(squares, [1, 4, 9]);
 * ```
 */
export async function withProgress<T>(
  of: { title: string; unit: string; total?: number },
  use: (line: ProgressLine) => Promise<T>,
): Promise<T> {
  await using line = new ProgressLine(of);
  const value = await use(line);
  line.finish();
  return value;
}
