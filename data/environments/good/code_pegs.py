# skill: Logical Deduction
# hard: 1,296 codes and seven guesses
import random
from spade_env import boxed


class CodePegsEnv:
    """Break a code of four coloured pegs."""

    COLOURS = "RGBYOP"

    def __init__(self, max_turns=25):
        self.max_turns = min(max_turns, 7)

    def reset(self, seed=None):
        rng = random.Random(seed)
        self.code = "".join(rng.choice(self.COLOURS) for _ in range(4))
        self.turn, self.log = 0, []
        return self.show("A code of four pegs; colours may repeat."), {}

    def show(self, result):
        return "%s\nColours: %s.\nGuesses so far:\n%s\nGuesses left: %d. Say four letters, \\boxed{....}" % (
            result, " ".join(self.COLOURS), "\n".join(self.log) or "none", self.max_turns - self.turn)

    def step(self, action):
        self.turn += 1
        guess = boxed(action).replace(" ", "").upper()
        out = self.turn >= self.max_turns
        if len(guess) != 4 or any(letter not in self.COLOURS for letter in guess):
            return self.show("Not a guess."), 0.0, False, out, {}
        placed = sum(one == other for one, other in zip(guess, self.code))
        common = sum(min(guess.count(letter), self.code.count(letter)) for letter in self.COLOURS)
        self.log.append("%s: %d in place, %d elsewhere" % (guess, placed, common - placed))
        won = placed == 4
        return self.show("Counted."), float(won), won, out and not won, {}

    def solution(self):
        return [self.code]
