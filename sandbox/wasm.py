"""The interpreter at the wasm level: filled once, before the snapshot that every play starts from; in each play emptied
of all that leads to JavaScript, then a child like any other. Pure Python only."""
import gc
import importlib
import os
import random
import sys
import time

import child
import preload

OUTWARD = frozenset("js pyodide pyodide_js _pyodide _pyodide_core _pyodide_js pyodide_kernel_support asyncio _asyncio".split())
NUMPY = "No module named 'numpy' (the wasm level runs pure Python only)"


class PureOnly:
    """Says why numpy is missing, to an import and to a program that uses `np` without one."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        if name.split(".")[0] == "numpy":
            raise ModuleNotFoundError(NUMPY, name=name)

    def __getattr__(self, name):
        raise ModuleNotFoundError(NUMPY, name="numpy")


class Wall:
    """What Python can take away by itself. The wall is the process around it, which may do nothing."""

    def __init__(self, without):
        self.without = without

    def confine(self):
        """A failure is the last thing this thread says."""
        try:
            self._confine()
        except BaseException as error:
            os.write(3, b"\0" + repr(error).encode("ascii", "replace")[:500])
            raise

    def _confine(self):
        outward = [name for name in sys.modules if name.split(".")[0] in OUTWARD]
        time.sleep = getattr(sys.modules.get("pyodide.webloop"), "_orig_sleep", time.sleep)
        if "interpreter" in self.without:
            importlib.import_module("js")
        preload.forbid_imports()
        sys.meta_path[:] = [PureOnly]  # what is built in leads further than at the other levels (_ctypes)
        if "interpreter" not in self.without:
            for name in outward:
                getattr(sys.modules[name], "__dict__", {}).clear()  # js itself is no module
            for name in OUTWARD.union(outward):
                sys.modules[name] = None
        os.environ.clear()
        sys.modules.pop("wasm", None)
        gc.collect()


def fill():
    """Before the snapshot. Returns the version and the modules that are missing here."""
    missing = preload.load("bare")
    names = preload.prelude("bare")
    names["np"] = names["numpy"] = PureOnly()
    globals()["prelude"] = names
    return sys.version.split()[0], " ".join(missing)


def run(without):
    """A play's whole life. Never returns."""
    printed = child.Printed()
    sys.stdin, sys.argv = None, [""]
    sys.stdout = sys.__stdout__ = sys.stderr = sys.__stderr__ = printed
    random.seed(0)
    child.run(Wall(without.split()), prelude, printed)  # noqa: F821
