/** Runs a script of ours under the permissions of its task. */
import config from "../../deno.json" with { type: "json" };

/** Tasks that start one script of theirs. */
type Task = "evaluate" | "inspect" | "pool" | "engines" | "tables" | "notebooks" | "lab";

export interface Answer {
  code: number;
  out: string;
  error: string;
}

/** A command that was started; `killed` ends the wait for it. */
export interface Started {
  child: Deno.ChildProcess;
  answer: Promise<Answer>;
}

/** The task's flags as a shell gives them to deno. */
export async function flagsOf(task: Task): Promise<string[]> {
  const { command } = config.tasks[task];
  const flags = new RegExp(`deno run (.*) scripts/${task}\\.ts$`).exec(command)![1];
  const shell = new Deno.Command("sh", { args: ["-c", `printf '%s\\n' ${flags}`] });
  return new TextDecoder().decode((await shell.output()).stdout).trim().split("\n");
}

export async function start(
  task: Task,
  args: readonly string[],
  options: { without?: string } = {},
): Promise<Started> {
  const flags = (await flagsOf(task)).filter((flag) =>
    options.without === undefined || !flag.startsWith(options.without)
  );
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-check", ...flags, `scripts/${task}.ts`, ...args],
    env: { NO_COLOR: "1" },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  const answer = child.output().then(({ code, stdout, stderr }) => ({
    code,
    out: text(stdout),
    error: text(stderr),
  }));
  return { child, answer };
}

export async function run(
  task: Task,
  args: readonly string[],
  options: { without?: string } = {},
): Promise<Answer> {
  return await (await start(task, args, options)).answer;
}

/** A fresh folder below runs/, relative to the project, removed by `using`. */
export function workFolder(name: string): Disposable & { path: string } {
  Deno.mkdirSync("runs", { recursive: true });
  const path = Deno.makeTempDirSync({ dir: "runs", prefix: `.test-${name}-` }).replace(
    /^.*runs\//,
    "runs/",
  );
  return { path, [Symbol.dispose]: () => Deno.removeSync(path, { recursive: true }) };
}
