"""The length of the shortest way through a network of roads. Harder: more places and roads."""
import heapq

from rlve_env import VerifiableEnvironment


class ShortestPath(VerifiableEnvironment):
    @staticmethod
    def parameters(difficulty):
        return {"places": 3 + difficulty, "more": 1 + difficulty, "longest": 5 + 4 * difficulty}

    def _generate(self):
        places, longest = self.parameter["places"], self.parameter["longest"]
        order = list(range(1, places - 1))
        self.random.shuffle(order)
        order = [0, *order, places - 1]
        roads = {tuple(sorted(pair)): self.random.randint(1, longest) for pair in zip(order, order[1:])}
        for _ in range(self.parameter["more"]):
            pair = tuple(sorted(self.random.sample(range(places), 2)))
            roads.setdefault(pair, self.random.randint(1, 2 * longest))
        self.parameter["roads"] = sorted((a, b, length) for (a, b), length in roads.items())
        self.parameter["reference_answer"] = self._length()

    def _length(self):
        near, best, waiting = {}, {}, [(0, 0)]
        for a, b, length in self.parameter["roads"]:
            near.setdefault(a, []).append((b, length))
            near.setdefault(b, []).append((a, length))
        while waiting:
            walked, place = heapq.heappop(waiting)
            if place in best:
                continue
            best[place] = walked
            for other, length in near[place]:
                heapq.heappush(waiting, (walked + length, other))
        return best[self.parameter["places"] - 1]

    def _prompt_generate(self):
        roads = ", ".join("%d-%d: %d" % road for road in self.parameter["roads"])
        last = self.parameter["places"] - 1
        return "Roads between places and their lengths: %s. How long is the shortest way from 0 to %d?" % (roads, last)

    def _process(self, answer):
        try:
            return int(answer)
        except (TypeError, ValueError):
            return None

    def scorer(self, output):
        answer = self.processor(output)
        return -1.0 if answer is None else float(answer == self.parameter["reference_answer"])
