# skill: Optimization
# hard: the shortest way, or one step more
import random
from collections import deque
from spade_env import boxed


class ThreeJugsEnv:
    """Measure an amount by pouring between three jugs."""

    NAMES = "ABC"

    def __init__(self, max_turns=25):
        self.max_turns = max_turns

    def reset(self, seed=None):
        rng = random.Random(seed)
        while True:
            self.size = sorted(rng.sample(range(3, 14), 3), reverse=True)
            self.full = (self.size[0], 0, 0)
            self.target = rng.randint(1, self.size[0] - 1)
            self.plan = self.search()
            if self.plan and 5 <= len(self.plan) <= 12:
                break
        self.now, self.left = self.full, len(self.plan) + 1
        return self.show("Only the first jug is full."), {"actions": self.offer(self.now)}

    def pour(self, jugs, action):
        one, other = (self.NAMES.index(name) for name in action.split(" to "))
        amount = min(jugs[one], self.size[other] - jugs[other])
        return tuple(jug + amount * ((at == other) - (at == one)) for at, jug in enumerate(jugs))

    def offer(self, jugs):
        return ["%s to %s" % (one, other) for one in self.NAMES for other in self.NAMES if one != other]

    def search(self):
        seen, queue = {self.full}, deque([(self.full, [])])
        while queue:
            jugs, path = queue.popleft()
            if self.target in jugs:
                return path
            for action in self.offer(jugs):
                after = self.pour(jugs, action)
                if after not in seen:
                    seen.add(after)
                    queue.append((after, path + [action]))
        return None

    def show(self, result):
        jugs = ", ".join("%s %d of %d" % jug for jug in zip(self.NAMES, self.now, self.size))
        return "%s Jugs: %s. Pour one into another until it is full or the other is empty. Have %d in some jug. Pours left: %d" % (
            result, jugs, self.target, self.left)

    def step(self, action):
        action = boxed(action)
        self.left -= 1
        if action in self.offer(self.now):
            self.now = self.pour(self.now, action)
        won = self.target in self.now
        return self.show("Poured."), float(won), won, not won and self.left <= 0, {"actions": self.offer(self.now)}

    def solution(self):
        return list(self.plan)
