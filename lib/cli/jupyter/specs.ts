/**
 * The two kernelspecs: `SPADE`, Deno's kernel as it is, and `SPADE (policy)`, the same behind a written policy.
 * @module
 */
import * as path from "node:path";
import { root } from "../files.ts";

/** A kernelspec as Jupyter reads it. */
export interface KernelSpec {
  argv: string[];
  display_name: string;
  language: "typescript";
  /** Deno's kernel dies of a signal. */
  interrupt_mode: "message";
  env: Record<string, string>;
}

/** Names of the kernels. */
export type KernelName = "spade" | "spade-policy";

/** Where Jupyter finds them: the folder for JUPYTER_PATH. */
export const SPECS_FOLDER: string = path.join(root, ".spade", "jupyter");

/** What the policy kernel's launcher may do. It reads links anywhere, to follow those in the paths it decides about. */
function launcherGrants(deno: string): string[] {
  const spade = path.join(root, ".spade");
  const pythons = ["sandbox", "engine"].map((name) => path.join(spade, name, "bin", "python"));
  return [
    "--allow-read",
    `--allow-write=${[spade, path.join(root, "runs")]}`,
    "--allow-net",
    `--allow-run=${[deno, ...pythons]}`,
    "--allow-env=HOME,PATH,DENO_DIR,XDG_CACHE_HOME,DENO_TLS_CA_STORE,SPADE_SHORT,SPADE_POLICY_FILE",
  ];
}

/** Both kernelspecs for this checkout; `deno` is the program's path. */
export function kernelSpecs(deno: string = Deno.execPath()): Record<KernelName, KernelSpec> {
  const common = {
    language: "typescript" as const,
    interrupt_mode: "message" as const,
    env: { NO_COLOR: "1", DENO_NO_UPDATE_CHECK: "1" },
  };
  const launcher = [
    ...[deno, "run", "--quiet", "--no-prompt", "--no-check"],
    ...["--config", path.join(root, "deno.json"), ...launcherGrants(deno)],
    ...[path.join(root, "scripts", "lab", "kernel.ts"), "{connection_file}"],
  ];
  return {
    spade: {
      argv: [deno, "jupyter", "--quiet", "--kernel", "--conn", "{connection_file}"],
      display_name: "SPADE",
      ...common,
    },
    "spade-policy": { argv: launcher, display_name: "SPADE (policy)", ...common },
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
