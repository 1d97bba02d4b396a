import random
from spade_env import boxed


class VaultEnv:
    N = 9
    NEED = 2
    TURNS = 8

    def __init__(self, max_turns=12):
        self.max_turns = min(max_turns, self.TURNS)

    def reset(self, seed=None):
        self.rng = random.Random(seed)
        self.turn = 0
        self.hits = 0
        self.acts = [str(i) for i in range(self.N + 4)]
        self.deal()
        return self.show(), {"actions": self.acts}

    def show(self):
        return f"vault {self.lo} to {self.hi}"

    def deal(self):
        self.lo = self.rng.randrange(4)
        self.hi = self.lo + self.N - 1
        self.x = self.rng.randint(self.lo, self.hi)

    def step(self, action):
        self.turn += 1
        action = boxed(action)
        a = int(action) if action in self.acts else -1
        if a == self.x:
            self.hits += 1
            self.deal()
        elif a < self.x:
            self.lo = max(self.lo, a + 1)
        else:
            self.hi = min(self.hi, a - 1)
        won = self.hits >= self.NEED
        over = self.turn >= self.max_turns and not won
        return self.show(), float(won), won, over, {"actions": self.acts}
