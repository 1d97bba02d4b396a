"""Families of Optimization and Causal Inference: jar, mine, wiring, knob (see families_number.py for the shape)."""
from program import between, numbers


class Jar:
    skill = "Optimization"
    nouns = ["jar", "truck", "tank", "budget", "ferry"]
    documents = ["fill the {n} with few moves", "the {n} must not overflow", "large steps first fill the {n}"]

    def constants(rng, d):
        return {"N": rng.randrange(10, 19), "NEED": 3, "TURNS": between(rng, 10, 4, d)}

    def parts(noun, c):
        return {
            "acts": "[str(i) for i in range(1, 10)]",
            "deal": ["self.x = 0", "self.q = self.rng.randint(self.N // 2, self.N)"],
            "show": [f'return f"{noun} {{self.x}} goal {{self.q}}"'],
            "rules": ["self.x += max(a, 0)", "if self.x == self.q:", "    self.hits += 1", "    self.deal()",
                      "elif self.x > self.q:", "    self.x = 0"],
        }

    def hint(c):
        return "largest step that fits"

    def anything(c, rng):
        return lambda obs: str(rng.randint(1, 9))

    def small(c, rng):
        def act(obs):
            x, g = numbers(obs)[:2]
            return str(min(3, g - x))
        return act

    def fitting(c, rng):
        def act(obs):
            x, g = numbers(obs)[:2]
            return str(rng.randint(1, min(9, g - x)))
        return act

    def good(c, rng):
        def act(obs):
            x, g = numbers(obs)[:2]
            return str(min(9, g - x))
        return act

    agents = {"anything": (.03, .02, anything), "small": (.47, .03, small), "fitting": (.18, .05, fitting), "good": (.32, .9, good)}


class Mine:
    skill = "Optimization"
    nouns = ["mine", "market", "orchard", "pier", "hive"]
    documents = ["one place of the {n} pays best", "try the {n} then stay with the best", "the {n} pays the same each time"]

    def constants(rng, d):
        turns = rng.randrange(6, 11)
        return {"N": rng.randrange(3, 6), "GOAL": between(rng, 5 * turns + 3, 8 * turns, d, 3), "TURNS": turns}

    def parts(noun, c):
        return {
            "start": ["self.pay = [9] + [self.rng.randrange(4) for i in range(self.N - 1)]", "self.rng.shuffle(self.pay)",
                      "self.total = 0", "self.g = self.rng.randrange(self.N)"],
            "deal": ["self.total += self.pay[self.g]"],
            "show": [f'return f"{noun} {{self.g}} paid {{self.pay[self.g]}} total {{self.total}} goal {{self.GOAL}}"'],
            "rules": ["if a >= 0:", "    self.g = a", "    self.deal()"],
            "won": "self.total >= self.GOAL",
        }

    def hint(c):
        return f"stay where it pays 9 of {c['N']}"

    def cycle(c, rng):
        return lambda obs: str((numbers(obs)[0] + 1) % c["N"])

    def anything(c, rng):
        return lambda obs: str(rng.randrange(c["N"]))

    def restless(c, rng):
        def act(obs):
            g, v = numbers(obs)[:2]
            return str(g) if v > 5 and rng.random() < .4 else str(rng.randrange(c["N"]))
        return act

    def good(c, rng):
        def act(obs):
            g, v = numbers(obs)[:2]
            return str(g) if v > 5 else str((g + 1) % c["N"])
        return act

    agents = {"cycle": (.46, .03, cycle), "anything": (.04, .02, anything), "restless": (.16, .05, restless), "good": (.34, .9, good)}


class Wiring:
    skill = "Causal Inference"
    nouns = ["lamp", "valve", "gene", "pipe", "motor"]
    documents = ["each switch drives one {n}", "every cause of the {n} has one effect", "the wiring of the {n} never changes"]

    def constants(rng, d):
        n = rng.randrange(2, 5)
        need = rng.randrange(3, 5)
        return {"N": n, "NEED": need, "TURNS": between(rng, min(10, n + need + 3), n + need - 2, d)}

    def parts(noun, c):
        return {
            "acts": "[str(i) for i in range(10)]",
            "start": ['self.note = ""', "self.map = self.rng.sample(range(10), self.N)"],
            "deal": ["self.s = self.rng.randrange(self.N)", "self.x = self.map[self.s]"],
            "show": [f'return f"{{self.note}}{noun} {{self.s}}"'],
            "rules": ['self.note = "yes " if a == self.x else f"no {self.x} "', "if a == self.x:", "    self.hits += 1",
                      "self.deal()"],
        }

    def hint(c):
        return f"remember all {c['N']}"

    def anything(c, rng):
        return lambda obs: str(rng.randrange(10))

    def again(c, rng):
        last = [str(rng.randrange(10))]

        def act(obs):
            words = obs.split("\n")[0].split()
            last[0] = words[1] if words[0] == "no" else last[0]
            return last[0]
        return act

    def recall(chance):
        def factory(c, rng):
            seen, last = {}, [None, None]

            def act(obs):
                words = obs.split("\n")[0].split()
                if last[0] is not None:
                    if words[0] == "no":
                        seen[last[0]] = words[1]
                    if words[0] == "yes":
                        seen[last[0]] = last[1]
                s = words[-1]
                lost = s in seen and rng.random() >= chance
                a = seen.get(last[0], "0") if lost else seen.get(s, str(rng.randrange(10)))
                last[:] = [s, a]
                return a
            return act
        return factory

    agents = {"anything": (.04, .02, anything), "again": (.44, .03, again), "forgetful": (.18, .05, recall(.5)), "good": (.34, .9, recall(1))}


class Knob:
    skill = "Causal Inference"
    nouns = ["furnace", "reactor", "pond", "engine", "oven"]
    documents = ["knobs change the {n} by unknown amounts", "the {n} reacts to each knob in its own way", "find which knob moves the {n}"]

    def constants(rng, d):
        n = rng.randrange(6, 10)
        return {"N": n, "TURNS": between(rng, 10, n // 2 + 2, d)}

    def parts(noun, c):
        return {
            "acts": "[str(i) for i in range(4)]",
            "start": ['self.note = ""', "self.effect = self.rng.sample([1, -1, 2, -2], 4)"],
            "deal": ["self.x = self.rng.randrange(10, 16)", "self.q = self.x + self.rng.choice([1, -1]) * self.N"],
            "show": [f'return f"{{self.note}}{noun} {{self.x}} goal {{self.q}}"'],
            "rules": ["old = abs(self.q - self.x)", "self.x += self.effect[a] if a >= 0 else 0",
                      'self.note = "near " if abs(self.q - self.x) < old else "far "'],
            "won": "self.x == self.q",
        }

    def hint(c):
        return "repeat what comes near"

    def anything(c, rng):
        return lambda obs: str(rng.randrange(4))

    def cycle(c, rng):
        last = [rng.randrange(4)]

        def act(obs):
            last[0] = (last[0] + 1) % 4
            return str(last[0])
        return act

    def stay(chance):
        def factory(c, rng):
            last = [None]

            def act(obs):
                near = obs.startswith("near")
                if last[0] is None:
                    last[0] = rng.randrange(4)
                elif not (near and rng.random() < chance):
                    last[0] = (last[0] + 1) % 4 if chance == 1 else rng.randrange(4)
                return str(last[0])
            return act
        return factory

    agents = {"anything": (.04, .02, anything), "cycle": (.44, .03, cycle), "fickle": (.18, .05, stay(.4)), "good": (.34, .9, stay(1))}
