# skill: Logical Deduction
import itertools
import random
from spade_env import boxed


class SeatingOrderEnv:
    """Seat five guests in the one order that all remarks allow."""

    GUESTS = ["Ada", "Ben", "Cleo", "Dan", "Eva"]

    def __init__(self, max_turns=25):
        self.max_turns = max_turns

    def reset(self, seed=None):
        rng = random.Random(seed)
        self.order = rng.sample(self.GUESTS, len(self.GUESTS))
        remarks = self.remarks()
        rng.shuffle(remarks)
        self.clues, left = [], list(itertools.permutations(self.GUESTS))
        for text, holds in remarks:
            fewer = [order for order in left if holds(order)]
            if len(fewer) < len(left):
                self.clues.append(text)
                left = fewer
        self.turn, self.seated = 0, []
        return self.show("The table is laid."), self.offer()

    def remarks(self):
        made = []
        for one, other in itertools.permutations(self.GUESTS, 2):
            gap = self.order.index(other) - self.order.index(one)
            if gap > 0:
                made.append(("%s sits left of %s" % (one, other), lambda o, a=one, b=other: o.index(a) < o.index(b)))
            if abs(gap) == 1:
                made.append(("%s and %s are neighbours" % (one, other),
                             lambda o, a=one, b=other: abs(o.index(a) - o.index(b)) == 1))
        return made

    def offer(self):
        return {"actions": [guest for guest in self.GUESTS if guest not in self.seated]}

    def show(self, result):
        return "%s\nFrom left to right, seat the guests one by one.\n%s\nSeated: %s" % (
            result, "\n".join("- " + clue for clue in self.clues), ", ".join(self.seated) or "nobody")

    def step(self, action):
        self.turn += 1
        action = boxed(action)
        out = self.turn >= self.max_turns
        if action not in self.offer()["actions"]:
            return self.show("Nobody of that name waits."), 0.0, False, out, self.offer()
        self.seated.append(action)
        over = len(self.seated) == len(self.order)
        won = self.seated == self.order
        return self.show("Seated."), float(won), over, out and not over, self.offer()

    def solution(self):
        return list(self.order)
