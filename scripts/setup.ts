/** `deno task setup`: makes the Python environments under `.spade/`; instant when they are there. */
import {
  createDisplay,
  ENVIRONMENTS,
  setUp,
  SetupError,
  type TorchBuild,
  wantedEnvironments,
} from "../lib/cli/setup/mod.ts";

const optional = ENVIRONMENTS.filter((spec) => spec.optional === true);
const USAGE = `deno task setup [NAME…] [--torch=cpu|cuda] [--accept-cuda] [--if-possible] [--quiet]

Makes the Python environments of this project under .spade/ with pip, exactly as the lock files name
them. Made only when named:
${
  optional.map(({ name, purpose, downloadMB }) =>
    `  ${name.padEnd(15)}${purpose} (${downloadMB} MB)`
  )
    .join("\n")
}
--torch picks torch's build, --accept-cuda accepts the size of a CUDA build when no CPU build
is to be had (also: SPADE_TORCH, SPADE_ACCEPT_CUDA=1). SPADE_PYTHON names the interpreter to use.
--if-possible leaves out named ones for which no Python here is new enough.`;

const known = /^--(torch=(cpu|cuda)|accept-cuda|if-possible|quiet|help)$/;
const also = Deno.args.filter((arg) => !arg.startsWith("-"));
const unknown = Deno.args.find((arg) =>
  !known.test(arg) && !optional.some(({ name }) => name === arg)
);
if (unknown !== undefined || Deno.args.includes("--help")) {
  if (unknown !== undefined) console.error(`Cannot set up: ${unknown} is unknown\n`);
  console.log(USAGE);
  Deno.exit(unknown === undefined ? 0 : 2);
}

const env = (name: string) => Deno.env.get(name) || undefined;
const torch = Deno.args.find((arg) => arg.startsWith("--torch="))?.slice(8) ?? env("SPADE_TORCH");
if (torch !== undefined && torch !== "cpu" && torch !== "cuda") {
  console.error(`Cannot set up: SPADE_TORCH is ${torch}, must be cpu or cuda`);
  Deno.exit(2);
}

const stop = new AbortController();
let asked = 0;
for (const name of ["SIGINT", "SIGTERM"] as const) {
  Deno.addSignalListener(name, () => {
    stop.abort();
    if (++asked > 2) Deno.exit(130);
  });
}

const terminal = Deno.stdout.isTerminal();
const clock = () => Date.now() / 1000;
const write = (text: string) => void Deno.stdout.writeSync(new TextEncoder().encode(text));
const width = terminal ? Deno.consoleSize().columns : 100;
const display = createDisplay({ write, terminal, clock, width });
try {
  const report = await setUp({
    root: ".",
    wishes: {
      python: env("SPADE_PYTHON"),
      torch: torch as TorchBuild | undefined,
      also,
      ifPossible: Deno.args.includes("--if-possible"),
      acceptCuda: Deno.args.includes("--accept-cuda") || env("SPADE_ACCEPT_CUDA") === "1",
    },
    display,
    clock,
    signal: stop.signal,
    confirm: terminal && Deno.stdin.isTerminal() ? (question) => confirm(question) : undefined,
  });
  if (report.made.length === 0 && !Deno.args.includes("--quiet")) {
    const folders = [];
    for (const { name } of wantedEnvironments(also)) {
      const folder = `.spade/${name}`; // one that was left out is not there
      if (await Deno.stat(folder).then(() => true, () => false)) folders.push(folder);
    }
    display.say(`Python environments ready (${folders.join(", ")})`);
  }
  // a signal listener keeps the process alive
  Deno.exit(0);
} catch (error) {
  display.clear();
  if (!(error instanceof SetupError)) throw error;
  console.error(`\n${error.message}\n${error.hint}`);
  Deno.exit(error.code === "interrupted" ? 130 : 1);
}
