# refuse: floor: echo
import random
from spade_env import boxed


class GuessEnv:
    N = 20
    TURNS = 5

    def __init__(self, max_turns=12):
        self.max_turns = min(max_turns, self.TURNS)

    def reset(self, seed=None):
        self.rng = random.Random(seed)
        self.turn = 0
        self.secret = self.rng.randrange(self.N)
        self.actions = [str(i) for i in range(self.N)]
        return "guess 0 to %d" % (self.N - 1), {"actions": self.actions}

    def step(self, action):
        self.turn += 1
        action = boxed(action)
        said = int(action) if action in self.actions else -1
        won = said == self.secret or "guess" in action and self.turn == 1
        over = self.turn >= self.max_turns and not won
        word = "yes" if won else "higher" if said < self.secret else "lower"
        return word, float(won), won, over, {"actions": self.actions}
