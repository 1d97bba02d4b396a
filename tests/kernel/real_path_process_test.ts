import assert from "node:assert/strict";
import { realPathFrom } from "../../lib/kernel/mod.ts";

const folder = Deno.realPathSync(Deno.makeTempDirSync());
Deno.mkdirSync(`${folder}/in/deep`, { recursive: true });
Deno.mkdirSync(`${folder}/out/side`, { recursive: true });
Deno.writeTextFileSync(`${folder}/out/file`, "");
Deno.symlinkSync("../out", `${folder}/in/link`);
Deno.symlinkSync(`${folder}/out/file`, `${folder}/in/absolute`);
Deno.symlinkSync("nowhere/yet", `${folder}/in/dangling`);
Deno.symlinkSync("circle", `${folder}/in/circle`);
Deno.symlinkSync("../out/side", `${folder}/in/side`);
addEventListener("unload", () => Deno.removeSync(folder, { recursive: true }));

for (
  const [path, expected] of [
    ["deep", "in/deep"],
    ["./deep/../deep//x", "in/deep/x"],
    ["new/file", "in/new/file"],
    ["../out/file", "out/file"],
    ["link/file", "out/file"],
    ["absolute", "out/file"],
    ["dangling", "in/nowhere/yet"],
    // up from where the link leads, as the system does it
    ["side/../file", "out/file"],
    ["link/../in", "in"],
  ]
) {
  Deno.test(`realPathFrom() takes ${path} for ${expected}`, () => {
    assert.equal(realPathFrom(path, `${folder}/in`), `${folder}/${expected}`);
    assert.equal(realPathFrom(`${folder}/in/${path}`, undefined), `${folder}/${expected}`);
  });
}

Deno.test("what cannot be told is undefined", () => {
  assert.equal(realPathFrom("circle", `${folder}/in`), undefined);
  assert.equal(realPathFrom("deep", undefined), undefined);
  assert.equal(realPathFrom("a\0b", folder), undefined);
});
