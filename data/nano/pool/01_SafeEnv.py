import random
from spade_env import boxed


class SafeEnv:
    N = 9
    TURNS = 6

    def __init__(self, max_turns=12):
        self.max_turns = min(max_turns, self.TURNS)

    def reset(self, seed=None):
        self.rng = random.Random(seed)
        self.turn = 0
        self.hits = 0
        self.acts = [f"{i} {j}" for i in range(self.N) for j in range(self.N)]
        self.deal()
        return self.show(), {"actions": self.acts}

    def step(self, action):
        self.turn += 1
        action = boxed(action)
        if action in self.acts:
            self.g = [int(i) for i in action.split()]
        won = self.g == self.x
        over = self.turn >= self.max_turns and not won
        return self.show(), float(won), won, over, {"actions": self.acts}

    def show(self):
        p, q = [int(i == j) for i, j in zip(self.x, self.g)]
        return f"cipher {self.g[0]} {self.g[1]} right {p} {q} of {self.N}"

    def deal(self):
        self.x = [self.rng.randrange(self.N) for i in range(2)]
        self.g = [(i + self.rng.randrange(1, self.N)) % self.N for i in self.x]
