import {
  askPython,
  type Candidate,
  environmentFolder,
  ENVIRONMENTS,
  pendingEnvironments,
  pythonNames,
  readStamp,
  unfitness,
  wantedEnvironments,
  type Wishes,
} from "../setup/mod.ts";
import type { Finding } from "./finding.ts";

/** Asks every Python that set-up would consider. */
export async function askAllPythons(root: string, asked: string | undefined): Promise<Candidate[]> {
  return await Promise.all(pythonNames(asked).map((name) => askPython(name, { root })));
}

/** Which of them fits. */
export function findPython(candidates: readonly Candidate[]): Finding {
  const described = candidates.map((candidate) => {
    const { name, facts, problem } = candidate;
    const reason = facts === undefined ? problem : unfitness(facts);
    return { candidate, fits: reason === undefined, text: `${name} ${reason ?? ""}`.trim() };
  });
  const first = described.find(({ fits }) => fits)?.candidate;
  if (first?.facts === undefined) {
    const found = `none that fits (${described.map(({ text }) => text).join("; ")})`;
    const hint = "install CPython 3.10 to 3.14 with venv, or set SPADE_PYTHON";
    return { name: "Python", mark: "missing", found, hint };
  }
  const others = described.filter(({ candidate, fits }) => fits && candidate !== first);
  const versions = others.map(({ candidate }) => candidate.facts?.version.join("."));
  const rest = [...new Set(versions)].filter((version) =>
    version !== first.facts?.version.join(".")
  );
  const also = rest.length === 0 ? "" : `, also ${rest.join(", ")}`;
  const found = `${first.facts.version.join(".")} (${first.facts.executable})${also}`;
  return { name: "Python", mark: "good", found };
}

/** Whether each environment is whole and of the present lock files. */
export async function findEnvironments(root: string, wishes: Wishes): Promise<Finding[]> {
  const folders = (await Array.fromAsync(Deno.readDir(`${root}/.spade`)).catch(() => []))
    .map(({ name }) => name);
  const also = ENVIRONMENTS.map(({ name }) => name).filter((name) => folders.includes(name));
  const pending = await pendingEnvironments(root, { ...wishes, also });
  return await Promise.all(
    wantedEnvironments(also).map(async (spec) => {
      const name = `.spade/${spec.name}`;
      const reason = pending.find((entry) => entry.spec.name === spec.name)?.reason;
      if (reason !== undefined) {
        const named = spec.optional ? ` ${spec.name}` : "";
        const hint = `made by: npx -y deno@2.9.6 task setup${named}`;
        return { name, mark: "limited" as const, found: reason, hint };
      }
      const stamp = await readStamp(environmentFolder(root, spec.name));
      const torch = stamp?.torch === undefined ? "" : `, torch for ${stamp.torch}`;
      return { name, mark: "good" as const, found: `ready, Python ${stamp?.python}${torch}` };
    }),
  );
}
