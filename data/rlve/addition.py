"""The sum of a row of numbers. Harder: more and longer numbers."""
from rlve_env import VerifiableEnvironment


class Addition(VerifiableEnvironment):
    @staticmethod
    def parameters(difficulty):
        return {"count": 2 + difficulty // 2, "largest": 9 * 10 ** ((difficulty + 1) // 2)}

    def _generate(self):
        largest = self.parameter["largest"]
        self.parameter["terms"] = [self.random.randint(1, largest) for _ in range(self.parameter["count"])]
        self.parameter["reference_answer"] = sum(self.parameter["terms"])

    def _prompt_generate(self):
        return "What is %s?" % " + ".join(map(str, self.parameter["terms"]))

    def _process(self, answer):
        try:
            return int(answer)
        except (TypeError, ValueError):
            return None

    def scorer(self, output):
        answer = self.processor(output)
        return -1.0 if answer is None else float(answer == self.parameter["reference_answer"])
