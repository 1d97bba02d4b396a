import random
from spade_env import boxed


class CompassEnv:
    SIDE = 1
    NEED = 4
    TURNS = 6

    def __init__(self, max_turns=12):
        self.max_turns = min(max_turns, self.TURNS)

    def reset(self, seed=None):
        self.rng = random.Random(seed)
        self.turn = 0
        self.hits = 0
        self.acts = ["north", "south", "south", "west"]
        self.note = ""
        self.h = self.rng.randrange(4)
        self.deal()
        return self.show(), {"actions": self.acts}

    def show(self):
        turn = ["right", "back", "left"][self.t - 1]
        return f"{self.note}drone {self.acts[self.h]} {turn}"

    def deal(self):
        self.t = self.rng.randrange(1, 4)
        self.x = (self.h + self.t * self.SIDE) % 4

    def step(self, action):
        self.turn += 1
        action = boxed(action)
        want = self.acts[self.x]
        self.note = "yes " if action == want else f"no {want} "
        if action == want:
            self.hits += 1
        self.h = self.x
        self.deal()
        won = self.hits >= self.NEED
        over = self.turn >= self.max_turns and not won
        return self.show(), float(won), won, over, {"actions": self.acts}
