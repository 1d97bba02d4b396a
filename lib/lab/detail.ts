/** What people have at hand of an environment, as the inspector takes it. @module */
import { emptyTables, type EnvironmentDetail, environmentDetail } from "../analysis/mod.ts";
import type { RecordOf } from "../core/mod.ts";
import type { GateReport } from "../gates/mod.ts";
import type { Environment } from "./environment.ts";
import type { Game } from "./play.ts";
import type { MeasuredRegret } from "./regret.ts";

/** Pieces that belong to one environment. */
export interface Pieces {
  /** The program. */
  environment: Environment;
  /** Plays of it, any arms and seeds. */
  games: readonly Game[];
  /** Measured regret. */
  regret?: MeasuredRegret;
  /** What the gates found. */
  gates?: Pick<GateReport, "verdicts">;
  /** The hint. @default that of the plays */
  hint?: string;
}

/** Before the first rollout: what belongs to no run. */
const rollout = -1;

/** The pieces as one environment of a run that never was. Plays of one seed are a pair. */
export function detailOf({ environment, games, regret, gates, hint }: Pieces): EnvironmentDetail {
  const environmentId = environment.id;
  const advice = hint ?? games.find((game) => game.hint !== null)?.hint ?? null;
  const rows = playRows(games);
  return environmentDetail({
    ...emptyTables(),
    environment: [{
      ...environment,
      rollout,
      treeHash: "",
      replyId: null,
      documentId: null,
      parents: [],
    }],
    hint: advice === null ? [] : [
      { id: "hint", rollout, environmentId, replyId: null, text: advice, reason: "" },
    ],
    gate: (gates?.verdicts ?? []).map((verdict) => ({
      id: verdict.gate,
      rollout,
      replyId: "reply",
      environmentId,
      ...verdict,
    })),
    play: rows.map(({ play }) => play),
    turn: rows.flatMap(({ turns }) => turns),
    regret: regret === undefined ? [] : [regretRow(environmentId, regret)],
  }, environmentId);
}

function playRows(games: readonly Game[]) {
  const places = new Map<string, number>();
  const met = new Map<string, number>();
  return games.map((game) => {
    const { environment, arm, seed, turns, ...result } = game;
    const times = met.get(`${arm}/${seed}`) ?? 0;
    met.set(`${arm}/${seed}`, times + 1);
    const key = `${seed}/${times}`;
    const index = places.get(key) ?? places.size;
    places.set(key, index);
    const id = `${arm}/${index}`;
    const { outcome, success, terminated, truncated, hung, versionFirst, versionLast } = result;
    const play: RecordOf<"play"> = {
      ...{ id, rollout, environmentId: environment.id, arm, index, seed, outcome, success },
      ...{ terminated, truncated, hung, versionFirst, versionLast },
      turns: turns.length,
      attempts: 1,
    };
    return {
      play,
      turns: turns.map((turn, at) => ({
        ...turn,
        id: `${id}/${at}`,
        rollout,
        playId: id,
        index: at,
      })),
    };
  });
}

function regretRow(environmentId: string, measured: MeasuredRegret): RecordOf<"regret"> {
  const { outcome, pairs, low, high, interval, noiseFloor, plainMean, hintedMean } = measured;
  return {
    ...{ id: "regret", rollout, environmentId, outcome, pairs, low, high, interval },
    ...{ noiseFloor, plainMean, hintedMean },
  };
}
