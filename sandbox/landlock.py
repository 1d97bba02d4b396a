"""Landlock: a child may open no file, bind or connect no TCP port, and signal or reach nobody outside its domain.

It does not cover stat, readlink, UDP, Unix sockets with a path, prlimit or SysV objects: never the only layer.
"""
import ctypes
import struct

from syscalls import call

FILE_RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15}  # number of rights that version knows; 16 from version 5 on


def version():
    """Version of the kernel's interface, 0 where there is none."""
    try:
        return call("landlock_create_ruleset", 0, 0, 1)
    except OSError:
        return 0


def empty_ruleset(found):
    """Descriptor of a rule set that handles all that `found` knows and allows nothing."""
    files = (1 << FILE_RIGHTS.get(found, 16)) - 1
    if found >= 6:
        handled = struct.pack("QQQ", files, 3, 3)
    elif found >= 4:
        handled = struct.pack("QQ", files, 3)
    else:
        handled = struct.pack("Q", files)
    return call("landlock_create_ruleset", ctypes.create_string_buffer(handled, len(handled)), len(handled), 0)
