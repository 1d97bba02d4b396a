/** Runs or resumes the small run in the folder given; a process of its own, so that it can be killed. */
import { runSmall, smallConfig } from "./support.ts";

const [dir, ...settings] = Deno.args;
await runSmall({
  dir,
  config: smallConfig(...settings),
  wrap: (loop) => {
    console.log("started");
    return loop;
  },
});
Deno.exit(0);
