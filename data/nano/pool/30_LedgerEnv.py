import random
from spade_env import boxed


class LedgerEnv:
    N = 8
    FEE = 0
    NEED = 3
    TURNS = 7

    def __init__(self, max_turns=12):
        self.max_turns = min(max_turns, self.TURNS)

    def reset(self, seed=None):
        self.rng = random.Random(seed)
        self.turn = 0
        self.hits = 0
        self.acts = [str(i) for i in range(12)]
        self.note = ""
        self.deal()
        return self.show(), {"actions": self.acts}

    def show(self):
        return f"{self.note}ledger {self.b} of {self.s}"

    def deal(self):
        self.s = self.rng.randint(4, self.N)
        self.b = self.rng.randint(1, self.s - 2)
        self.x = self.s - self.b - self.FEE

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
