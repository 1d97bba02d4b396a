/**
 * `deno task fuzz`: mutated programs and players without manners against the sandbox, into data/results/fuzz.json with
 * command and commit. Ends with 1 when anything happened that never may: an exception, an outcome without a type, an
 * answer after its deadline, a process, a descriptor or memory left.
 */
import { type Command, numberValue, parseOptions, textValue } from "../../lib/cli/options.ts";
import { campaign } from "../../tests/sandbox/fuzz/campaign.ts";
import { mutantOf } from "../../tests/sandbox/fuzz/mutate.ts";
import { play } from "../../tests/sandbox/fuzz/play.ts";
import { sandboxOf } from "../../tests/sandbox/helper.ts";

const command: Command = {
  name: "fuzz",
  does: "play mutated programs in the sandbox",
  options: {
    seed: { type: "string" },
    plays: { type: "string" },
    concurrency: { type: "string" },
    only: { type: "string" },
    out: { type: "string" },
  },
  help: `deno task fuzz [--seed 0] [--plays 10000] [--concurrency 6] [--out data/results/fuzz.json]

  --only N   show mutant N of the seed, play it alone, and write nothing`,
};

const { values } = parseOptions(command, Deno.args);
if (values.help === true) {
  console.log(command.help);
  Deno.exit(0);
}
const seed = numberValue("seed", values.seed) ?? 0;
const plays = numberValue("plays", values.plays) ?? 10_000;
const concurrency = numberValue("concurrency", values.concurrency) ?? 6;
const only = numberValue("only", values.only);
const out = textValue(values.out) ?? "data/results/fuzz.json";

if (only !== undefined) {
  const mutant = mutantOf(seed, only);
  console.log(mutant.source);
  console.log({ ...mutant, source: `${mutant.source.length} characters, above` });
  await using sandbox = await sandboxOf();
  console.log(await play(sandbox, mutant));
} else {
  const poolSize = 4;
  await using pooled = await sandboxOf({ poolSize });
  await using fresh = await sandboxOf({ poolSize: 0 });
  const found = await campaign([pooled, fresh], {
    seed,
    plays,
    poolSize,
    concurrency,
    rounds: 10,
    onRound: (figures) => console.log(JSON.stringify(figures)),
  });
  const { outcomes, seconds, slowestMs, faults, late, leaks } = found;
  console.log({ outcomes, seconds, slowestMs, faults, late, leaks });
  const { stdout } = await new Deno.Command("git", { args: ["rev-parse", "HEAD"] }).output();
  await Deno.writeTextFile(
    out,
    `${
      JSON.stringify(
        {
          command: `deno task fuzz --seed ${seed} --plays ${plays}`,
          commit: new TextDecoder().decode(stdout).trim(),
          date: new Date().toISOString().slice(0, 10),
          level: pooled.level,
          concurrency,
          ...found,
        },
        null,
        1,
      )
    }\n`,
  );
  console.log(`written to ${out}`);
  if (faults.length + leaks.length > 0) Deno.exitCode = 1;
}
