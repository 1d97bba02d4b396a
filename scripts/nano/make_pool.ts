/**
 * Writes `data/nano/pool`: the environments of a run's first set, as files, for the `fixed-pool` overlay.
 *
 *   deno task train --name pool --rollouts 1 --set environments=48 --set skillsPerEpoch=0 --set plays=2 \
 *     --set heldout=null
 *   deno run --allow-read=. --allow-write=data/nano/pool --ignore-env scripts/nano/make_pool.ts pool
 */
import * as fs from "node:fs";
import * as path from "node:path";
import { findRun } from "../../lib/cli/files.ts";
import { root } from "../../lib/cli/files.ts";
import { Store } from "../../lib/store/mod.ts";

using store = Store.open(findRun(Deno.args[0]), { readonly: true });
const folder = path.join(root, "data", "nano", "pool");
fs.rmSync(folder, { recursive: true, force: true });
fs.mkdirSync(folder, { recursive: true });
const designed = store.all("active", {
  where: { rollout: 0, origin: "designed" },
  orderBy: "slot",
});
const index = designed.map(({ environmentId, skill, slot }) => {
  const { source, className } = store.get("environment", environmentId)!;
  const file = `${String(slot).padStart(2, "0")}_${className}.py`;
  fs.writeFileSync(path.join(folder, file), source);
  return { file, family: className, skill, seen: true };
});
fs.writeFileSync(path.join(folder, "index.json"), JSON.stringify(index, undefined, 1) + "\n");
console.log(`${index.length} programs`);
