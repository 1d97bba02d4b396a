import random
from spade_env import boxed


class OrchardEnv:
    N = 5
    GOAL = 46
    TURNS = 8

    def __init__(self, max_turns=12):
        self.max_turns = min(max_turns, self.TURNS)

    def reset(self, seed=None):
        self.rng = random.Random(seed)
        self.turn = 0
        self.hits = 0
        self.acts = [str(i) for i in range(self.N)]
        self.rich = self.rng.randrange(self.N)
        self.left = 3
        self.total = 0
        self.g = self.rng.randrange(self.N)
        self.deal()
        return self.show(), {"actions": self.acts}

    def show(self):
        return f"orchard {self.g} paid {self.v} total {self.total} goal {self.GOAL}"

    def deal(self):
        self.v = 9 if self.g == self.rich else self.rng.randrange(3)
        self.left -= self.g == self.rich
        if self.left == 0:
            self.rich = (self.rich + 1) % self.N
            self.left = 3
        self.total += self.v

    def step(self, action):
        self.turn += 1
        action = boxed(action)
        a = int(action) if action in self.acts else -1
        if a >= 0:
            self.g = a
            self.deal()
        won = self.total >= self.GOAL
        over = self.turn >= self.max_turns and not won
        return self.show(), float(won), won, over, {"actions": self.acts}
