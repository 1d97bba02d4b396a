# skill: Causal Inference
import itertools
import random
from spade_env import boxed


class TwoSwitchesEnv:
    """Find by experiment which two switches together light the lamp."""

    SWITCHES = "ABCDEF"
    FLIPS = 8

    def __init__(self, max_turns=25):
        self.max_turns = max_turns

    def reset(self, seed=None):
        rng = random.Random(seed)
        self.pairs = list(itertools.combinations(self.SWITCHES, 2))
        self.cause = rng.choice(self.pairs)
        self.up = {switch: rng.random() < 0.5 for switch in self.SWITCHES}
        self.turn, self.flips = 0, 0
        return self.show("A lamp and six switches."), self.offer()

    def offer(self):
        flips = ["flip " + switch for switch in self.SWITCHES] if self.flips < self.FLIPS else []
        return {"actions": flips + ["cause %s%s" % pair for pair in self.pairs]}

    def show(self, result):
        lit = all(self.up[switch] for switch in self.cause)
        return "%s Up: %s. The lamp is %s. It shines when both of two switches are up; flips left: %d. Flip, or name the cause once." % (
            result, " ".join(s for s in self.SWITCHES if self.up[s]) or "none", "on" if lit else "off", self.FLIPS - self.flips)

    def step(self, action):
        self.turn += 1
        action = boxed(action)
        if action not in self.offer()["actions"]:
            return self.show("Nothing happens."), 0.0, False, self.turn >= self.max_turns, self.offer()
        if action.startswith("cause"):
            won = action == "cause %s%s" % self.cause
            return ("So it is." if won else "It is not."), float(won), True, False, {}
        self.flips += 1
        self.up[action[-1]] = not self.up[action[-1]]
        return self.show("Click."), 0.0, False, self.turn >= self.max_turns, self.offer()

    def solution(self):
        return ["cause %s%s" % self.cause]
