/**
 * A made-up run with the shape of a nano training, for figures and pages: seeded, so that stored pictures compare.
 */
import { emptyTables, type RunTables } from "../../lib/analysis/mod.ts";
import { type Outcome, Random, type RecordOf, sha256 } from "../../lib/core/mod.ts";

const skills = [
  "Mathematical Reasoning",
  "Logical Deduction",
  "Spatial Reasoning",
  "Pattern Recognition",
  "Optimization",
  "Causal Inference",
];
const names = ["Parity", "Lights", "Ledger", "Maze", "Weights", "Sorting", "Cipher", "Bridge"];

export interface FixtureOptions {
  seed?: number;
  rollouts?: number;
  environments?: number;
  plays?: number;
  /** Rollouts whose plays get turns. */
  withTurns?: number;
}

export function syntheticRun(options: FixtureOptions = {}): RunTables {
  const { seed = 1, rollouts = 72, environments = 24, plays = 8, withTurns = 2 } = options;
  const random = new Random(seed);
  const t = emptyTables() as { -readonly [K in keyof RunTables]: RecordOf<K>[] };
  t.run.push(runRow(seed, rollouts));
  const level = (rollout: number) => 0.9 * rollout / rollouts;
  let set: { id: string; skill: string; ease: number }[] = [];
  for (let rollout = 0; rollout < rollouts; rollout++) {
    if (rollout % 2 === 0) {
      set = [];
      const spread = 2.2 - 1.3 * rollout / rollouts;
      for (let slot = 0; slot < environments; slot++) {
        const skill = skills[(rollout / 2 * 3 + slot % 3) % 6];
        for (let attempt = 0; attempt < 5; attempt++) {
          const made = design(t, random, rollout, slot, attempt, skill);
          if (!made) continue;
          set.push({ id: made, skill, ease: (random.next() + random.next() - 1) * 2 * spread });
          break;
        }
      }
    }
    for (const e of set) {
      const skillPart = level(rollout) - 0.4;
      const arms: Record<string, number[]> = { plain: [], hinted: [] };
      for (const arm of rollout % 2 === 0 ? ["plain", "hinted"] as const : ["plain"] as const) {
        const help = arm === "hinted" ? 0.8 : 0;
        const p = 1 / (1 + Math.exp(-(e.ease + skillPart - level(rollout) * 0.6 + help)));
        for (let index = 0; index < plays; index++) {
          const row = playRow(random, rollout, e.id, arm, index, p);
          t.play.push(row);
          if (row.outcome.kind === "scored") arms[arm].push(row.outcome.value);
          if (rollout < withTurns) t.turn.push(...turnRows(random, row));
        }
      }
      if (rollout % 2 === 0) t.regret.push(regretRow(rollout, e.id, arms.plain, arms.hinted));
    }
    t.update.push(updateRow(random, rollout, rollouts, set.length));
    ledgerRows(t.ledger, rollout);
  }
  evaluate(t.evaluation, random, rollouts);
  return t;
}

function runRow(seed: number, rollouts: number): RecordOf<"run"> {
  return {
    id: "run-7f3a",
    rollout: -1,
    seed,
    preset: "nano",
    config: {
      rollouts,
      environments: 24,
      plays: 8,
      epoch: 2,
      delay: 2,
      signal: "blend",
      plateau: { low: 0.4, high: 0.6 },
    },
    manifest: {
      format: 1,
      toolkit: { version: "0.1.0", commit: "0123abc", diffHash: null },
      versions: { deno: "2.9.6", python: "3.12.3", torch: "2.13.0+cpu" },
      hardware: {
        os: "linux",
        architecture: "x86_64",
        cpu: "two cores <made up>",
        cores: 2,
        memoryMb: 8192,
        accelerators: [],
      },
      model: { id: "nano-qwen3 <3.1 M>", revision: null, hash: "9d1c" },
      corpus: { name: "nano", hash: "77aa", documents: 400 },
      prompts: { version: "1", hash: "c0de" },
      config: {},
      seeds: { run: seed },
      engine: { name: "embedded", version: "0.1.0", flags: ["--threads", "2"] },
      sandbox: {
        level: "userns+seccomp",
        layers: { seccomp: true, landlock: "kernel is too old" },
      },
      selection: "last checkpoint",
      startedAt: "2026-11-29T19:30:00Z",
      command: ["deno", "task", "train"],
    },
  };
}

