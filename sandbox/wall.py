"""The wall around one child: how it is forked, limited and confined.

All that can be prepared is prepared in the zygote (no_new_privs, not dumpable, descriptors in their places, arguments of
the calls), because each page a child touches first is copied for it: confinement is six calls.
"""
import ctypes
import os
import resource

import _socket

import namespaces
from syscalls import (
    PR_SET_DUMPABLE, PR_SET_NO_NEW_PRIVS, PR_SET_PDEATHSIG, PR_SET_SECUREBITS, capability_arguments, check, fork_into,
    libc, machine, prctl)

NULL, SOCKET, RULESET = 0, 3, 4
SECUREBITS_LOCKED = 0x2F


def _prepared(name, *arguments):
    return tuple(ctypes.c_long(value) for value in (machine()[1][name],) + arguments)


class Wall:
    """`ruleset` is Landlock's descriptor or -1; `own` says whether a child gets namespaces of its own."""

    def __init__(self, system_filter, ruleset, own, base_bytes):
        self.own, self.base_bytes, self.filter = own, base_bytes, system_filter
        self.flags = namespaces.CHILD if own else 0
        self.has_ruleset = ruleset >= 0
        if self.has_ruleset:
            os.dup2(ruleset, RULESET)
            os.close(ruleset)
        prctl(PR_SET_NO_NEW_PRIVS, 1)
        prctl(PR_SET_DUMPABLE, 0)
        self.close_rest = _prepared("close_range", RULESET + 1 if self.has_ruleset else RULESET, 0xFFFFFFFF, 0)
        self.restrict = _prepared("landlock_restrict_self", RULESET, 0)
        self.lock_securebits = tuple(ctypes.c_long(value) for value in (PR_SET_SECUREBITS, SECUREBITS_LOCKED, 0, 0, 0))
        self.drop_capabilities = capability_arguments()
        self.install_filter = system_filter.arguments()
        self.limits = None

    def spawn(self):
        """Forks: (pid, our end of its socket), and in the child (0, None), its end being descriptor 3."""
        ours, theirs = (end.detach() for end in _socket.socketpair(_socket.AF_UNIX, _socket.SOCK_STREAM, 0))
        try:
            pid = self.spawn_with(theirs, None)
        except OSError:
            os.close(ours)
            raise
        return (pid, ours) if pid else (0, None)

    def spawn_with(self, connection, limits):
        """Forks; `connection` becomes the child's descriptor 3 and is closed here. The child's pid, 0 in the child, which
        limits itself to `limits` (megabytes, CPU seconds) or, where that is None, will be limited before it hears
        anything."""
        self.limits = limits
        os.dup2(connection, SOCKET)
        os.close(connection)
        try:
            pid = fork_into(self.flags)
        except OSError:
            os.dup2(NULL, SOCKET)
            raise
        if pid:
            os.dup2(NULL, SOCKET)
        return pid

    def limit(self, pid, memory_mb, cpu_seconds):
        """Before a child hears anything: memory beyond what it starts with, CPU as a back-stop, no processes, no files."""
        memory, seconds = self.base_bytes + (int(memory_mb) << 20), int(cpu_seconds) + 2
        resource.prlimit(pid, resource.RLIMIT_AS, (memory, memory))
        resource.prlimit(pid, resource.RLIMIT_CPU, (seconds, seconds))
        resource.prlimit(pid, resource.RLIMIT_NPROC, (1, 1))
        resource.prlimit(pid, resource.RLIMIT_NOFILE, (SOCKET + 1, SOCKET + 1))

    def confine(self, with_filter=True):
        """In the child. Order matters: descriptors, Landlock, capabilities, filter. Any failure is fatal."""
        if not self.own:  # else process 1 of its own namespace: it dies with the zygote, and is alone
            prctl(PR_SET_PDEATHSIG, 9)
            os.setsid()
        if self.limits is not None:
            self.limit(0, *self.limits)
        check(libc.syscall(*self.close_rest))
        if self.has_ruleset:
            check(libc.syscall(*self.restrict))
            os.close(RULESET)
        libc.prctl(*self.lock_securebits)  # fails where there is no capability, thus nothing to lock
        check(libc.capset(*self.drop_capabilities))
        if with_filter:
            check(libc.syscall(*self.install_filter))
