"""Who tells the truth, when each either always does or never. Harder: more people."""
import itertools

from rlve_env import VerifiableEnvironment

NAMES = "Ana Ben Cleo Dan Eva Finn Gus Hal Ida Jon Kim Lee".split()


class TruthTellers(VerifiableEnvironment):
    @staticmethod
    def parameters(difficulty):
        return {"people": min(2 + difficulty, 10)}

    def _generate(self):
        while True:
            self._draw()
            fitting = [world for world in self._worlds() if self._fits(world)]
            if len(fitting) == 1 and any(fitting[0]):
                break
        tellers = [name for name, honest in zip(NAMES, fitting[0]) if honest]
        self.parameter["reference_answer"] = " ".join(tellers)

    def _draw(self):
        """One statement each: whether another one is honest, or how many of two are."""
        people, said = self.parameter["people"], []
        for speaker in range(people):
            others = [other for other in range(people) if other != speaker]
            if self.random.random() < 0.4:
                about = (self.random.choice(others),)
            else:
                about = tuple(sorted(self.random.sample(range(people), 2)))
            said.append((about, self.random.randint(0, len(about))))
        self.parameter["said"] = said

    def _worlds(self):
        return itertools.product((False, True), repeat=self.parameter["people"])

    def _fits(self, world):
        return all((sum(world[one] for one in about) == honest) == world[speaker]
                   for speaker, (about, honest) in enumerate(self.parameter["said"]))

    def _prompt_generate(self):
        lines = ["%s says: %s" % (NAMES[speaker], self._statement(*said))
                 for speaker, said in enumerate(self.parameter["said"])]
        return "Each of them either always tells the truth or always lies.\n%s\nWho tells the truth? Answer with the " \
            "names, with spaces between them." % "\n".join(lines)

    def _statement(self, about, honest):
        if len(about) == 1:
            return "%s %s" % (NAMES[about[0]], "tells the truth." if honest else "lies.")
        return "of %s and %s %s." % (
            NAMES[about[0]], NAMES[about[1]],
            ["both lie", "exactly one tells the truth", "both tell the truth"][honest])

    def _process(self, answer):
        return None if answer is None else answer.replace(",", " ").split()

    def scorer(self, output):
        answer = self.processor(output)
        if not answer or not set(answer) <= set(NAMES[: self.parameter["people"]]):
            return -1.0
        return float(sorted(answer) == sorted(self.parameter["reference_answer"].split()))
