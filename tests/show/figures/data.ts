/** Small made-up data for every figure, in ordinary, hostile, single and empty form. */
import {
  acceptedInOrder,
  advantageTails,
  collapseRuns,
  complexityByRollout,
  type ContaminationReport,
  diversityByEpoch,
  emptyTables,
  environmentSummaries,
  type Evaluation,
  findContamination,
  type HackFinding,
  lineageOf,
  noveltyOf,
  type RunTables,
  shareOf,
  subsampleCurve,
  symmetricOf,
  tokenKernel,
  tokenLengths,
  turnLengths,
  vendiInterval,
} from "../../../lib/analysis/mod.ts";
import { Random, type RecordOf } from "../../../lib/core/mod.ts";
import type { StudyArm } from "../../../lib/show/mod.ts";
import { syntheticRun } from "../fixture.ts";

/** Everything the figures take. */
export interface FigureData {
  tables: RunTables;
  skills: Map<string, string>;
  pairs: { first: readonly Evaluation[]; second: readonly Evaluation[] }[];
  findings: HackFinding[];
  contamination: ContaminationReport;
  arms: StudyArm[];
  parents: { id: string; parents: string[]; rollout: number; skill: string }[];
}

/** A run of eight rollouts with what the shared fixture lacks: samples, batches, parents, a second run. */
export function ordinary(): FigureData {
  const tables = withSamples(syntheticRun({ rollouts: 8, environments: 6, plays: 6 }));
  const other = syntheticRun({ rollouts: 8, environments: 6, seed: 2 }).evaluation;
  const dev = (rows: readonly Evaluation[]) => rows.filter(({ set }) => set === "dev");
  return {
    tables,
    skills: new Map(tables.environment.map(({ id, skill }) => [id, skill])),
    pairs: [{ first: dev(tables.evaluation), second: dev(other) }],
    findings: tables.environment.slice(0, 9).flatMap(({ id }, i): HackFinding[] => [
      {
        check: "early win",
        environmentId: id,
        cases: shareOf(i, 9),
        verdict: "unknown",
        examples: [],
      },
      {
        check: "constant answer",
        environmentId: id,
        cases: shareOf(i, 9),
        verdict: i > 6 ? "flagged" : "clean",
        examples: [`"B" won on ${i} of 9 seeds`],
      },
    ]),
    contamination: planted(),
    arms: [
      {
        arm: "spade",
        seeds: 5,
        rise: { mean: 0.1353, low: 0.119, high: 0.151, n: 5 },
        spadeMinus: null,
      },
      {
        arm: "no-memory",
        seeds: 5,
        rise: { mean: 0.1361, low: 0.116, high: 0.156, n: 5 },
        spadeMinus: { mean: -0.0009, low: -0.025, high: 0.023, n: 5 },
      },
      { arm: "one-seed", seeds: 1, rise: { mean: 0.01, n: 1 } },
    ],
    parents: family(),
  };
}

/** The same with hostile text wherever a model or a program writes, and names too long for any label. */
export function hostile(): FigureData {
  const evil = `</text><script>alert(1)</script>\u0000\x1b[2J\u202e&"'${"x".repeat(300)}`;
  const data = ordinary();
  const dirty = <T extends object>(row: T, fields: readonly string[]) =>
    Object.fromEntries(
      Object.entries(row).map((
        [k, v],
      ) => [k, fields.includes(k) && typeof v === "string" ? evil + v : v]),
    ) as T;
  const fields = ["skill", "className", "description", "reason", "gate", "stage", "source"];
  const tables = Object.fromEntries(
    Object.entries(data.tables).map(([name, rows]) => [
      name,
      (rows as readonly object[]).map((row) => dirty(row, fields)),
    ]),
  ) as unknown as RunTables;
  return {
    ...data,
    tables,
    skills: new Map([...data.skills].map(([id, skill]) => [id, evil + skill])),
    findings: data.findings.map((row) => ({
      ...row,
      environmentId: evil + row.environmentId,
      examples: [evil],
    })),
    contamination: {
      ...data.contamination,
      found: data.contamination.found.map((row) => dirty(row, ["itemId", "sourceId", "example"])),
    },
    arms: data.arms.map((row) => dirty(row, ["arm"])),
    parents: data.parents.map((row) => dirty(row, ["skill"])),
  };
}

/** One rollout with one environment of two plays. */
export function single(): FigureData {
  const tables = withSamples(syntheticRun({ rollouts: 1, environments: 1, plays: 2 }));
  const first = tables.evaluation.slice(0, 3), data = ordinary();
  return {
    tables,
    skills: new Map(tables.environment.map(({ id, skill }) => [id, skill])),
    pairs: [{ first, second: first }],
    findings: data.findings.slice(0, 1),
    contamination: findContamination([{ id: "q", text: "one" }], [{ id: "d", text: "two" }]),
    arms: data.arms.slice(0, 1),
    parents: data.parents.slice(0, 2),
  };
}

