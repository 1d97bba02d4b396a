/** A researcher's script: nothing is closed but the engine, and the process ends. */
import { designEnvironment, engine, gate, hint, play } from "../../mod.ts";

await using policy = await engine();
const made = await designEnvironment({ engine: policy, seed: 1 });
const report = await gate(made.environment!);
const advice = await hint(made.environment!, { engine: policy });
const game = await play(made.environment!, { engine: policy, seed: 7, hint: advice.text });
console.log(
  JSON.stringify([made.environment!.id, report.accepted, advice.text, game.turns.length]),
);
