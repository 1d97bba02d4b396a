/** Every stored play of an environment, replayed in the sandbox. @module */
import type { EnvironmentDetail } from "../analysis/mod.ts";
import type { RecordOf, Sandbox, SandboxLimits } from "../core/mod.ts";
import {
  escapeTerminal,
  pairText,
  type ReplayOutcome,
  replayPlay,
  replayText,
} from "../show/mod.ts";

/** What the programs of a run were told and allowed. */
export function runLimits(
  run: RecordOf<"run">,
): { maxTurns: number; limits: Partial<SandboxLimits> } {
  const { maxTurns, sandbox } = run.config as {
    maxTurns: number;
    sandbox?: Partial<SandboxLimits>;
  };
  const { requestCpuSeconds, requestSeconds, cpuSeconds, seconds, memoryMb } = sandbox ?? {};
  return { maxTurns, limits: { requestCpuSeconds, requestSeconds, cpuSeconds, seconds, memoryMb } };
}

/** Outcomes by play id; `step` is told of each. Plays without a turn are left out. */
export async function replayEnvironment(
  detail: EnvironmentDetail,
  options: {
    sandbox: Sandbox;
    maxTurns: number;
    limits: Partial<SandboxLimits>;
    signal: AbortSignal;
    step: () => void;
  },
): Promise<Map<string, ReplayOutcome>> {
  const outcomes = new Map<string, ReplayOutcome>();
  for (const { play, turns } of storedPlays(detail)) {
    const { outcome } = await replayPlay(
      { environment: detail.environment, play, turns },
      options,
    );
    outcomes.set(play.id, outcome);
    options.step();
  }
  return outcomes;
}

/** Plays of both arms that have turns. */
export function storedPlays({ pairs, turns }: EnvironmentDetail) {
  return pairs.flatMap(({ plain, hinted }) => [plain, hinted])
    .filter((play) => play !== undefined)
    .map((play) => ({ play, turns: turns.get(play.id) ?? [] }))
    .filter(({ turns }) => turns.length > 0);
}

/** Counts, and a line a play that was not the same. */
export function replaysText(
  detail: EnvironmentDetail,
  outcomes: ReadonlyMap<string, ReplayOutcome>,
): string {
  const same = [...outcomes.values()].filter(({ kind }) => kind === "same").length;
  const others = detail.pairs.flatMap((pair) =>
    [pair.plain, pair.hinted].flatMap((play) => {
      const outcome = play && outcomes.get(play.id);
      if (outcome === undefined || outcome.kind === "same") return [];
      return [`${pairText(pair)}, ${play!.arm}: ${replayText(outcome, play!.turns)}`];
    })
  );
  return escapeTerminal(
    [`${same} of ${outcomes.size} plays replayed the same`, ...others].join("\n"),
  );
}
