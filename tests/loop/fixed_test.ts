import assert from "node:assert/strict";
import { scored } from "../../lib/core/mod.ts";
import { checkConfig, type Config, type FolderProgram, initialState } from "../../lib/loop/mod.ts";
import type { Loop, LoopState } from "../../lib/loop/mod.ts";
import { drawFixed, steer } from "../../lib/loop/fixed.ts";
import type { PlayedEnvironment } from "../../lib/loop/set.ts";

const families = ["a", "b", "c"];

function config(more: Record<string, unknown>): Config {
  return checkConfig({
    ...{ preset: "test", model: "m", kind: "rlve", pool: "p", corpus: null, heldout: null },
    ...{ environments: 3, plays: 4, epoch: 1, delay: 0, rollouts: 9, context: 100, maxTurns: 1 },
    tokens: { agent: 8 },
    ...more,
  });
}

/** Three families of difficulties 0 to 5. */
const pool: FolderProgram[] = families.flatMap((family) =>
  [0, 1, 2, 3, 4, 5].map((difficulty) => {
    const id = `${family}${difficulty}`;
    return { id, source: id, skill: "", family, difficulty, seen: true };
  })
);

function loopOf(more: Record<string, unknown>): Pick<Loop, "config" | "pool"> {
  return { config: config(more), pool };
}
const stateOf = (loop: Pick<Loop, "config">): LoopState => initialState(loop as Loop);
const idsOf = (drawn: { id: string }[]) => drawn.map(({ id }) => id);

/** Plays of one environment: true wins, false loses, null fails. */
function played(id: string, results: (boolean | null)[], first = 0): PlayedEnvironment {
  const plain = results.map((success, index) => ({
    id: `r0/${id}/plain/${first + index}`,
    environmentId: id,
    success: success === true,
    outcome: success === null
      ? { kind: "failed", blame: "host", reason: "x" }
      : scored(success ? 1 : 0),
  }));
  return { environment: { id }, plain, hinted: [] } as unknown as PlayedEnvironment;
}

Deno.test("drawFixed() by windows starts at difficulty 0, one program a family, never twice", () => {
  const loop = loopOf({ controller: "window", environments: 16 });
  const state = stateOf(loop);
  const drawn = drawFixed(loop, state, 0);
  assert.deepEqual(idsOf(drawn).sort(), ["a0", "b0", "c0"]);
  assert.deepEqual(
    drawn.map(({ slot, origin }) => [slot, origin]),
    [0, 1, 2].map((s) => [s, "folder"]),
  );
});

Deno.test("drawFixed() by windows draws inside each family's window, families in turn", () => {
  const loop = loopOf({ controller: "window" });
  const state = stateOf(loop);
  state.windows = {
    a: { low: 2, high: 4, successes: 0, attempts: 0 },
    b: { low: 0, high: 1, successes: 3, attempts: 5 },
  };
  const seen = new Set<string>();
  for (let rollout = 0; rollout < 40; rollout++) {
    const ids = idsOf(drawFixed(loop, state, rollout));
    assert.deepEqual(ids.map((id) => id[0]).sort(), families, "each family once in three draws");
    ids.forEach((id) => seen.add(id));
  }
  assert.deepEqual([...seen].sort(), ["a2", "a3", "a4", "b0", "b1", "c0"]);
});

Deno.test("drawFixed() depends on seed, state and rollout only", () => {
  for (const controller of ["none", "window", "progress"]) {
    const loop = loopOf({ controller });
    const state = stateOf(loop);
    state.windows.a = { low: 0, high: 3, successes: 0, attempts: 0 };
    const again = structuredClone(state);
    assert.deepEqual(drawFixed(loop, state, 4), drawFixed(loop, again, 4));
    assert.deepEqual(state, again);
  }
  const of = (seed: number) => {
    const loop = loopOf({ controller: "none", seed, environments: 9 });
    return idsOf(drawFixed(loop, stateOf(loop), 0)).join();
  };
  assert.notEqual(of(1), of(2));
});

