# skill: Optimization
import itertools
import random
from spade_env import boxed


class RucksackEnv:
    """Pack the most valuable load that can be carried."""

    THINGS = ["rope", "lamp", "tent", "stove", "axe", "map", "flute"]

    def __init__(self, max_turns=25):
        self.max_turns = max_turns

    def reset(self, seed=None):
        rng = random.Random(seed)
        while True:
            self.weight = {thing: rng.randint(2, 12) for thing in self.THINGS}
            self.value = {thing: rng.randint(5, 40) for thing in self.THINGS}
            self.limit = sum(self.weight.values()) // 2
            loads = [load for size in range(len(self.THINGS)) for load in itertools.combinations(self.THINGS, size)
                     if sum(self.weight[thing] for thing in load) <= self.limit]
            loads.sort(key=lambda load: -self.worth(load))
            if self.worth(loads[0]) > self.worth(loads[1]):
                break
        self.best = list(loads[0])
        self.turn, self.packed = 0, []
        return self.show("An empty rucksack."), self.offer()

    def worth(self, load):
        return sum(self.value[thing] for thing in load)

    def offer(self):
        return {"actions": [thing for thing in self.THINGS if thing not in self.packed] + ["leave"]}

    def show(self, result):
        lines = ["%s: weight %d, value %d" % (thing, self.weight[thing], self.value[thing]) for thing in self.THINGS]
        used = sum(self.weight[thing] for thing in self.packed)
        return "%s\n%s\nYou carry %d at most. Packed: %s (%d). Leave with the greatest value that can be carried." % (
            result, "\n".join(lines), self.limit, ", ".join(self.packed) or "nothing", used)

    def step(self, action):
        self.turn += 1
        action = boxed(action)
        out = self.turn >= self.max_turns
        if action == "leave":
            won = self.worth(self.packed) == self.worth(self.best)
            return ("Nothing better could be carried." if won else "A better load was possible."), float(won), True, False, {}
        if action not in self.offer()["actions"]:
            return self.show("There is no such thing."), 0.0, False, out, self.offer()
        if sum(self.weight[thing] for thing in self.packed) + self.weight[action] > self.limit:
            return "The rucksack tears.", 0.0, True, False, {}
        self.packed.append(action)
        return self.show("Packed."), 0.0, False, out, self.offer()

    def solution(self):
        return self.best + ["leave"]
