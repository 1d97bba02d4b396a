/** One line about a program, for the memory section of a prompt [D3]. @module */

/**
 * Class name, then the integer constants in the class's own body: `GuessEnv N 20 TURNS 5`. The class is the first
 * whose name ends in `Env`, else the first; the line is empty when the program defines none.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * const source = "class GuessEnv:\n    N = 20\n    TURNS = 5\n";
 * assert.equal(describeProgram(source), "GuessEnv N 20 TURNS 5");
 * ```
 */
export function describeProgram(source: string): string {
  const classes = [...source.matchAll(/^class (\w+)/gm)];
  const chosen = classes.find((match) => match[1].endsWith("Env")) ?? classes[0];
  if (!chosen) return "";
  const [, ...lines] = source.slice(chosen.index).split(/\r?\n/);
  const after = lines.findIndex((line) => /^\S/.test(line));
  const body = after < 0 ? lines : lines.slice(0, after);
  const constants = body.flatMap((line) => {
    const match = line.match(/^ {4}([A-Z_]+) = (-?\d+)$/);
    return match ? [match[1], match[2]] : [];
  });
  return [chosen[1], ...constants].join(" ");
}
