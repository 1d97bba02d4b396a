"""What a program may import from the toolkit: `boxed` and `ToolUseEnv`."""

import inspect

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


class ToolUseEnv:
    """Base of tool-use programs. A subclass's reset sets `tools` (OpenAI schemas), `state` (dict), `instructions`
    (list of str) and `criteria` (one state -> bool an instruction) and returns `self.opening()`; its tools are methods
    `tool_<name>(self, **arguments) -> str`. Every call or answer is a turn."""

    def __init__(self, max_turns=25):
        self.max_turns = max_turns
        self.tools, self.state, self.instructions, self.criteria = [], {}, [], []
        self.turns, self.position = 0, 0

    def opening(self):
        """What reset returns: the first instruction."""
        self.turns, self.position = 0, 0
        return self.instructions[0], {"instruction": 0}

    def call(self, name, arguments):
        """Runs one tool. An unknown name or wrong arguments is a message, not a fault of the program."""
        self.turns += 1
        known = [tool.get("function", tool).get("name") for tool in self.tools]
        if name not in known:
            return "Unknown tool %r. Tools: %s." % (name, ", ".join(map(str, known))), {}
        tool = getattr(self, "tool_" + name)
        try:
            inspect.signature(tool).bind(**arguments)
        except TypeError as error:
            return "Bad arguments for %s: %s." % (name, error), {}
        return str(tool(**arguments)), {}

    def answer(self, text):
        """Ends one instruction; success is `done` with every criterion met after the last one."""
        self.turns += 1
        self.position += 1
        if self.position < len(self.instructions):
            out = self.turns >= self.max_turns
            return self.instructions[self.position], 0.0, False, out, {"instruction": self.position}
        met = all(bool(criterion(self.state)) for criterion in self.criteria)
        success = met and text.strip().lower() == "done"
        return ("Done." if success else "Not achieved."), 1.0 if success else 0.0, True, False, {}
