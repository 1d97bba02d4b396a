import random
from spade_env import boxed


class TruckEnv:
    N = 12
    NEED = 3
    TURNS = 10

    def __init__(self, max_turns=12):
        self.max_turns = min(max_turns, self.TURNS)

    def reset(self, seed=None):
        self.rng = random.Random(seed)
        self.turn = 0
        self.hits = 0
        self.acts = [str(i) for i in range(1, 10)]
        self.deal()
        return self.show(), {"actions": self.acts}

    def deal(self):
        self.x = 0
        self.q = self.rng.randint(self.N // 2, self.N)

    def show(self):
        return f"truck {self.x} goal {self.q}"

    def step(self, action):
        self.turn += 1
        action = boxed(action)
        a = int(action) if action in self.acts else -1
        self.x += max(a, 0)
        if self.x == self.q:
            self.hits += 1
            self.deal()
        elif self.x > self.q:
            self.x = 0
        won = self.hits >= self.NEED
        over = self.turn >= self.max_turns and not won
        return self.show(), float(won), won, over, {"actions": self.acts}
