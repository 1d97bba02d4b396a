# skill: Pattern Recognition
import random
from spade_env import boxed


class OddNumberEnv:
    """One choice: all numbers but one share a remainder."""

    def __init__(self, max_turns=25):
        self.max_turns = 1

    def reset(self, seed=None):
        rng = random.Random(seed)
        self.divisor = rng.randint(4, 9)
        remainder = rng.randrange(self.divisor)
        factors = rng.sample(range(2, 40), 9)
        numbers = [self.divisor * factor + remainder for factor in factors]
        numbers[8] += rng.randint(1, self.divisor - 1)
        self.odd = str(numbers[8])
        self.offered = [str(number) for number in sorted(numbers)]
        return "Eight of these numbers leave the same remainder by one divisor between 4 and 9: %s.\nWhich one does not? \\boxed{N}" % (
            ", ".join(self.offered)), {"actions": self.offered}

    def step(self, action):
        won = boxed(action) == self.odd
        return ("Yes." if won else "No."), float(won), True, False, {}

    def solution(self):
        return [self.odd]
