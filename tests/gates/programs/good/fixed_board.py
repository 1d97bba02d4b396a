from spade_env import boxed


class LightsEnv:
    """The seed changes nothing, and the program says so."""

    constant = True

    def __init__(self, max_turns=12):
        self.max_turns = max_turns

    def reset(self, seed=None):
        self.turn = 0
        self.lights = [1, 0, 0, 1, 0, 0, 1]
        return self.show(), {"actions": list("1234567")}

    def show(self):
        return "lights " + "".join(map(str, self.lights))

    def step(self, action):
        self.turn += 1
        action = boxed(action)
        if action in "1234567" and len(action) == 1:
            for i in (int(action) - 2, int(action) - 1, int(action)):
                if 0 <= i < 7:
                    self.lights[i] ^= 1
        won = self.lights == [1] * 7
        return self.show(), float(won), won, not won and self.turn >= self.max_turns, {"actions": list("1234567")}
