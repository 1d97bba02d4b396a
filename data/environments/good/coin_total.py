# skill: Mathematical Reasoning
import random
from spade_env import boxed


class CoinTotalEnv:
    """Reach a total with an exact number of coins."""

    COINS = 6

    def __init__(self, max_turns=25):
        self.max_turns = min(max_turns, self.COINS)

    def reset(self, seed=None):
        rng = random.Random(seed)
        self.values = sorted(rng.sample(range(3, 30), 4))
        self.plan = [rng.choice(self.values) for _ in range(self.COINS)]
        self.target = sum(self.plan)
        self.paid = []
        return self.show("The purse is open."), self.offer()

    def offer(self):
        return {"actions": ["pay %d" % value for value in self.values]}

    def show(self, result):
        return "%s\nPay exactly %d with exactly %d coins. Coins: %s.\nPaid so far: %d coins, together %d." % (
            result, self.target, self.COINS, ", ".join(map(str, self.values)), len(self.paid), sum(self.paid))

    def step(self, action):
        action = boxed(action)
        if action not in self.offer()["actions"]:
            return self.show("Not a coin: say \\boxed{pay N}."), 0.0, False, False, self.offer()
        self.paid.append(int(action.split()[1]))
        over = len(self.paid) == self.COINS
        won = over and sum(self.paid) == self.target
        return self.show("You paid."), float(won), over, False, self.offer()

    def solution(self):
        return ["pay %d" % value for value in self.plan]
