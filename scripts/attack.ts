/** `deno task attack`: runs the hostile suite against this machine's wall. */
import { attackAll, attackArguments } from "../lib/cli/attack.ts";
import { UsageError } from "../lib/core/mod.ts";

const HELP = `deno task attack [--all] [--store]

Runs every program of tests/sandbox/attacks.json at every level this machine can produce, as root also as an
ordinary user, and prints attack, layer and outcome. Exit code 1 when one gets through.

  --all    also with each layer missing, to see which answers first and which stand behind it (minutes)
  --store  --all, and write tests/sandbox/attack_layers.json`;

if (Deno.args.includes("--help")) {
  console.log(HELP);
  Deno.exit(0);
}
const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
let connections = 0;
(async () => {
  for await (const connection of listener) {
    connections += 1;
    connection.close();
  }
})().catch(() => {});
try {
  const { all, store } = attackArguments(Deno.args);
  const table = "tests/sandbox/attack_layers.json";
  const { escapes, rows } = await attackAll({
    suite: "tests/sandbox/attacks.json",
    table,
    python: ".spade/sandbox/bin/python",
    weakened: "tests/sandbox/weakened",
    targets: { port: (listener.addr as Deno.NetAddr).port, pid: Deno.pid },
    isRoot: Deno.uid() === 0,
    all,
    print: (line) => console.log(line),
  });
  if (!all && connections > 0) {
    escapes.push("a program connected to the host");
    console.log(`ESCAPED ${escapes.at(-1)}`);
  }
  if (store && rows !== undefined) {
    const note =
      "What each attack met: `first` answers, `behind` answer once the filter is gone, `alone` are the " +
      "layers that hold it alone; `seen` is the outcome as a whole and where it differs with layers missing. " +
      "Written by: deno task attack --store";
    const machine = `Linux ${Deno.osRelease()} ${Deno.build.arch}`;
    await Deno.writeTextFile(
      table,
      JSON.stringify({ note, machine, attacks: rows }, null, 1) + "\n",
    );
    console.log(`stored ${table}`);
  }
  Deno.exit(escapes.length === 0 ? 0 : 1);
} catch (error) {
  console.error((error as Error).message);
  Deno.exit(error instanceof UsageError ? 2 : 1);
}
