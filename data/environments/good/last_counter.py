# skill: Optimization
# hard: the opponent never errs
import random
from spade_env import boxed


class LastCounterEnv:
    """Take counters from heaps against a perfect opponent; who takes the last one wins."""

    def __init__(self, max_turns=25):
        self.max_turns = max_turns

    def reset(self, seed=None):
        rng = random.Random(seed)
        while True:
            self.heaps = [rng.randint(3, 8) for _ in range(4)]
            if self.balance(self.heaps):
                break
        self.turn = 0
        self.start = list(self.heaps)
        return self.show("You begin."), {"actions": self.offer(self.heaps)}

    @staticmethod
    def balance(heaps):
        total = 0
        for heap in heaps:
            total ^= heap
        return total

    def good(self, heaps):
        """A move that leaves the balance at nothing, else the smallest."""
        total = self.balance(heaps)
        for at, heap in enumerate(heaps):
            if total and heap ^ total < heap:
                return at, heap - (heap ^ total)
        return next((at, 1) for at, heap in enumerate(heaps) if heap)

    @staticmethod
    def offer(heaps):
        return ["%d from %s" % (count, "ABCD"[at]) for at, heap in enumerate(heaps) for count in range(1, heap + 1)]

    def show(self, result):
        heaps = ", ".join("%s %d" % pair for pair in zip("ABCD", self.heaps))
        return "%s\nHeaps: %s. Take any number from one heap, e.g. \\boxed{1 from B}; who takes the last counter wins." % (result, heaps)

    @staticmethod
    def take(heaps, at, count):
        return [heap - count * (place == at) for place, heap in enumerate(heaps)]

    def step(self, action):
        self.turn += 1
        action = boxed(action)
        out = self.turn >= self.max_turns
        if action not in self.offer(self.heaps):
            return self.show("No such move."), 0.0, False, out, {"actions": self.offer(self.heaps)}
        count, _, heap = action.split()
        self.heaps = self.take(self.heaps, "ABCD".index(heap), int(count))
        if not any(self.heaps):
            return "You took the last counter.", 1.0, True, False, {}
        at, count = self.good(self.heaps)
        self.heaps = self.take(self.heaps, at, count)
        if not any(self.heaps):
            return "The opponent took the last counter.", 0.0, True, False, {}
        return self.show("The opponent takes %d from %s." % (count, "ABCD"[at])), 0.0, False, out, {"actions": self.offer(self.heaps)}

    def solution(self):
        heaps, moves = list(self.start), []
        while any(heaps):
            at, count = self.good(heaps)
            moves.append("%d from %s" % (count, "ABCD"[at]))
            heaps = self.take(heaps, at, count)
            if any(heaps):
                heaps = self.take(heaps, *self.good(heaps))
        return moves