const source = (name: string, n: number) =>
  `import random


class ${name}${n}Env:
    """Flip the row until every lamp is <on>."""

    def __init__(self, max_turns=6):
        self.max_turns = max_turns

    def reset(self, seed=None):
        self.rng = random.Random(seed)  # own generator
        self.state = [self.rng.randrange(2) for _ in range(${3 + n % 4})]
        self.turn = 0
        return f"Lamps: {self.state}. Flip one: 0-${2 + n % 4}.", {"actions": list("0123")}

    def step(self, action):
        self.turn += 1
        if "0" <= action[-2:-1] <= "3" and action != 'x & "y"':
            self.state[int(action[-2])] ^= 1
        done = all(self.state)
        return f"Lamps: {self.state}", 1.0 if done else 0.0, done, self.turn >= self.max_turns, {}
`;

function design(
  t: { reply: RecordOf<"reply">[]; environment: RecordOf<"environment">[] } & {
    gate: RecordOf<"gate">[];
    document: RecordOf<"document">[];
    hint: RecordOf<"hint">[];
    active: RecordOf<"active">[];
  },
  random: Random,
  rollout: number,
  slot: number,
  attempt: number,
  skill: string,
): string | undefined {
  const name = names[random.integer(names.length)];
  const text = source(name, rollout * 100 + slot * 5 + attempt);
  const id = sha256(text), replyId = `r${rollout}-${slot}-${attempt}`;
  const draw = random.next();
  const refused = draw < 0.06
    ? 0
    : draw < 0.14
    ? 1
    : draw < 0.16
    ? 2
    : draw < 0.3
    ? 4
    : draw < 0.36
    ? 7
    : 9;
  const order = ["parse", "contract", "determinism", "presolved", "floor", "oracle", "leak"];
  order.push("duplicate");
  order.slice(0, refused + 1).forEach((gate, k) =>
    t.gate.push({
      id: `g${replyId}-${k}`,
      rollout,
      replyId,
      environmentId: id,
      gate,
      verdict: k === refused ? "refuse" : gate === "oracle" ? "skipped" : "pass",
      reason: k === refused ? reasonOf(gate, slot) : gate === "oracle" ? "no solution()" : "",
      evidence: gate === "floor" ? { random: 0.15, constant: 0.2, limit: 0.25 } : { seeds: 20 },
    })
  );
  const accepted = refused === 9;
  t.reply.push({
    id: replyId,
    rollout,
    role: "designer",
    slot,
    attempt,
    skill,
    documentId: `d${slot}`,
    parents: [],
    prompt: [1, 2],
    ids: [3, 4],
    logps: [-0.1, -0.2],
    finish: "stop",
    weightsVersion: rollout,
    text,
    runsAsEmitted: refused > 1 && random.next() > 0.05,
    runsExtracted: refused > 1,
    accepted,
    treeHash: id.slice(0, 8),
    cut: {},
    environmentId: id,
    seed: slot,
  });
  t.environment.push({
    id,
    rollout,
    source: text,
    className: `${name}Env`,
    description: `${name}: flip the row until every lamp is <on>`,
    skill,
    treeHash: id.slice(0, 8),
    replyId,
    documentId: `d${slot}`,
    parents: [],
  });
  if (rollout === 0 && attempt === 0) {
    t.document.push({
      id: `d${slot}`,
      rollout,
      text: `A row of lamps & switches <see fig. ${slot}>: each switch flips one lamp.`,
      skill,
      origin: "nano corpus",
      licence: "CC0-1.0",
    });
  }
  if (!accepted) return undefined;
  const hint = slot % 9 === 8
    ? null
    : "Look at each lamp that is off; flip it once, left to right.";
  const reason = hint === null ? "leak: whole code line" : "";
  t.hint.push({ id: `h${replyId}`, rollout, environmentId: id, replyId: null, text: hint, reason });
  const origin = "designed" as const;
  t.active.push({
    id: `a${replyId}`,
    rollout,
    slot,
    environmentId: id,
    skill,
    origin,
    replyId,
    hint,
  });
  return id;
}

