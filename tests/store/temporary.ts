/** Runs a test in a folder of its own and removes it afterwards. */
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export async function withFolder(test: (dir: string) => void | Promise<void>): Promise<void> {
  const dir = fs.mkdtempSync(join(tmpdir(), "spade-store-"));
  try {
    await test(dir);
  } finally {
    fs.rmSync(dir, { recursive: true, force: true });
  }
}
