"""The launcher with layers taken away, so that the layers behind them are seen. For the hostile suite alone: the real
launcher has no way to run without its filter.

`without` of the configuration names what is left out: what the real launcher knows (namespaces, chroot, user, landlock),
and seccomp, privileges, limits, contract, descriptors, imports, environment; `root` becomes an ordinary user
first. Without the filter all runs in a range: namespaces around the launcher, as an unused user, with a /tmp of its own,
so that what gets through meets nothing of the host's. The range holds two Unix sockets, one with a path and one abstract.
"""
import json
import os
import resource
import socket
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "sandbox"))

import child
import launcher
import namespaces
import preload
import selftest
import syscalls
import wall
from runner import contract

SECRET = {"SECRET": "SECRET-0123456789"}
LOOSE = 600 << 20


def replace(owner, name, value):
    """A name that is gone is an error: nothing may be believed to be switched off that is not."""
    if not hasattr(owner, name):
        raise SystemExit("Cannot weaken: %s has no %s" % (owner, name))
    setattr(owner, name, value)



def enter_range():
    """An unused user in namespaces of its own; returns in process 1."""
    if os.geteuid() == 0:
        namespaces.drop_root()
    user, group = os.geteuid(), os.getegid()
    syscalls.unshare(syscalls.CLONE_NEWUSER | syscalls.CLONE_NEWNS | syscalls.CLONE_NEWPID | syscalls.CLONE_NEWIPC)
    for name, text in (("setgroups", "deny"), ("uid_map", "%d %d 1" % (user, user)), ("gid_map", "%d %d 1" % (group, group))):
        with open("/proc/self/" + name, "w") as file:
            file.write(text)
    syscalls.mount(None, b"/", None, syscalls.MS_REC | syscalls.MS_PRIVATE)
    for folder in (b"/tmp", b"/dev/shm"):
        syscalls.mount(b"tmpfs", folder, b"tmpfs", syscalls.MS_NOSUID | syscalls.MS_NODEV, b"size=64m,mode=1777")
    held = []
    for path in ("/tmp/probe.sock", "\0abstract-probe"):
        held.append(socket.socket(socket.AF_UNIX))
        try:
            held[-1].bind(path)
            held[-1].listen(64)
        except OSError:
            pass  # the abstract one is another range's, as good a target
    inner = os.fork()
    if inner:
        os.close(0)
        os.close(1)
        os._exit(os.waitpid(inner, 0)[1] and 1)


class Powerful:
    """libc, except that nothing is given up."""

    def __getattr__(self, name):
        return getattr(syscalls.libc, name)

    def capset(self, *_):
        return 0

    def prctl(self, *_):
        return 0


def keep_privileges():
    replace(wall, "libc", Powerful())
    original = syscalls.prctl
    replace(wall, "prctl", lambda option, *rest: 0 if option == syscalls.PR_SET_DUMPABLE else original(option, *rest))


def loose_limits():
    """Not none: what gets through must not take the machine down."""
    def limit(self, pid, memory_mb, _cpu):
        memory = self.base_bytes + LOOSE
        for name, bound in (("AS", memory), ("CPU", 20), ("NPROC", 64), ("NOFILE", 64), ("FSIZE", 32 << 20)):
            resource.prlimit(pid, getattr(resource, "RLIMIT_" + name), (bound, bound))
    replace(wall.Wall, "limit", limit)
    replace(launcher, "inherited_limits", lambda: None)


def no_contract():
    names = "observation reward terminated truncated info".split()
    replace(contract, "reset_value", lambda value: dict(zip(("observation", "info"), value)))
    replace(contract, "step_value", lambda value: dict(zip(names, value)))
    replace(child, "MAX_PRINTED", 1 << 40)


def open_descriptors():
    original = wall.Wall.__init__
    def initialise(self, *arguments):
        original(self, *arguments)
        self.close_rest = wall._prepared("getpid")
    replace(wall.Wall, "__init__", initialise)
    redirect = launcher.standard_descriptors
    def keep_output():
        control_in, control_out = redirect()
        os.dup2(control_out, 1)
        return control_in, control_out
    replace(launcher, "standard_descriptors", keep_output)


def weaken(without):
    if "seccomp" in without:
        original = wall.Wall.confine
        replace(wall.Wall, "confine", lambda self, with_filter=True: original(self, False))
    if {"seccomp", "privileges"} & without:
        replace(selftest, "level", lambda found: "seccomp")
    for name, weakening in (
            ("privileges", keep_privileges), ("limits", loose_limits), ("contract", no_contract),
            ("descriptors", open_descriptors)):
        if name in without:
            weakening()
    if "imports" in without:
        replace(preload, "forbid_imports", lambda: None)


def main():
    if "CONFIGURATION" in os.environ:
        configuration = json.loads(os.environ.pop("CONFIGURATION"))
    else:
        configuration = launcher.read_configuration()
        if "environment" in configuration["without"]:
            os.execve(sys.executable, [sys.executable, "-s", "-B", __file__],
                      dict(os.environ, CONFIGURATION=json.dumps(configuration), **SECRET))
    without = set(configuration["without"])
    preload.load(configuration["kind"])  # later the files may not be readable
    if "seccomp" in without:
        enter_range()
    elif "root" in without and os.geteuid() == 0:
        namespaces.drop_root()
    weaken(without)
    replace(launcher, "read_configuration", lambda: configuration)
    return launcher.main()


if __name__ == "__main__":
    handed = main()
    child.run(*handed[:3])
