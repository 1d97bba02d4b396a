"""What a program may import from the toolkit: `boxed` and `ToolUseEnv`."""

import inspect
import json

_BOX = "\\boxed"


def boxed(action):
    """Content of the last balanced \\boxed{...}, stripped; the stripped text itself where there is no box."""
    opened, found = [], None
    for position, character in enumerate(action):
        if character == "{":
            opened.append(position)
        elif character == "}" and opened:
            first = opened.pop()
            if (found is None or first > found[0]) and action.endswith(_BOX, 0, first):
                found = (first, position)
    return (action if found is None else action[found[0] + 1 : found[1]]).strip()


def tool_name(tool):
    """Name in an OpenAI tool schema, with or without its `function` wrapper; None where there is none."""
    function = tool.get("function", tool)
    name = function.get("name") if isinstance(function, dict) else None
    return name if isinstance(name, str) else None


_TYPES = {
    "string": lambda value: isinstance(value, str),
    "boolean": lambda value: isinstance(value, bool),
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "number": lambda value: isinstance(value, (int, float)) and not isinstance(value, bool),
    "array": lambda value: isinstance(value, list),
    "object": lambda value: isinstance(value, dict),
    "null": lambda value: value is None,
}


def mismatch(value, schema, path):
    """What is wrong with a value by a JSON schema (type, enum, properties, required, items), or None."""
    if not isinstance(schema, dict):
        return None
    types = schema.get("type")
    listed = [types] if isinstance(types, str) else types if isinstance(types, list) else []
    if listed and not any(_TYPES.get(name, lambda _: True)(value) for name in listed):
        return "%s must be %s, is %s" % (path, " or ".join(listed), json.dumps(value)[:80])
    if isinstance(schema.get("enum"), list) and value not in schema["enum"]:
        return "%s must be one of %s" % (path, json.dumps(schema["enum"])[:300])
    if isinstance(value, dict):
        properties = schema.get("properties") or {}
        for name in schema.get("required") or []:
            if name not in value:
                return "%s is missing" % _below(path, name)
        for name, item in value.items():
            if name in properties:
                wrong = mismatch(item, properties[name], _below(path, name))
                if wrong:
                    return wrong
    if isinstance(value, list):
        for index, item in enumerate(value):
            wrong = mismatch(item, schema.get("items"), "%s[%d]" % (path, index))
            if wrong:
                return wrong
    return None


def _below(path, name):
    return name if path == "arguments" else "%s.%s" % (path, name)


class ToolUseEnv:
    """Base of tool-use programs: several instructions, given one at a time, over one mutable state.

    A subclass's reset sets `tools` (OpenAI function schemas), `state` (dict), `instructions` (list of str) and `criteria`
    (one state -> bool for each instruction) and returns `self.opening()`. Its tools are methods `tool_<name>(self,
    **arguments) -> str`. The agent calls tools as it likes and ends each instruction by an answer; the last answer must be
    `done`, and wins where every criterion is met by then. Every call and every answer is a turn."""

    def __init__(self, max_turns=25):
        self.max_turns = max_turns
        self.tools, self.state, self.instructions, self.criteria = [], {}, [], []
        self.turns, self.position = 0, 0

    def opening(self):
        """What reset returns: the first instruction."""
        self.turns, self.position = 0, 0
        return self._instruction(), {"instruction": 0}

    def _instruction(self):
        last = self.position == len(self.instructions) - 1
        return "Instruction %d of %d: %s%s" % (
            self.position + 1, len(self.instructions), self.instructions[self.position],
            "\nThis is the last one: answer done when it is carried out." if last else "")

    def call(self, name, arguments):
        """Runs one tool. An unknown name or wrong arguments is a message to the agent, not a fault of the program."""
        self.turns += 1
        schemas = {tool_name(tool): tool.get("function", tool) for tool in self.tools}
        if name not in schemas:
            return "Unknown tool %r. Tools: %s." % (name, ", ".join(map(str, schemas))), {}
        if not isinstance(arguments, dict):
            return "Bad arguments for %s: must be an object." % name, {}
        tool = getattr(self, "tool_" + name)
        wrong = mismatch(arguments, schemas[name].get("parameters"), "arguments")
        if wrong is None:
            try:
                inspect.signature(tool).bind(**arguments)
            except TypeError as error:
                wrong = str(error)
        if wrong is not None:
            return "Bad arguments for %s: %s." % (name, wrong), {}
        return str(tool(**arguments)), {}

    def met(self):
        """Whether each criterion holds; one that raises does not."""
        return [self._holds(criterion) for criterion in self.criteria]

    def _holds(self, criterion):
        try:
            return bool(criterion(self.state))
        except Exception:
            return False

    def answer(self, text):
        """Ends one instruction. Returns what step returns; after the last one the play is over."""
        self.turns += 1
        self.position += 1
        if self.position < len(self.instructions):
            out = self.turns >= self.max_turns
            return self._instruction(), 0.0, False, out, {"instruction": self.position}
        success = text.strip().strip(".!\"'`*").strip().lower() == "done" and all(self.met())
        return ("Done." if success else "Not achieved."), 1.0 if success else 0.0, True, False, {}

    def step(self, action):
        """The same by one string: a boxed JSON object {"name", "arguments"} is a call, anything else an answer."""
        content = boxed(action)
        try:
            request = json.loads(content)
        except ValueError:
            request = None
        if not isinstance(request, dict) or not isinstance(request.get("name"), str):
            return self.answer(content)
        text, info = self.call(request["name"], request.get("arguments") or {})
        return text, 0.0, False, self.turns >= self.max_turns, info
