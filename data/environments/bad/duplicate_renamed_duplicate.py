# refuse: duplicate: same syntax tree
import random
from spade_env import boxed


class NumberEnv:
    """Another name."""

    N = 20
    ROUNDS = 5

    def __init__(self, max_turns=12):
        self.max_turns = min(max_turns, self.ROUNDS)

    def reset(self, seed=None):
        self.rng = random.Random(seed)
        self.turn = 0
        self.hidden = self.rng.randrange(self.N)
        self.actions = [str(i) for i in range(self.N)]
        return "guess 0 to %d" % (self.N - 1), {"actions": self.actions}

    def step(self, action):
        self.turn += 1
        action = boxed(action)
        told = int(action) if action in self.actions else -1
        won = told == self.hidden
        over = self.turn >= self.max_turns and not won
        answer = "yes" if won else "higher" if told < self.hidden else "lower"
        return answer, float(won), won, over, {"actions": self.actions}
