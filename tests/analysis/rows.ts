/** Rows for tests: whole records, of which a test names what it is about. */
import { type RecordOf, scored } from "../../lib/core/mod.ts";

type Row<T extends keyof Rows> = Rows[T];
interface Rows {
  play: RecordOf<"play">;
  turn: RecordOf<"turn">;
  reply: RecordOf<"reply">;
  update: RecordOf<"update">;
  gate: RecordOf<"gate">;
  ledger: RecordOf<"ledger">;
  evaluation: RecordOf<"evaluation">;
}

let made = 0;
const id = () => `row ${made++}`;

/** A play won or lost, or of another outcome. */
export function play(
  environmentId: string,
  won: boolean,
  of: Partial<Row<"play">> = {},
): Row<"play"> {
  return {
    id: id(),
    rollout: 0,
    environmentId,
    arm: "plain",
    index: 0,
    seed: 0,
    outcome: scored(Number(won)),
    success: won,
    terminated: won,
    truncated: !won,
    turns: 3,
    versionFirst: 0,
    versionLast: 0,
    hung: false,
    attempts: 1,
    ...of,
  };
}

export function turn(playId: string, index: number, of: Partial<Row<"turn">> = {}): Row<"turn"> {
  return {
    id: `${playId}/${index}`,
    rollout: 0,
    playId,
    index,
    prompt: [],
    ids: [1, 2],
    logps: [0, 0],
    finish: "stop",
    weightsVersion: 0,
    observation: "",
    text: "",
    action: null,
    reward: 0,
    rerendered: null,
    ...of,
  };
}

export function reply(of: Partial<Row<"reply">> = {}): Row<"reply"> {
  return {
    id: id(),
    rollout: 0,
    role: "designer",
    slot: 0,
    attempt: 0,
    skill: "s",
    documentId: null,
    parents: [],
    prompt: [],
    ids: [1],
    logps: [0],
    finish: "stop",
    weightsVersion: 0,
    text: "",
    runsAsEmitted: true,
    runsExtracted: true,
    accepted: true,
    environmentId: null,
    treeHash: null,
    cut: {},
    seed: 0,
    ...of,
  };
}

export function update(rollout: number, of: Partial<Row<"update">> = {}): Row<"update"> {
  return {
    id: `u${rollout}`,
    rollout,
    batchId: `u${rollout}`,
    loss: 0,
    gradNorm: 1,
    meanDifference: 0.001,
    clippedShare: 0,
    maxRatio: 1.1,
    zeroLogps: 0,
    designerLoss: 0,
    agentLoss: 0,
    deadGroups: 0,
    shortGroups: 0,
    weightsVersion: rollout + 1,
    learningRate: 1e-4,
    report: {},
    ...of,
  };
}

export function gate(
  replyId: string,
  name: string,
  verdict: Row<"gate">["verdict"],
): Row<"gate"> {
  return {
    id: id(),
    rollout: 0,
    replyId,
    environmentId: "e",
    gate: name,
    verdict,
    reason: verdict === "pass" ? "" : "why",
    evidence: {},
  };
}

export function ledger(
  rollout: number,
  role: Row<"ledger">["role"],
  promptTokens: number,
  completionTokens: number,
  seconds = 0,
): Row<"ledger"> {
  return {
    id: id(),
    rollout,
    role,
    stage: role,
    promptTokens,
    completionTokens,
    calls: 1,
    seconds,
  };
}

export function evaluation(
  environment: number,
  index: number,
  value: number,
  of: Partial<Row<"evaluation">> = {},
): Row<"evaluation"> {
  return {
    id: id(),
    rollout: 0,
    set: "dev",
    weights: "current",
    mode: "sampled",
    environmentId: `e${environment}`,
    family: "f",
    seen: true,
    index,
    seed: 0,
    outcome: scored(value),
    success: value >= 1,
    turns: 1,
    ...of,
  };
}
