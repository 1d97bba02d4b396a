"""A child: gives up everything, then runs one program and answers requests about it.

Descriptors: 3 is the zygote's socket, 0 to 2 are /dev/null. Frames are a 32-bit little-endian length and JSON. The first
byte the child ever sends is READY: it says that confinement is complete, so a death before it is the host's fault.
"""
import gc
import json
import os
import resource
import struct
import sys

import landlock
from runner import contract, parse, program
from syscalls import (
    PR_SET_DUMPABLE, PR_SET_NO_NEW_PRIVS, PR_SET_PDEATHSIG, PR_SET_SECUREBITS, close_from, drop_capabilities, prctl)

READY = b"\x01"
MAX_PRINTED = 1 << 20
MAX_DETAIL = 2000
SECUREBITS_LOCKED = 0x2F


class Wall:
    """What confinement needs, prepared once in the zygote."""

    def __init__(self, system_filter, ruleset, own_users, was_root):
        self.filter, self.ruleset, self.own_users, self.was_root = system_filter, ruleset, own_users, was_root


def confine(socket, wall, with_filter=True):
    """Order matters: descriptors, limits, no_new_privs, Landlock, capabilities, not dumpable, filter."""
    prctl(PR_SET_PDEATHSIG, 9)
    os.dup2(socket, 3)
    if wall.ruleset >= 0:
        os.dup2(wall.ruleset, 4)
    close_from(5 if wall.ruleset >= 0 else 4)
    os.setsid()
    resource.setrlimit(resource.RLIMIT_NPROC, (1, 1))
    prctl(PR_SET_NO_NEW_PRIVS, 1)
    if wall.ruleset >= 0:
        landlock.restrict(4)
        os.close(4)
    resource.setrlimit(resource.RLIMIT_NOFILE, (4, 4))
    if wall.own_users or wall.was_root:
        try:
            prctl(PR_SET_SECUREBITS, SECUREBITS_LOCKED)
        except OSError:
            pass  # without the capability there is nothing to lock
    drop_capabilities()
    prctl(PR_SET_DUMPABLE, 0)
    if with_filter:
        wall.filter.install()


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


def serve(prelude, printed):
    """Answers requests until the socket closes. One reply a request, its number echoed."""
    read, write, pack, unpack = os.read, os.write, struct.pack, struct.unpack
    decode = json.loads
    encode = json.JSONEncoder(separators=(",", ":"), allow_nan=False).encode
    leave = os._exit

    def receive(size):
        data = read(3, size)
        while len(data) < size:
            more = read(3, size - len(data))
            if not more:
                leave(0)
            data += more
        return data

    def reply_to(request, operations):
        operation = request["op"]
        if operation == "init":
            running = program.Program(request["source"], request.get("maxTurns"), prelude)
            operations.update(reset=running.reset, step=running.step, solution=running.solution)
            return running.describe()
        if operation == "parse":
            return parse.parse(request["source"])
        return operations[operation](request)

    operations = {}
    while True:
        request = decode(receive(unpack("<I", receive(4))[0]))
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


def run(socket, wall, prelude, printed):
    """A child's whole life. Never returns."""
    try:
        confine(socket, wall)
        os.write(3, READY)
        gc.enable()
        serve(prelude, printed)
    finally:
        os._exit(70)
