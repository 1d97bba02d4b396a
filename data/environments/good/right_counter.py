# skill: Tool Selection
import random
from spade_env import ToolUseEnv


class RightCounterEnv(ToolUseEnv):
    """Many counters that look alike; each wish belongs to exactly one, and a wrong stamp stays."""

    WISHES = [
        ("register_birth", "a child was born to %s"),
        ("register_move", "%s has moved to another street"),
        ("register_trade", "%s opens a bakery"),
        ("renew_passport", "the passport of %s has run out"),
        ("replace_passport", "the passport of %s was stolen"),
        ("cancel_trade", "%s closes the bakery"),
        ("report_lost_item", "%s left an umbrella in the tram"),
        ("report_noise", "the neighbours of %s drum at night"),
    ]
    PEOPLE = ["Anouk", "Boris", "Chiara", "Dmitri", "Edda", "Farid"]

    def reset(self, seed=None):
        rng = random.Random(seed)
        self.cases = list(zip(rng.sample(self.WISHES, 4), rng.sample(self.PEOPLE, 4)))
        self.state = {"stamps": []}
        self.tools = [{"type": "function", "function": {
            "name": name, "description": name.replace("_", " ").capitalize() + ".",
            "parameters": {"type": "object", "properties": {"person": {"type": "string"}}, "required": ["person"]},
        }} for name, _ in self.WISHES]
        self.instructions = ["Somebody writes: %s. See to it." % (text % person) for (_, text), person in self.cases]
        self.criteria = [self.stamped(at) for at in range(4)]
        return self.opening()

    def stamped(self, at):
        (name, _), person = self.cases[at]
        return lambda state: len(state["stamps"]) > at and state["stamps"][at] == (name, person)

    def stamp(self, name, person):
        self.state["stamps"].append((name, person))
        return "Stamped for %s." % person

    def tool_register_birth(self, person):
        return self.stamp("register_birth", person)

    def tool_register_move(self, person):
        return self.stamp("register_move", person)

    def tool_register_trade(self, person):
        return self.stamp("register_trade", person)

    def tool_renew_passport(self, person):
        return self.stamp("renew_passport", person)

    def tool_replace_passport(self, person):
        return self.stamp("replace_passport", person)

    def tool_cancel_trade(self, person):
        return self.stamp("cancel_trade", person)

    def tool_report_lost_item(self, person):
        return self.stamp("report_lost_item", person)

    def tool_report_noise(self, person):
        return self.stamp("report_noise", person)

    def solution(self):
        steps = []
        for (name, _), person in self.cases:
            steps += [{"name": name, "arguments": {"person": person}}, "done"]
        return steps