function reasonOf(gate: string, slot: number): string {
  const reasons: Record<string, string> = {
    parse: `line ${slot + 3}: invalid syntax near '<${slot}>'`,
    contract: slot % 3 === 0
      ? "reset() raised NameError: name 'lamps' is not defined"
      : "reward is None",
    determinism: "transcripts differ at step 2",
    floor: `random agent wins ${(0.3 + slot / 100).toFixed(2)}, must be at most 0.25`,
    duplicate: "same normalised program as 7be01c",
  };
  return reasons[gate] ?? "refused";
}

function playRow(
  random: Random,
  rollout: number,
  environmentId: string,
  arm: "plain" | "hinted",
  index: number,
  p: number,
): RecordOf<"play"> {
  const draw = random.next(), success = draw < p;
  const broken = random.next() < 0.012;
  const outcome: Outcome = broken
    ? { kind: "failed", blame: "designer", reason: "exception", detail: "IndexError: <list>" }
    : { kind: "scored", value: success ? 1 : 0 };
  return {
    id: `p${rollout}-${environmentId.slice(0, 12)}-${arm}-${index}`,
    rollout,
    environmentId,
    arm,
    index,
    seed: index,
    outcome,
    success: success && !broken,
    terminated: success && !broken,
    truncated: !success,
    turns: 1 + random.integer(4),
    versionFirst: rollout,
    versionLast: rollout,
    hung: false,
    attempts: 1,
  };
}

function turnRows(random: Random, play: RecordOf<"play">): RecordOf<"turn">[] {
  return Array.from({ length: play.turns }, (_, index) => {
    const last = index === play.turns - 1;
    const action = String(random.integer(4));
    const hint = play.arm === "hinted" && index === 0
      ? "\n\nHINT: Look at each lamp that is off; flip it once, left to right."
      : "";
    return {
      id: `t${play.id}-${index}`,
      rollout: play.rollout,
      playId: play.id,
      index,
      prompt: [1],
      ids: [2],
      logps: [-0.3],
      finish: "stop" as const,
      weightsVersion: play.rollout,
      observation: `Lamps: [0, 1, ${action}] <turn ${index}>${hint}`,
      text: `lamp ${action} is off & must be <flipped> \\boxed{${action}}`,
      action,
      reward: last && play.success ? 1 : 0,
      rerendered: null,
    };
  });
}

function regretRow(
  rollout: number,
  environmentId: string,
  plain: number[],
  hinted: number[],
): RecordOf<"regret"> {
  const n = Math.min(plain.length, hinted.length);
  const mean = (of: number[]) => of.reduce((a, b) => a + b, 0) / of.length;
  const row = { id: `g${rollout}-${environmentId.slice(0, 12)}`, rollout, environmentId, pairs: n };
  if (n === 0) {
    return {
      ...row,
      outcome: { kind: "skipped", reason: "no pairs" },
      low: null,
      high: null,
      interval: "none: no pairs",
      noiseFloor: null,
      plainMean: null,
      hintedMean: null,
    };
  }
  const plainMean = mean(plain), hintedMean = mean(hinted), value = hintedMean - plainMean;
  const variance = plainMean * (1 - plainMean) + hintedMean * (1 - hintedMean);
  const half = 2 * Math.sqrt((variance + 0.1) / (n + 2));
  const flat = variance < 1e-9;
  return {
    ...row,
    outcome: { kind: "scored", value },
    low: flat ? null : Math.max(-1, value - half),
    high: flat ? null : Math.min(1, value + half),
    interval: flat ? "none: no spread" : "95 % Agresti-Min, paired",
    noiseFloor: flat ? null : Math.min(0.38, 0.86 * Math.sqrt(variance / 2)),
    plainMean,
    hintedMean,
  };
}

