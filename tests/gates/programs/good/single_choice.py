import random
from spade_env import boxed


class OddOneEnv:
    """One choice among five: random play wins a fifth of the time."""

    def __init__(self, max_turns=12):
        self.max_turns = 1

    def reset(self, seed=None):
        rng = random.Random(seed)
        step = rng.randint(2, 9)
        numbers = [step * rng.randint(2, 9) for _ in range(4)]
        odd = step * rng.randint(2, 9) + 1
        while odd in numbers:
            odd += step
        shown = numbers + [odd]
        rng.shuffle(shown)
        self.odd = str(odd)
        self.offered = sorted(set(map(str, shown)))
        text = "all but one are multiples of %d: %s" % (step, " ".join(map(str, shown)))
        return text, {"actions": self.offered}

    def step(self, action):
        won = boxed(action) == self.odd
        return ("right" if won else "wrong"), float(won), True, False, {}

    def solution(self):
        return [self.odd]
