# skill: Optimization
import random
from spade_env import boxed


class CheapestRoadEnv:
    """Travel from town to town and arrive having paid the least possible toll."""

    TOWNS = ["Alm", "Birk", "Cove", "Dorn", "Elm", "Furt", "Glen", "Hof"]

    def __init__(self, max_turns=25):
        self.max_turns = min(max_turns, 12)

    def reset(self, seed=None):
        rng = random.Random(seed)
        while True:
            self.toll = {town: {} for town in self.TOWNS}
            for one in self.TOWNS:
                for other in rng.sample(self.TOWNS, 3):
                    if one != other:
                        self.toll[one][other] = self.toll[other][one] = rng.randint(1, 20)
            self.start, self.goal = rng.sample(self.TOWNS, 2)
            self.path = self.search()
            if self.path and len(self.path) >= 3:
                break
        self.least = self.cost([self.start] + self.path)
        self.at, self.paid, self.turn = self.start, 0, 0
        return self.show("You set out."), self.offer()

    def cost(self, path):
        return sum(self.toll[one][other] for one, other in zip(path, path[1:]))

    def search(self):
        best = {self.start: (0, [])}
        for _ in self.TOWNS:
            for town, (paid, path) in list(best.items()):
                for other, toll in self.toll[town].items():
                    if other not in best or paid + toll < best[other][0]:
                        best[other] = (paid + toll, path + [other])
        return best.get(self.goal, (0, None))[1]

    def offer(self):
        return {"actions": sorted(self.toll[self.at])}

    def show(self, result):
        roads = ["%s: %s" % (town, ", ".join("%s %d" % road for road in sorted(roads.items())))
                 for town, roads in self.toll.items()]
        return "%s\nTolls from each town:\n%s\nYou are in %s and have paid %d. Reach %s for the least toll possible." % (
            result, "\n".join(roads), self.at, self.paid, self.goal)

    def step(self, action):
        self.turn += 1
        action = boxed(action)
        if action not in self.toll[self.at]:
            return self.show("No road leads there."), 0.0, False, self.turn >= self.max_turns, self.offer()
        self.paid += self.toll[self.at][action]
        self.at = action
        over = self.at == self.goal
        won = over and self.paid == self.least
        return self.show("You travel."), float(won), over, not over and self.turn >= self.max_turns, self.offer()

    def solution(self):
        return list(self.path)
