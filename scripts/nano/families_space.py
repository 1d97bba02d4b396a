"""Families of Spatial Reasoning and Pattern Recognition: walk, heading, stair, beat (see families_number.py for the shape)."""
from program import between, numbers

MOVES = ["north", "east", "south", "west"]


class Walk:
    skill = "Spatial Reasoning"
    nouns = ["maze", "harbor", "field", "island", "garden"]
    documents = ["walk over the {n} to the goal", "the {n} has rows and columns", "on the {n} a map may be upside down"]

    def constants(rng, d):
        n = rng.randrange(4, 7)
        return {"N": n, "UP": rng.choice([1, -1]), "TURNS": between(rng, 10, n, d)}

    def parts(noun, c):
        return {
            "acts": '["north", "east", "south", "west"]',
            "deal": ["self.p = [self.rng.randrange(self.N), self.rng.randrange(self.N)]",
                     "self.q = [(i + self.N // 2) % self.N for i in self.p]"],
            "show": [f'return f"{noun} {{self.p[0]}} {{self.p[1]}} goal {{self.q[0]}} {{self.q[1]}}"'],
            "read": ['dr = {"north": -1, "south": 1}.get(action, 0) * self.UP',
                     'dc = {"west": -1, "east": 1}.get(action, 0) * self.UP'],
            "rules": ["self.p[0] = min(max(self.p[0] + dr, 0), self.N - 1)", "self.p[1] = min(max(self.p[1] + dc, 0), self.N - 1)"],
            "won": "self.p == self.q",
        }

    def hint(c):
        return "go to the goal" if c["UP"] == 1 else "go away from the goal"

    def toward(obs, up):
        r, c, i, j = numbers(obs)[:4]
        moves = []
        if i != r:
            moves.append("south" if (i > r) == (up == 1) else "north")
        if j != c:
            moves.append("east" if (j > c) == (up == 1) else "west")
        return moves or ["north"]

    def anything(c, rng):
        return lambda obs: rng.choice(MOVES)

    def drunk(c, rng):
        return lambda obs: rng.choice(Walk.toward(obs, 1)) if rng.random() < .5 else rng.choice(MOVES)

    def stubborn(c, rng):
        return lambda obs: Walk.toward(obs, 1)[0]

    def good(c, rng, hinted=False):
        memory = {"up": c["UP"] if hinted else 1, "far": None}

        def act(obs):
            r, k, i, j = numbers(obs)[:4]
            far = abs(i - r) + abs(j - k)
            if memory["far"] is not None and far >= memory["far"]:
                memory["up"] = -memory["up"]
            memory["far"] = far
            return Walk.toward(obs, memory["up"])[0]
        return act

    agents = {"anything": (.03, .02, anything), "drunk": (.17, .03, drunk), "stubborn": (.48, .05, stubborn), "good": (.32, .9, good)}


class Heading:
    skill = "Spatial Reasoning"
    nouns = ["drone", "compass", "rover", "boat", "robot"]
    documents = ["the {n} turns and faces a new way", "a {n} keeps its heading", "left and right may be swapped on the {n}"]

    def constants(rng, d):
        need = rng.randrange(4, 6)
        return {"SIDE": rng.choice([1, -1]), "NEED": need, "TURNS": between(rng, need + 3, need, d)}

    def parts(noun, c):
        return {
            "acts": '["north", "east", "south", "west"]',
            "start": ['self.note = ""', "self.h = self.rng.randrange(4)"],
            "deal": ["self.t = self.rng.randrange(1, 4)", "self.x = (self.h + self.t * self.SIDE) % 4"],
            "show": ['turn = ["right", "back", "left"][self.t - 1]', f'return f"{{self.note}}{noun} {{self.acts[self.h]}} {{turn}}"'],
            "read": ["want = self.acts[self.x]"],
            "rules": ['self.note = "yes " if action == want else f"no {want} "', "if action == want:", "    self.hits += 1",
                      "self.h = self.x", "self.deal()"],
        }

    def hint(c):
        return "turn as told" if c["SIDE"] == 1 else "swap left and right"

    def read(obs):
        words = obs.split("\n")[0].split()
        told = words[1] if words[0] == "no" else None
        return words[0], told, words[-2], words[-1]

    def turn(heading, side, word):
        return MOVES[(MOVES.index(heading) + side * {"right": 1, "back": 2, "left": 3}[word]) % 4]

    def copy(c, rng):
        return lambda obs: Heading.read(obs)[2]

    def anything(c, rng):
        return lambda obs: rng.choice(MOVES)

    def slip(c, rng):
        def act(obs):
            note, told, heading, word = Heading.read(obs)
            return Heading.turn(heading, 1, word) if rng.random() < .6 else rng.choice(MOVES)
        return act

    def plain(c, rng):
        return lambda obs: Heading.turn(Heading.read(obs)[2], 1, Heading.read(obs)[3])

    def good(c, rng, hinted=False):
        memory = {"side": c["SIDE"] if hinted else 1}

        def act(obs):
            note, told, heading, word = Heading.read(obs)
            if note == "no":
                memory["side"] = -memory["side"]
            return Heading.turn(heading, memory["side"], word)
        return act

    agents = {"copy": (.04, .02, copy), "anything": (.03, .01, anything), "slip": (.15, .02, slip), "plain": (.46, .05, plain), "good": (.32, .9, good)}


