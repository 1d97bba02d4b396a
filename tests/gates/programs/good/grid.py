import random
from spade_env import boxed


class GridEnv:
    N = 4

    def __init__(self, max_turns=12):
        self.max_turns = max_turns

    def reset(self, seed=None):
        rng = random.Random(seed)
        self.turn = 0
        self.x, self.y = 0, 0
        self.goal = (rng.randrange(1, self.N), rng.randrange(2, self.N))
        return self.show(), self.info()

    def info(self):
        return {"actions": ["north", "east", "south", "west"]}

    def show(self):
        return "at %d %d goal %d %d" % (self.x, self.y, self.goal[0], self.goal[1])

    def step(self, action):
        self.turn += 1
        dx, dy = {"north": (0, 1), "east": (1, 0), "south": (0, -1), "west": (-1, 0)}.get(boxed(action), (0, 0))
        self.x = max(0, min(self.N - 1, self.x + dx))
        self.y = max(0, min(self.N - 1, self.y + dy))
        won = (self.x, self.y) == self.goal
        return self.show(), float(won), won, not won and self.turn >= self.max_turns, self.info()
