import random
from spade_env import boxed


class StairEnv:
    N = 5
    GROW = 0
    NEED = 3
    TURNS = 8

    def __init__(self, max_turns=12):
        self.max_turns = min(max_turns, self.TURNS)

    def reset(self, seed=None):
        self.rng = random.Random(seed)
        self.turn = 0
        self.hits = 0
        self.acts = [str(i) for i in range(20)]
        self.note = ""
        self.deal()
        return self.show(), {"actions": self.acts}

    def deal(self):
        d = self.rng.randint(1, self.N)
        self.a = self.rng.randrange(6)
        self.b = self.a + d
        self.x = self.b + d + self.GROW

    def show(self):
        return f"{self.note}stair {self.a} {self.b}"

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
