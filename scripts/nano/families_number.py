"""Families of Logical Deduction and Mathematical Reasoning: guess, dials, gap, change.

A family is a class with: skill, nouns, documents, `constants(rng, d)`, `parts(noun, c)`, `hint(c)`, `agents`.
`agents` maps a name to (share without hint, share with hint, factory); a factory takes (constants, rng) and
returns a function from observation to action. Agents only read observations; only `good` after a hint reads constants.
"""
from program import between, numbers


class Guess:
    skill = "Logical Deduction"
    nouns = ["vault", "weight", "price", "fever", "age"]
    documents = ["halving narrows the {n}", "the {n} lies between two bounds", "each answer cuts the range of the {n}"]

    def constants(rng, d):
        return {"N": rng.randrange(8, 15), "NEED": 2, "TURNS": between(rng, 9, 4, d)}

    def parts(noun, c):
        return {
            "acts": "[str(i) for i in range(self.N + 4)]",
            "deal": ["self.lo = self.rng.randrange(4)", "self.hi = self.lo + self.N - 1",
                     "self.x = self.rng.randint(self.lo, self.hi)"],
            "show": [f'return f"{noun} {{self.lo}} to {{self.hi}}"'],
            "rules": ["if a == self.x:", "    self.hits += 1", "    self.deal()", "elif a < self.x:",
                      "    self.lo = max(self.lo, a + 1)", "else:", "    self.hi = min(self.hi, a - 1)"],
        }

    def hint(c):
        return "take the middle"

    def low(c, rng):
        return lambda obs: str(numbers(obs)[0])

    def high(c, rng):
        return lambda obs: str(numbers(obs)[1])

    def inside(c, rng):
        return lambda obs: str(rng.randint(*numbers(obs)[:2]))

    def good(c, rng):
        return lambda obs: str(sum(numbers(obs)[:2]) // 2)

    agents = {"low": (.48, .05, low), "inside": (.2, .05, inside), "good": (.32, .9, good)}


class Dials:
    skill = "Logical Deduction"
    nouns = ["lock", "cipher", "radio", "safe", "alarm"]
    documents = ["turn both wheels of the {n}", "the {n} opens when two digits are right", "a {n} tells which digit is right"]

    def constants(rng, d):
        return {"N": rng.randrange(7, 10), "TURNS": between(rng, 7, 3, d)}

    def parts(noun, c):
        return {
            "acts": '[f"{i} {j}" for i in range(self.N) for j in range(self.N)]',
            "deal": ["self.x = [self.rng.randrange(self.N) for i in range(2)]",
                     "self.g = [(i + self.rng.randrange(1, self.N)) % self.N for i in self.x]"],
            "show": ["p, q = [int(i == j) for i, j in zip(self.x, self.g)]",
                     f'return f"{noun} {{self.g[0]}} {{self.g[1]}} right {{p}} {{q}} of {{self.N}}"'],
            "read": ["if action in self.acts:"],
            "rules": ["    self.g = [int(i) for i in action.split()]"],
            "won": "self.g == self.x",
        }

    def hint(c):
        return "turn every wrong wheel"

    def turn(obs, which):
        a, b, p, q, n = numbers(obs)[:5]
        if which == "first":
            return f"{a} {(b + 1) % n}" if p else f"{(a + 1) % n} {b}"
        if which == "both":
            return f"{(a + 1) % n} {(b + 1) % n}"
        return f"{a if p else (a + 1) % n} {b if q else (b + 1) % n}"

    def first(c, rng):
        return lambda obs: Dials.turn(obs, "first")

    def both(c, rng):
        return lambda obs: Dials.turn(obs, "both")

    def anything(c, rng):
        return lambda obs: f"{rng.randrange(c['N'])} {rng.randrange(c['N'])}"

    def good(c, rng):
        return lambda obs: Dials.turn(obs, "wrong")

    agents = {"first": (.54, .07, first), "both": (.1, .0, both), "anything": (.04, .03, anything), "good": (.32, .9, good)}


class Gap:
    skill = "Mathematical Reasoning"
    nouns = ["depth", "treasure", "signal", "echo", "whale"]
    documents = ["the {n} tells how far away it is", "distance to the {n} is measured", "each probe of the {n} gives a gap"]

    def constants(rng, d):
        return {"N": rng.randrange(8, 13), "NEED": 3, "TURNS": between(rng, 8, 3, d)}

    def parts(noun, c):
        return {
            "start": ["self.g = self.rng.randrange(self.N)"],
            "deal": ["self.x = (self.g + self.rng.randrange(1, self.N)) % self.N"],
            "show": [f'return f"{noun} {{self.g}} gap {{abs(self.x - self.g)}} of {{self.N}}"'],
            "rules": ["if a >= 0:", "    self.g = a", "if a == self.x:", "    self.hits += 1", "    self.deal()"],
        }

    def hint(c):
        return "add or subtract the gap"

    def options(obs):
        g, d, n = numbers(obs)[:3]
        return [x for x in (g + d, g - d) if 0 <= x < n], g, d, n

    def near(c, rng):
        def act(obs):
            o, g, d, n = Gap.options(obs)
            return str(max(0, min(n - 1, g + rng.choice([-3, -2, -1, 1, 2, 3]))))
        return act

    def up(c, rng):
        def act(obs):
            o, g, d, n = Gap.options(obs)
            return str(g + d if g + d < n else n - 1)
        return act

    def anything(c, rng):
        return lambda obs: str(rng.randrange(c["N"]))

    def good(c, rng):
        return lambda obs: str(rng.choice(Gap.options(obs)[0] or [0]))

    agents = {"near": (.1, .03, near), "up": (.5, .05, up), "anything": (.05, .02, anything), "good": (.35, .9, good)}


class Change:
    skill = "Mathematical Reasoning"
    nouns = ["ledger", "bill", "basket", "toll", "purse"]
    documents = ["what is missing from the {n}", "the {n} must add up to the whole", "a {n} keeps a small fee"]

    def constants(rng, d):
        return {"N": rng.randrange(6, 11), "FEE": rng.choice([0, 1, 1, 2]), "NEED": 3, "TURNS": between(rng, 8, 3, d)}

    def parts(noun, c):
        return {
            "acts": "[str(i) for i in range(12)]",
            "start": ['self.note = ""'],
            "deal": ["self.s = self.rng.randint(4, self.N)", "self.b = self.rng.randint(1, self.s - 2)",
                     "self.x = self.s - self.b - self.FEE"],
            "show": [f'return f"{{self.note}}{noun} {{self.b}} of {{self.s}}"'],
            "rules": ['self.note = "yes " if a == self.x else f"no {self.x} "', "if a == self.x:", "    self.hits += 1",
                      "self.deal()"],
        }

    def hint(c):
        return f"subtract then fee {c['FEE']}"

    def read(obs):
        words = obs.split("\n")[0].split()
        told = int(words[1]) if words[0] == "no" else None
        return told, *numbers(obs.split("\n")[0])[-2:]

    def copy(c, rng):
        return lambda obs: str(Change.read(obs)[1])

    def plain(c, rng):
        def act(obs):
            told, b, s = Change.read(obs)
            return str(s - b)
        return act

    def slip(c, rng):
        def act(obs):
            told, b, s = Change.read(obs)
            return str(max(0, s - b - rng.choice([0, 0, 1, 1, 2])))
        return act

    def tracking(fee, rng):
        memory = {"fee": fee, "said": None}

        def act(obs):
            told, b, s = Change.read(obs)
            if told is not None and memory["said"] is not None:
                memory["fee"] += memory["said"] - told
            memory["said"] = s - b - memory["fee"]
            return str(memory["said"])
        return act

    def good(c, rng, hinted=False):
        return Change.tracking(c["FEE"] if hinted else 0, rng)

    agents = {"copy": (.08, .02, copy), "plain": (.44, .05, plain), "slip": (.16, .03, slip), "good": (.32, .9, good)}
