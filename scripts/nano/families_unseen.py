"""Families that only appear in the held-out sets: related mechanics, the same words, never in pre-training."""
from families_effect import Jar, Knob, Mine, Wiring
from families_number import Gap, Guess
from families_space import Walk
from program import between, numbers


class Bound:
    """Guess without the luck of naming the number: the range itself must be cut down to one."""
    skill, nouns = "Logical Deduction", Guess.nouns

    def constants(rng, d):
        return {"N": rng.randrange(10, 17), "TURNS": between(rng, 5, 3, d)}

    def parts(noun, c):
        return {
            "acts": "[str(i) for i in range(self.N + 4)]",
            "deal": ["self.lo = self.rng.randrange(4)", "self.hi = self.lo + self.N - 1", "self.x = self.rng.randint(self.lo, self.hi)"],
            "show": [f'return f"{noun} {{self.lo}} to {{self.hi}}"'],
            "rules": ["if self.lo <= a < self.x:", "    self.lo = a + 1", "elif self.x <= a <= self.hi:", "    self.hi = a"],
            "won": "self.lo == self.hi",
        }

    def hint(c):
        return Guess.hint(c)

    agents = {"good": (1, 1, lambda c, rng: lambda obs: str(sum(numbers(obs)[:2]) // 2)),
              "weak": (0, 0, lambda c, rng: lambda obs: str(numbers(obs)[0]))}


class Twin:
    """Gap with two hidden places; the gap is to the nearer one."""
    skill, nouns = "Mathematical Reasoning", Gap.nouns

    def constants(rng, d):
        return {"N": rng.randrange(16, 21), "NEED": 3, "TURNS": between(rng, 7, 4, d)}

    def parts(noun, c):
        return {
            "start": ["self.g = self.rng.randrange(self.N)"],
            "deal": ["self.x = self.rng.sample([i for i in range(self.N) if i != self.g], 2)"],
            "show": ["d = min(abs(i - self.g) for i in self.x)", f'return f"{noun} {{self.g}} gap {{d}} of {{self.N}}"'],
            "rules": ["if a >= 0:", "    self.g = a", "if a in self.x:", "    self.hits += 1", "    self.deal()"],
        }

    def hint(c):
        return Gap.hint(c)

    agents = {"good": (1, 1, Gap.good), "weak": (0, 0, Gap.up)}


class Round:
    """Walk on a board whose edges meet."""
    skill, nouns = "Spatial Reasoning", Walk.nouns

    def constants(rng, d):
        n = rng.randrange(5, 8)
        return {"N": n, "UP": rng.choice([1, -1]), "TURNS": between(rng, 10, n, d)}

    def parts(noun, c):
        parts = Walk.parts(noun, c)
        parts["rules"] = ["self.p = [(self.p[0] + dr) % self.N, (self.p[1] + dc) % self.N]"]
        return parts

    def hint(c):
        return Walk.hint(c)

    agents = {"good": (1, 1, Walk.good), "weak": (0, 0, Walk.stubborn)}


class Drain:
    """Jar run backwards: empty it to the goal without going below."""
    skill, nouns = "Optimization", Jar.nouns

    def constants(rng, d):
        return {"N": rng.randrange(12, 19), "NEED": 3, "TURNS": between(rng, 10, 5, d)}

    def parts(noun, c):
        return {
            "acts": "[str(i) for i in range(1, 10)]",
            "deal": ["self.x = self.N", "self.q = self.rng.randint(0, self.N // 2)"],
            "show": [f'return f"{noun} {{self.x}} goal {{self.q}}"'],
            "rules": ["self.x -= max(a, 0)", "if self.x == self.q:", "    self.hits += 1", "    self.deal()",
                      "elif self.x < self.q:", "    self.x = self.N"],
        }

    def hint(c):
        return Jar.hint(c)

    def good(c, rng):
        return lambda obs: str(min(9, numbers(obs)[0] - numbers(obs)[1]))

    agents = {"good": (1, 1, good), "weak": (0, 0, lambda c, rng: lambda obs: str(min(3, numbers(obs)[0] - numbers(obs)[1])))}


class Fair:
    """Mine whose good place moves on after it has paid three times."""
    skill, nouns = "Optimization", Mine.nouns

    def constants(rng, d):
        turns = rng.randrange(8, 11)
        return {"N": rng.randrange(3, 6), "GOAL": between(rng, 5 * turns, 7 * turns, d, 2), "TURNS": turns}

    def parts(noun, c):
        return {
            "start": ["self.rich = self.rng.randrange(self.N)", "self.left = 3", "self.total = 0", "self.g = self.rng.randrange(self.N)"],
            "deal": ["self.v = 9 if self.g == self.rich else self.rng.randrange(3)", "self.left -= self.g == self.rich", "if self.left == 0:",
                     "    self.rich = (self.rich + 1) % self.N", "    self.left = 3", "self.total += self.v"],
            "show": [f'return f"{noun} {{self.g}} paid {{self.v}} total {{self.total}} goal {{self.GOAL}}"'],
            "rules": ["if a >= 0:", "    self.g = a", "    self.deal()"],
            "won": "self.total >= self.GOAL",
        }

    def hint(c):
        return Mine.hint(c)

    agents = {"good": (1, 1, Mine.good), "weak": (0, 0, Mine.cycle)}


class Shared:
    """Wiring in which two switches always drive the same thing."""
    skill, nouns = "Causal Inference", Wiring.nouns

    def constants(rng, d):
        n = rng.randrange(4, 7)
        return {"N": n, "NEED": 4, "TURNS": between(rng, 10, n // 2 + 3, d)}

    def parts(noun, c):
        parts = Wiring.parts(noun, c)
        parts["start"] = ['self.note = ""', "self.map = self.rng.sample(range(10), self.N // 2 + 1)"]
        parts["deal"] = ["self.s = self.rng.randrange(self.N)", "self.x = self.map[self.s // 2]"]
        return parts

    def hint(c):
        return Wiring.hint(c)

    agents = {"good": (1, 1, Wiring.recall(1)), "weak": (0, 0, Wiring.again)}


class Dimmer:
    """Knob with other effects."""
    skill, nouns = "Causal Inference", Knob.nouns

    def constants(rng, d):
        return {"N": rng.randrange(7, 10), "TURNS": between(rng, 10, 6, d)}

    def parts(noun, c):
        parts = Knob.parts(noun, c)
        parts["start"] = ['self.note = ""', "self.effect = self.rng.sample([1, -1, 3, -3], 4)"]
        return parts

    def hint(c):
        return Knob.hint(c)

    agents = {"good": (1, 1, Knob.stay(1)), "weak": (0, 0, Knob.cycle)}


UNSEEN = {cls.__name__.lower(): cls for cls in (Bound, Twin, Round, Drain, Fair, Shared, Dimmer)}
