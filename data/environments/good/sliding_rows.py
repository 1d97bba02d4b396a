# skill: Spatial Reasoning
import random
from spade_env import boxed


class SlidingRowsEnv:
    """Turn a board into its picture by sliding whole rows and columns."""

    ACTIONS = ["row 1", "row 2", "row 3", "column 1", "column 2", "column 3"]

    def __init__(self, max_turns=25):
        self.max_turns = min(max_turns, 5)

    def reset(self, seed=None):
        rng = random.Random(seed)
        letters = rng.sample("KLMNPRSTV", 9)
        self.board = [letters[0:3], letters[3:6], letters[6:9]]
        while True:
            self.plan = [rng.choice(self.ACTIONS) for _ in range(4)]
            self.goal = self.board
            for action in self.plan:
                self.goal = self.slide(self.goal, action)
            if all(one != other for one, other in zip(self.plan, self.plan[1:])) and self.goal != self.board:
                break
        self.turn = 0
        return self.show("A board and its picture."), {"actions": self.ACTIONS}

    @staticmethod
    def slide(board, action):
        kind, number = action.split()
        board, at = [list(row) for row in board], int(number) - 1
        if kind == "row":
            board[at] = board[at][-1:] + board[at][:-1]
        else:
            column = [row[at] for row in board]
            for row, letter in zip(board, column[-1:] + column[:-1]):
                row[at] = letter
        return board

    def show(self, result):
        rows = ["%s   %s" % ("".join(now), "".join(then)) for now, then in zip(self.board, self.goal)]
        return "%s\nboard  picture\n%s\nA row slides right, a column slides down; what falls off comes back in. Moves left: %d" % (
            result, "\n".join(rows), self.max_turns - self.turn)

    def step(self, action):
        self.turn += 1
        action = boxed(action)
        if action in self.ACTIONS:
            self.board = self.slide(self.board, action)
        won = self.board == self.goal
        return self.show("It slides."), float(won), won, not won and self.turn >= self.max_turns, {"actions": self.ACTIONS}

    def solution(self):
        return list(self.plan)
