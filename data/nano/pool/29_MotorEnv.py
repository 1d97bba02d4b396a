import random
from spade_env import boxed


class MotorEnv:
    N = 4
    NEED = 4
    TURNS = 10

    def __init__(self, max_turns=12):
        self.max_turns = min(max_turns, self.TURNS)

    def reset(self, seed=None):
        self.rng = random.Random(seed)
        self.turn = 0
        self.hits = 0
        self.acts = [str(i) for i in range(10)]
        self.note = ""
        self.map = self.rng.sample(range(10), self.N)
        self.deal()
        return self.show(), {"actions": self.acts}

    def deal(self):
        self.s = self.rng.randrange(self.N)
        self.x = self.map[self.s]

    def show(self):
        return f"{self.note}motor {self.s}"

    def step(self, action):
        self.turn += 1
        action = boxed(action)
        a = int(action) if action in self.acts else -1
        self.note = "yes " if a == self.x else f"no {self.x} "
        if a == self.x:
            self.hits += 1
        self.deal()
        won = self.hits >= self.NEED
        over = self.turn >= self.max_turns and not won
        return self.show(), float(won), won, over, {"actions": self.acts}