function updateRow(
  random: Random,
  rollout: number,
  rollouts: number,
  environments: number,
): RecordOf<"update"> {
  const share = rollout / rollouts;
  return {
    id: `u${rollout}`,
    rollout,
    batchId: `b${rollout}`,
    loss: -0.02 + 0.01 * random.next(),
    gradNorm: 0.4 + 0.2 * random.next(),
    meanDifference: 0.0004 + 0.0002 * random.next(),
    clippedShare: 0.01,
    maxRatio: 1.2,
    zeroLogps: 0,
    designerLoss: -0.01,
    agentLoss: -0.01,
    deadGroups: 5,
    shortGroups: 0,
    weightsVersion: rollout + 1,
    learningRate: 3e-4,
    report: {
      rollout,
      rollouts,
      environments,
      plainMean: 0.38 + 0.1 * share + 0.05 * (random.next() - 0.5),
      successRate: 0.4,
      scored: environments * 8 - 2,
      failed: 2,
      hintedMean: rollout % 2 === 0 ? 0.55 : undefined,
      regretMean: rollout % 2 === 0 ? 0.14 + 0.06 * random.next() : undefined,
      signalMean: rollout % 2 === 0 ? 0.62 : undefined,
      noiseFloor: rollout % 2 === 0 ? 0.3 : undefined,
      inBand: 0.16 + 0.2 * share,
      validFirst: rollout % 2 === 0 ? 0.6 + 0.2 * share : undefined,
      designerReward: rollout >= 2 ? 0.45 + 0.2 * share : undefined,
      deadGroupShare: 0.3,
      loss: -0.015,
      meanDifference: 0.0005,
      seconds: 6 + 2 * random.next(),
      tokensPerSecond: 2400 + 300 * random.next(),
      playsPerSecond: 40 + 5 * random.next(),
    },
  };
}

function ledgerRows(ledger: RecordOf<"ledger">[], rollout: number) {
  const add = (role: RecordOf<"ledger">["role"], stage: string, tokens: number, seconds: number) =>
    ledger.push({
      id: `l${rollout}-${role}-${stage}`,
      rollout,
      role,
      stage,
      promptTokens: tokens * 4,
      completionTokens: tokens,
      calls: 24,
      seconds,
    });
  add("agent", "plays", 3000, 3.1);
  add("trainer", "update", 0, 1.9);
  if (rollout % 2 === 0) {
    add("designer", "replies", 9000, 2.2);
    add("hint", "hints", 500, 0.3);
    add("gates", "sandbox", 0, 1.4);
  }
}

function evaluate(rows: RecordOf<"evaluation">[], random: Random, rollouts: number) {
  const sets = [["dev", 40, 4] as const, ["test", 60, 8] as const];
  for (const [set, environments, plays] of sets) {
    const ease = Array.from({ length: environments }, () => (random.next() - 0.5) * 3);
    const marks = set === "test" ? [0, rollouts] : [0];
    if (set === "dev") { for (let r = 8; r <= rollouts; r += 8) marks.push(r); }
    for (const rollout of marks) {
      const gained = rollout / rollouts;
      for (let e = 0; e < environments; e++) {
        const seen = e % 2 === 0;
        for (const mode of ["sampled", "greedy"] as const) {
          for (let index = 0; index < (mode === "greedy" ? 2 : plays); index++) {
            const gain = (seen ? 1.3 : 0.7) * Math.sqrt(gained) * (mode === "greedy" ? 0.8 : 1);
            const p = 1 / (1 + Math.exp(-(ease[e] - (seen ? 0.5 : 1.1) + gain)));
            const success = random.next() < p;
            const lost = random.next() < 0.004;
            rows.push({
              id: `e${set}-${rollout}-${mode}-${e}-${index}`,
              rollout,
              set,
              weights: rollout === 0 ? "base" : "current",
              mode,
              environmentId: `${set}-${String(e).padStart(3, "0")}`,
              family: `${seen ? "known" : "new"}-${e % 10}`,
              seen,
              index,
              seed: index,
              outcome: lost
                ? { kind: "failed", blame: "host", reason: "deadline" }
                : { kind: "scored", value: success ? 1 : 0 },
              success,
              turns: 2,
            });
          }
        }
      }
    }
  }
}
