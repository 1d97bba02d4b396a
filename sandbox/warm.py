"""Makes children cheap. A child pays for each page of the zygote's memory that it is the first to write to, so the zygote
does beforehand what every child would do: it plays a sample once, which specialises code, fills the caches of the
interpreter and binds symbols of libraries, and it uses up the gaps in its heap, so that what a child allocates lies
together. Nothing but time changes: tests compare the transcripts of children with and without it.
"""
import json
import struct

import child

SAMPLE = '''
import random
from spade_env import boxed

class SampleEnv:
    """One of everything that programs do."""
    def __init__(self, max_turns=8):
        self.max_turns = max_turns

    def reset(self, seed=None):
        self.rng = random.Random(seed)
        self.number = self.rng.randint(1, 20)
        self.seen = [self.rng.choice("abc") for _ in range(4)]
        self.turn, self.table = 0, {}
        return f"Guess {self.number:d}, {len(self.seen)}", {"actions": [str(i) for i in range(1, 21)]}

    def step(self, action):
        self.turn += 1
        guess = boxed(action).lower().split()
        self.table[self.turn] = tuple(guess)
        try:
            close = abs(int(guess[0]) - self.number) / 20
        except (ValueError, IndexError):
            close = 1.0
        out = self.turn >= self.max_turns
        return "No %.2f" % close, 0.5 if close < 0.1 else 0.0, False, out, {"turn": self.turn, "actions": sorted(map(str, range(3)))}

    def solution(self):
        return ["\\\\boxed{%d}" % self.number]
'''
NUMPY = '''
    def __init__(self, max_turns=8):
        self.max_turns = max_turns
        self.noise = np.random.default_rng(max_turns).normal(size=4)
        self.grid = np.zeros((3, 3), dtype=int)
        self.grid[1, 2] = np.random.default_rng(1).integers(0, 9)
        self.sum = float((self.noise * 0.5 + 1).sum()) + self.grid.max().item() + np.arange(4).tolist()[1]
'''
TURNS = 24
PLAYS = 3
SIZES = range(48, 513, 16)  # of the small objects' allocator, as far as bytes can have them
BYTES_HEAD = 33
NEIGHBOURS = 12
MOST = 4000


class Done(BaseException):
    """The sample has been played."""


def play(prelude, printed):
    """Plays the sample in this process, on the way every child's requests go."""
    source = SAMPLE + (NUMPY if "np" in prelude else "")
    requests = [dict(op="init", source=source, maxTurns=None)]
    for seed in range(2):
        requests.append(dict(op="reset", seed=seed, fresh=bool(seed)))
        requests += [dict(op="step", action="\\\\boxed{%d}" % turn) for turn in range(TURNS)]
    requests.append(dict(op="solution"))
    frames = []
    for i, request in enumerate(requests):
        text = json.dumps(dict(request, i=i)).encode()
        frames.append(struct.pack("<I", len(text)) + text)

    def read(_descriptor, _size):
        return frames.pop(0) if frames else b""

    def write(_descriptor, data):
        return len(data)

    def leave(_code):
        raise Done

    try:
        child.serve(prelude, printed, read, write, leave)
    except Done:
        pass


def fill_gaps():
    """Objects that fill the holes between others, to be kept: what is allocated after them has pages of its own."""
    kept = []
    for size in SIZES:
        last, row = 0, 0
        for _ in range(MOST):
            block = bytes(size - BYTES_HEAD)
            kept.append(block)
            row = row + 1 if id(block) == last + size else 0
            last = id(block)
            if row == NEIGHBOURS:
                break
    return kept
