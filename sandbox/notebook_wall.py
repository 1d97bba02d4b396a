"""The second wall of a notebook's kernel: Landlock and a small filter around the whole process, then the program.

    python3 -s -B notebook_wall.py CONFIGURATION PROGRAM ARGUMENT...    with the program's environment
    python3 -s -B notebook_wall.py --probe                              says what this machine has, as JSON

The first wall is Deno's permission broker, which names its reasons but misses some doors: `require()` of a file, the
download of an npm package, the Cache API. Here the kernel of Linux decides, whatever the program finds:

- files: only below `read` (reading) and `write` (both, but no links, devices or sockets made there);
- programs: none but PROGRAM itself, once; its folder stays, so that the broker knows what a relative path means;
- network: TCP only, to the ports of `connect`, listening only at those of `bind` (Linux 6.7); no UDP, so no names;
- what is open for reading: its owner, mode and times stay; the connection to the broker is nobody's but Deno's own;
- abstract sockets and signals: nobody outside (Linux 6.12). Unix sockets with a path are the broker's alone to refuse;
- it ends with the process that started it.

CONFIGURATION is JSON: {"read": [path], "write": [path], "connect": [port], "bind": [port], "parent": process id}.
"""
import ctypes
import errno
import glob
import json
import os
import stat
import struct
import sys

import landlock
from seccomp import (
    ALLOW, ANY_BIT, ARCHITECTURE, AT_LEAST, EQUAL, KILL, KILLED, LOAD, NUMBER, RETURN, argument, refuse)
from syscalls import PR_SET_NO_NEW_PRIVS, PR_SET_PDEATHSIG, call, machine, prctl

EXECUTE, WRITE_FILE, READ_FILE, READ_DIR, REMOVE_DIR, REMOVE_FILE, MAKE_DIR, MAKE_REG, REFER, TRUNCATE = (
    1 << bit for bit in (0, 1, 2, 3, 4, 5, 7, 8, 13, 14))
READ = READ_FILE | READ_DIR
WRITE = READ | WRITE_FILE | REMOVE_DIR | REMOVE_FILE | MAKE_DIR | MAKE_REG | REFER | TRUNCATE
OF_A_FILE = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE
BENEATH, PORT, BIND, CONNECT = 1, 2, 1, 2

# What a dynamically linked program reads to start, and what says how large the machine is. Nothing of a user's.
SYSTEM = ["/lib", "/lib64", "/usr/lib", "/usr/lib64", "/etc/ld.so.cache", "/etc/localtime", "/usr/share/zoneinfo",
          "/dev/urandom", "/proc/cpuinfo", "/proc/meminfo", "/proc/stat", "/proc/sys/kernel/osrelease",
          "/sys/devices/system/cpu"]

# execveat stays: the one call that starts PROGRAM. Landlock lets it start nothing else. It knows no owners of files.
REFUSED = ["execve", "chdir", "fchdir", "chown", "fchown", "lchown", "fchownat"] + [
    name for name in KILLED if name not in ("mbind", "set_mempolicy")]
UNIX, INET, INET6 = 1, 2, 10
STREAM, NOT_STREAM = 1, 0xE  # bits of a socket's type
# Deno's connection to the broker is the first that it opens. Nothing of Deno's does these to it (call, argument); a
# notebook that takes the number for a socket of its own does, and could then answer Deno's questions.
BROKER = 3
OF_THE_BROKER = [("fcntl", 0), ("dup", 0), ("dup2", 0), ("dup2", 1), ("dup3", 0), ("dup3", 1), ("write", 0),
                 ("writev", 0), ("sendmsg", 0), ("epoll_ctl", 2)]


