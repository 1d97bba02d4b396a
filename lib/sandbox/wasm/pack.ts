/**
 * The form in which an image travels: a 32-bit little-endian length, JSON of that length, then the parts one after the
 * other. Only trusted processes write it.
 * @module
 */

export interface ImageHeader {
  /** `info` of Pyodide's lock file. */
  info: unknown;
  /** Version of Python. */
  python: string;
  /** Modules of the preload list that are not there. */
  missing: string[];
}

type PackedHeader = ImageHeader & { sizes: [string, number][] };

const LENGTH_BYTES = 4;

/** A value with its length in front. */
export function packJson(value: unknown): Uint8Array<ArrayBuffer> {
  const text = new TextEncoder().encode(JSON.stringify(value));
  const bytes = new Uint8Array(LENGTH_BYTES + text.length);
  new DataView(bytes.buffer).setUint32(0, text.length, true);
  bytes.set(text, LENGTH_BYTES);
  return bytes;
}

/** What to write, piece by piece. */
export function packImage(
  header: ImageHeader,
  parts: Record<string, Uint8Array<ArrayBuffer>>,
): Uint8Array<ArrayBuffer>[] {
  const sizes = Object.entries(parts).map(([name, part]) => [name, part.length]);
  return [packJson({ ...header, sizes }), ...Object.values(parts)];
}

/** Reads exactly as much as is asked for. Throws Error at an early end. */
export type Read = (size: number) => Promise<Uint8Array<ArrayBuffer>>;

/** Reads what {@link packJson} wrote. */
export async function unpackJson(read: Read): Promise<unknown> {
  const size = new DataView((await read(LENGTH_BYTES)).buffer).getUint32(0, true);
  return JSON.parse(new TextDecoder().decode(await read(size)));
}

/** Reads what {@link packImage} wrote. */
export async function unpackImage(
  read: Read,
): Promise<{ header: ImageHeader; parts: Record<string, Uint8Array<ArrayBuffer>> }> {
  const { sizes, ...header } = await unpackJson(read) as PackedHeader;
  const parts: Record<string, Uint8Array<ArrayBuffer>> = {};
  for (const [name, size] of sizes) parts[name] = await read(size);
  return { header, parts };
}

/** The header at the front of a whole image. Throws Error where it is cut off. */
export function imageHeader(image: Uint8Array): ImageHeader {
  const view = new DataView(image.buffer, image.byteOffset, image.byteLength);
  const size = view.getUint32(0, true);
  const text = new TextDecoder().decode(image.subarray(LENGTH_BYTES, LENGTH_BYTES + size));
  const { sizes, ...header } = JSON.parse(text) as PackedHeader;
  const whole = sizes.reduce((sum, [, part]) => sum + part, LENGTH_BYTES + size);
  if (whole !== image.length) throw new Error(`it is ${image.length} bytes, must be ${whole}`);
  return header;
}
