/**
 * Protocol buffers, as much of them as the Tinker messages need: a message is a table of fields, values are plain
 * records. Unknown fields are skipped; fields with their default value are left out, as proto3 does; a cut or odd
 * encoding is an error, never a guess.
 * @module
 */

/** Scalars, or another message. `int` are varints up to 2^53; `bytes` are not copied when read. */
export type Kind = "string" | "bytes" | "int" | "bool" | "double" | Message;

/** A field of a message. */
export interface Field {
  /** Its number on the wire. */
  number: number;
  /** What its values are. */
  kind: Kind;
  /** Any number of values; a map has string keys. @default one */
  many?: "list" | "map";
}

/** A message: its fields by name. */
export type Message = Readonly<{ [name: string]: Field }>;

/** A value of a message: absent fields are undefined when given, and defaults, [] or {} when read. */
// deno-lint-ignore no-explicit-any
export type Value = Record<string, any>;

const VARINT = 0, FIXED64 = 1, LENGTH = 2, FIXED32 = 5;
const utf8 = new TextEncoder();
const text = new TextDecoder("utf-8", { fatal: true });

/** Bytes of a value, in one array. */
export function encode(message: Message, value: Value): Uint8Array<ArrayBuffer> {
  const parts: Uint8Array[] = [];
  const size = write(message, value, parts);
  const out = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}

/** Appends the pieces of a message; returns how many bytes they are. */
function write(message: Message, value: Value, parts: Uint8Array[]): number {
  let size = 0;
  const push = (part: Uint8Array) => {
    parts.push(part);
    size += part.length;
  };
  for (const [name, { number, kind, many }] of Object.entries(message)) {
    const given = value[name];
    if (given === undefined) continue;
    if (many === "map") {
      const entry: Message = { key: { number: 1, kind: "string" }, value: { number: 2, kind } };
      for (const [key, item] of Object.entries(given)) {
        size += writeField(number, entry, { key, value: item }, parts);
      }
    } else if (many === "list") {
      if (kind === "int") {
        if (given.length > 0) {
          const packed = concat(given.map((item: number) => varint(item)));
          push(tag(number, LENGTH));
          push(varint(packed.length));
          push(packed);
        }
      } else for (const item of given) size += writeField(number, kind, item, parts);
    } else if (!isDefault(given)) size += writeField(number, kind, given, parts);
  }
  return size;
}

function isDefault(value: unknown): boolean {
  return Object.is(value, 0) || value === false || value === "" ||
    value instanceof Uint8Array && value.length === 0;
}

function writeField(number: number, kind: Kind, value: unknown, parts: Uint8Array[]): number {
  const before = parts.length;
  if (typeof kind === "object") {
    parts.push(tag(number, LENGTH), new Uint8Array()); // the length is known afterwards
    const size = write(kind, value as Value, parts);
    parts[before + 1] = varint(size);
    return parts[before].length + parts[before + 1].length + size;
  }
  if (kind === "double") {
    const bytes = new Uint8Array(8);
    new DataView(bytes.buffer).setFloat64(0, value as number, true);
    parts.push(tag(number, FIXED64), bytes);
  } else if (kind === "int" || kind === "bool") {
    parts.push(tag(number, VARINT), varint(Number(value)));
  } else {
    const bytes = kind === "string" ? utf8.encode(value as string) : value as Uint8Array;
    parts.push(tag(number, LENGTH), varint(bytes.length), bytes);
  }
  return parts.slice(before).reduce((sum, part) => sum + part.length, 0);
}

function tag(number: number, wire: number): Uint8Array {
  return varint(number * 8 + wire);
}

function varint(value: number): Uint8Array {
  if (!Number.isSafeInteger(value)) {
    throw new RangeError(`Cannot encode ${value}: must be a whole number`);
  }
  let rest = BigInt.asUintN(64, BigInt(value));
  const bytes: number[] = [];
  for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128);
  bytes.push(Number(rest));
  return Uint8Array.from(bytes);
}

