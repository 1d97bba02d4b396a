/**
 * The stamp: one small JSON file inside an environment, written last. An environment without a
 * stamp that fits is unfinished or out of date and is made anew, so the stamp is the commit point.
 */
export interface Stamp {
  format: 1;
  environment: string;
  /** {@link lockDigest} of the lock files it was made from. */
  lock: string;
  /** Version of Python, e.g. "3.11.7". */
  python: string;
  /** SPADE_PYTHON as it was, when it was set. */
  asked?: string;
  /** Which torch build, for the engine. */
  torch?: string;
}

/** What the environment has to be now. `asked`: the value of SPADE_PYTHON. */
export interface Wanted {
  lock: string;
  asked?: string;
  /** The torch build asked for by name; absent: whichever is there. */
  torch?: string;
}

export const STAMP_NAME = "spade-stamp.json";

/** Reads a stamp; anything else than a whole stamp is undefined. */
export function parseStamp(text: string): Stamp | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof value !== "object" || value === null) return undefined;
  const stamp = value as Record<string, unknown>;
  const whole = stamp.format === 1 && typeof stamp.environment === "string" &&
    typeof stamp.lock === "string" && typeof stamp.python === "string" &&
    (stamp.asked === undefined || typeof stamp.asked === "string") &&
    (stamp.torch === undefined || typeof stamp.torch === "string");
  return whole ? stamp as unknown as Stamp : undefined;
}

/** Why an environment cannot be used as it is, or undefined when it can. */
export function stampProblem(stamp: Stamp | undefined, wanted: Wanted): string | undefined {
  if (stamp === undefined) return "not finished";
  if (stamp.lock !== wanted.lock) return "its lock file changed";
  if (wanted.asked !== undefined && wanted.asked !== stamp.asked) {
    return `SPADE_PYTHON is now ${wanted.asked}`;
  }
  if (wanted.torch !== undefined && wanted.torch !== stamp.torch) {
    return `torch for ${wanted.torch} is asked for, it has ${stamp.torch ?? "another"}`;
  }
  return undefined;
}

/** The stamp of the environment in `folder`; undefined when missing, broken or without its Python. */
export async function readStamp(folder: string): Promise<Stamp | undefined> {
  try {
    const text = await Deno.readTextFile(`${folder}/${STAMP_NAME}`);
    // follows the link: fails when the Python it was made from is gone
    await Deno.stat(`${folder}/bin/python`);
    return parseStamp(text);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory) {
      return undefined;
    }
    throw error;
  }
}

/** Writes the stamp aside, to the disk, and renames it into place. */
export async function writeStamp(folder: string, stamp: Stamp): Promise<void> {
  await writeAside(`${folder}/${STAMP_NAME}`, `${JSON.stringify(stamp)}\n`);
}

let asides = 0;

/** Replaces a file whole: written aside under a name of its own, synced, renamed; the last of several writers wins. */
export async function writeAside(path: string, text: string): Promise<void> {
  const aside = `${path}.${Deno.pid}-${++asides}.new`;
  const file = await Deno.open(aside, { create: true, write: true, truncate: true });
  try {
    await file.write(new TextEncoder().encode(text));
    await file.sync();
  } finally {
    file.close();
  }
  await Deno.rename(aside, path);
}
