"""A child: gives up everything, then runs one program and answers requests about it.

Descriptors: 3 is the zygote's socket, 0 to 2 are /dev/null. Frames are a 32-bit little-endian length and JSON. The first
byte the child ever sends is READY: it says that confinement is complete, so a death before it is the host's fault.
"""
import gc
import json
import os
import struct

from runner import contract, parse, program

READY = b"\x01"
MAX_PRINTED = 1 << 20
MAX_DETAIL = 2000
MAX_READ = 1 << 18
FIRST_READ = 4096


class Printed:
    """Where a program's print goes: counted, not kept."""

    encoding, errors, closed = "utf-8", "replace", False

    def __init__(self):
        self.count = 0

    def write(self, text):
        self.count += len(text)
        return len(text)

    def flush(self):
        pass

    def isatty(self):
        return False

    def writable(self):
        return True

    def fileno(self):
        raise OSError("no file descriptor")


def describe(error):
    """Type, message and line of an exception of the program, whatever its __str__ does."""
    try:
        text = "%s: %s" % (type(error).__name__, error)
    except BaseException:
        text = type(error).__name__
    line, trace = None, error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == "<program>":
            line = trace.tb_lineno
        trace = trace.tb_next
    if isinstance(error, SyntaxError):
        line = error.lineno
    return contract.well_formed(text)[:MAX_DETAIL] + ("" if line is None else " (line %d)" % line)


def failure(error):
    if isinstance(error, contract.Violation):
        return {"failed": "contract", "detail": contract.well_formed(str(error))[:MAX_DETAIL]}
    if isinstance(error, parse.SyntaxProblem):
        return {"failed": "syntax", "detail": contract.well_formed(str(error))[:MAX_DETAIL]}
    if isinstance(error, MemoryError):
        return {"failed": "memory", "detail": describe(error)}
    return {"failed": "exception", "detail": describe(error)}


def serve(prelude, printed, read=os.read, write=os.write, leave=os._exit):
    """Answers requests until the socket closes. One reply a request, its number echoed."""
    pack, unpack = struct.pack, struct.unpack
    decode = json.loads
    encode = json.JSONEncoder(separators=(",", ":"), allow_nan=False).encode

    def receive():
        data, size = read(3, FIRST_READ), 4
        while len(data) < size or size == 4:
            if len(data) >= 4:
                size = 4 + unpack("<I", data[:4])[0]
                if len(data) >= size:
                    break
            more = read(3, MAX_READ)
            if not more:
                leave(0)
            data += more
        return decode(data[4:])

    def reply_to(request, operations):
        operation = request["op"]
        if operation == "init":
            running = program.Program(request["source"], request.get("maxTurns"), prelude)
            operations.update(running.operations())
            return running.describe()
        if operation == "parse":
            return parse.parse(request["source"], request.get("details", False))
        return operations[operation](request)

    operations = {}
    while True:
        request = receive()
        try:
            reply = reply_to(request, operations)
            if printed.count > MAX_PRINTED:
                reply = {"failed": "output", "detail": "printed %d characters, at most %d" % (printed.count, MAX_PRINTED)}
        except BaseException as error:
            try:
                reply = failure(error)
            except BaseException:
                reply = {"failed": "exception", "detail": "unprintable"}
            error = None
        reply["i"] = request["i"]
        data = encode(reply).encode("ascii")
        data = pack("<I", len(data)) + data
        while data:
            data = data[write(3, data):]


def run(wall, prelude, printed):
    """A child's whole life. Never returns."""
    try:
        wall.confine()
        os.write(3, READY)
        gc.freeze()  # what the zygote made since its own freeze: a collection would write to all of it
        gc.enable()
        serve(prelude, printed)
    finally:
        os._exit(70)
