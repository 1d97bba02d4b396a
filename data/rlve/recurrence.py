"""The next number of a sequence that follows a rule. Harder: the rule looks further back and has larger factors."""
from rlve_env import VerifiableEnvironment


class Recurrence(VerifiableEnvironment):
    @staticmethod
    def parameters(difficulty):
        return {"order": 1 + difficulty // 3, "factor": 1 + difficulty, "shown": 5 + 2 * (difficulty // 3)}

    def _generate(self):
        order, most = self.parameter["order"], self.parameter["factor"]
        factors = [self.random.randint(1, most) for _ in range(order)]
        step = self.random.randint(1, 3 * most)
        sequence = [self.random.randint(1, 9) for _ in range(order)]
        while len(sequence) <= self.parameter["shown"]:
            sequence.append(step + sum(f * x for f, x in zip(factors, reversed(sequence))))
        self.parameter["shown_terms"] = sequence[:-1]
        self.parameter["reference_answer"] = sequence[-1]

    def _prompt_generate(self):
        order = self.parameter["order"]
        before = "the number before it" if order == 1 else "the %d numbers before it" % order
        return "Each number is made from %s by fixed factors and a fixed number that is added. Which one is next? %s" % (
            before, ", ".join(map(str, self.parameter["shown_terms"])))

    def _process(self, answer):
        try:
            return int(answer)
        except (TypeError, ValueError):
            return None

    def scorer(self, output):
        answer = self.processor(output)
        return -1.0 if answer is None else float(answer == self.parameter["reference_answer"])
