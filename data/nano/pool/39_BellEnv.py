import random
from spade_env import boxed


class BellEnv:
    N = 5
    NEED = 4
    TURNS = 10

    def __init__(self, max_turns=12):
        self.max_turns = min(max_turns, self.TURNS)

    def reset(self, seed=None):
        self.rng = random.Random(seed)
        self.turn = 0
        self.hits = 0
        self.acts = [str(i) for i in range(10)]
        self.song = self.rng.sample(range(10), self.N)
        self.deal()
        return self.show(), {"actions": self.acts}

    def deal(self):
        self.x = self.song[self.turn % self.N]

    def show(self):
        return f"bell {self.x}"

    def step(self, action):
        self.turn += 1
        action = boxed(action)
        a = int(action) if action in self.acts else -1
        self.deal()
        if a == self.x:
            self.hits += 1
        won = self.hits >= self.NEED
        over = self.turn >= self.max_turns and not won
        return self.show(), float(won), won, over, {"actions": self.acts}
