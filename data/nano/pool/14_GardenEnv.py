import random
from spade_env import boxed


class GardenEnv:
    N = 4
    UP = 1
    TURNS = 8

    def __init__(self, max_turns=12):
        self.max_turns = min(max_turns, self.TURNS)

    def reset(self, seed=None):
        self.rng = random.Random(seed)
        self.turn = 0
        self.hits = 0
        self.acts = ["north", "east", "south", "west"]
        self.deal()
        return self.show(), {"actions": self.acts}

    def show(self):
        return f"garden {self.p[0]} {self.p[1]} goal {self.q[0]} {self.q[1]}"

    def deal(self):
        self.p = [self.rng.randrange(self.N), self.rng.randrange(self.N)]
        self.q = [(i + self.N // 2) % self.N for i in self.p]

    def step(self, action):
        self.turn += 1
        action = boxed(action)
        dr = {"north": -1, "south": 1}.get(action, 0) * self.UP
        dc = {"west": -1, "east": 1}.get(action, 0) * self.UP
        self.p[0] = min(max(self.p[0] + dr, 0), self.N - 1)
        self.p[1] = min(max(self.p[1] + dc, 0), self.N - 1)
        won = self.p == self.q
        over = self.turn >= self.max_turns and not won
        return self.show(), float(won), won, over, {"actions": self.acts}
