import assert from "node:assert/strict";
import { lockDigest, parseLock } from "../../lib/cli/setup/mod.ts";

const SUM = "0123456789abcdef".repeat(4);

Deno.test("parseLock() reads pins, markers and every sum", () => {
  const text = `# head
one==1.0 \\
    --hash=sha256:${SUM}

two-part==2.0+cpu ; python_full_version < '3.11' and sys_platform == 'linux' \\
    --hash=sha256:${SUM} \\
    --hash=sha256:${SUM.replace("0", "f")}
`;
  assert.deepEqual(parseLock(text), [
    { name: "one", version: "1.0", hashes: [SUM] },
    {
      name: "two-part",
      version: "2.0+cpu",
      marker: "python_full_version < '3.11' and sys_platform == 'linux'",
      hashes: [SUM, SUM.replace("0", "f")],
    },
  ]);
});

for (
  const [name, text] of [
    ["a range", `one>=1.0 \\\n    --hash=sha256:${SUM}\n`],
    ["a pin without a sum", "one==1.0\n"],
    ["a short sum", "one==1.0 \\\n    --hash=sha256:00\n"],
    ["another kind of sum", "one==1.0 \\\n    --hash=md5:0123\n"],
    ["an index address", "--index-url https://example.org/simple\n"],
    ["a path", "./one-1.0.whl \\\n"],
    ["a cut end", `one==1.0 \\\n    --hash=sha256:${SUM} \\`],
  ]
) {
  Deno.test(`parseLock() refuses ${name}`, () => {
    assert.throws(() => parseLock(text), { name: "SyntaxError", message: /Cannot read lock line/ });
  });
}

Deno.test("lockDigest() is the sha256 of the texts without comments, their borders kept", async () => {
  const empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
  assert.equal(await lockDigest([""]), empty);
  assert.equal(await lockDigest(["# note\na\n"]), await lockDigest(["a\n"]));
  assert.notEqual(await lockDigest(["ab", "c"]), await lockDigest(["a", "bc"]));
});
