# skill: Spatial Reasoning
# hard: up to twelve moves deep, with two to spare
import functools
import random
from collections import deque
from spade_env import boxed


class EightTilesEnv:
    """Bring eight tiles into order around one gap."""

    GOAL = "12345678_"

    def __init__(self, max_turns=25):
        self.limit = self.max_turns = max_turns

    def reset(self, seed=None):
        rng = random.Random(seed)
        self.board, self.plan = rng.choice(self.boards(8, 12))
        self.turn, self.limit = 0, min(self.max_turns, len(self.plan) + 2)
        return self.show("Tiles and a gap."), {"actions": self.movable(self.board)}

    @staticmethod
    def movable(board):
        gap = board.index("_")
        near = [gap - 3, gap + 3] + [gap - 1] * (gap % 3 > 0) + [gap + 1] * (gap % 3 < 2)
        return sorted(board[at] for at in near if 0 <= at < 9)

    @staticmethod
    def push(board, tile):
        return board.translate({ord(tile): "_", ord("_"): tile})

    @classmethod
    @functools.lru_cache
    def boards(cls, least, most):
        """Boards at these distances from the goal, each with a shortest way there."""
        found, queue = {cls.GOAL: []}, deque([cls.GOAL])
        while queue:
            board = queue.popleft()
            if len(found[board]) == most:
                continue
            for tile in cls.movable(board):
                after = cls.push(board, tile)
                if after not in found:
                    found[after] = [tile] + found[board]
                    queue.append(after)
        return [(board, way) for board, way in found.items() if len(way) >= least]

    def show(self, result):
        rows = [" ".join(self.board[at:at + 3]) for at in (0, 3, 6)]
        return "%s\n%s\nName a tile beside the gap to push it. Goal: 1 2 3 / 4 5 6 / 7 8 _. Moves left: %d" % (
            result, "\n".join(rows), self.limit - self.turn)

    def step(self, action):
        self.turn += 1
        action = boxed(action)
        if action in self.movable(self.board):
            self.board = self.push(self.board, action)
        won = self.board == self.GOAL
        return self.show("Moved."), float(won), won, not won and self.turn >= self.limit, {"actions": self.movable(self.board)}

    def solution(self):
        return list(self.plan)
