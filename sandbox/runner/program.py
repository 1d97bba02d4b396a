"""One program: executed once, constructed, then asked. Runs only inside a confined child."""
import inspect
import sys
import types

from runner import contract
from runner.contract import Violation
from spade_env import tool_name

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


def _signature(function):
    """What a tool's method takes: names, those without a default, whether any name will do; None without a method."""
    if not callable(function):
        return None
    names, required, variadic = [], [], False
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind is parameter.VAR_KEYWORD:
            variadic = True
        elif parameter.kind is parameter.POSITIONAL_ONLY:
            required.append(parameter.name)
        elif parameter.kind is not parameter.VAR_POSITIONAL:
            names.append(parameter.name)
            if parameter.default is parameter.empty:
                required.append(parameter.name)
    return {"names": names, "required": required, "variadic": variadic}


class Program:
    """Answers every request of the contract for the program's environment."""

    OPERATIONS = "reset step tools call answer criteria solution".split()

    def __init__(self, source, max_turns, prelude):
        module = types.ModuleType(NAME)
        sys.modules[NAME] = module
        names = module.__dict__
        names["__builtins__"] = prelude
        exec(compile(source, "<program>", "exec", 0, True), names)
        self.cls = _environment_class(names)
        self.arguments = {"max_turns": max_turns} if max_turns is not None and _takes_max_turns(self.cls) else {}
        self.environment = self.cls(**self.arguments)

    def operations(self):
        return {name: getattr(self, name) for name in self.OPERATIONS}

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

    def tools(self, _request):
        """Schemas after the last reset beside the signatures of their methods, or null for a game."""
        environment = self.environment
        if not callable(getattr(environment, "call", None)):
            return {"tools": None}
        tools = contract.tools_value(getattr(environment, "tools", None))
        signatures = {}
        for tool in tools:
            name = tool_name(tool)
            if name is not None:
                signatures[name] = _signature(getattr(environment, "tool_" + name, None))
        return {"tools": tools, "signatures": signatures,
                "instructions": contract.count(environment.instructions, "instructions"),
                "criteria": contract.count(environment.criteria, "criteria")}

    def call(self, request):
        return contract.call_value(self.environment.call(request["name"], request["arguments"]))

    def answer(self, request):
        return contract.step_value(self.environment.answer(request["text"]))

    def criteria(self, _request):
        """Of each criterion: true, false, or what it raised."""
        environment, verdicts = self.environment, []
        for criterion in environment.criteria[: contract.MAX_ACTIONS]:
            try:
                verdicts.append(bool(criterion(environment.state)))
            except Exception as error:  # noqa: BLE001
                verdicts.append(contract.well_formed("%s: %s" % (type(error).__name__, error))[:200])
        return {"criteria": verdicts}

    def solution(self, _request):
        function = getattr(self.environment, "solution", None)
        return {"solution": None if function is None else contract.solution_value(function())}
