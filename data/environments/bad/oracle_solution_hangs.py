# refuse: oracle: deadline
import random
from spade_env import boxed


class PasswordEnv:
    """Find a word from how many of its letters are met."""

    def __init__(self, max_turns=12):
        self.max_turns = max_turns

    def reset(self, seed=None):
        rng = random.Random(seed)
        self.turn = 0
        self.word = "".join(rng.choice("bcdfgklm") + rng.choice("aeiou") for _ in range(3))
        return "a word of six letters; " + self.sum(), {}

    def sum(self):
        return "its letters stand at %d in all" % sum(map(ord, self.word))

    def step(self, action):
        self.turn += 1
        said = boxed(action)
        won = said == self.word
        met = sum(one == other for one, other in zip(said, self.word))
        return "%d letters are met" % met, float(won), won, not won and self.turn >= self.max_turns, {}

    def solution(self):
        while True:
            self.turn += 1
