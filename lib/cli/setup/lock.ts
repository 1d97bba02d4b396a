/** One pinned requirement of a lock file with the sums of the wheels it accepts. */
export interface LockedRequirement {
  name: string;
  version: string;
  /** Environment marker, e.g. `python_full_version < '3.11'`; absent: everywhere. */
  marker?: string;
  /** sha256 in hexadecimal, at least one. */
  hashes: string[];
}

const PINNED = /^([A-Za-z0-9][A-Za-z0-9._-]*)==([^\s;]+)(?: ; (.+))?$/;
const HASH = /^--hash=sha256:([0-9a-f]{64})$/;

/**
 * Reads a pip lock file: only exact pins with sha256 sums; no options, addresses or paths.
 *
 * @throws SyntaxError naming the line
 */
export function parseLock(text: string): LockedRequirement[] {
  const found: LockedRequirement[] = [];
  let number = 0;
  let open: LockedRequirement | undefined;
  for (const raw of text.split("\n")) {
    number++;
    const continues = raw.endsWith("\\");
    const line = raw.replace(/\\$/, "").trim();
    if (open === undefined && (line === "" || line.startsWith("#"))) continue;
    if (open === undefined) {
      const pinned = PINNED.exec(line);
      if (pinned === null || !continues) {
        throw refuse(number, line, "a pin NAME==VERSION with sums");
      }
      open = { name: pinned[1], version: pinned[2], hashes: [] };
      if (pinned[3] !== undefined) open.marker = pinned[3].trim();
      found.push(open);
      continue;
    }
    const hash = HASH.exec(line);
    if (hash === null) throw refuse(number, line, "--hash=sha256: and 64 hexadecimal digits");
    open.hashes.push(hash[1]);
    if (!continues) open = undefined;
  }
  if (open !== undefined) throw refuse(number, "", "another --hash line");
  return found;
}

function refuse(number: number, line: string, wanted: string): SyntaxError {
  return new SyntaxError(`Cannot read lock line ${number}: is "${line}", must be ${wanted}`);
}

/**
 * sha256 over the lock texts in order, without comment lines, in hexadecimal: the identity of what
 * is installed.
 */
export async function lockDigest(texts: readonly string[]): Promise<string> {
  const bare = texts.map((text) => text.replaceAll(/^#.*\n/gm, ""));
  const joined = new TextEncoder().encode(bare.join("\0"));
  const sum = new Uint8Array(await crypto.subtle.digest("SHA-256", joined));
  return Array.from(sum, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
