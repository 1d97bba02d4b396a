/**
 * Where a line that updates in place goes: a notebook's output, a terminal's last line, or nowhere.
 * @module
 */

/** One line, shown in place of the one before. */
export interface Outlet {
  /** Least seconds between two lines. */
  every: number;
  /** Shows `line`, which has no line break. */
  show(line: string): void;
  /** Makes room for what others print; the next line shows again. */
  hide(): void;
  /** Leaves the last line as it is; resolves when it has been sent. */
  end(): Promise<void>;
}

/** What of a kernel is used. */
export interface Kernel {
  /** Sends an output; `update` changes the one that has its `display_id`. */
  display(
    bundle: Record<string, string>,
    options: { raw: true; display_id: string; update?: boolean },
  ): Promise<void>;
}

/** The kernel that this process is, or undefined. */
export function kernel(): Kernel | undefined {
  try {
    // outside of a kernel even its `typeof` throws
    return (Deno as unknown as { jupyter?: Kernel }).jupyter;
  } catch {
    return undefined;
  }
}

/** An output of the cell, updated by its display id. */
export function notebookOutlet(to: Kernel, id: string = crypto.randomUUID()): Outlet {
  let sent = Promise.resolve();
  let update = false;
  return {
    every: 0.5,
    show(line) {
      const options = { raw: true, display_id: id, update } as const;
      update = true;
      sent = sent.then(() => to.display({ "text/plain": line }, options)).catch(() => {});
    },
    hide() {},
    end: () => sent,
  };
}

/** The last line of a terminal. */
export function terminalOutlet(write: (text: string) => void, columns: () => number): Outlet {
  let isOpen = false;
  return {
    every: 0.1,
    show(line) {
      isOpen = true;
      // one column stays free: a full last column makes some terminals wrap
      write(`\r${[...line].slice(0, Math.max(0, columns() - 1)).join("")}\x1b[K`);
    },
    hide() {
      if (isOpen) write("\r\x1b[K");
      isOpen = false;
    },
    end() {
      if (isOpen) write("\n");
      isOpen = false;
      return Promise.resolve();
    },
  };
}

/** Shows nothing. */
export const nowhere: Outlet = {
  every: Infinity,
  show() {},
  hide() {},
  end: () => Promise.resolve(),
};

/** The outlet of this process. */
export function outlet(): Outlet {
  const notebook = kernel();
  if (notebook !== undefined) return notebookOutlet(notebook);
  if (!Deno.stderr.isTerminal()) return nowhere;
  const encoder = new TextEncoder();
  return terminalOutlet(
    (text) => void Deno.stderr.writeSync(encoder.encode(text)),
    () => columnsOr(80),
  );
}

function columnsOr(otherwise: number): number {
  try {
    // a terminal that was told no size says 0
    return Deno.consoleSize().columns || otherwise;
  } catch {
    return otherwise;
  }
}
