"""A bound on the memory of all plays of a zygote together.

Where the user may make a cgroup (version 2, the memory and pids controllers delegated: `systemd-run --user --scope`, a
service with Delegate=yes), launcher, zygote and children live in a leaf with memory.max and pids.max. Elsewhere there is
no such limit, and the host starts no more plays at a time than fit into the same share of the memory that is free.
"""
import errno
import os

SHARE = 0.75
PROCESSES = 4096
PREFIX = "spade-"
_V1_UNLIMITED = 1 << 60


def _read(path):
    with open(path) as file:
        return file.read().strip()


def _own(controller, text):
    """Path of this process in the hierarchy of a controller ("" is version 2), or None."""
    for line in text.splitlines():
        _, controllers, path = line.split(":", 2)
        if controller in controllers.split(","):
            return path
    return None


def _mount(kind, option, text):
    """Where a hierarchy is mounted, or None."""
    for line in text.splitlines():
        _, target, found, options = line.split(" ")[:4]
        if found == kind and (not option or option in options.split(",")):
            return target
    return None


def free_bytes(proc="/proc"):
    """Memory that is available to this process: the machine's, or what its container has left."""
    free = 1024 * int(next(line for line in _read(proc + "/meminfo").splitlines() if line.startswith("MemAvailable")).split()[1])
    text, mounts = _read(proc + "/self/cgroup"), _read(proc + "/self/mounts")
    for controller, kind, limit, used in (("", "cgroup2", "memory.max", "memory.current"),
                                          ("memory", "cgroup", "memory.limit_in_bytes", "memory.usage_in_bytes")):
        path, mount = _own(controller, text), _mount(kind, controller, mounts)
        try:
            folder = mount + path
            most = _read(folder + "/" + limit)
            if most != "max" and int(most) < _V1_UNLIMITED:
                free = min(free, max(0, int(most) - int(_read(folder + "/" + used))))
        except (OSError, TypeError, ValueError):
            pass  # no such hierarchy, or not visible from here
    return free


def enter(memory_bytes, proc="/proc"):
    """Moves this process into a leaf of its own beside its present group. Returns "" or why that cannot be."""
    path = _own("", _read(proc + "/self/cgroup"))
    mount = _mount("cgroup2", "", _read(proc + "/self/mounts"))
    if path is None or mount is None:
        return "no cgroup version 2"
    parent = os.path.dirname((mount + path).rstrip("/")) if path != "/" else mount
    leaf = "%s/%s%d" % (parent, PREFIX, os.getpid())
    try:
        given = _read(parent + "/cgroup.subtree_control").split()
        lacking = [name for name in ("memory", "pids") if name not in given]
        if lacking:
            return "%s not delegated in %s" % (" and ".join(lacking), parent)
        _sweep(parent)
        os.mkdir(leaf)
    except OSError as error:
        return "%s: %s" % (parent, os.strerror(error.errno))
    try:
        for name, value in (("memory.max", memory_bytes), ("memory.swap.max", 0), ("pids.max", PROCESSES),
                            ("cgroup.procs", os.getpid())):
            _write("%s/%s" % (leaf, name), value, optional=name == "memory.swap.max")
    except OSError as error:
        os.rmdir(leaf)
        return "%s: %s" % (leaf, os.strerror(error.errno))
    return ""


def instead(reason):
    """What holds where there is no leaf, in words."""
    return "each play for itself, and no more at a time than fit into the memory that is free (%s)" % reason


def _write(path, value, optional=False):
    try:
        with open(path, "r+") as file:
            file.write(str(value))
    except OSError as error:
        if not (optional and error.errno == errno.ENOENT):
            raise


def _sweep(parent):
    """Removes leaves whose processes are gone: nobody is left to do it when a launcher ends."""
    for name in os.listdir(parent):
        if name.startswith(PREFIX):
            try:
                os.rmdir(parent + "/" + name)
            except OSError:
                pass  # in use
