/** What came of a program: exit code, or that it was ended, and the end of what it printed. */
export interface RunResult {
  code: number;
  /** Ended because `signal` was aborted. */
  interrupted: boolean;
  /** The last 64 KiB of standard output and error together. */
  output: string;
}

/** Grace in milliseconds between asking a program to end and ending it. */
const GRACE_MS = 3000;
const KEPT = 65_536;

/**
 * Runs a program with no input, hands each line of its output to `onLine`, and ends it when
 * `signal` is aborted. The environment is passed on unchanged, plus `env`.
 */
export async function runProgram(
  program: string,
  args: readonly string[],
  options: {
    cwd: string;
    env?: Record<string, string>;
    signal?: AbortSignal;
    onLine?: (line: string) => void;
  },
): Promise<RunResult> {
  const child = new Deno.Command(program, {
    args: [...args],
    cwd: options.cwd,
    env: options.env,
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  let output = "";
  const take = (line: string) => {
    output = `${output}${line}\n`.slice(-KEPT);
    options.onLine?.(line);
  };
  let force: ReturnType<typeof setTimeout> | undefined;
  const stop = () => {
    quietly(() => child.kill("SIGTERM"));
    force = setTimeout(() => quietly(() => child.kill("SIGKILL")), GRACE_MS);
  };
  if (options.signal?.aborted) stop();
  options.signal?.addEventListener("abort", stop, { once: true });
  try {
    const [status] = await Promise.all([
      child.status,
      eachLine(child.stdout, take),
      eachLine(child.stderr, take),
    ]);
    return { code: status.code, interrupted: options.signal?.aborted ?? false, output };
  } finally {
    clearTimeout(force);
    options.signal?.removeEventListener("abort", stop);
  }
}

/** Calls `take` for each line of a byte stream; carriage returns end lines too. */
export async function eachLine(
  stream: ReadableStream<Uint8Array>,
  take: (line: string) => void,
): Promise<void> {
  let rest = "";
  const decoder = new TextDecoder();
  for await (const bytes of stream) {
    rest += decoder.decode(bytes, { stream: true });
    const lines = rest.split(/\r\n|\n|\r/);
    rest = lines.pop() ?? "";
    for (const line of lines) take(line);
  }
  rest += decoder.decode();
  if (rest !== "") take(rest);
}

function quietly(action: () => void): void {
  try {
    action();
  } catch {
    // it has already ended
  }
}
