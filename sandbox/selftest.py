"""What a child can observably not do. The level is derived from this and never from what was merely asked for.

Two probes go the way of every child: one with the filter, one without it, so that each layer is seen alone.
"""
import errno
import json
import os
import socket

from syscalls import PR_GET_DUMPABLE, PR_GET_NO_NEW_PRIVS, has_capabilities, prctl

EXPECTED = {"open": "EPERM", "socket": "EPERM", "memfd": "EPERM", "socketpair": "EPERM", "kill": "EPERM", "fork": "EAGAIN"}


def _attempt(results, name, action):
    try:
        value = action()
        if name == "fork" and value == 0:
            os._exit(0)
        results[name] = "ok"
    except OSError as error:
        results[name] = errno.errorcode.get(error.errno, str(error.errno))


def _udp():
    probe = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    try:
        probe.connect(("127.0.0.1", 9))
    finally:
        probe.close()


def probe(wall, with_filter):
    """In a child: confine, wait until limited, try, write down, exit."""
    results = {}
    try:
        wall.confine(with_filter)
        os.read(3, 1)
        for descriptor in (0, 1, 2):
            os.close(descriptor)  # or the limit on descriptors answers for everyone and hides a missing layer
        results.update(pid=os.getpid(), uid=os.getuid())
        if not with_filter:
            results.update(capabilities=has_capabilities(), dumpable=prctl(PR_GET_DUMPABLE))
            results.update(noNewPrivileges=prctl(PR_GET_NO_NEW_PRIVS))
            _attempt(results, "stat", lambda: os.stat("/etc"))
            _attempt(results, "udp", _udp)
        _attempt(results, "open", lambda: os.close(os.open("/", os.O_RDONLY)))
        _attempt(results, "socket", lambda: socket.socket().close())
        _attempt(results, "socketpair", lambda: [end.close() for end in socket.socketpair()])
        _attempt(results, "memfd", lambda: os.close(os.memfd_create("x")))
        _attempt(results, "kill", lambda: os.kill(1, 0))
        _attempt(results, "fork", os.fork)
        os.write(3, json.dumps(results).encode())
    finally:
        os._exit(0)


def observe(wall, with_filter):
    """Runs one probe, forked, limited and confined as every child is."""
    pid, ours = wall.spawn()
    if pid == 0:
        probe(wall, with_filter)
    wall.limit(pid, 64, 10)
    data = b""
    try:
        os.write(ours, b"g")
        while True:
            more = os.read(ours, 65536)
            if not more:
                break
            data += more
    except OSError:
        pass  # it died: what it could do is not known, so nothing holds
    os.close(ours)
    os.waitpid(pid, 0)
    return json.loads(data) if data else {}


def layers(filtered, bare, launcher_uid, reasons):
    """Layer by layer: true, or why not. `reasons` says why a layer was not set up."""

    def seen(name, holds):
        return True if holds else str(reasons.get(name) or "not observed")

    return {
        "seccomp": seen("seccomp", all(filtered.get(name) == code for name, code in EXPECTED.items())),
        "landlock": seen("landlock", bare.get("open") == "EACCES"),
        "namespaces": seen("namespaces", bare.get("pid") == 1 and bare.get("uid") == 65534),
        "emptyRoot": seen("emptyRoot", bare.get("stat") == "ENOENT"),
        "network": seen("network", bare.get("udp") == "ENETUNREACH"),
        "user": seen("user", bare.get("uid") not in (None, 0, launcher_uid)),
        "capabilities": seen("capabilities",
                             [bare.get(name) for name in ("capabilities", "noNewPrivileges", "dumpable")] == [False, 1, 0]),
        "processes": seen("processes", bare.get("fork") == "EAGAIN"),
    }


def level(found):
    """Isolation level of these layers, or "refused"."""
    if found["seccomp"] is not True or found["capabilities"] is not True:
        return "refused"
    if found["namespaces"] is True and found["emptyRoot"] is True and found["network"] is True:
        return "full"
    if found["landlock"] is not True:
        return "seccomp"
    return "uid+landlock+seccomp" if found["user"] is True and found["emptyRoot"] is True else "landlock+seccomp"
