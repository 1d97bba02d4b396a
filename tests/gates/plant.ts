/** Gates over planted faults: which gate catches which kind. */
import type { Sandbox } from "../../lib/core/mod.ts";
import { checkProgram, gateNames } from "../../lib/gates/mod.ts";
import { textTable } from "../../lib/show/mod.ts";
import { type Fault, faults } from "./faults.ts";
import { inTurns, type Program } from "./programs.ts";

export interface Case {
  program: Program;
  fault: Fault;
  source: string;
}

export interface Caught {
  program: string;
  kind: string;
  /** The gate that must catch it, and the one that did; null: accepted. */
  expected: string;
  found: string | null;
  isRight: boolean;
  reason: string;
}

/** Every kind of fault in every program that can have it. */
export function plantAll(programs: readonly Program[]): Case[] {
  return programs.flatMap((program) =>
    faults.flatMap((fault) => {
      const source = fault.plant(program);
      return source === null ? [] : [{ program, fault, source }];
    })
  );
}

/** Judges each case; its own program counts as known, so that twins are caught. */
export async function judgeCases(
  cases: readonly Case[],
  sandbox: Sandbox,
  options: { width?: number; onCase?: (caught: Caught) => void } = {},
): Promise<Caught[]> {
  const origins = new Map<string, { id: string; treeHash: string; shingles: number[] }>();
  for (const { name, source } of new Set(cases.map(({ program }) => program))) {
    const parsed = await sandbox.parse(source, { details: true });
    if (parsed.kind !== "ok") throw new Error(`Cannot parse ${name}: ${parsed.detail}`);
    const { treeHash, shingles = [] } = parsed.value;
    origins.set(name, { id: name, treeHash, shingles });
  }
  return await inTurns(cases, async ({ program, fault, source }) => {
    const origin = origins.get(program.name)!;
    const { accepted, verdicts } = await checkProgram(source, {
      sandbox,
      maxTurns: 25,
      // Only CPU time says what hangs: the machine may be busy.
      limits: { requestCpuSeconds: 0.3, requestSeconds: 300 },
      known: (tree) => tree === origin.treeHash,
      similar: { threshold: 0.9, known: () => [origin] },
    });
    const last = verdicts[verdicts.length - 1];
    const found = accepted ? null : last.gate;
    const caught = {
      program: program.name,
      kind: fault.kind,
      expected: fault.gate,
      found,
      isRight: found === fault.gate,
      reason: `${last.reason} ${JSON.stringify(last.evidence).slice(0, 200)}`,
    };
    options.onCase?.(caught);
    return caught;
  }, options.width);
}

/** Rows are kinds, columns the gates that caught them; misses below. */
export function confusionTable(caught: readonly Caught[]): string {
  const kinds = [...Map.groupBy(caught, ({ kind }) => kind)];
  const rows = kinds.map(([kind, cases]) => {
    const by = gateNames.slice(0, -1).map((gate) =>
      cases.filter(({ found }) => found === gate).length
    );
    const accepted = cases.filter(({ found }) => found === null).length;
    return [
      cases[0].expected,
      kind,
      ...[...by, accepted].map((count) => count ? String(count) : ""),
    ];
  });
  const headings = [
    "must",
    "kind",
    ...gateNames.slice(0, -1).map((gate) => `#${gate}`),
    "#accepted",
  ];
  const missed = caught.filter(({ isRight }) => !isRight).map((miss) =>
    `missed: ${miss.kind} in ${miss.program}: ${miss.found ?? "accepted"}, ${miss.reason}`
  );
  const right = caught.length - missed.length;
  return [
    textTable(headings, rows) + `${right} of ${caught.length} caught by the named gate`,
    ...missed,
  ]
    .join("\n");
}
