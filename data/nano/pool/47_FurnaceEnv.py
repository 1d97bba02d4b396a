import random
from spade_env import boxed


class FurnaceEnv:
    N = 8
    TURNS = 8

    def __init__(self, max_turns=12):
        self.max_turns = min(max_turns, self.TURNS)

    def reset(self, seed=None):
        self.rng = random.Random(seed)
        self.turn = 0
        self.hits = 0
        self.acts = [str(i) for i in range(4)]
        self.note = ""
        self.effect = self.rng.sample([1, -1, 2, -2], 4)
        self.deal()
        return self.show(), {"actions": self.acts}

    def show(self):
        return f"{self.note}furnace {self.x} goal {self.q}"

    def deal(self):
        self.x = self.rng.randrange(10, 16)
        self.q = self.x + self.rng.choice([1, -1]) * self.N

    def step(self, action):
        self.turn += 1
        action = boxed(action)
        a = int(action) if action in self.acts else -1
        old = abs(self.q - self.x)
        self.x += self.effect[a] if a >= 0 else 0
        self.note = "near " if abs(self.q - self.x) < old else "far "
        won = self.x == self.q
        over = self.turn >= self.max_turns and not won
        return self.show(), float(won), won, over, {"actions": self.acts}