class Stair:
    skill = "Pattern Recognition"
    nouns = ["stair", "tide", "ladder", "calendar", "spiral"]
    documents = ["the {n} grows by the same step", "values of the {n} follow a rule", "the next number of the {n}"]

    def constants(rng, d):
        return {"N": rng.randrange(2, 6), "GROW": rng.choice([0, 1, 1, 2]), "NEED": 3, "TURNS": between(rng, 8, 3, d)}

    def parts(noun, c):
        return {
            "acts": "[str(i) for i in range(20)]",
            "start": ['self.note = ""'],
            "deal": ["d = self.rng.randint(1, self.N)", "self.a = self.rng.randrange(6)", "self.b = self.a + d",
                     "self.x = self.b + d + self.GROW"],
            "show": [f'return f"{{self.note}}{noun} {{self.a}} {{self.b}}"'],
            "rules": ['self.note = "yes " if a == self.x else f"no {self.x} "', "if a == self.x:", "    self.hits += 1",
                      "self.deal()"],
        }

    def hint(c):
        return f"same step then add {c['GROW']}"

    def read(obs):
        words = obs.split("\n")[0].split()
        told = int(words[1]) if words[0] == "no" else None
        return told, *numbers(obs.split("\n")[0])[-2:]

    def successor(c, rng):
        return lambda obs: str(Stair.read(obs)[2] + 1)

    def plain(c, rng):
        def act(obs):
            told, a, b = Stair.read(obs)
            return str(2 * b - a)
        return act

    def slip(c, rng):
        def act(obs):
            told, a, b = Stair.read(obs)
            return str(2 * b - a + rng.choice([-1, 0, 0, 1, 2]))
        return act

    def good(c, rng, hinted=False):
        memory = {"grow": c["GROW"] if hinted else 0, "said": None}

        def act(obs):
            told, a, b = Stair.read(obs)
            if told is not None and memory["said"] is not None:
                memory["grow"] += told - memory["said"]
            memory["said"] = 2 * b - a + memory["grow"]
            return str(memory["said"])
        return act

    agents = {"successor": (.08, .02, successor), "plain": (.44, .05, plain), "slip": (.16, .03, slip), "good": (.32, .9, good)}


class Beat:
    skill = "Pattern Recognition"
    nouns = ["beat", "song", "dance", "bell", "season"]
    documents = ["the {n} repeats after a few beats", "a {n} comes round again", "what follows in the {n}"]

    def constants(rng, d):
        n = rng.randrange(2, 5)
        need = rng.randrange(3, 5)
        return {"N": n, "NEED": need, "TURNS": between(rng, min(10, n + need + 3), n + need - 1, d)}

    def parts(noun, c):
        return {
            "acts": "[str(i) for i in range(10)]",
            "start": ["self.song = self.rng.sample(range(10), self.N)"],
            "deal": ["self.x = self.song[self.turn % self.N]"],
            "show": [f'return f"{noun} {{self.x}}"'],
            "rules": ["self.deal()", "if a == self.x:", "    self.hits += 1"],
        }

    def hint(c):
        return f"it repeats after {c['N']}"

    def anything(c, rng):
        return lambda obs: str(rng.randrange(10))

    def same(c, rng):
        return lambda obs: str(numbers(obs)[0])

    def recall(chance):
        def factory(c, rng):
            seen, last = {}, [None]

            def act(obs):
                x = numbers(obs)[0]
                if last[0] is not None:
                    seen[last[0]] = x
                last[0] = x
                if x in seen and rng.random() >= chance:
                    return str(x)
                return str(seen.get(x, rng.randrange(10)))
            return act
        return factory

    agents = {"anything": (.03, .02, anything), "same": (.44, .03, same), "forgetful": (.18, .05, recall(.5)), "good": (.35, .9, recall(1))}
