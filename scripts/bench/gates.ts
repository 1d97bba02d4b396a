/**
 * Every kind of fault in every good program: which gate catches it. Prints the confusion table and stores it.
 *
 *   deno task bench:gates [--only=PROGRAM]
 */
import { confusionTable, judgeCases, plantAll } from "../../tests/gates/plant.ts";
import { programs } from "../../tests/gates/programs.ts";
import { startSandbox } from "../../lib/sandbox/mod.ts";

const only = Deno.args.find((arg) => arg.startsWith("--only="))?.slice("--only=".length);
const good = programs("good").filter(({ name }) => only === undefined || name === only);
const cases = plantAll(good);
await using sandbox = await startSandbox({
  python: ".spade/sandbox/bin/python",
  limits: { requestSeconds: 300 },
});
const since = performance.now();
let judged = 0;
const caught = await judgeCases(cases, sandbox, {
  width: 8,
  onCase: () => {
    judged += 1;
    if (judged % 100 === 0) console.error(`${judged} of ${cases.length}`);
  },
});
const seconds = Math.round((performance.now() - since) / 1000);
console.log(confusionTable(caught));
console.log(`${cases.length} cases in ${seconds} s`);

const kinds = Object.fromEntries(
  [...Map.groupBy(caught, ({ kind }) => kind)].map(([kind, all]) => {
    const gates: Record<string, number> = {};
    for (const { found } of all) gates[found ?? "accepted"] = (gates[found ?? "accepted"] ?? 0) + 1;
    return [kind, { expected: all[0].expected, found: gates }];
  }),
);
const misses = caught.filter(({ isRight }) => !isRight)
  .map(({ program, kind, expected, found, reason }) => ({
    program,
    kind,
    expected,
    found,
    reason,
  }));
const result = {
  command: "deno task bench:gates",
  commit: await commit(),
  programs: good.length,
  cases: caught.length,
  caughtByNamedGate: caught.length - misses.length,
  accepted: caught.filter(({ found }) => found === null).length,
  kinds,
  misses,
};
if (only === undefined) {
  await Deno.writeTextFile("data/results/gates.json", JSON.stringify(result, null, 2) + "\n");
}

async function commit(): Promise<string> {
  const git = new Deno.Command("git", { args: ["describe", "--always", "--dirty"] });
  return new TextDecoder().decode((await git.output()).stdout).trim();
}
