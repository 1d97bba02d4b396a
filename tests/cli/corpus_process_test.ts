/** Corpora on disk, and the command that counts them. */
import assert from "node:assert/strict";
import { UsageError } from "../../lib/core/mod.ts";
import { readCorpus } from "../../lib/cli/corpus_files.ts";
import parquet from "../corpus/parquet.json" with { type: "json" };

const line = (value: unknown) => JSON.stringify(value) + "\n";
const good = Array.from({ length: 99 }, (_, i) => line({ text: `t ${i}`, licence: "CC0-1.0" }));

/** A folder of the given files, removed afterwards. */
async function withFolder(
  files: Record<string, string | Uint8Array>,
  use: (folder: string) => Promise<void>,
) {
  const folder = await Deno.makeTempDir();
  try {
    for (const [name, content] of Object.entries(files)) {
      const file = `${folder}/${name}`;
      await Deno.mkdir(file.slice(0, file.lastIndexOf("/")), { recursive: true });
      if (typeof content === "string") await Deno.writeTextFile(file, content);
      else await Deno.writeFile(file, content);
    }
    await use(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("readCorpus() reads JSONL, Parquet, a folder of both, and a folder of text", async () => {
  const groups = Uint8Array.fromBase64(parquet.groups);
  const files = {
    "a/one.jsonl": good.join(""),
    "b.parquet": groups,
    "README.md": "not a document",
  };
  await withFolder(files, async (folder) => {
    assert.equal((await readCorpus(`${folder}/a/one.jsonl`)).documents.length, 99);
    assert.equal((await readCorpus(`${folder}/b.parquet`)).documents[3].origin, "b.parquet:4");
    const all = await readCorpus(folder);
    assert.equal(all.documents.length, 99 + 25);
    assert.equal(all.documents[0].origin, "a/one.jsonl:1");
    assert.notEqual(all.hash, (await readCorpus(`${folder}/a`)).hash);
  });
  await withFolder({ "b/two.md": "two", "one.txt": "one", ".hidden.txt": "no" }, async (folder) => {
    const { documents } = await readCorpus(folder, { licence: "MIT" });
    assert.deepEqual(documents.map(({ text, origin, licence }) => [text, origin, licence]), [
      ["two", "b/two.md", "MIT"],
      ["one", "one.txt", "MIT"],
    ]);
  });
});

Deno.test("readCorpus(): a text in two files is one document", async () => {
  await withFolder({ "a.jsonl": good[0] + good[1], "b.jsonl": good[1] }, async (folder) => {
    const { documents, duplicates } = await readCorpus(folder);
    assert.deepEqual([documents.length, duplicates], [2, 1]);
  });
});

Deno.test("readCorpus() says what it cannot read", async () => {
  const files = { "x.csv": "a", "bad.jsonl": good.join("") + "{oops\n[]\n", "void/x.bin": "" };
  await withFolder(files, async (folder) => {
    for (
      const [name, message] of [
        ["none.jsonl", /Cannot read corpus .*none\.jsonl: .*no such file/i],
        ["x.csv", /x\.csv: must be \.jsonl, \.parquet or a folder/],
        ["bad.jsonl", /bad\.jsonl: 2 of 101 .* 1 %; line 100: not JSON; line 101: not an object/],
        ["void", /the folder has no jsonl, parquet, txt or md/],
      ] as const
    ) {
      await assert.rejects(readCorpus(`${folder}/${name}`), (error: Error) => {
        assert(error instanceof UsageError, String(error));
        assert.match(error.message, message);
        return true;
      });
    }
  });
});

/** `deno task corpus` with the task's own permissions. */
async function corpusCommand(...args: string[]) {
  const command = new Deno.Command(Deno.execPath(), {
    args: ["task", "-q", "corpus", ...args],
    env: { NO_COLOR: "1" },
  });
  const { code, stdout, stderr } = await command.output();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  return { code, out: text(stdout), error: text(stderr) };
}

Deno.test("deno task corpus stats: counts, licences, lengths of the starter corpus", async () => {
  const { code, out } = await corpusCommand("stats", "data/corpus");
  assert.equal(code, 0);
  assert.match(out, /documents +\d{3}\n/);
  assert.match(out, /left out +0\n[^\n]*kept +0\nmalformed lines, left out +0/);
  assert.match(out, /CC0-1\.0 +\d{3}\n/);
  assert.match(out, /75–79 words +\d+ +█/);
});

Deno.test("deno task corpus stats names every malformed line, and refuses above 1 %", async () => {
  const folder = "runs/.test-corpus";
  await Deno.mkdir(folder, { recursive: true });
  try {
    await Deno.writeTextFile(`${folder}/c.jsonl`, good.join("") + '{oops\n{"text":3}\n' + good[0]);
    const { code, out, error } = await corpusCommand("stats", `${folder}/c.jsonl`);
    assert.equal(code, 1);
    assert.match(out, /c\.jsonl:100: not JSON\nc\.jsonl:101: no text in orig_doc or text/);
    assert.match(out, /equal to an earlier one, left out +1/);
    assert.match(error, /^error: Cannot read corpus .*2 of 102 are malformed, must be at most 1 %/);
    const other = await corpusCommand("count", folder);
    assert.deepEqual([other.code, other.error.trim()], [
      1,
      "error: Cannot corpus count: must be stats. See: deno task corpus --help",
    ]);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
