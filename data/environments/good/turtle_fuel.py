# skill: Spatial Reasoning
import random
from collections import deque
from spade_env import boxed


class TurtleFuelEnv:
    """Steer a turtle by its own left and right, with hardly more fuel than needed."""

    SIZE = 5
    WAYS = [("north", 0, 1), ("east", 1, 0), ("south", 0, -1), ("west", -1, 0)]
    ACTIONS = ["forward", "left", "right"]

    def __init__(self, max_turns=25):
        self.max_turns = max_turns

    def reset(self, seed=None):
        rng = random.Random(seed)
        while True:
            cells = [(x, y) for x in range(self.SIZE) for y in range(self.SIZE)]
            self.goal, (x, y), *rest = rng.sample(cells, 2 + 4)
            self.rocks, self.state = set(rest), (x, y, rng.randrange(4))
            self.plan = self.search()
            if self.plan and 5 <= len(self.plan) <= 10:
                break
        self.fuel = len(self.plan) + 1
        return self.show("The turtle wakes."), {"actions": self.ACTIONS}

    def move(self, state, action):
        x, y, way = state
        if action == "left":
            return x, y, (way - 1) % 4
        if action == "right":
            return x, y, (way + 1) % 4
        _, dx, dy = self.WAYS[way]
        there = x + dx, y + dy
        inside = all(0 <= part < self.SIZE for part in there)
        return (*there, way) if inside and there not in self.rocks else state

    def search(self):
        seen, queue = {self.state}, deque([(self.state, [])])
        while queue:
            state, path = queue.popleft()
            if state[:2] == self.goal:
                return path
            for action in self.ACTIONS:
                after = self.move(state, action)
                if after not in seen:
                    seen.add(after)
                    queue.append((after, path + [action]))
        return None

    def show(self, result):
        x, y, way = self.state
        return "%s At %d,%d looking %s. Goal %d,%d. Rocks at %s. Map 0,0 to %d,%d. Fuel %d." % (
            result, x, y, self.WAYS[way][0], *self.goal, " ".join("%d,%d" % rock for rock in sorted(self.rocks)),
            self.SIZE - 1, self.SIZE - 1, self.fuel)

    def step(self, action):
        action = boxed(action)
        self.fuel -= 1
        if action in self.ACTIONS:
            self.state = self.move(self.state, action)
        won = self.state[:2] == self.goal
        return self.show("It moves."), float(won), won, not won and self.fuel <= 0, {"actions": self.ACTIONS}

    def solution(self):
        return list(self.plan)
