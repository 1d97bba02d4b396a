"""Some of the numbers that add up to a goal; any such choice wins. Harder: more and larger numbers."""
from collections import Counter

from rlve_env import VerifiableEnvironment


class SubsetSum(VerifiableEnvironment):
    @staticmethod
    def parameters(difficulty):
        return {"count": 3 + 2 * difficulty, "largest": 10 * 3 ** min(difficulty, 8)}

    def _generate(self):
        count = self.parameter["count"]
        numbers = [self.random.randint(1, self.parameter["largest"]) for _ in range(count)]
        chosen = self.random.sample(numbers, max(2, count // 2))
        self.parameter["numbers"], self.parameter["goal"] = numbers, sum(chosen)
        self.parameter["reference_answer"] = " ".join(map(str, chosen))

    def _prompt_generate(self):
        return "Choose some of these numbers, each at most once, that add up to %d: %s. Answer with the chosen numbers, " \
            "with spaces between them." % (self.parameter["goal"], " ".join(map(str, self.parameter["numbers"])))

    def _process(self, answer):
        try:
            return [int(part) for part in answer.split()]
        except (AttributeError, ValueError):
            return None

    def scorer(self, output):
        answer = self.processor(output)
        if not answer or Counter(answer) - Counter(self.parameter["numbers"]):
            return -1.0
        return float(sum(answer) == self.parameter["goal"])