Deno.test("drawFixed() without a controller takes every program once before any twice", () => {
  const loop = loopOf({ controller: "none", environments: 6 });
  const state = stateOf(loop);
  const drawn = [0, 1, 2].flatMap((rollout) => idsOf(drawFixed(loop, state, rollout)));
  assert.equal(new Set(drawn).size, 18);
});

Deno.test("steer() counts scored plays at high only, in order of id, and tells when a window climbs", () => {
  const loop = loopOf({ controller: "window", window: { attempts: 4, ratio: 0.75, max: 5 } });
  const state = stateOf(loop);
  const before = structuredClone(state.windows);
  const set = [played("b0", [true, null, true, false]), played("a0", [true, true, false, true])];
  assert.deepEqual(steer(loop, state, set), ["a climbs: difficulty 0 to 1"]);
  assert.deepEqual(before, {});
  assert.deepEqual(state.windows, {
    a: { low: 0, high: 1, successes: 0, attempts: 0 },
    b: { low: 0, high: 0, successes: 2, attempts: 3 },
  });
  assert.deepEqual(steer(loop, state, [played("a0", Array(8).fill(true))]), [], "below high");
  assert.deepEqual(state.windows.a, { low: 0, high: 1, successes: 0, attempts: 0 });
  const reversed = structuredClone(state);
  const more = [played("a1", [true, true, true]), played("b0", [true])];
  steer(loop, state, more);
  steer(loop, reversed, more.toReversed().map((p) => ({ ...p, plain: p.plain.toReversed() })));
  assert.deepEqual(reversed.windows, state.windows, "the order of arrival changes nothing");
});

Deno.test("steer() stops at the family's hardest program", () => {
  const loop = loopOf({ controller: "window", window: { attempts: 1, max: 99 } });
  const state = stateOf(loop);
  for (let difficulty = 0; difficulty < 9; difficulty++) {
    steer(loop, state, [played(`a${Math.min(5, difficulty)}`, [true])]);
  }
  assert.deepEqual(state.windows.a, { low: 2, high: 5, successes: 0, attempts: 0 });
});

Deno.test("steer() by progress tracks each environment's success rate; changing ones are drawn", () => {
  const loop = loopOf({ controller: "progress", environments: 4 });
  const state = stateOf(loop);
  steer(loop, state, [played("a5", [false, false, null]), played("c3", [true, false])]);
  assert.equal(state.progress.a5.fast, 0);
  assert.equal(state.progress.c3.fast, 0.5);
  steer(loop, state, [played("a5", [true, true, null]), played("b1", [null])]);
  assert.deepEqual([state.progress.a5.fast, state.progress.a5.slow], [0.35, 0.15]);
  assert.equal("b1" in state.progress, false);
  for (let rollout = 0; rollout < 9; rollout++) {
    const ids = idsOf(drawFixed(loop, state, rollout));
    assert.equal(new Set(ids).size, 4);
    assert.equal(ids[0], "a5");
  }
});

Deno.test("steer() without a controller changes nothing", () => {
  const loop = loopOf({});
  const state = stateOf(loop);
  const before = structuredClone(state);
  assert.deepEqual(steer(loop, state, [played("a0", [true])]), []);
  assert.deepEqual(state, before);
});

Deno.test("controllers that do not fit the configuration are refused, with the key", () => {
  assert.throws(() => config({ controller: "climb" }), /controller/);
  assert.throws(() => config({ window: { max: -1 } }), /window\.max/);
  assert.throws(() => config({ window: { widht: 3 } }), /widht/);
  assert.throws(() => config({ kind: "folder", controller: "window" }), /controller window.*rlve/);
  assert.throws(
    () => config({ kind: "compact", controller: "progress", skills: ["Optimization"] }),
    /controller progress.*designer/,
  );
});
