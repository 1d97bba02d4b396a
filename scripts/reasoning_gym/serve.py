"""Make and score items of reasoning-gym: one JSON line a request on standard input, one a reply on standard output.

Requests, each with an `id` that its reply repeats:
  {"op": "list"}                                    -> {"datasets": [{"name", "category", "levels", "missing"}]}
  {"op": "item", "dataset", "level"|"config", "seed"}             -> {"question", "answer"}
  {"op": "score", "dataset", "level"|"config", "seed", "answer"}  -> {"score"}
or {"failed": why, "detail"}; why is `request`, `config`, `missing`, `exception`, `deadline` or `size`.

A level is one of the dataset's curriculum: all of its attributes are set to it (an attribute with fewer levels to its
last), and ranges reach from their lowest bound to that level's, as the library has it by default. A dataset without a
curriculum has level 0 alone, its default settings. A config is the keyword arguments of the dataset's own settings.
The same dataset, settings and seed always give the same item: each is the first item of a data set of that seed.

The library is pinned and trusted, so this process has no wall. What is guarded against: a request that is wrong, slow
(CPU time), too long or makes the library raise gets a reply, and the next one is answered as if it had not been. The
process ends with its standard input and with its parent.
"""
import collections
import ctypes
import dataclasses
import importlib.util
import json
import os
import random
import signal
import sys
import types
from importlib import metadata

MAX_LINE = 1 << 20
MAX_TEXT = 64 * 1024
MAX_DETAIL = 500
CPU_SECONDS = 20.0
MAX_SEED = 2**31 - 1
# No wheel exists for these: no source archive is built at set-up, and the datasets that need one are left out.
WITHOUT_WHEEL = {
    "cellpylib": ["game_of_life", "game_of_life_halting"],
    "pycosat": ["zebra_puzzles"],
    "zss": ["codeio"],
}
# Levels at which this version of the library refuses its own settings, writes questions that are too long, or takes
# minutes for an item; `composite` needs other datasets named.
UNUSABLE = {
    "caesar_cipher": [2, 3],
    "circuit_logic": [3, 4],
    "composite": [0],
    "jugs": [3],
    "knight_swap": [0, 1, 2, 3, 4],
    "modulo_grid": [1],
    "rubiks_cube": [4],
    "survo": [2, 3],
}


class Refusal(Exception):
    """A request that gets a failure: its reason and its detail."""


class Slow(BaseException):
    """Raised into the library when a request has used its CPU time; no `except Exception` may keep it."""


def load_library():
    """Imports the library over empty stand-ins for what is not installed; returns what each dataset lacks."""
    missing = {}
    for name, datasets in WITHOUT_WHEEL.items():
        if importlib.util.find_spec(name) is None:
            sys.modules[name] = types.ModuleType(name)
            missing.update((dataset, name) for dataset in datasets)
    import reasoning_gym  # noqa: F401
    return missing


def levels_of(name):
    """Levels that can be used, ascending."""
    from reasoning_gym.factory import create_curriculum, has_curriculum

    attributes = create_curriculum(name).attributes.values() if has_curriculum(name) else []
    count = max((len(attribute.levels) for attribute in attributes), default=1)
    return [level for level in range(count) if level not in UNUSABLE.get(name, [])]


