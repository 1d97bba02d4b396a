# refuse: parse: 0 Env classes
class Guess:
    pass
