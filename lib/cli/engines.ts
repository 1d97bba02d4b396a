/**
 * `deno task engines`: the adapters there are, and what a server at an address can do.
 * @module
 */
import { UsageError } from "../core/mod.ts";
import { type Finding, probeEngine, type Profile, profiles } from "../engine/mod.ts";
import { escapeTerminal, textTable } from "../show/mod.ts";
import { readText } from "./files.ts";
import type { Invocation } from "./main.ts";
import { addressOf } from "./open_model.ts";
import { type Command, textValue } from "./options.ts";

export const enginesCommand: Command = {
  name: "engines",
  does: "list the engines a run can use, or ask a server what it can do",
  arguments: ["WORD?", "URL?"],
  options: {
    deep: { type: "boolean" },
    json: { type: "boolean" },
    "key-file": { type: "string" },
  },
  help: `deno task engines
deno task engines probe URL [--deep] [--json] [--key-file FILE]

Lists the engines that --engine takes. probe asks the server at URL (also KIND:URL) what it speaks and
says what a run can and cannot do with it; nothing is trained.

  --deep           also open a session, make a model, look at one datum and sample one token
  --json           what was found as JSON
  --key-file FILE  file that holds the server's API key

The address is on this machine unless SPADE_ENGINE_HOST=HOST or HOST:PORT is set for this command.`,
};

const others = [
  [
    "openai:URL",
    "samples only",
    "vLLM, SGLang or ours by /v1/completions: another designer, evaluations",
  ],
  ["sglang:URL", "samples only", "SGLang's own /generate: also says which weights it holds"],
  [
    "slime:URL",
    "trains all weights",
    "slime on Ray asks us for batches, at URL: scripts/slime/spade_bridge.py on its side",
  ],
  ["tape:FILE", "replays", "a run recorded by train --record, without its engine"],
];

function list(): string {
  const known: Profile[] = Object.values(profiles);
  const rows = known.map(({ name, training, what }) => [
    name === "embedded" ? name : name === "tinker" ? "URL" : `${name}:URL`,
    training === "adapters" ? "trains adapters" : "trains all weights",
    what,
  ]);
  const notes = known.flatMap(({ name, notes }) => notes.map((note) => `${name}: ${note}`));
  return [
    textTable(["--engine", "", "what it is"], [...rows, ...others]),
    "",
    ...notes,
    "",
    "Tried by us: embedded, its URL, jax and tape; the others are written from their sources. See the README.",
  ].join("\n");
}

/** What follows from the findings, in words. */
function conclusion(findings: readonly Finding[], url: string): string[] {
  const has = (what: string) => findings.some((one) => one.found && one.what.startsWith(what));
  const trains = has("trains");
  const lines = trains
    ? [`A run can train on it: deno task train --engine ${url}`]
    : ["A run cannot train on it."];
  if (!trains && has("is SGLang")) lines.push(`It can sample: sglang:${url}`);
  else if (!trains && has("samples")) lines.push(`It can sample: openai:${url}/v1`);
  if (findings.every(({ found }) => !found)) lines.push("Nothing that we know answers there.");
  return lines;
}

export async function engines({ values, positionals, signal }: Invocation): Promise<number> {
  const [word, engine] = positionals;
  if (word === undefined) {
    console.log(list());
    return 0;
  }
  if (word !== "probe" || engine === undefined) {
    throw new UsageError(
      "Cannot use engines: must be alone or probe URL. See: deno task engines --help",
    );
  }
  const address = addressOf(engine);
  if (!("url" in address)) throw new UsageError(`Cannot probe ${engine}: it has no address`);
  const file = textValue(values["key-file"]);
  const findings = await probeEngine(address.url, {
    profile: address.kind === "tinker" ? address.profile : undefined,
    apiKey: file === undefined ? undefined : readText(file, "API key").trim(),
    isDeep: values.deep === true,
    signal,
  });
  if (values.json === true) console.log(JSON.stringify({ url: address.url, findings }));
  else {
    for (const { what, found, detail } of findings) {
      console.log(escapeTerminal(`${found ? "✓" : "–"} ${what}: ${detail}`));
    }
    console.log(["", ...conclusion(findings, engine)].join("\n"));
  }
  return findings.some(({ found }) => found) ? 0 : 1;
}
