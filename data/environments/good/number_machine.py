# skill: Mathematical Reasoning
import random
from spade_env import boxed


class NumberMachineEnv:
    """Find the rule of a machine by a few inputs, then foretell its output."""

    PROBES = 3

    def __init__(self, max_turns=25):
        self.max_turns = min(max_turns, 12)

    def reset(self, seed=None):
        rng = random.Random(seed)
        self.factor, self.offset = rng.randint(3, 12), rng.randint(-20, 20)
        self.question = rng.randint(40, 90)
        self.turn, self.log = 0, []
        return self.show("The machine multiplies by one whole number and adds another."), {}

    def show(self, result):
        seen = ", ".join("%d becomes %d" % pair for pair in self.log) or "nothing"
        return "%s\nSeen: %s. Inputs left: %d (0 to 9).\nSay \\boxed{input N} or, once, \\boxed{output N} for the input %d." % (
            result, seen, self.PROBES - len(self.log), self.question)

    def step(self, action):
        self.turn += 1
        word, _, number = boxed(action).partition(" ")
        out = self.turn >= self.max_turns
        try:
            number = int(number)
        except ValueError:
            return self.show("Not understood."), 0.0, False, out, {}
        if word == "output":
            won = number == self.factor * self.question + self.offset
            return ("Right." if won else "Wrong."), float(won), True, False, {}
        if word != "input" or not 0 <= number <= 9 or len(self.log) >= self.PROBES:
            return self.show("The machine refuses."), 0.0, False, out, {}
        self.log.append((number, self.factor * number + self.offset))
        return self.show("The machine hums."), 0.0, False, out, {}

    def solution(self):
        return ["input 0", "input 1", "output %d" % (self.factor * self.question + self.offset)]
