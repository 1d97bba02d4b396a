# skill: Causal Inference
# hard: one of nine answers is false
import random
from spade_env import boxed


class OneLieEnv:
    """Find a number by questions, one of whose answers is a lie."""

    QUESTIONS = 9

    def __init__(self, max_turns=25):
        self.max_turns = min(max_turns, 14)

    def reset(self, seed=None):
        rng = random.Random(seed)
        self.number = rng.randint(1, 32)
        self.lie = rng.randrange(self.QUESTIONS)
        self.turn, self.log = 0, []
        return self.show("A number from 1 to 32."), {}

    def show(self, result):
        return "%s\nAsked: %s.\nQuestions left: %d, exactly one of all answers is a lie. Say \\boxed{below N} to ask or, once, \\boxed{it is N}." % (
            result, "; ".join(self.log) or "nothing", self.QUESTIONS - len(self.log))

    def step(self, action):
        self.turn += 1
        word, _, number = boxed(action).rpartition(" ")
        out = self.turn >= self.max_turns
        if not number.isdecimal() or word not in ("below", "it is"):
            return self.show("Not understood."), 0.0, False, out, {}
        if word == "it is":
            won = int(number) == self.number
            return ("It is." if won else "It is not."), float(won), True, False, {}
        if len(self.log) >= self.QUESTIONS:
            return self.show("No questions are left."), 0.0, False, out, {}
        truth = self.number < int(number)
        says = truth if len(self.log) != self.lie else not truth
        self.log.append("%d is %s" % (int(number), "above it" if says else "not above it"))
        return self.show("Answered."), 0.0, False, out, {}

    def solution(self):
        return ["it is %d" % self.number]
