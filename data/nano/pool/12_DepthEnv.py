import random
from spade_env import boxed


class DepthEnv:
    N = 10
    NEED = 3
    TURNS = 6

    def __init__(self, max_turns=12):
        self.max_turns = min(max_turns, self.TURNS)

    def reset(self, seed=None):
        self.rng = random.Random(seed)
        self.turn = 0
        self.hits = 0
        self.acts = [str(i) for i in range(self.N)]
        self.g = self.rng.randrange(self.N)
        self.deal()
        return self.show(), {"actions": self.acts}

    def show(self):
        return f"depth {self.g} gap {abs(self.x - self.g)} of {self.N}"

    def deal(self):
        self.x = (self.g + self.rng.randrange(1, self.N)) % self.N

    def step(self, action):
        self.turn += 1
        action = boxed(action)
        a = int(action) if action in self.acts else -1
        if a >= 0:
            self.g = a
        if a == self.x:
            self.hits += 1
            self.deal()
        won = self.hits >= self.NEED
        over = self.turn >= self.max_turns and not won
        return self.show(), float(won), won, over, {"actions": self.acts}