function concat(parts: readonly Uint8Array[]): Uint8Array {
  const out = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}

/**
 * The value of some bytes.
 *
 * @throws {SyntaxError} where they are no such message.
 */
export function decode(message: Message, bytes: Uint8Array): Value {
  const fields = new Map(
    Object.entries(message).map(([name, field]) => [field.number, { name, ...field }]),
  );
  const value: Value = {};
  for (const [name, { kind, many }] of Object.entries(message)) {
    value[name] = many === "list" ? [] : many === "map" ? {} : defaultOf(kind);
  }
  const reader = new Reader(bytes);
  while (!reader.done) {
    const key = reader.varint();
    const wire = key % 8;
    const field = fields.get(Math.floor(key / 8));
    if (field === undefined) {
      reader.skip(wire);
      continue;
    }
    const { name, kind, many } = field;
    if (many === "list" && kind === "int" && wire === LENGTH) {
      const packed = new Reader(reader.bytes());
      while (!packed.done) value[name].push(packed.varint());
      continue;
    }
    if (many === "map") {
      const entry: Message = { key: { number: 1, kind: "string" }, value: { number: 2, kind } };
      const { key, value: item } = decode(entry, reader.bytes());
      value[name][key] = item ?? (typeof kind === "object" ? decode(kind, new Uint8Array()) : item);
      continue;
    }
    const item = reader.value(kind, wire);
    if (many === "list") value[name].push(item);
    else value[name] = item;
  }
  return value;
}

/** Absent messages and bytes stay absent: proto3 tells them from empty ones. */
function defaultOf(kind: Kind): unknown {
  if (kind === "string") return "";
  if (kind === "int" || kind === "double") return 0;
  return kind === "bool" ? false : undefined;
}

class Reader {
  #at = 0;
  constructor(readonly data: Uint8Array) {}

  get done(): boolean {
    return this.#at >= this.data.length;
  }

  varint(): number {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = this.data[this.#at++];
      if (byte === undefined) throw cut();
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return Number(BigInt.asIntN(64, value));
    }
    throw new SyntaxError("Cannot decode the message: a number has too many bytes");
  }

  bytes(): Uint8Array {
    return this.#take(this.varint());
  }

  #take(length: number): Uint8Array {
    const end = this.#at + length;
    if (length < 0 || end > this.data.length) throw cut();
    const bytes = this.data.subarray(this.#at, end);
    this.#at = end;
    return bytes;
  }

  skip(wire: number): void {
    if (wire === VARINT) this.varint();
    else if (wire === LENGTH) this.bytes();
    else if (wire === FIXED64 || wire === FIXED32) this.#take(wire === FIXED64 ? 8 : 4);
    else throw new SyntaxError(`Cannot decode the message: wire type ${wire} is unknown`);
  }

  value(kind: Kind, wire: number): unknown {
    const expected = kind === "int" || kind === "bool"
      ? VARINT
      : kind === "double"
      ? FIXED64
      : LENGTH;
    if (wire !== expected) {
      throw new SyntaxError(`Cannot decode the message: wire type is ${wire}, must be ${expected}`);
    }
    if (wire === VARINT) {
      const value = this.varint();
      return kind === "bool" ? value !== 0 : value;
    }
    if (wire === FIXED64) {
      const bytes = this.#take(8);
      return new DataView(bytes.buffer, bytes.byteOffset, 8).getFloat64(0, true);
    }
    const bytes = this.bytes();
    if (typeof kind === "object") return decode(kind, bytes);
    if (kind === "bytes") return bytes;
    try {
      return text.decode(bytes);
    } catch (cause) {
      throw new SyntaxError("Cannot decode the message: a text is not UTF-8", { cause });
    }
  }
}

function cut(): SyntaxError {
  return new SyntaxError("Cannot decode the message: it is cut");
}
