/**
 * `deno task test` and `deno task ok`: runs every suite, two at a time, and ends with the line
 * `N passed, N failed`. A check without tests of its own (format, lint, documentation, types) counts as one.
 */
import {
  closingLine,
  type Count,
  countJunit,
  countUnittest,
  settle,
} from "../lib/cli/suites/count.ts";

/** One suite: a program, and how its tests are counted. */
interface Suite {
  name: string;
  program: string;
  args: string[];
  count: "exit code" | "junit" | "unittest";
  /** Minutes after which it is ended and counts as failed. */
  minutes: number;
  /** Why it cannot run here; it then counts as one skipped. */
  absent?: string;
}

const REPORTS = ".spade/test";
const ENGINE = ".spade/engine/bin/python";
const SANDBOX = ".spade/sandbox/bin/python";

const deno = (name: string, minutes: number, ...args: string[]): Suite => ({
  name,
  program: "deno",
  args,
  count: args[0] === "test" ? "junit" : "exit code",
  minutes,
});

/** Nothing is granted, and reading the process environment yields nothing instead of an error. */
const NOTHING = ["--no-prompt", "--ignore-env"];

/** The suite "types" has seen their types. */
const CHECKED = ["--no-check"];

const { unit, process } = await testFiles("tests");
const suites = [
  deno("format", 1, "fmt", "--check"),
  deno("lint", 2, "lint"),
  deno("documentation", 2, "doc", "--lint", "mod.ts"),
  deno("types", 5, "check", "mod.ts", "lib", "scripts", "tests"),
  deno("doc tests", 5, "test", "--doc", "--parallel", ...NOTHING, "mod.ts", "lib"),
  deno("unit tests", 5, "test", ...CHECKED, ...NOTHING, ...unit),
];
if (!Deno.args.includes("ok")) {
  suites.push(
    // one process each: their times show, and what one leaves behind does not meet the next
    ...process.map((file) =>
      deno(
        file,
        file.includes("notebooks") ? 15 : 8,
        "test",
        ...CHECKED,
        "--no-prompt",
        "--allow-all",
        file,
      )
    ),
    await python("engine tests", ENGINE, "scripts/engine"),
    await python("nano tests", ENGINE, "scripts/nano"),
    await python("sandbox tests", SANDBOX, "sandbox"),
  );
}
const wanted = Deno.args.find((arg) => arg.startsWith("--only="))?.slice(7) ?? "";
const chosen = suites.filter(({ name }) => name.includes(wanted));
if (chosen.length === 0) {
  console.error(`Cannot test: no suite has ${wanted} in its name, there are:`);
  console.error(suites.map(({ name }) => name).join("\n"));
  Deno.exit(2);
}

await Deno.mkdir(REPORTS, { recursive: true });
const counts: Count[] = [];
const began = performance.now();
// Two at a time, as there are two cores and half of the suites mostly wait.
const queue = chosen.values();
await Promise.all(Array.from({ length: 2 }, async () => {
  for (const suite of queue) counts.push(await timed(suite));
}));
console.log(`\n${chosen.length} suites in ${((performance.now() - began) / 1000).toFixed(0)} s`);
console.log(closingLine(counts));
Deno.exit(counts.some(({ failed }) => failed > 0) ? 1 : 0);

/** A suite's counts; says what it is and how long it took. */
async function timed(suite: Suite): Promise<Count> {
  const started = performance.now();
  const count = suite.absent === undefined
    ? await run(suite)
    : { passed: 0, failed: 0, skipped: 1 };
  const took = ((performance.now() - started) / 1000).toFixed(1);
  const why = suite.absent === undefined ? "" : ` (${suite.absent})`;
  console.log(`-- ${suite.name}: ${closingLine([count])} in ${took} s${why}`);
  return count;
}

/** Runs a suite to its end or its time limit; shows what it printed when something failed. */
async function run(suite: Suite): Promise<Count> {
  const junit = `${REPORTS}/${suite.name.replaceAll(/[ /]/g, "-")}.xml`;
  await Deno.remove(junit).catch(() => {});
  const reporting = suite.count === "junit"
    ? [suite.args[0], "--reporter=dot", `--junit-path=${junit}`, ...suite.args.slice(1)]
    : suite.args;
  const child = new Deno.Command(suite.program, {
    args: reporting,
    env: { NO_COLOR: "1" },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  let late = false;
  const limit = setTimeout(() => {
    late = true;
    console.log(`-- ${suite.name}: ended after ${suite.minutes} minutes`);
    child.kill("SIGKILL");
  }, suite.minutes * 60_000);
  const since = performance.now();
  const heart = setInterval(() => {
    console.log(
      `   ${suite.name}: still at it, ${((performance.now() - since) / 1000).toFixed(0)} s`,
    );
  }, 30_000);
  const { code, stdout, stderr } = await child.output();
  clearTimeout(limit);
  clearInterval(heart);
  const output = new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
  const count = await counted(suite, late ? 1 : code, junit, output);
  if (count.failed > 0) {
    console.log(`\n== ${suite.name}\n${output.replaceAll(/^[.,!]\n/gm, "").trim()}`);
  }
  return count;
}

async function counted(suite: Suite, code: number, junit: string, output: string): Promise<Count> {
  if (suite.count === "exit code") {
    return code === 0 ? { passed: 1, failed: 0, skipped: 0 } : { passed: 0, failed: 1, skipped: 0 };
  }
  const count = suite.count === "unittest"
    ? countUnittest(output)
    : countJunit(await Deno.readTextFile(junit).catch(() => ""));
  return settle(count, code);
}

/** The suite of a folder's Python tests, by its environment. */
async function python(name: string, program: string, folder: string): Promise<Suite> {
  const files = [];
  for await (const entry of Deno.readDir(folder)) {
    if (/^test_.*\.py$/.test(entry.name)) files.push(entry.name.slice(0, -3));
  }
  const suite: Suite = {
    name,
    program,
    args: ["-B", "-m", "unittest", "discover", "-s", folder],
    count: "unittest",
    minutes: 10,
  };
  return files.length === 0 ? { ...suite, absent: `${folder} has no tests` } : suite;
}

/** Test files by kind: those that start processes or touch files end in `_process_test.ts`. */
async function testFiles(folder: string): Promise<{ unit: string[]; process: string[] }> {
  const unit: string[] = [];
  const process: string[] = [];
  const walk = async (path: string) => {
    for await (const entry of Deno.readDir(path)) {
      const inner = `${path}/${entry.name}`;
      if (entry.isDirectory) await walk(inner);
      else if (entry.name.endsWith("_process_test.ts")) process.push(inner);
      else if (entry.name.endsWith("_test.ts")) unit.push(inner);
    }
  };
  await walk(folder);
  return { unit: unit.sort(), process: process.sort() };
}
