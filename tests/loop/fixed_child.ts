/** Runs or resumes the climbing run in the folder given, on the pool given; killed with -9 at the play given. */
import type { Loop } from "../../lib/loop/mod.ts";
import { climbing, withSolver } from "./fixed_support.ts";
import { runSmall } from "./support.ts";

const [dir, pool, last] = Deno.args;
let plays = 0;

function killed(loop: Loop): Loop {
  const solving = withSolver(loop);
  const { sample } = solving.engine.sampler;
  solving.engine = {
    ...solving.engine,
    sampler: {
      sample: (request, options) => {
        if (++plays === Number(last)) Deno.kill(Deno.pid, "SIGKILL");
        return sample(request, options);
      },
    },
  };
  return solving;
}

await runSmall({ dir, config: climbing(pool), wrap: killed });
Deno.exit(0);
