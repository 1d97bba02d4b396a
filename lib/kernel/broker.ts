/**
 * Deno's permission broker: a process started with DENO_PERMISSION_BROKER_PATH asks here about every access, and each
 * answer is final. One line of JSON a question, one an answer.
 * @module
 */
import { z } from "zod";
import type { Access, Decision } from "./policy.ts";

const VERSION = 1;
const MAX_LINE = 2 ** 20;
const question = z.object({
  v: z.literal(VERSION),
  pid: z.number(),
  id: z.number(),
  datetime: z.string(),
  permission: z.string(),
  value: z.string().nullable(),
});

/** A line of the audit log. */
export interface AuditEntry {
  /** When it was asked, as the asking process says. */
  time: string;
  /** What was answered. */
  decision: "allow" | "deny";
  /** Kind of access. */
  kind: string;
  /** What was accessed; null: everything of that kind. */
  value: string | null;
}

/** What a broker needs. */
export interface BrokerOptions {
  /** Where it listens: a Unix socket in a folder that only its owner can enter. */
  path: string;
  /** The decision. */
  decide: (access: Access) => Decision;
  /** Gets every decision, before it is answered. */
  audit: (entry: AuditEntry) => void;
}

/**
 * Answers one question; throws where it is none, and then nothing may be answered.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * const line = '{"v":1,"pid":1,"id":7,"datetime":"now","permission":"run","value":"/bin/ls"}';
 * const { reply, entry } = answer(line, () => ({ allowed: false, reason: "no" }));
 * assert.equal(reply, '{"id":7,"result":"deny","reason":"no"}');
 * assert.equal(entry.decision, "deny");
 * ```
 *
 * @throws {SyntaxError|z.ZodError} for a line that is no question of this version.
 */
export function answer(
  line: string,
  decide: BrokerOptions["decide"],
): { id: number; reply: string; entry: AuditEntry } {
  const { id, datetime, permission, value } = question.parse(JSON.parse(line));
  const decision = decide({ permission, value });
  const result = decision.allowed ? "allow" : "deny";
  const reason = decision.allowed ? undefined : decision.reason;
  return {
    id,
    reply: JSON.stringify({ id, result, reason }),
    entry: { time: datetime, decision: result, kind: permission, value },
  };
}

/**
 * Listens until it is disposed. A connection that says anything else than questions, numbered from 1, is closed, which
 * ends who asked.
 */
export function serveBroker({ path, decide, audit }: BrokerOptions): Disposable {
  const listener = Deno.listen({ transport: "unix", path });
  const open = new Set<Deno.Conn>();
  const serve = async (connection: Deno.Conn) => {
    const encoder = new TextEncoder();
    let rest = "";
    let asked = 0;
    for await (const text of connection.readable.pipeThrough(new TextDecoderStream())) {
      const lines = (rest + text).split("\n");
      rest = lines.pop()!;
      if (rest.length > MAX_LINE) return;
      for (const line of lines) {
        const { id, reply, entry } = answer(line, decide);
        audit(entry);
        // a number that comes twice: somebody else writes here, too, and Deno may read an answer that is not its own
        if (id !== ++asked) return;
        const bytes = encoder.encode(reply + "\n");
        for (let at = 0; at < bytes.length;) at += await connection.write(bytes.subarray(at));
      }
    }
  };
  (async () => {
    for await (const connection of listener) {
      open.add(connection);
      serve(connection).catch(() => {}).finally(() => {
        open.delete(connection);
        close(connection);
      });
    }
  })().catch(() => {});
  return {
    [Symbol.dispose]() {
      close(listener);
      for (const connection of open) close(connection);
    },
  };
}

function close(resource: { close(): void }): void {
  try {
    resource.close();
  } catch {
    // closed already
  }
}
