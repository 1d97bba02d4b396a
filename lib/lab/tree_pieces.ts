/** Syntax trees of programs, for those who compare programs. @module */
import { UsageError } from "../core/mod.ts";
import { inTurns } from "./ask.ts";
import { type EnvironmentLike, environmentOf } from "./environment.ts";
import { withProgress } from "./progress.ts";
import { type SandboxOption, withSandbox } from "./sandbox.ts";
import { signalOr } from "./settings.ts";

/** How programs are parsed. */
export interface TreePiecesOptions extends SandboxOption {
  /** Programs at a time; changes no result. @default 16 */
  concurrency?: number;
  /** Gives up. */
  signal?: AbortSignal;
}

/**
 * Hashes of the pieces of each program's syntax tree, in which names, comments and layout do not matter: what `treeKernel()`
 * compares. Parsed in the sandbox, never run.
 *
 * ```ts ignore
 * import { treeKernel, treePieces, vendiScore } from "@spade/spade";
 *
 * const programs = ["three_jugs", "archive_desk"]
 *   .map((name) => Deno.readTextFileSync(`data/environments/good/${name}.py`));
 * const kernel = treeKernel().matrix(await treePieces(programs));
 * console.log(vendiScore(kernel));
 * ```
 *
 * @throws {UsageError} where a program does not parse.
 * @throws {SandboxError} where the sandbox is gone.
 */
export async function treePieces(
  environments: readonly EnvironmentLike[],
  options: TreePiecesOptions = {},
): Promise<number[][]> {
  const { concurrency = 16 } = options;
  const signal = signalOr(options.signal);
  const programs = environments.map(environmentOf);
  const of = { title: "syntax trees", unit: "programs", total: programs.length };
  return await withSandbox(
    options.sandbox,
    (sandbox) =>
      withProgress(of, (line) =>
        inTurns(programs.length, concurrency, async (at) => {
          const { source, className, id } = programs[at];
          const parsed = await sandbox.parse(source, { details: true, signal });
          line.step();
          if (parsed.kind === "ok") return parsed.value.shingles ?? [];
          const why = parsed.detail ?? parsed.reason;
          throw new UsageError(`Cannot compare ${className || id}: ${why}, must be a program`);
        })),
  );
}
