# skill: Logical Deduction
import random
from spade_env import boxed


class FourGatesEnv:
    """Three times: four gates with inscriptions, of which exactly one is true."""

    ROUNDS = 3
    GATES = "ABCD"

    def __init__(self, max_turns=25):
        self.max_turns = min(max_turns, self.ROUNDS)

    def reset(self, seed=None):
        self.rng = random.Random(seed)
        self.rounds = [self.make() for _ in range(self.ROUNDS)]
        self.round = 0
        return self.show("Behind one gate lies the garden."), {"actions": list(self.GATES)}

    def make(self):
        while True:
            signs = {}
            for gate in self.GATES:
                about = self.rng.choice(self.GATES)
                signs[gate] = (about, self.rng.random() < 0.5)
            fits = [goal for goal in self.GATES
                    if sum((about == goal) == says for about, says in signs.values()) == 1]
            if len(fits) == 1:
                return signs, fits[0]

    def show(self, result):
        lines = [result, "Exactly one inscription is true. Round %d of %d." % (self.round + 1, self.ROUNDS)]
        for gate, (about, says) in self.rounds[min(self.round, self.ROUNDS - 1)][0].items():
            lines.append("%s: the garden is %sbehind %s" % (gate, "" if says else "not ", about))
        return "\n".join(lines + ["Name a gate: \\boxed{A}"])

    def step(self, action):
        action = boxed(action)
        offered = {"actions": list(self.GATES)}
        if action not in self.GATES or len(action) != 1:
            return self.show("That is no gate."), 0.0, False, False, offered
        if action != self.rounds[self.round][1]:
            return "Behind the gate is a wall.", 0.0, True, False, {}
        self.round += 1
        won = self.round == self.ROUNDS
        return ("The last garden." if won else self.show("A garden, and four more gates.")), float(won), won, False, offered

    def solution(self):
        return [goal for _, goal in self.rounds]
