"""One program: executed once, constructed, then asked. Runs only inside a confined child."""
import sys
import types

from runner import contract
from runner.contract import Violation

NAME = "program"


def _takes_max_turns(cls):
    code = getattr(getattr(cls.__init__, "__func__", cls.__init__), "__code__", None)
    if code is None:
        return False
    return "max_turns" in code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]


def _environment_class(names):
    """The one class ending in Env that the program itself defines."""
    found = {}
    for value in list(names.values()):
        if isinstance(value, type) and value.__module__ == NAME and value.__name__.endswith("Env"):
            found[id(value)] = value
    if len(found) != 1:
        listed = ", ".join(sorted(cls.__name__ for cls in found.values())) or "none"
        raise Violation("program: classes ending in Env are %s, must be exactly one" % listed)
    return next(iter(found.values()))


class Program:
    """Answers reset, step and solution for the program's environment."""

    def __init__(self, source, max_turns, prelude):
        module = types.ModuleType(NAME)
        sys.modules[NAME] = module
        names = module.__dict__
        names["__builtins__"] = prelude
        exec(compile(source, "<program>", "exec", 0, True), names)
        self.cls = _environment_class(names)
        self.arguments = {"max_turns": max_turns} if max_turns is not None and _takes_max_turns(self.cls) else {}
        self.environment = self.cls(**self.arguments)

    def describe(self):
        turns = getattr(self.environment, "max_turns", None)
        known = isinstance(turns, int) and not isinstance(turns, bool) and 1 <= turns <= contract.SAFE_INTEGER
        return {"maxTurns": int(turns) if known else None}

    def reset(self, request):
        if request.get("fresh"):
            self.environment = self.cls(**self.arguments)
        return contract.reset_value(self.environment.reset(seed=request["seed"]))

    def step(self, request):
        return contract.step_value(self.environment.step(request["action"]))

    def solution(self, _request):
        function = getattr(self.environment, "solution", None)
        return {"solution": None if function is None else contract.solution_value(function())}
