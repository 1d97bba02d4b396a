/** `deno task doctor`: what was found on this machine and what is limited, one line each. */
import { examine, exitCode, formatFindings } from "../lib/cli/doctor.ts";

const unknown = Deno.args.find((arg) => arg !== "--json" && arg !== "--help");
if (unknown !== undefined || Deno.args.includes("--help")) {
  if (unknown !== undefined) console.error(`Cannot examine: unknown option ${unknown}\n`);
  console.log(
    "deno task doctor [--json]\n\nSays what was found on this machine and what is limited.",
  );
  Deno.exit(unknown === undefined ? 0 : 2);
}
const findings = await examine({
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
