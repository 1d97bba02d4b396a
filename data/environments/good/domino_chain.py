# skill: Causal Inference
import random
from spade_env import boxed


class DominoChainEnv:
    """Devices start one another in a hidden order; start exactly as many as are wanted."""

    DEVICES = ["bell", "fan", "pump", "horn", "light", "motor", "radio", "saw"]
    TRIALS = 3

    def __init__(self, max_turns=25):
        self.max_turns = max_turns

    def reset(self, seed=None):
        rng = random.Random(seed)
        self.chain = rng.sample(self.DEVICES, len(self.DEVICES))
        self.wanted = rng.randint(2, len(self.chain) - 1)
        self.turn, self.trials = 0, 0
        return self.show("Eight devices hang on one hidden chain."), self.offer()

    def offer(self):
        tests = ["try " + device for device in self.DEVICES] if self.trials < self.TRIALS else []
        return {"actions": tests + ["start " + device for device in self.DEVICES]}

    def show(self, result):
        return "%s\nA device that starts also starts all that come after it. Trials left: %d.\nStart the one device that makes exactly %d run." % (
            result, self.TRIALS - self.trials, self.wanted)

    def step(self, action):
        self.turn += 1
        action = boxed(action)
        if action not in self.offer()["actions"]:
            return self.show("Nothing runs."), 0.0, False, self.turn >= self.max_turns, self.offer()
        verb, device = action.split()
        running = self.chain[self.chain.index(device):]
        if verb == "start":
            won = len(running) == self.wanted
            return "%d devices run." % len(running), float(won), True, False, {}
        self.trials += 1
        return self.show("Now run: %s. Then all stop." % ", ".join(sorted(running))), 0.0, False, self.turn >= self.max_turns, self.offer()

    def solution(self):
        return ["start " + self.chain[-self.wanted]]
