import random
from spade_env import boxed


class HiveEnv:
    N = 3
    GOAL = 64
    TURNS = 7

    def __init__(self, max_turns=12):
        self.max_turns = min(max_turns, self.TURNS)

    def reset(self, seed=None):
        self.rng = random.Random(seed)
        self.turn = 0
        self.hits = 0
        self.acts = [str(i) for i in range(self.N)]
        self.pay = [9] + [self.rng.randrange(4) for i in range(self.N - 1)]
        self.rng.shuffle(self.pay)
        self.total = 0
        self.g = self.rng.randrange(self.N)
        self.deal()
        return self.show(), {"actions": self.acts}

    def deal(self):
        self.total += self.pay[self.g]

    def show(self):
        return f"hive {self.g} paid {self.pay[self.g]} total {self.total} goal {self.GOAL}"

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
