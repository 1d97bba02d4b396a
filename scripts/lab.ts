/** `deno task lab`; see lib/cli/jupyter/lab.ts. */
import { lab, labCommand } from "../lib/cli/jupyter/lab.ts";
import { runCommand } from "../lib/cli/main.ts";

const isSet = (name: string) => (Deno.env.get(name) ?? "") !== "";
await runCommand(labCommand, (invocation) =>
  lab(invocation, {
    display: Deno.build.os === "darwin" || isSet("DISPLAY") || isSet("WAYLAND_DISPLAY"),
    isRoot: Deno.uid() === 0,
  }));
