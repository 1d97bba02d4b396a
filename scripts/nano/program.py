"""How a nano program is put together, run and summarised.

Every family fills the same skeleton, so that most lines are shared. The result obeys the environment contract:
one class ending in Env, `reset(seed)`, `step(action)`, its own random generator, reward 1.0 exactly at the goal.
`spade_env` is the contract package of the sandbox; here a stand-in with the same `boxed` is registered, so that
generated programs run inside this process (they are ours, not a model's).
"""
import re
import sys
import types
from dataclasses import dataclass
from functools import lru_cache


def boxed(text):
    """Content of the last \\boxed{...} of text, or the stripped text itself."""
    found = re.findall(r"\\boxed\{([^{}]*)\}", text)
    return (found[-1] if found else text).strip()


if "spade_env" not in sys.modules:
    stand_in = types.ModuleType("spade_env")
    stand_in.boxed = boxed
    sys.modules["spade_env"] = stand_in


@dataclass
class Game:
    """One program with what its generator knows about it."""

    family: str
    skill: str
    noun: str
    constants: dict
    source: str
    hint: str
    difficulty: float = 0.0


NUMBER_ACTION = ["a = int(action) if action in self.acts else -1"]


def indent(lines, depth):
    return ["    " * depth + line for line in lines]


ORDERS = ["deal show step", "show deal step", "step show deal"]


def write_source(noun, constants, parts, order=0):
    """Source text from parts: acts (expression), start, deal, show (lists of lines), rules (lines of step), won (expression)."""
    acts = parts.get("acts", "[str(i) for i in range(self.N)]")
    lines = ["import random", "from spade_env import boxed", "", "", f"class {noun.capitalize()}Env:"]
    lines += indent([f"{name} = {value}" for name, value in constants.items()], 1)
    lines += ["", "    def __init__(self, max_turns=12):"]
    lines += indent(["self.max_turns = min(max_turns, self.TURNS)"], 2)
    lines += ["", "    def reset(self, seed=None):"]
    lines += indent(["self.rng = random.Random(seed)", "self.turn = 0", "self.hits = 0"], 2)
    lines += indent([f"self.acts = {acts}"] + parts.get("start", []) + ["self.deal()"], 2)
    lines += indent(['return self.show(), {"actions": self.acts}'], 2)
    methods = {"deal": ["def deal(self):"] + indent(parts["deal"], 1), "show": ["def show(self):"] + indent(parts["show"], 1)}
    step = ["self.turn += 1", "action = boxed(action)"] + parts.get("read", NUMBER_ACTION) + parts["rules"]
    step += [f"won = {parts.get('won', 'self.hits >= self.NEED')}", "over = self.turn >= self.max_turns and not won"]
    step += ['return self.show(), float(won), won, over, {"actions": self.acts}']
    methods["step"] = ["def step(self, action):"] + indent(step, 1)
    for name in ORDERS[order].split():
        lines += [""] + indent(methods[name], 1)
    return "\n".join(lines) + "\n"


@lru_cache(maxsize=50000)
def load(source):
    """The environment class of a program."""
    namespace = {}
    exec(compile(source, "game", "exec"), namespace)
    return next(value for name, value in namespace.items() if name.endswith("Env"))


def record(source):
    """Short memory record of any program text: class name, then each integer constant of the class."""
    name = re.search(r"^class (\w+)", source, re.M)
    constants = re.findall(r"^    ([A-Z_]+) = (-?\d+)$", source, re.M)
    return " ".join([name.group(1) if name else "Env"] + [f"{key} {value}" for key, value in constants])


def between(rng, easy, hard, difficulty, jitter=0.5):
    """Integer that moves from easy (difficulty 0) to hard (difficulty 1)."""
    value = round(easy + (hard - easy) * difficulty + rng.uniform(-jitter, jitter))
    return max(min(easy, hard), min(max(easy, hard), value))


def numbers(text):
    return [int(piece) for piece in re.findall(r"\d+", text)]
