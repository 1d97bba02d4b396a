/** What the gates say about a program. @module */
import { type Sandbox, UsageError } from "../core/mod.ts";
import {
  checkProgram,
  type EnvironmentKind,
  type GateOptions,
  type GateReport,
  gateRules,
} from "../gates/mod.ts";
import { display, type Displayable } from "../show/mod.ts";
import { type Environment, type EnvironmentLike, environmentOf } from "./environment.ts";
import { withProgress } from "./progress.ts";
import { type SandboxOption, withSandbox } from "./sandbox.ts";
import { signalOr } from "./settings.ts";
import { shownGates } from "./show_design.ts";

/** How to gate. */
export interface GateCheckOptions extends SandboxOption {
  /**
   * Also what a kind demands: `compact` offered actions, `tool-use` tools. @default the kind it was designed as; of
   * others nothing more
   */
  kind?: EnvironmentKind;
  /** Turns of a play at most. @default 25, of the compact kind 12: as the presets have it */
  maxTurns?: number;
  /** Programs that it must not repeat, nor share nine tenths of its pieces with. @default none: no gate `duplicate` */
  known?: readonly EnvironmentLike[];
  /** Gives up. */
  signal?: AbortSignal;
}

/** Share of equal pieces above which a program repeats another. */
const nearDuplicate = 0.9;

/**
 * Runs the gates on a program, in the sandbox, up to the first refusal.
 *
 * ```ts ignore
 * import { gate } from "@spade/spade";
 *
 * const report = await gate(Deno.readTextFileSync("data/environments/good/three_jugs.py"));
 * console.log(report); // a row a gate
 * console.log(report.accepted);
 * ```
 *
 * @throws {UsageError} where there is no source.
 * @throws {SandboxError} where the sandbox is gone.
 */
export async function gate(
  environment: EnvironmentLike,
  options: GateCheckOptions = {},
): Promise<GateReport & Displayable> {
  const { source, className, ...of } = environmentOf(environment);
  const { kind = of.kind, maxTurns = kind === "compact" ? 12 : 25 } = options;
  const signal = signalOr(options.signal);
  const known = options.known?.map(environmentOf);
  const report = await withSandbox(
    options.sandbox,
    (sandbox) =>
      withProgress({ title: `gates of ${className || "a program"}`, unit: "" }, async () => {
        const twins = known && await duplicateRules(known, sandbox, signal);
        const rules = kind && gateRules(kind);
        return await checkProgram(source, { sandbox, maxTurns, signal, ...rules, ...twins });
      }),
  );
  return display(shownGates, report);
}

/** What the gate `duplicate` compares with. */
async function duplicateRules(
  environments: readonly Environment[],
  sandbox: Sandbox,
  signal: AbortSignal,
): Promise<Pick<GateOptions, "known" | "similar">> {
  const parsed = await Promise.all(environments.map(async ({ id, className, source }) => {
    const facts = await sandbox.parse(source, { details: true, signal });
    if (facts.kind === "ok") return { id, ...facts.value, shingles: facts.value.shingles ?? [] };
    throw new UsageError(`Cannot compare with ${className || id}: ${facts.detail ?? facts.reason}`);
  }));
  const trees = new Set(parsed.map(({ treeHash }) => treeHash));
  return {
    known: (tree) => trees.has(tree),
    similar: { threshold: nearDuplicate, known: () => parsed },
  };
}
