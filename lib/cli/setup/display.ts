import type { Clock } from "../../core/mod.ts";

/** Where set-up shows its progress: one line per thing, updated in place on a terminal. */
export interface Display {
  /** A whole line that stays. */
  say(text: string): void;
  /** Shows what goes on now; on a terminal it replaces the one before, elsewhere long waits only. */
  now(text: string): void;
  /** Clears what `now` showed. */
  clear(): void;
}

/** A display that writes to `write`. Elapsed seconds come from `clock`. */
export function createDisplay(
  options: { write: (text: string) => void; terminal: boolean; clock: Clock; width?: number },
): Display {
  const { write, terminal, clock } = options;
  const width = options.width ?? 100;
  let shown = false;
  let saidAt = clock();
  const clear = () => {
    if (shown) write("\r\x1b[K");
    shown = false;
  };
  return {
    say(text) {
      clear();
      write(`${text}\n`);
      saidAt = clock();
    },
    now(text) {
      if (terminal) {
        write(`\r\x1b[K${text.slice(0, width - 1)}`);
        shown = true;
      } else if (clock() - saidAt >= 10) {
        write(`${text}\n`);
        saidAt = clock();
      }
    },
    clear,
  };
}

/** "191.8 MB", "29 kB", "2.75 GB". */
export function megabytes(size: number): string {
  if (size < 1) return `${Math.ceil(size * 1000)} kB`;
  return size >= 1000 ? `${(size / 1000).toFixed(2)} GB` : `${size.toFixed(1)} MB`;
}

/** "4.2 s", "1 min 18 s". */
export function seconds(time: number): string {
  if (time < 60) return `${time.toFixed(1)} s`;
  return `${Math.floor(time / 60)} min ${Math.floor(time % 60)} s`;
}
