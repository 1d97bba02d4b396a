# refuse: parse: syntax
class AEnv:
    def reset(self, seed=None)
        pass
