/**
 * The live view of a training: what the user sees while `Progress` events arrive.
 *
 * - On a terminal a compact panel is redrawn in place, at most ten times a second. A frame is one write that hides the
 *   cursor, draws and shows it again: nothing flickers, and the cursor is visible whenever the process dies, Ctrl-C
 *   and kill -9 included. Notes and warnings scroll by above the panel.
 * - Elsewhere: plain single lines. With `json`: one JSON object a line and nothing else.
 * - Writer and clock are arguments; nothing here reads the environment, the terminal or the time.
 * @module
 */
import type { RunTables } from "../analysis/mod.ts";
import type { Clock, EventSink, Progress } from "../core/mod.ts";
import { escapeTerminal, formatSeconds, reportText } from "../show/mod.ts";
import { type LiveState, panelLines, reportLine, timeLeft } from "./panel.ts";

export interface LiveOptions {
  /** Writes text; a frame is one call. */
  write: (text: string) => void;
  clock: Clock;
  /** The writer is a terminal that understands ANSI. @default false */
  terminal?: boolean;
  /** Columns of the terminal, asked at every frame. @default 80 */
  columns?: () => number;
  /** Colour and bold; pass false where NO_COLOR is set. @default terminal */
  colour?: boolean;
  /** One JSON object an event. @default false */
  json?: boolean;
}

/** Seconds between two frames, and between two stage lines where there is no terminal. */
const frameSeconds = 0.1;
const lineSeconds = 20;

/** Shows progress; `sink` is the event sink to hand to the loop. */
export class LiveView implements Disposable {
  readonly sink: EventSink = (event) => this.#take(event);
  readonly #options: Required<LiveOptions>;
  readonly #state: LiveState;
  /** Lines of the panel on the screen. */
  #drawn = 0;
  #lastFrame = -Infinity;
  #lastLine: number;
  #closed = false;

  constructor(options: LiveOptions) {
    const terminal = options.terminal ?? false;
    this.#options = {
      terminal,
      columns: () => 80,
      colour: terminal,
      json: false,
      ...options,
    };
    const now = options.clock();
    this.#lastLine = now;
    this.#state = { started: now, now, reports: [], stages: new Map(), warnings: 0 };
  }

  /** Redraws when due; call it from a timer, so that times go on while nothing happens. */
  tick(): void {
    if (this.#closed || !this.#inPlace()) return;
    const now = this.#options.clock();
    if (now - this.#lastFrame >= frameSeconds) this.#draw(now);
  }

  /** Ends the view and prints the closing table, from a run's tables where given. */
  end(tables?: RunTables): void {
    if (this.#closed) return;
    this.close();
    const { write, json, columns, clock } = this.#options;
    if (json) return;
    const seconds = clock() - this.#state.started;
    const { reports, warnings } = this.#state;
    write(
      `${reports.length} rollout${reports.length === 1 ? "" : "s"} in ${formatSeconds(seconds)}` +
        `${warnings > 0 ? `, ⚠ ${warnings} warnings` : ""}\n`,
    );
    if (tables) write("\n" + reportText(tables, { width: Math.max(80, columns()) }));
    else if (reports.length > 0) write(reportLine(reports[reports.length - 1]) + "\n");
  }

  /** Leaves the last frame on the screen and stops drawing. Also on Ctrl-C, through `using`. */
  close(): void {
    if (this.#closed) return;
    if (this.#inPlace() && this.#drawn > 0) this.#draw(this.#options.clock());
    this.#closed = true;
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #inPlace(): boolean {
    return this.#options.terminal && !this.#options.json;
  }

  #take(event: Progress): void {
    if (this.#closed) return;
    const { write, json, clock } = this.#options;
    const now = clock();
    this.#remember(event);
    if (json) {
      return write(JSON.stringify({ seconds: round(now - this.#state.started), ...event }) + "\n");
    }
    if (this.#inPlace()) {
      if (event.kind === "note" || event.kind === "warning") this.#draw(now, lineOf(event));
      else if (event.kind === "report") this.#draw(now);
      else this.tick();
      return;
    }
    if (event.kind === "stage") {
      if (now - this.#lastLine < lineSeconds) return;
      write(`rollout ${event.rollout}: ${event.stage} ${event.done} of ${event.total}\n`);
    } else if (event.kind === "report") {
      write(reportLine(event.report, this.#left(now)) + "\n");
    } else write(lineOf(event) + "\n");
    this.#lastLine = now;
  }

  #remember(event: Progress): void {
    const { stages, reports } = this.#state;
    if (event.kind === "warning") this.#state.warnings += 1;
    if (event.kind === "report") {
      reports.push(event.report);
      for (const [name, s] of stages) if (s.rollout <= event.report.rollout) stages.delete(name);
    }
    if (event.kind !== "stage") return;
    const { stage, rollout, done, total } = event;
    if (done >= total) stages.delete(stage);
    else stages.set(stage, { rollout, done, total });
  }

  #left(now: number): number | undefined {
    this.#state.now = now;
    return timeLeft(this.#state);
  }

  /** One frame: up to the top of the old panel, an optional line to keep, the new panel, the rest erased. */
  #draw(now: number, line?: string): void {
    const { write, columns, colour } = this.#options;
    this.#state.now = now;
    this.#lastFrame = now;
    // One column stays free: a full last column makes some terminals wrap.
    const lines = panelLines(this.#state, { width: Math.max(20, columns() - 1), colour });
    const up = this.#drawn > 0 ? `\x1b[${this.#drawn}A\r` : "";
    const kept = line === undefined ? [] : [line];
    const text = [...kept, ...lines].map((l) => `${l}\x1b[K\n`).join("");
    write(`\x1b[?2026h\x1b[?25l${up}${text}\x1b[J\x1b[?25h\x1b[?2026l`);
    this.#drawn = lines.length;
  }
}

function lineOf(event: { kind: "note" | "warning"; message: string }): string {
  const text = escapeTerminal(event.message).replaceAll("\n", " ");
  return event.kind === "warning" ? `⚠ ${text}` : text;
}

function round(seconds: number): number {
  return Math.round(seconds * 1000) / 1000;
}
