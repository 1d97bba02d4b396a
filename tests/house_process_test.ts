/** The house rules that a compiler does not check: who imports whom, and what may not stand in lib/. */
import assert from "node:assert/strict";

const text = (path: string) => Deno.readTextFileSync(path);

function* files(folder: string): Generator<string> {
  for (const entry of Deno.readDirSync(folder)) {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory) yield* files(path);
    else if (path.endsWith(".ts")) yield path;
  }
}
const lib = [...files("lib")];

const stages = ["corpus", "memory", "designer", "hint", "agent", "gates"];
const mayImport: Record<string, string[]> = {
  core: [],
  ...Object.fromEntries(
    ["reward", "grpo", "sandbox", "engine", "store", "pool", "kernel", ...stages].map((
      room,
    ) => [room, ["core"]]),
  ),
  loop: ["core", "reward", "grpo", ...stages, "sandbox", "engine", "store"],
  analysis: ["core", "store", "reward"],
  show: ["core", "analysis"],
};
// The people's room stands above all: it alone may use what the command line opens things with.
mayImport.lab = [...Object.keys(mayImport), "cli"];

Deno.test("rooms import only the rooms they may, and only through their doors", () => {
  for (const file of lib) {
    const room = file.split("/")[1];
    if (room === "cli") {
      assert.doesNotMatch(text(file), /from "[^"]*\/lab\//, `${file} imports the people's room`);
      continue;
    }
    for (const [, target] of text(file).matchAll(/from "(\.\.?\/[^"]+)"/g)) {
      const path = new URL(target, `file:///${file}`).pathname.slice(1);
      const other = path.split("/")[1];
      if (other === room) continue;
      // the runner's Python, read as text for the wasm level
      if (room === "sandbox" && /^sandbox\/.*\.py$/.test(path)) continue;
      assert.ok(mayImport[room].includes(other), `${file} imports ${path}`);
      const isDoor = path === `lib/${other}/mod.ts` || other === "core" || other === "cli";
      assert.ok(isDoor, `${file} imports an inner file: ${path}`);
    }
  }
});

Deno.test("lib/ has no console, no clock and no chance of its own", () => {
  for (const file of lib) {
    if (file.startsWith("lib/cli/")) continue;
    const code = text(file).replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, "");
    for (const word of ["console.", "Math.random", "Date.now", "new Date("]) {
      assert.ok(!code.includes(word), `${file} uses ${word}`);
    }
  }
});

const link = "https://github.com/denoland/deno/issues/25692";
Deno.test(`programs are started only by sandbox, engine, pool, kernel and command line (C 7.1, ${link})`, () => {
  const starters = lib.filter((file) => /Deno\.Command|child_process/.test(text(file)));
  for (const file of starters) assert.match(file, /^lib\/(sandbox|engine|pool|kernel|cli)\//);
  assert.ok(starters.length >= 2);
});

Deno.test("the top level holds what was agreed", () => {
  const agreed =
    /^(deno\.json|deno\.lock|mod\.ts|lib|notebooks|sandbox|data|scripts|tests|runs|README\.md|LICENSE|CHANGELOG\.md|\..*)$/;
  for (const { name } of Deno.readDirSync(".")) assert.match(name, agreed);
});
