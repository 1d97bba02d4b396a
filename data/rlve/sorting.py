"""Numbers in ascending order. Harder: more and longer numbers. A wrong order is worth the share of right places, at most a half."""
from rlve_env import VerifiableEnvironment


class Sorting(VerifiableEnvironment):
    @staticmethod
    def parameters(difficulty):
        return {"count": 2 + 2 * difficulty, "largest": 10 * (1 + difficulty) ** 2}

    def _generate(self):
        largest = self.parameter["largest"]
        numbers = self.random.sample(range(largest), self.parameter["count"])
        if numbers == sorted(numbers):
            numbers.reverse()
        self.parameter["numbers"] = numbers
        self.parameter["reference_answer"] = " ".join(map(str, sorted(numbers)))

    def _prompt_generate(self):
        numbers = " ".join(map(str, self.parameter["numbers"]))
        return "Write these numbers in ascending order, with spaces between them: %s" % numbers

    def _process(self, answer):
        try:
            return [int(part) for part in answer.split()]
        except (AttributeError, ValueError):
            return None

    def scorer(self, output):
        answer, wanted = self.processor(output), sorted(self.parameter["numbers"])
        if answer is None or sorted(answer) != wanted:
            return -1.0
        right = sum(a == b for a, b in zip(answer, wanted))
        return 1.0 if right == len(wanted) else 0.5 * right / len(wanted)