/** Nothing at all. */
export function empty(): FigureData {
  return {
    tables: emptyTables(),
    skills: new Map(),
    pairs: [],
    findings: [],
    contamination: findContamination([], []),
    arms: [],
    parents: [],
  };
}

/** Analyses that the figures take instead of records. */
export function analysed({ tables, parents }: FigureData) {
  const accepted = acceptedInOrder(tables), kernel = tokenKernel();
  const matrix = kernel.matrix(accepted.map(({ environment }) => environment.source));
  const replies = tables.reply.map((row) => ({
    ...row,
    ids: { length: 90 + row.slot * 9 + row.attempt },
  }));
  return {
    turns: turnLengths(tables.play),
    tokens: tokenLengths([
      ...tables.turn.map((row, i) => ({ ...row, ids: { length: 4 + i % 5 } })),
      ...replies.map((row, i) => ({
        ...row,
        finish: i % 9 === 0 ? "length" as const : row.finish,
      })),
    ]),
    advantages: advantageTails(tables.batch),
    diversity: {
      epochs: accepted.length === 0 ? [] : diversityByEpoch(accepted, matrix, { every: 2 }),
      curve: accepted.length === 0 ? [] : subsampleCurve(matrix, { draws: 5 }),
      interval: accepted.length === 0 ? undefined : vendiInterval(matrix, { draws: 20 }),
    },
    kernel: kernel.name,
    collapse: collapseRuns(symmetricOf(20, (i, j) => i === j || (i < 9 && j > 3) ? 1 : 0.2)),
    novelty: noveltyOf(accepted, matrix),
    lineage: lineageOf(parents.map(({ id, parents, rollout, skill }) => ({
      environment: { id, parents },
      rollout,
      skill,
    }))),
    complexity: complexityByRollout(accepted, tables.play, { maxTurns: 6 }),
    summaries: environmentSummaries(tables),
  };
}

function withSamples(tables: RunTables): RunTables {
  const random = new Random(3);
  const sample = tables.reply.filter(({ accepted }) => accepted).map((
    reply,
  ): RecordOf<"sample"> => ({
    id: `s${reply.id}`,
    rollout: reply.rollout,
    replyId: reply.id,
    skill: reply.skill,
    environmentId: reply.environmentId,
    kind: "accepted",
    due: reply.rollout + 2,
    state: "trained",
    raw: 0.4,
    advantage: 0.1,
    reason: "",
  }));
  const batch = tables.update.map(({ id, rollout }): RecordOf<"batch"> => ({
    id: `b${id}`,
    rollout,
    units: 12,
    agents: 8,
    designers: 4,
    scale: 1,
    sequences: Array.from({ length: 12 }, (_, i) => ({
      unit: `u${i}`,
      role: i < 8 ? "agent" : "designer",
      advantage: (random.next() - 0.5) * (i < 8 ? 5 : 1.5),
      start: 0,
      length: 1,
    })),
    ids: [],
    logps: [],
    mask: [],
  }));
  const [seed] = tables.active;
  const environment = tables.environment.map((row) =>
    row.rollout < 4 ? row : { ...row, parents: [seed.environmentId] }
  );
  return { ...tables, environment, sample, batch };
}

/** Three trees, two loners, a further parent across trees, and a parent that is not among them. */
function family(): FigureData["parents"] {
  const of = (id: string, rollout: number, parents: string[]) => ({
    id: `${id}0000000f`,
    parents: parents.map((parent) => `${parent}0000000f`),
    rollout,
    skill: rollout % 4 === 0 ? "Spatial Reasoning" : "Optimization",
  });
  return [
    of("a", 0, []),
    of("b", 0, []),
    of("c", 2, []),
    of("d", 2, ["a"]),
    of("e", 2, ["a", "b"]),
    of("f", 4, ["d"]),
    of("g", 4, ["e", "a"]),
    of("h", 4, ["b"]),
    of("i", 6, ["d", "f"]),
    of("j", 6, ["c", "z"]),
    of("k", 0, []),
    of("l", 6, []),
  ];
}

function planted(): ContaminationReport {
  const words = (from: number, n: number) =>
    Array.from({ length: n }, (_, i) => `word${from + i}`).join(" ");
  const items = Array.from(
    { length: 12 },
    (_, i) => ({ id: `item ${i}`, text: words(i * 100, 40) }),
  );
  const sources = Array.from({ length: 8 }, (_, i) => ({
    id: `document ${i}`,
    text: i < 3 ? `${words(i * 100, 20 + i * 10)} and more` : words(5000 + i * 100, 60),
  }));
  return findContamination(items, sources);
}