def build_filter(architecture, numbers):
    """Everything allowed but the above, sockets that are neither Unix nor TCP, and what changes a file that was opened
    for reading: (code, if true, if false, operand)."""
    denied, allowed = (RETURN, 0, 0, refuse(errno.EPERM)), (RETURN, 0, 0, ALLOW)
    code = [
        (LOAD, 0, 0, ARCHITECTURE), (EQUAL, 1, 0, architecture), (RETURN, 0, 0, KILL), (LOAD, 0, 0, NUMBER),
        (AT_LEAST, 0, 1, 0x40000000), denied]  # the x32 calling convention

    def when(name, *verdict):
        if name in numbers:
            code.extend([(EQUAL, 0, len(verdict), numbers[name]), *verdict])

    for name in REFUSED:
        when(name, denied)
    when("fchmod", (RETURN, 0, 0, refuse(0)))  # does nothing: copying a file ends with it, when its mode is set already
    when("utimensat", *[part for half in (0, 4) for part in (  # without a path it is of an open file
        (LOAD, 0, 0, argument(1) + half), (EQUAL, 1, 0, 0), allowed)], denied)
    for name in dict(OF_THE_BROKER):
        when(name, *[part for call, index in OF_THE_BROKER if call == name for part in (
            (LOAD, 0, 0, argument(index)), (EQUAL, 0, 1, BROKER), (RETURN, 0, 0, KILL))], allowed)
    when("socket", (LOAD, 0, 0, argument(0)), (EQUAL, 6, 0, UNIX), (EQUAL, 2, 0, INET), (EQUAL, 1, 0, INET6), denied,
         (LOAD, 0, 0, argument(1)), (ANY_BIT, 2, 0, NOT_STREAM), (ANY_BIT, 0, 1, STREAM), allowed, denied)
    return [*code, allowed]


def install_filter():
    instructions = build_filter(*machine())
    code = b"".join(struct.pack("HBBI", *instruction) for instruction in instructions)
    kept = ctypes.create_string_buffer(code, len(code))
    program = struct.pack("HxxxxxxQ", len(instructions), ctypes.addressof(kept))
    call("seccomp", 1, 0, ctypes.create_string_buffer(program, len(program)))


def allow_beneath(ruleset, found, path, rights):
    """What is not there cannot be reached, thus needs no rule."""
    try:
        descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except FileNotFoundError:
        return
    rights &= (1 << landlock.FILE_RIGHTS.get(found, 16)) - 1
    if not stat.S_ISDIR(os.fstat(descriptor).st_mode):
        rights &= OF_A_FILE
    rule = struct.pack("=Qi", rights, descriptor)
    call("landlock_add_rule", ruleset, BENEATH, ctypes.create_string_buffer(rule, len(rule)), 0)
    os.close(descriptor)


def allow_port(ruleset, port, right):
    rule = struct.pack("QQ", right, port)
    call("landlock_add_rule", ruleset, PORT, ctypes.create_string_buffer(rule, len(rule)), 0)


def confine_files(configuration, program):
    found = landlock.version()
    if not found:
        return  # whoever starts this has seen it in the probe, and says so
    ruleset = landlock.empty_ruleset(found)
    for path in SYSTEM + configuration["read"]:
        allow_beneath(ruleset, found, path, READ)
    for path in configuration["write"]:
        allow_beneath(ruleset, found, path, WRITE)
    allow_beneath(ruleset, found, "/dev/null", READ_FILE | WRITE_FILE)
    for path in [program] + glob.glob("/lib*/ld-*.so*"):  # a program and the loader that it names
        allow_beneath(ruleset, found, path, READ_FILE | EXECUTE)
    if found >= 4:
        for name, right in (("connect", CONNECT), ("bind", BIND)):
            for port in configuration[name]:
                allow_port(ruleset, port, right)
    call("landlock_restrict_self", ruleset, 0)
    os.close(ruleset)


def probe():
    """What the wall would consist of here: the version of Landlock (0: none) and whether calls can be filtered."""
    try:
        machine()
    except OSError:
        return {"landlock": 0, "filter": False}
    return {"landlock": landlock.version(), "filter": True}


def main():
    if sys.argv[1:] == ["--probe"]:
        print(json.dumps(probe()))
        return
    configuration, program = json.loads(sys.argv[1]), os.path.realpath(sys.argv[2])
    prctl(PR_SET_PDEATHSIG, 9)
    if os.getppid() != configuration["parent"]:
        os._exit(1)
    prctl(PR_SET_NO_NEW_PRIVS, 1)
    descriptor = os.open(program, os.O_RDONLY | os.O_CLOEXEC)
    confine_files(configuration, program)
    install_filter()
    os.execve(descriptor, sys.argv[2:], os.environ)


if __name__ == "__main__":
    main()
