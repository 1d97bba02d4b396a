/**
 * The two kernelspecs: `SPADE`, Deno's kernel as it is, and `SPADE (policy)`, the same behind a written policy.
 * @module
 */
import * as path from "node:path";
import { SHELL } from "../../kernel/mod.ts";
import { root } from "../files.ts";

/** A kernelspec as Jupyter reads it. */
export interface KernelSpec {
  argv: string[];
  display_name: string;
  language: "typescript";
  /** A signal goes to all that the notebook started; a message is the launcher's to decide about. */
  interrupt_mode: "message";
  env: Record<string, string>;
}

/** Names of the kernels. */
export type KernelName = "spade" | "spade-policy";

/** Where Jupyter finds them: the folder for JUPYTER_PATH. */
export const SPECS_FOLDER: string = path.join(root, ".spade", "jupyter");

/** What the policy kernel's launcher may do. It reads links anywhere, to follow those in the paths it decides about. */
function policyGrants(deno: string): string[] {
  const spade = path.join(root, ".spade");
  const pythons = ["sandbox", "engine"].map((name) => path.join(spade, name, "bin", "python"));
  return [
    "--allow-read",
    `--allow-write=${[spade, path.join(root, "runs")]}`,
    "--allow-net",
    `--allow-run=${[deno, SHELL, ...pythons]}`,
    "--allow-env=HOME,PATH,DENO_DIR,XDG_CACHE_HOME,DENO_TLS_CA_STORE,SPADE_SHORT,SPADE_POLICY_FILE",
  ];
}

/** What the other launcher may do. It reads the connection file, wherever the front end put it. */
function plainGrants(deno: string): string[] {
  return [
    "--allow-read",
    `--allow-write=${path.join(root, ".spade", "k")}`,
    "--allow-net=127.0.0.1",
    `--allow-run=${[deno, SHELL]}`,
  ];
}

/** Both kernelspecs for this checkout; `deno` is the program's path. */
export function kernelSpecs(deno: string = Deno.execPath()): Record<KernelName, KernelSpec> {
  const spec = (display_name: string, script: string, grants: string[]): KernelSpec => ({
    argv: [
      ...[deno, "run", "--quiet", "--no-prompt", "--no-check"],
      ...["--config", path.join(root, "deno.json"), ...grants],
      ...[path.join(root, "scripts", "lab", script), "{connection_file}"],
    ],
    display_name,
    language: "typescript",
    interrupt_mode: "message",
    env: { NO_COLOR: "1", DENO_NO_UPDATE_CHECK: "1" },
  });
  return {
    spade: spec("SPADE", "plain_kernel.ts", plainGrants(deno)),
    "spade-policy": spec("SPADE (policy)", "kernel.ts", policyGrants(deno)),
  };
}

/** Writes both below {@link SPECS_FOLDER}. */
export async function writeSpecs(): Promise<void> {
  for (const [name, spec] of Object.entries(kernelSpecs())) {
    const folder = path.join(SPECS_FOLDER, "kernels", name);
    await Deno.mkdir(folder, { recursive: true });
    await Deno.writeTextFile(
      path.join(folder, "kernel.json"),
      JSON.stringify(spec, null, 1) + "\n",
    );
  }
}
