# skill: Mathematical Reasoning
# hard: presses interact, and none may be wasted
import itertools
import random
from spade_env import boxed


class NineLampsEnv:
    """Put out all lamps; each press also turns the neighbours."""

    def __init__(self, max_turns=25):
        self.max_turns = max_turns

    def reset(self, seed=None):
        rng = random.Random(seed)
        while True:
            start = rng.randrange(1, 512)
            self.plan = self.search(start)
            if self.plan and len(self.plan) >= 4:
                break
        rng.shuffle(self.plan)
        self.lamps, self.left = start, len(self.plan) + 1
        return self.show("Nine lamps."), {"actions": list("123456789")}

    TURNED = {str(number + 1): sum(1 << at for at in range(9) if abs(number // 3 - at // 3) + abs(number % 3 - at % 3) <= 1)
              for number in range(9)}

    def search(self, start):
        """The one way: each pattern of nine lamps has exactly one set of presses."""
        for size in range(10):
            for numbers in itertools.combinations(self.TURNED.items(), size):
                lamps = start
                for _, turned in numbers:
                    lamps ^= turned
                if not lamps:
                    return [number for number, _ in numbers]
        return None

    def show(self, result):
        lamps = "".join("*" if self.lamps >> at & 1 else "." for at in range(9))
        rows = [lamps[at:at + 3] for at in (0, 3, 6)]
        return "%s\n%s\nLamps are numbered 1 to 9 by rows; a press turns a lamp and its neighbours. Presses left: %d" % (
            result, "\n".join(rows), self.left)

    def step(self, action):
        action = boxed(action)
        self.left -= 1
        self.lamps ^= self.TURNED.get(action, 0)
        won = not self.lamps
        return self.show("Pressed."), float(won), won, not won and self.left <= 0, {"actions": list("123456789")}

    def solution(self):
        return list(self.plan)
