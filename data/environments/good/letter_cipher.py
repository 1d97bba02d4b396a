# skill: Pattern Recognition
import random
import string
from spade_env import boxed


class LetterCipherEnv:
    """Decode a word from coded and plain pairs that show all its letters."""

    WORDS = """lemon tiger river cloud stone bread piano night south field grape lunar music ocean plant quiet robin
    sugar table uncle vivid water youth zebra amber cabin delta eagle fjord ghost hotel ivory joker karma""".split()

    def __init__(self, max_turns=25):
        self.max_turns = min(max_turns, 3)

    def reset(self, seed=None):
        rng = random.Random(seed)
        shifted = rng.sample(string.ascii_uppercase, 26)
        self.code = dict(zip(string.ascii_lowercase, shifted))
        words = rng.sample(self.WORDS, len(self.WORDS))
        self.word = words.pop()
        self.pairs = [word for word in words[:10]]
        missing = set(self.word) - set("".join(self.pairs))
        for word in words[10:]:
            if missing & set(word):
                self.pairs.append(word)
                missing -= set(word)
        self.turn = 0
        return self.show("A cipher replaces each letter by another."), {}

    def coded(self, word):
        return "".join(self.code[letter] for letter in word)

    def show(self, result):
        lines = ["%s is %s" % (self.coded(word), word) for word in self.pairs]
        return "%s\n%s\nWhich plain word is %s? \\boxed{word}" % (result, "\n".join(lines), self.coded(self.word))

    def step(self, action):
        self.turn += 1
        won = boxed(action).lower() == self.word
        return self.show("Right." if won else "Wrong."), float(won), won, not won and self.turn >= self.max_turns, {}

    def solution(self):
        return [self.word]
