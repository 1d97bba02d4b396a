/** `deno task doctor`: what was found on this machine and what is limited, one line each. */
import { examine, examineWall, exitCode, formatFindings } from "../lib/cli/doctor.ts";

const known = ["--json", "--sandbox", "--help"];
const unknown = Deno.args.find((arg) => !known.includes(arg));
if (unknown !== undefined || Deno.args.includes("--help")) {
  if (unknown !== undefined) console.error(`Cannot examine: unknown option ${unknown}\n`);
  console.log(
    "deno task doctor [--sandbox] [--json]\n\nSays what was found on this machine and what is limited.\n\n" +
      "  --sandbox  each layer of the wall, tried and observed, and what to change for the next level",
  );
  Deno.exit(unknown === undefined ? 0 : 2);
}
const look = Deno.args.includes("--sandbox") ? examineWall : examine;
const findings = await look({
  root: ".",
  denoVersion: Deno.version.deno,
  cores: navigator.hardwareConcurrency,
  memory: Deno.systemMemoryInfo(),
  python: Deno.env.get("SPADE_PYTHON") || undefined,
});
const text = Deno.args.includes("--json")
  ? JSON.stringify(findings, null, 2)
  : formatFindings(findings);
console.log(text);
Deno.exit(exitCode(findings));
