"""Protocol buffers, as much of them as the Tinker messages need: a message is a table of fields, values are plain dicts.

Unknown fields are skipped, fields with their default value are left out (proto3), and a cut or odd encoding is a
`ValueError`, never a guess. Arrays travel as bytes; `messages.py` gives them their types.
"""
import struct
from dataclasses import dataclass

VARINT, FIXED64, LENGTH, FIXED32 = 0, 1, 2, 5
DEEPEST = 16  # messages in messages; ours have 4


@dataclass(frozen=True)
class Field:
    number: int
    kind: "str | dict"  # string, bytes, int, bool, double, or the table of another message
    many: str = "one"  # one, list, or map (its keys are strings)


def _entry(field: Field) -> dict:
    return {"key": Field(1, "string"), "value": Field(2, field.kind)}


# Writing --------------------------------------------------------------------------------------------------------------
def encode(message: dict, value: dict) -> bytes:
    """Bytes of a dict; absent keys and None are left out."""
    parts: list[bytes] = []
    for name, field in message.items():
        given = value.get(name)
        if given is None:
            continue
        if field.many == "map":
            for key, item in given.items():
                _write(parts, field.number, _entry(field), {"key": key, "value": item})
        elif field.many == "list" and field.kind == "int":
            if len(given):
                _write(parts, field.number, "bytes", b"".join(_varint(int(item)) for item in given))
        elif field.many == "list":
            for item in given:
                _write(parts, field.number, field.kind, item)
        elif isinstance(field.kind, dict) or given:
            _write(parts, field.number, field.kind, given)
    return b"".join(parts)


def _write(parts: list[bytes], number: int, kind, value) -> None:
    if kind in ("int", "bool"):
        parts += [_varint(number * 8 + VARINT), _varint(int(value))]
    elif kind == "double":
        parts += [_varint(number * 8 + FIXED64), struct.pack("<d", value)]
    else:
        data = encode(kind, value) if isinstance(kind, dict) else value.encode() if kind == "string" else bytes(value)
        parts += [_varint(number * 8 + LENGTH), _varint(len(data)), data]


def _varint(value: int) -> bytes:
    rest, out = value & (2**64 - 1), bytearray()
    while rest > 127:
        out.append(rest & 127 | 128)
        rest >>= 7
    out.append(rest)
    return bytes(out)


# Reading --------------------------------------------------------------------------------------------------------------
def decode(message: dict, data: bytes | memoryview, depth: int = 0) -> dict:
    """A dict with every field: absent numbers are 0, texts "", lists [], maps {}; absent bytes and messages are None."""
    if depth > DEEPEST:
        raise ValueError("messages are nested too deep")
    numbered = {field.number: (name, field) for name, field in message.items()}
    value = {name: _absent(field) for name, field in message.items()}
    reader = _Reader(memoryview(data))
    while reader.at < len(reader.data):
        key = reader.varint()
        number, wire = key >> 3, key & 7
        if number == 0:
            raise ValueError("field number 0")
        if number not in numbered:
            reader.take(wire)
            continue
        name, field = numbered[number]
        if field.many == "list" and field.kind == "int" and wire == LENGTH:
            packed = _Reader(reader.take(LENGTH))
            while packed.at < len(packed.data):
                value[name].append(packed.signed())
        elif field.many == "map":
            entry = decode(_entry(field), reader.expect(LENGTH, wire, name), depth + 1)
            item = entry["value"]
            if item is None:
                item = decode(field.kind, b"", depth + 1) if isinstance(field.kind, dict) else b""
            value[name][entry["key"]] = item
        elif field.many == "list":
            value[name].append(_read(reader, field.kind, wire, name, depth))
        else:
            value[name] = _read(reader, field.kind, wire, name, depth)
    return value


def _absent(field: Field):
    if field.many != "one":
        return [] if field.many == "list" else {}
    if isinstance(field.kind, dict):
        return None
    return {"string": "", "int": 0, "double": 0.0, "bool": False, "bytes": None}[field.kind]


def _read(reader: "_Reader", kind, wire: int, name: str, depth: int):
    if kind in ("int", "bool"):
        if wire != VARINT:
            raise ValueError(f"{name} has wire type {wire}, must be {VARINT}")
        number = reader.signed()
        return number != 0 if kind == "bool" else number
    if kind == "double":
        return struct.unpack("<d", reader.expect(FIXED64, wire, name))[0]
    data = reader.expect(LENGTH, wire, name)
    if isinstance(kind, dict):
        return decode(kind, data, depth + 1)
    if kind == "bytes":
        return data
    try:
        return str(data, "utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(f"{name} is not UTF-8") from error


class _Reader:
    def __init__(self, data: memoryview):
        self.data, self.at = data, 0

    def varint(self) -> int:
        value = 0
        for shift in range(0, 70, 7):
            if self.at >= len(self.data):
                raise ValueError("it is cut")
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 127) << shift
            if byte < 128:
                return value & (2**64 - 1)
        raise ValueError("a number has too many bytes")

    def signed(self) -> int:
        value = self.varint()
        return value - 2**64 if value >= 2**63 else value

    def expect(self, wanted: int, wire: int, name: str) -> memoryview:
        if wire != wanted:
            raise ValueError(f"{name} has wire type {wire}, must be {wanted}")
        return self.take(wire)

    def take(self, wire: int) -> memoryview:
        """The bytes of a value that is not a varint; a varint is passed over."""
        if wire == VARINT:
            self.varint()
            return memoryview(b"")
        if wire not in (LENGTH, FIXED64, FIXED32):
            raise ValueError(f"wire type {wire} is unknown")
        length = self.varint() if wire == LENGTH else 8 if wire == FIXED64 else 4
        end = self.at + length
        if end > len(self.data):
            raise ValueError("it is cut")
        taken = self.data[self.at : end]
        self.at = end
        return taken
