"""The smallest number with given remainders. Harder: more and larger divisors."""
import math

from rlve_env import VerifiableEnvironment

PRIMES = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47]


class Remainders(VerifiableEnvironment):
    @staticmethod
    def parameters(difficulty):
        return {"count": 1 + (difficulty + 1) // 2, "choices": min(len(PRIMES), 3 + difficulty)}

    def _generate(self):
        count = min(self.parameter["count"], self.parameter["choices"])
        divisors = sorted(self.random.sample(PRIMES[: self.parameter["choices"]], count))
        number = self.random.randrange(math.prod(divisors))
        self.parameter["rules"] = [(divisor, number % divisor) for divisor in divisors]
        self.parameter["reference_answer"] = number

    def _prompt_generate(self):
        rules = ["%d when divided by %d" % (rest, divisor) for divisor, rest in self.parameter["rules"]]
        return "Which is the smallest whole number from 0 on that leaves a remainder of %s?" % ", and of ".join(rules)

    def _process(self, answer):
        try:
            return int(answer)
        except (TypeError, ValueError):
            return None

    def scorer(self, output):
        answer = self.processor(output)
        return -1.0 if answer is None else float(answer == self.parameter["reference_answer"])
