"""The most valuable load that a bag can hold. Harder: more things. A poorer load is worth its part of the best value, cubed."""
from rlve_env import VerifiableEnvironment


class Packing(VerifiableEnvironment):
    @staticmethod
    def parameters(difficulty):
        return {"things": 2 + 2 * difficulty, "heaviest": 5 + 3 * difficulty}

    def _generate(self):
        heaviest = self.parameter["heaviest"]
        things = [(self.random.randint(1, heaviest), self.random.randint(1, 3 * heaviest))
                  for _ in range(self.parameter["things"])]
        room = max(max(weight for weight, _ in things), sum(weight for weight, _ in things) // 2)
        best = {0: (0, ())}  # by weight: value and which things
        for index, (weight, value) in enumerate(things):
            for used, (worth, chosen) in sorted(best.items(), reverse=True):
                now = used + weight
                if now <= room and worth + value > best.get(now, (-1,))[0]:
                    best[now] = (worth + value, (*chosen, index))
        worth, chosen = max(best.values())
        self.parameter.update(list=things, room=room, best=worth)
        self.parameter["reference_answer"] = " ".join(str(index + 1) for index in chosen)

    def _prompt_generate(self):
        lines = ["%d: weight %d, value %d" % (index + 1, *thing) for index, thing in enumerate(self.parameter["list"])]
        return "A bag holds a weight of %d. Things:\n%s\nWhich of them have the largest value together? Answer with their " \
            "numbers, with spaces between them." % (self.parameter["room"], "\n".join(lines))

    def _process(self, answer):
        try:
            return [int(part) - 1 for part in answer.split()]
        except (AttributeError, ValueError):
            return None

    def scorer(self, output):
        answer, things = self.processor(output), self.parameter["list"]
        if not answer or len(set(answer)) < len(answer) or not all(0 <= index < len(things) for index in answer):
            return -1.0
        weight, value = (sum(things[index][part] for index in answer) for part in (0, 1))
        return -0.5 if weight > self.parameter["room"] else (value / self.parameter["best"]) ** 3
