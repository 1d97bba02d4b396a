/**
 * Files of a kernel's launcher: its own folder and a policy's audit log, both out of a walled notebook's reach.
 * @module
 */
import * as fs from "node:fs";
import { Buffer } from "node:buffer";
import * as path from "node:path";
import { UsageError } from "../../core/mod.ts";
import type { AuditEntry } from "../../kernel/mod.ts";
import { root } from "../files.ts";

const KEPT_LOGS = 20;
/** Longest path of a Unix socket. */
const MAX_SOCKET = 107;

/** The path of a socket in a launcher's folder. */
export function socketPath(folder: string, name: string): string {
  const file = path.join(folder, name);
  if (Buffer.byteLength(file) > MAX_SOCKET) {
    throw new UsageError(`Cannot start the kernel: ${file} is too long for a socket's path`);
  }
  return file;
}

/** A folder of this process alone; those of launchers that were killed are removed on the way. */
export function workFolder(): Disposable & { path: string } {
  const all = path.join(root, ".spade", "k");
  const own = path.join(all, String(Deno.pid));
  fs.mkdirSync(all, { recursive: true, mode: 0o700 });
  for (const name of fs.readdirSync(all)) {
    // a lock that can be had is that of a launcher that has ended
    if (name.endsWith(LOCK)) tryToHold(path.join(all, name))?.[Symbol.dispose]();
  }
  const held = tryToHold(`${own}${LOCK}`);
  if (held === undefined) throw new UsageError(`Cannot start the kernel: ${own} is in use`);
  fs.mkdirSync(own, { mode: 0o700 });
  return { path: own, [Symbol.dispose]: () => held[Symbol.dispose]() };
}

const LOCK = ".lock";

/** Takes a folder's lock; disposing removes both. Undefined: another process holds it. */
function tryToHold(lock: string): Disposable | undefined {
  const file = Deno.openSync(lock, { create: true, write: true });
  if (!file.tryLockSync(true)) {
    file.close();
    return undefined;
  }
  const folder = lock.slice(0, -LOCK.length);
  const remove = () => fs.rmSync(folder, { recursive: true, force: true });
  remove();
  return {
    [Symbol.dispose]() {
      remove();
      fs.rmSync(lock, { force: true });
      file.close();
    },
  };
}

/** A log with a line of JSON an access; the newest twenty are kept. */
export function openAudit(): Disposable & { name: string; write(entry: AuditEntry): void } {
  const folder = path.join(root, ".spade", "audit");
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
  const old = fs.readdirSync(folder).filter((name) => name.endsWith(".jsonl")).sort();
  for (const name of old.slice(0, Math.max(0, old.length - KEPT_LOGS + 1))) {
    fs.rmSync(path.join(folder, name), { force: true });
  }
  const time = new Date().toISOString().replaceAll(/[:.]/g, "-");
  const name = `.spade/audit/${time}-${Deno.pid}.jsonl`;
  const file = fs.openSync(path.join(root, name), "a", 0o600);
  return {
    name,
    write: (entry) => void fs.writeSync(file, JSON.stringify(entry) + "\n"),
    [Symbol.dispose]: () => fs.closeSync(file),
  };
}
