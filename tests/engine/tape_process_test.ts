import assert from "node:assert/strict";
import {
  readTape,
  recordEngine,
  replayEngine,
  type TapeLine,
  writeTapeLine,
} from "../../lib/engine/mod.ts";
import { compareRuns, Store } from "../../lib/store/mod.ts";
import { folder, runSmall, smallConfig } from "../loop/support.ts";

Deno.test("a run played back from its tape is the same run, without the engine", async () => {
  using first = folder();
  using second = folder();
  const config = smallConfig("rollouts=2");
  let text = "";
  await runSmall({
    dir: first.path,
    config,
    wrap: (loop) => ({
      ...loop,
      engine: recordEngine(loop.engine, (line) => void (text += writeTapeLine(line))),
    }),
  });
  const tape: TapeLine[] = readTape(text);
  assert.ok(tape.filter(({ call }) => call === "sample").length > 100);
  assert.ok(tape.filter(({ call }) => call === "optimStep").length >= 2);
  await runSmall({
    dir: second.path,
    config,
    wrap: (loop) => ({ ...loop, engine: replayEngine(tape) }),
  });
  using a = Store.open(first.path, { readonly: true });
  using b = Store.open(second.path, { readonly: true });
  const differences = compareRuns(a, b).filter(({ table }) => table !== "run");
  assert.deepEqual(differences, []);

  // another seed asks what was never recorded: nothing is made up
  using third = folder();
  const other = runSmall({
    dir: third.path,
    config: smallConfig("rollouts=2", "seed=1"),
    wrap: (loop) => ({ ...loop, engine: replayEngine(tape) }),
  });
  await assert.rejects(other, /the tape has no answer to this call/);
});
