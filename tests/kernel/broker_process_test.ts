/** The broker over its socket: who does not ask as Deno does is sent away unanswered. */
import assert from "node:assert/strict";
import { type AuditEntry, serveBroker } from "../../lib/kernel/mod.ts";

/** What comes back for these lines before the broker closes the connection. */
async function said(lines: string[]): Promise<{ text: string; log: AuditEntry[] }> {
  const folder = await Deno.makeTempDir();
  const log: AuditEntry[] = [];
  const path = `${folder}/b.sock`;
  using _broker = serveBroker({
    path,
    decide: () => ({ allowed: true }),
    audit: (entry) => log.push(entry),
  });
  const connection = await Deno.connect({ transport: "unix", path });
  await connection.write(new TextEncoder().encode(lines.map((line) => `${line}\n`).join("")));
  const text = await new Response(connection.readable).text();
  await Deno.remove(folder, { recursive: true });
  return { text, log };
}

const question = (id: number) =>
  JSON.stringify({ v: 1, pid: 1, id, datetime: "now", permission: "env", value: `V${id}` });

Deno.test("a number that comes twice or too early ends the connection", async () => {
  for (const [ids, answered] of [[[1, 2, 2], [1, 2]], [[1, 3], [1]], [[7], []]]) {
    const { text, log } = await said(ids.map(question));
    const lines = text.split("\n").filter(Boolean).map((line) => JSON.parse(line));
    assert.deepEqual(lines.map(({ id }) => id), answered);
    assert.deepEqual(log.map(({ value }) => value), ids.map((id) => `V${id}`));
  }
});

Deno.test("what is no question ends the connection", async () => {
  for (const line of ["", "{}", "x", question(1).replace('"v":1', '"v":2')]) {
    assert.deepEqual(await said([line]), { text: "", log: [] });
  }
});
