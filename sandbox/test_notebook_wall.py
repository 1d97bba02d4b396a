"""The filter of a notebook's kernel, instruction by instruction, and the wall around a small program."""
import errno
import json
import os
import subprocess
import sys
import tempfile
import unittest

import landlock
import notebook_wall
import seccomp
from syscalls import TABLES
from test_syscalls import run

HERE = os.path.dirname(os.path.abspath(__file__))
WALL = os.path.join(HERE, "notebook_wall.py")
DENIED = seccomp.refuse(errno.EPERM)


class Filter(unittest.TestCase):
    def verdicts(self, name, *arguments):
        found = set()
        for architecture, numbers in TABLES.values():
            if name in numbers:
                code = notebook_wall.build_filter(architecture, numbers)
                self.assertLess(len(code), 256)
                found.add(run(code, architecture, numbers[name], (*arguments, *(0,) * (6 - len(arguments))), 256))
        return found

    def test_refused_calls(self):
        for name in notebook_wall.REFUSED:
            self.assertEqual(self.verdicts(name), {DENIED}, name)

    def test_other_calls_pass(self):
        for name in ("read", "write", "mmap", "clone", "clone3", "execveat", "futex", "mbind"):
            self.assertEqual(self.verdicts(name), {seccomp.ALLOW}, name)

    def test_nobody_takes_the_connection_to_the_broker(self):
        for name, index in notebook_wall.OF_THE_BROKER:
            for value, verdict in ((3, seccomp.KILL), (4, seccomp.ALLOW), (0, seccomp.ALLOW)):
                if name in TABLES["x86_64"][1]:
                    self.assertEqual(self.verdicts(name, *[0] * index, value), {verdict}, (name, index, value))
        for name in ("read", "close"):
            self.assertEqual(self.verdicts(name, 3), {seccomp.ALLOW})

    def test_times_are_set_by_path_only(self):
        self.assertEqual(self.verdicts("utimensat", 5, 0), {DENIED})
        for path in (1, 1 << 32):
            self.assertEqual(self.verdicts("utimensat", 5, path), {seccomp.ALLOW})
        self.assertEqual(self.verdicts("fchmod", 5, 0o777), {seccomp.refuse(0)})

    def test_sockets(self):
        stream, datagram, raw, flags = 1, 2, 3, 0o2004000
        for family in (2, 10):
            self.assertEqual(self.verdicts("socket", family, stream), {seccomp.ALLOW})
            self.assertEqual(self.verdicts("socket", family, stream | flags), {seccomp.ALLOW})
            for kind in (datagram, raw, 4, 5, datagram | flags):
                self.assertEqual(self.verdicts("socket", family, kind), {DENIED})
        self.assertEqual(self.verdicts("socket", 1, datagram), {seccomp.ALLOW})
        for family in (0, 16, 17, 40):
            self.assertEqual(self.verdicts("socket", family, stream), {DENIED})

    def test_other_architectures_and_calling_conventions(self):
        architecture, numbers = TABLES["x86_64"]
        code = notebook_wall.build_filter(architecture, numbers)
        self.assertEqual(run(code, 0x40000003, 0, limit=256), seccomp.KILL)
        self.assertEqual(run(code, architecture, 0x40000000 | numbers["read"], limit=256), DENIED)


PROGRAM = """
import json, os, socket, subprocess, sys
def attempt(work):
    try:
        return work() or "done"
    except OSError as error:
        return error.errno
inside, outside, port = sys.argv[1:]
held = 3
print(json.dumps({
    "read inside": attempt(lambda: open(inside + "/file").read()),
    "write inside": attempt(lambda: open(inside + "/new", "w").close()),
    "read outside": attempt(lambda: open(outside + "/file").read()),
    "write outside": attempt(lambda: open(outside + "/new", "w").close()),
    "through a link": attempt(lambda: open(inside + "/link/file").read()),
    "make a link": attempt(lambda: os.symlink("/", inside + "/mine")),
    "move out": attempt(lambda: os.rename(inside + "/file", outside + "/moved")),
    "owner of an open file": attempt(lambda: os.fchown(held, -1, -1)),
    "times of an open file": attempt(lambda: os.utime(held, (1, 1))),
    "memory of a process": attempt(lambda: open("/proc/self/mem").close()),
    "run": attempt(lambda: subprocess.call(["/bin/true"])),
    "another folder": attempt(lambda: os.chdir("/")),
    "connect": attempt(lambda: socket.create_connection(("127.0.0.1", int(port))).close()),
    "connect elsewhere": attempt(lambda: socket.create_connection(("127.0.0.1", int(port) ^ 1)).close()),
    "listen": attempt(lambda: socket.create_server(("127.0.0.1", 0)).close()),
    "names": attempt(lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).close()),
    "signal": attempt(lambda: os.kill(os.getppid(), 0)),
}))
"""


@unittest.skipIf(landlock.version() < 6, "needs Landlock 6 (Linux 6.12)")
class Wall(unittest.TestCase):
    def test_a_program_behind_it(self):
        import socket
        with tempfile.TemporaryDirectory() as inside, tempfile.TemporaryDirectory() as outside, \
                socket.create_server(("127.0.0.1", 0)) as server:
            for folder in (inside, outside):
                with open(folder + "/file", "w") as file:
                    file.write("text")
            os.symlink(outside, inside + "/link")
            port = server.getsockname()[1]
            base = os.path.realpath(sys.executable)
            # the interpreter's own files: its library is not the system's where it was built by hand
            read = [os.path.dirname(os.path.dirname(base)), sys.prefix, sys.base_prefix]
            configuration = {"read": read, "write": [inside], "connect": [port], "bind": [], "parent": os.getpid()}
            answer = subprocess.run(
                # 3 is taken: what Python would open there is guarded as Deno's connection to the broker
                ["/bin/sh", "-c", 'exec "$@" 3<"$0"', inside, sys.executable, "-s", "-B", WALL,
                 json.dumps(configuration), base, "-s", "-B", "-c", PROGRAM, inside, outside, str(port)],
                capture_output=True, text=True)
            self.assertEqual(answer.returncode, 0, answer.stderr)
            self.assertEqual(json.loads(answer.stdout), {
                "read inside": "text", "write inside": "done", "read outside": errno.EACCES,
                "write outside": errno.EACCES, "through a link": errno.EACCES, "make a link": errno.EACCES,
                "move out": errno.EACCES, "owner of an open file": errno.EPERM,
                "times of an open file": errno.EPERM, "memory of a process": errno.EACCES, "run": errno.EPERM,
                "another folder": errno.EPERM, "connect": "done", "connect elsewhere": errno.EACCES,
                "listen": errno.EACCES, "names": errno.EPERM, "signal": errno.EPERM})

    def test_it_starts_nothing_for_another_parent(self):
        configuration = {"read": [], "write": [], "connect": [], "bind": [], "parent": 1}
        answer = subprocess.run([sys.executable, "-s", "-B", WALL, json.dumps(configuration), sys.executable, "-c",
                                 "print(1)"], capture_output=True, text=True)
        self.assertEqual((answer.returncode, answer.stdout), (1, ""))


if __name__ == "__main__":
    unittest.main()
