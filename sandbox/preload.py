"""What is imported before the wall closes; nothing can be imported later."""
import builtins
import contextlib
import importlib
import os
import sys
import types

STANDARD = """__future__ abc array ast base64 binascii bisect calendar cmath codecs collections collections.abc
colorsys contextlib copy copyreg csv dataclasses datetime decimal difflib enum fractions functools gc graphlib hashlib
heapq html inspect io itertools json json.decoder json.encoder keyword linecache locale logging math numbers operator os
pathlib pprint queue random re reprlib secrets shlex statistics string struct sys textwrap threading time timeit
traceback types typing unicodedata urllib.parse uuid warnings weakref zlib encodings.utf_8 encodings.ascii
encodings.latin_1 encodings.utf_16 encodings.utf_16_le encodings.idna""".split()

_NUMPY = "numpy numpy.random numpy.linalg numpy.fft numpy.polynomial numpy.ma".split()
# sympy imports some of its parts only when they are used
_SYMPY = """sympy sympy.assumptions.wrapper sympy.codegen.ast sympy.combinatorics sympy.integrals.heurisch
sympy.integrals.manualintegrate sympy.integrals.risch sympy.physics.units""".split()
_MATH_VERIFY = "math_verify latex2sympy2_extended antlr4.LL1Analyzer concurrent.futures".split()

KINDS = {"bare": [], "numpy": _NUMPY, "math_verify": _NUMPY + _SYMPY + _MATH_VERIFY}

# They fill the caches of the parser, which would else cost each program a second of CPU.
_ANSWERS = [r"$\frac{1}{2}$", r"$x^2+2x+1$", r"$\{1,2\} \cup [3,4)$", r"$\sqrt{2}+\pi$", "12,000", r"$x=3$", "0.5", "10%"]

# Accelerators that load large libraries; hashlib, uuid and shutil do without.
REFUSED = ["_hashlib", "_uuid", "_bz2", "_lzma"]

FORGOTTEN = """antigravity this ctypes _ctypes launcher __main__ syscalls seccomp landlock namespaces selftest wall zygote
child preload plays relay door warm cgroup""".split()

_FROM = {
    "itertools": "combinations permutations product chain accumulate",
    "collections": "deque defaultdict Counter OrderedDict namedtuple",
    "functools": "reduce lru_cache",
    "copy": "deepcopy",
    "heapq": "heappush heappop",
    "typing": "Any Callable Dict FrozenSet Generator Iterable Iterator List Literal Mapping NamedTuple Optional Sequence "
              "Set Tuple Type TypeVar Union",
    "spade_env": "boxed ToolUseEnv",
}
_WHOLE = "math random re json itertools collections functools string copy heapq operator statistics typing".split()


def load(kind, packages=()):
    """Imports all that programs of this kind may use, and `packages`. Returns the names that are missing here."""
    missing = []
    for name in REFUSED:
        sys.modules[name] = None
    for name in STANDARD + KINDS[kind] + ["spade_env", "rlve_env"]:
        try:
            importlib.import_module(name)
        except ImportError:
            missing.append(name)
    if kind == "math_verify" and kind not in missing:
        answers = [sys.modules[kind].parse(text) for text in _ANSWERS]
        for answer in answers:
            sys.modules[kind].verify(answers[0], answer)
    with contextlib.redirect_stdout(sys.stderr):  # stdout carries frames
        for name in packages:
            try:
                importlib.import_module(name)
            except ModuleNotFoundError:
                missing.append(name)
            if len(os.listdir("/proc/self/task")) > 1:  # a fork would lose it, and whatever it holds
                sys.exit("%s starts a thread when it is imported, so no program can have it" % name)
    return missing


def prelude(kind):
    """Built-in names and those a program may use without importing them."""
    names = dict(vars(builtins))
    names.update((name, sys.modules[name]) for name in _WHOLE)
    for module, listed in _FROM.items():
        for name in listed.split():
            names[name] = getattr(sys.modules[module], name)
    if "numpy" in KINDS[kind] and "numpy" in sys.modules:
        names["np"] = names["numpy"] = sys.modules["numpy"]
    return names


def forbid_imports():
    """Leaves only what is loaded: a missing module is a ModuleNotFoundError, not a search of the disk."""
    for name in FORGOTTEN:  # a convenience, not a boundary: they stay reachable through the collector
        sys.modules.pop(name, None)
    sys.modules["__main__"] = types.ModuleType("__main__")
    sys.path[:] = []
    sys.path_importer_cache.clear()
    sys.path_hooks[:] = []
    sys.meta_path[:] = [finder for finder in sys.meta_path if getattr(finder, "__name__", "") == "BuiltinImporter"]
