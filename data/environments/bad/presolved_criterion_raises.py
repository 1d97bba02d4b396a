# refuse: presolved: criterion 2 raises on every seed
import random
from spade_env import ToolUseEnv


class CupboardEnv(ToolUseEnv):
    """Put things on shelves."""

    def reset(self, seed=None):
        rng = random.Random(seed)
        self.things = rng.sample(["cup", "bowl", "jar", "plate", "spoon"], 2)
        self.state = {"shelf": []}
        thing = {"type": "string"}
        self.tools = [
            {"type": "function", "function": {"name": "put", "description": "Puts a thing on the shelf.", "parameters": {
                "type": "object", "properties": {"thing": thing}, "required": ["thing"]}}},
            {"type": "function", "function": {"name": "look", "description": "Lists the shelf.", "parameters": {
                "type": "object", "properties": {}}}},
        ]
        self.instructions = ["Put the %s on the shelf." % thing for thing in self.things]
        self.criteria = [lambda state: self.things[0] in state["shelf"], lambda state: state["shelves"] == self.things]
        return self.opening()

    def tool_put(self, thing):
        self.state["shelf"].append(thing)
        return "Put."

    def tool_look(self):
        return ", ".join(self.state["shelf"]) or "nothing"

    def solution(self):
        steps = []
        for thing in self.things:
            steps += [{"name": "put", "arguments": {"thing": thing}}, "done"]
        return steps
