"""Launcher: imports what programs may use, closes every door, becomes the zygote.

    python3 -s -B launcher.py        with an empty environment but for PYTHONHASHSEED

Configuration comes as one frame on stdin (argv and environment stay readable in every child's memory). stdout carries
frames; the first says the level that was observed. End of file on stdin ends everything. The order of the steps is that
of README.md; it is not arbitrary.
"""
import os
import sys

for _name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS"):
    os.environ[_name] = "1"  # a second thread makes unshare fail and fork unsafe
sys.dont_write_bytecode = True

import fcntl
import gc
import json
import random
import resource
import signal
import struct

import cgroup
import child
import door
import landlock
import namespaces
import preload
import seccomp
import selftest
import syscalls
import wall
import warm
import zygote

FIRST_FREE = 10  # descriptors below are the child's


def read_configuration():
    size = struct.unpack("<I", _exactly(4))[0]
    return json.loads(_exactly(size))


def _exactly(size):
    data = b""
    while len(data) < size:
        more = os.read(0, size - len(data))
        if not more:
            os._exit(0)
        data += more
    return data


def die_with_parent(parent):
    """Also after the parent died between fork and this call."""
    syscalls.prctl(syscalls.PR_SET_PDEATHSIG, 9)
    if parent is not None and os.getppid() != parent:
        os._exit(0)


def leave_host(without):
    """Namespaces where the host has them, else an empty chroot where we are root. Returns what stood in the way."""
    reasons = {}
    root = os.geteuid() == 0
    problem = "switched off" if "namespaces" in without else namespaces.rehearse()
    if problem:
        reasons["namespaces"] = reasons["network"] = problem
        reasons["emptyRoot"] = problem
        if root and "chroot" not in without:
            namespaces.empty_chroot()
    if root and "user" not in without:
        namespaces.drop_root()
    if not problem:
        namespaces.enter()
        inner = os.fork()
        if inner:
            syscalls.close_from(0)
            status = os.waitpid(inner, 0)[1]
            os._exit(status and 1)
        namespaces.empty_root()
    return reasons


def standard_descriptors():
    """stdin and stdout moved out of the way; /dev/null on 0 to 9, so that nothing of the zygote's is below 10."""
    null = os.open("/dev/null", os.O_RDWR)
    control_in = fcntl.fcntl(0, fcntl.F_DUPFD_CLOEXEC, FIRST_FREE)
    control_out = fcntl.fcntl(1, fcntl.F_DUPFD_CLOEXEC, FIRST_FREE)
    for descriptor in range(FIRST_FREE):
        if descriptor != null:
            os.dup2(null, descriptor)
    return control_in, control_out


def inherited_limits():
    """Limits every child inherits; those that would bind the zygote are set in the child or at its start."""
    for name in ("FSIZE", "CORE", "MEMLOCK", "MSGQUEUE"):
        limit = getattr(resource, "RLIMIT_" + name, None)
        if limit is not None:
            resource.setrlimit(limit, (0, 0))
    resource.setrlimit(resource.RLIMIT_SIGPENDING, (64, 64))
    resource.setrlimit(resource.RLIMIT_STACK, (8 << 20, 8 << 20))


def address_space():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[0]) * resource.getpagesize()


def main():
    """Returns only in a child: what `child.run` needs."""
    syscalls.close_from(3)
    os.umask(0o077)
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    parent = os.getppid()
    die_with_parent(parent)
    configuration = read_configuration()
    kind, without = configuration["kind"], configuration.get("without", [])
    missing = preload.load(kind, configuration.get("packages", []))
    prelude = preload.prelude(kind)
    base_bytes = address_space() + (24 << 20)
    launcher_uid = os.getuid()
    try:
        with open("/proc/self/oom_score_adj", "w") as file:
            file.write("1000")
    except OSError:
        pass
    system_filter = seccomp.Filter()
    listener, path, no_socket = door.listen(configuration["sockets"])
    control_in, control_out = standard_descriptors()
    plays_bytes = int(cgroup.SHARE * cgroup.free_bytes())
    no_group = cgroup.enter(plays_bytes)
    reasons = leave_host(without)
    own = "namespaces" not in reasons
    die_with_parent(None if own else parent)
    found = 0 if "landlock" in without else landlock.version()
    if not found:
        reasons["landlock"] = "switched off" if "landlock" in without else "not in this kernel"
    ruleset = landlock.empty_ruleset(found) if found else -1
    inherited_limits()
    barrier = wall.Wall(system_filter, ruleset, own, base_bytes)
    os.environ.clear()
    preload.forbid_imports()
    printed = child.Printed()
    sys.stdin, sys.argv = None, [""]
    sys.stdout = sys.__stdout__ = sys.stderr = sys.__stderr__ = printed
    for _ in range(warm.PLAYS):
        warm.play(prelude, printed)
    sys.modules.pop("program", None)
    random.seed(0)
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed(0)
    filtered = selftest.observe(barrier, "seccomp" not in without)
    layers = selftest.layers(filtered, selftest.observe(barrier, False), launcher_uid, reasons)
    layers["memory"] = no_group == "" or cgroup.instead(no_group)
    level = selftest.level(layers)
    server = zygote.Zygote(
        control_in, control_out, barrier, configuration["pool"], listener,
        (configuration["memoryMb"], configuration["cpuSeconds"]))
    gc.collect()
    gaps = warm.fill_gaps()
    gc.freeze()
    gc.disable()
    server.send(zygote.READY, 0, json.dumps({
        "level": level, "layers": layers, "missing": missing, "python": sys.version.split()[0], "prefix": sys.prefix,
        "socket": path, "noSocket": no_socket, "memoryMb": plays_bytes >> 20}).encode())
    if level == "refused":
        os._exit(1)
    server.serve()
    return barrier, prelude, printed, server, gaps


if __name__ == "__main__":
    handed = main()  # keeps what the zygote held: a child that frees it copies the pages for nothing
    child.run(*handed[:3])
