/**
 * An extra look at a cell that failed without a word: Deno's kernel says nothing about a syntax error.
 * @module
 */

/** Lines that belong to the message: the reason, then the place. */
const MESSAGE_LINES = 6;

/**
 * What Deno's formatter says about a cell's syntax; undefined where it finds nothing wrong. `deno` is the program's path.
 */
export async function syntaxError(code: string, deno: string): Promise<string | undefined> {
  const child = new Deno.Command(deno, {
    args: ["fmt", "--quiet", "--no-config", "--ext", "ts", "-"],
    env: { NO_COLOR: "1" },
    stdin: "piped",
    stdout: "null",
    stderr: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(code)).then(() => writer.close()).catch(() => {});
  const { success, stderr } = await child.output();
  if (success) return undefined;
  const text = new TextDecoder().decode(stderr).replace(/^error: (SyntaxError: )?/, "");
  return text.split("\nStack backtrace")[0].replace(/at file:\S*?:(\d+:\d+)/, "at line $1")
    .split("\n").filter((line) => line.trim() !== "").slice(0, MESSAGE_LINES).join("\n").trim();
}