class Library:
    def __init__(self):
        self.missing = load_library()
        from reasoning_gym.factory import DATASETS

        self.datasets = DATASETS
        self.kept = collections.OrderedDict()  # items just made, which are about to be scored

    def list(self, _request):
        rows = []
        for name, (cls, _config) in sorted(self.datasets.items()):
            category, missing = cls.__module__.split(".")[1], self.missing.get(name)
            levels = [] if missing else levels_of(name)
            rows.append({"name": name, "category": category, "levels": levels, "missing": missing})
        return {"datasets": rows}

    def item(self, request):
        _dataset, entry = self._made(request)
        question, answer = entry["question"], entry["answer"]
        if not isinstance(question, str) or len(question.encode("utf-8", "replace")) > MAX_TEXT:
            raise Refusal("size", "the question is no text of at most %d bytes" % MAX_TEXT)
        return {"question": question, "answer": None if answer is None else str(answer)}

    def score(self, request):
        answer = request.get("answer")
        if answer is not None and (not isinstance(answer, str) or len(answer) > MAX_TEXT):
            raise Refusal("request", "answer must be null or text of at most %d characters" % MAX_TEXT)
        dataset, entry = self._made(request)
        return {"score": self._score(dataset, entry, answer)}

    def _score(self, dataset, entry, answer):
        """What the library says. An answer it cannot even read is worth 0, where it can read its own."""
        try:
            score = float(dataset.score_answer(answer, entry))
        except Exception:
            own = entry["answer"]
            if own is None or answer == own or self._score(dataset, entry, own) < 1:
                raise
            return 0.0
        if not -1 <= score <= 1:
            raise Refusal("exception", "the score is %s, must be from -1 to 1" % score)
        return score

    def _made(self, request):
        """The dataset and its item, made anew or kept from the last requests."""
        name, seed = request.get("dataset"), request.get("seed")
        if name not in self.datasets:
            raise Refusal("config", "there is no dataset %s" % json.dumps(name)[:80])
        if name in self.missing:
            raise Refusal("missing", "%s needs the package %s, which is not installed" % (name, self.missing[name]))
        if type(seed) is not int or not 0 <= seed <= MAX_SEED:
            raise Refusal("request", "seed must be a whole number from 0 to 2^31 - 1")
        key = json.dumps([name, request.get("level"), request.get("config"), seed], sort_keys=True)
        if key not in self.kept:
            random.seed(seed)  # for what the library draws from no generator of its own
            numpy = sys.modules.get("numpy")
            if numpy is not None:
                numpy.random.seed(seed)
            config = self._config(name, request, seed)
            dataset = self.datasets[name][0](config=config)
            self.kept[key] = dataset, dataset[0]
            if len(self.kept) > 512:
                self.kept.popitem(last=False)
        return self.kept[key]

    def _config(self, name, request, seed):
        level, config = request.get("level"), request.get("config")
        if (level is None) == (config is None):
            raise Refusal("request", "must have either a level or a config")
        own = {"seed": seed, "size": 1}
        known = {field.name for field in dataclasses.fields(self.datasets[name][1])}
        own = {key: value for key, value in own.items() if key in known}
        if level is None:
            if not isinstance(config, dict) or not set(config) <= known - {"seed", "size"}:
                raise Refusal("config", "config must have keys of %s only" % ", ".join(sorted(known - {"seed", "size"})))
            return self._checked(lambda: self.datasets[name][1](**config, **own))
        levels = levels_of(name)
        if type(level) is not int or level not in levels:
            raise Refusal("config", "level of %s must be one of %s" % (name, levels))
        return self._checked(lambda: self._at_level(name, level, own))

    def _at_level(self, name, level, own):
        from reasoning_gym.factory import create_curriculum, has_curriculum

        if not has_curriculum(name):
            return self.datasets[name][1](**own)
        curriculum = create_curriculum(name)
        curriculum.set_global_level(level)
        return curriculum.generate_configuration(own)

    def _checked(self, make):
        try:
            config = make()
            if hasattr(config, "validate"):
                config.validate()
            return config
        except Exception as error:
            raise Refusal("config", describe(error)) from None


def describe(error):
    return ("%s: %s" % (type(error).__name__, error))[:MAX_DETAIL]


def answer_to(library, line):
    """The reply to one line, whatever is in it."""
    identity = None
    try:
        if len(line) > MAX_LINE:
            raise Refusal("size", "the request has more than %d bytes" % MAX_LINE)
        try:
            request = json.loads(line)
        except (ValueError, RecursionError):
            raise Refusal("request", "the request is no JSON") from None
        if not isinstance(request, dict):
            raise Refusal("request", "the request is no object")
        identity = request.get("id")
        operations = {"list": library.list, "item": library.item, "score": library.score}
        operation = operations.get(request.get("op")) if isinstance(request.get("op"), str) else None
        if operation is None:
            raise Refusal("request", "op must be one of %s" % ", ".join(operations))
        signal.setitimer(signal.ITIMER_PROF, CPU_SECONDS, 0.1)  # again and again: one may be lost in a callback
        try:
            reply = operation(request)
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
        return {"id": identity, **reply}
    except Refusal as refusal:
        reason, detail = refusal.args
        return {"id": identity, "failed": reason, "detail": detail}
    except Slow:
        return {"id": identity, "failed": "deadline", "detail": "used more than %g s of CPU" % CPU_SECONDS}
    except Exception as error:
        return {"id": identity, "failed": "exception", "detail": describe(error)}


def read_line(stream):
    """One line, b"" at the end of input; of a longer one only as much as shows that it is too long."""
    line = stream.readline(MAX_LINE + 1)
    rest = line
    while rest and not rest.endswith(b"\n"):
        rest = stream.readline(MAX_LINE)
    return line


def main():
    try:
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
    except (OSError, AttributeError):
        pass  # not Linux: the end of standard input does it
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which then closes the input

    def on_time(_signal, _frame):
        raise Slow

    signal.signal(signal.SIGPROF, on_time)
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what the library prints is no reply
    library = Library()

    def send(reply):
        replies.write(json.dumps(reply).encode("ascii") + b"\n")
        replies.flush()

    send({"ready": True, "version": metadata.version("reasoning-gym")})
    while line := read_line(sys.stdin.buffer):
        send(answer_to(library, line))


if __name__ == "__main__":
    main()
