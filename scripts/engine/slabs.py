"""Where keys and values live while rows are decoded, and between the turns of a play.

A `Slab` holds rows of one length class side by side, so that attention over all of them is one batched product.
Rows in use are always 0 .. count-1: the last row moves into a hole. A `PrefixCache` keeps the keys and values of
finished rows; the next turn of the same play then computes only its new tokens. Because every token's bits depend on
its prefix alone (numerics.py), a hit and a miss give equal results.
"""
from collections import Counter, OrderedDict

import numpy
import torch

SMALLEST = 64


def length_class(total: int) -> int:
    """The slab length for a row of `total` tokens: a power of two with one spare position for padding writes."""
    size = SMALLEST
    while size < total + 1:
        size *= 2
    return size


class Slab:
    def __init__(self, shape: "KvShape", length: int):
        self.shape, self.length, self.count = shape, length, 0
        self.owners: list = []
        row_bytes = 2 * shape.dtype.itemsize * shape.layers * shape.heads * shape.width * length
        self.store = self._empty(max(1, min(16, (64 << 20) // row_bytes)))

    def _empty(self, rows: int) -> torch.Tensor:
        s = self.shape
        return torch.zeros(s.layers, 2, rows, s.heads, self.length, s.width, dtype=s.dtype)

    def add(self, owner) -> int:
        if self.count == self.store.shape[2]:
            grown = self._empty(self.count * 2)
            grown[:, :, : self.count] = self.store
            self.store = grown
        self.owners.append(owner)
        self.count += 1
        return self.count - 1

    def remove(self, row: int) -> None:
        last = self.count - 1
        if row != last:
            mover = self.owners[last]
            self.store[:, :, row, :, : mover.fed] = self.store[:, :, last, :, : mover.fed]
            self.owners[row] = mover
            mover.slab_row = row
        self.owners.pop()
        self.count = last

    def read(self, row: int, length: int) -> torch.Tensor:
        return self.store[:, :, row, :, :length].clone()

    def write(self, row: int, kept: torch.Tensor) -> None:
        self.store[:, :, row, :, : kept.shape[3]] = kept


class KvShape:
    def __init__(self, layers: int, heads: int, width: int, dtype: torch.dtype = torch.float32):
        self.layers, self.heads, self.width, self.dtype = layers, heads, width, dtype


class PrefixCache:
    """Least recently used entries leave first; `budget` is in bytes. A budget of 0 keeps nothing."""

    def __init__(self, budget: int):
        self.budget, self.used = budget, 0
        self.entries: OrderedDict[bytes, torch.Tensor] = OrderedDict()
        self.lengths: Counter[int] = Counter()

    def clear(self) -> None:
        self.entries.clear()
        self.lengths.clear()
        self.used = 0

    @staticmethod
    def key(ids: list[int]) -> bytes:
        return numpy.asarray(ids, dtype=numpy.int32).tobytes()

    def put(self, ids: list[int], kept: torch.Tensor) -> None:
        size = kept.numel() * kept.element_size()
        key = self.key(ids)
        if size > self.budget or key in self.entries:
            return
        self.entries[key] = kept
        self.lengths[len(ids)] += 1
        self.used += size
        while self.used > self.budget:
            old_key, old = self.entries.popitem(last=False)
            self.used -= old.numel() * old.element_size()
            self.lengths[len(old_key) // 4] -= 1
            if not self.lengths[len(old_key) // 4]:
                del self.lengths[len(old_key) // 4]

    def longest(self, prompt: list[int]) -> torch.Tensor | None:
        """Keys and values of the longest stored proper prefix of `prompt` (its last token is always computed)."""
        whole = self.key(prompt)
        for length in sorted(self.lengths, reverse=True):
            if length < len(prompt):
                kept = self.entries.get(whole[: 4 * length])
                if kept is not None:
                    self.entries.move_to_end(whole[: 4 * length])
                    return kept
        return None
