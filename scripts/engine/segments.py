"""What one tick computes: a flat list of tokens, cut into segments that attend to the rows of one slab.

Products with weights run over all flat tokens at once; only attention is done segment by segment. A segment is
`rows` slab rows with `width` tokens each (decode: 1; prefill: a padded piece of the prompt). Padding tokens write
behind the row's end, where later tokens overwrite them before anything reads them.
"""
from dataclasses import dataclass

import torch

from numerics import BLOCK, FEW, STEP, round_up
from slabs import Slab

PIECES = (1, 16, 32, 48, 64, 96, 128, 192, 256)  # widths of a segment


def piece(tokens: int) -> int:
    """The smallest width that holds `tokens`, or the largest there is."""
    return next((width for width in PIECES if width >= tokens), PIECES[-1])


@dataclass
class Segment:
    slab: Slab
    rows: list[int]  # slab rows
    starts: list[int]  # position of each row's first token here
    tokens: list[list[int]]  # at most `width` ids a row
    width: int
    whole: bool = False  # attend over the whole slab length (generic.py)

    def __post_init__(self):
        self.count = len(self.rows)
        self.starts_t = torch.tensor(self.starts)
        positions = self.starts_t[:, None] + torch.arange(self.width)
        self.positions = positions.clamp_(max=self.slab.length - 1)
        needed = self.slab.length if self.whole else round_up(max(self.starts) + self.width, STEP)
        self.reach = min(self.slab.length, needed)
        self.consecutive = self.rows == list(range(self.rows[0], self.rows[0] + self.count))
        self.index = torch.tensor(self.rows)

    def ids(self) -> list[int]:
        """Flat ids with padding."""
        if self.width == 1:
            return [row[0] for row in self.tokens]
        flat: list[int] = []
        for row in self.tokens:
            flat.extend(row)
            flat.extend([0] * (self.width - len(row)))
        return flat

    def last(self, offset: int) -> list[int]:
        """Flat index of each row's last real token."""
        return [offset + i * self.width + len(row) - 1 for i, row in enumerate(self.tokens)]

    def mask(self) -> torch.Tensor:
        """[rows, width, reach]: 0 where the token may look, -inf elsewhere."""
        blocked = torch.arange(self.reach) > self.positions[:, :, None]
        return torch.where(blocked, float("-inf"), 0.0)

    def write(self, layer: int, keys: torch.Tensor, values: torch.Tensor) -> None:
        """`keys` and `values` are [rows, width, heads, head width]."""
        store = self.slab.store[layer]
        at = self.index[:, None]
        store[0].transpose(1, 2)[at, self.positions] = keys
        store[1].transpose(1, 2)[at, self.positions] = values

    def read(self, layer: int) -> tuple[torch.Tensor, torch.Tensor]:
        """Keys and values as [rows * heads, reach, head width]."""
        store = self.slab.store[layer]
        if self.consecutive:
            first = self.rows[0]
            both = store[:, first : first + self.count, :, : self.reach]
        else:
            both = store[:, :, :, : self.reach].index_select(1, self.index)
        return both[0].flatten(0, 1), both[1].flatten(0, 1)


def attend(query: torch.Tensor, keys: torch.Tensor, values: torch.Tensor, mask: torch.Tensor, heads: int) -> torch.Tensor:
    """Grouped attention with bits that do not depend on neighbours (numerics.py).

    query [rows, width, heads * share, head width] already scaled; mask [rows, width, reach]; out [rows, width, …].
    """
    rows, width, all_heads, size = query.shape
    share, reach = all_heads // heads, keys.shape[1]
    if query.dtype == torch.bfloat16:  # no promise about bits, and scores would be too coarse between two products
        keys, values = keys.view(rows, heads, reach, size), values.view(rows, heads, reach, size)
        out = torch.nn.functional.scaled_dot_product_attention(
            query.transpose(1, 2), keys, values, mask[:, None].to(query.dtype), scale=1.0, enable_gqa=True)
        return out.transpose(1, 2).reshape(rows, width, all_heads * size)
    q = query.view(rows, width, heads, share, size).permute(0, 2, 3, 1, 4).reshape(rows * heads, share * width, size)
    count = q.shape[1]
    if count < FEW:
        q = torch.nn.functional.pad(q, (0, 0, 0, FEW - count))
    scores = torch.bmm(q, keys.transpose(1, 2))
    scores[:, :count].view(rows, heads, share, width, reach).add_(mask[:, None, None])
    shares = torch.softmax(scores, -1)
    if reach <= BLOCK:
        out = torch.bmm(shares, values)
    else:
        out = torch.bmm(shares[..., :BLOCK], values[:, :BLOCK])
        for first in range(BLOCK, reach, BLOCK):
            part = slice(first, min(first + BLOCK, reach))
            out = out + torch.bmm(shares[..., part], values[:, part])
    return out[:, :count].reshape(rows, heads, share, width, size).permute(0, 3, 1, 2, 4).reshape(rows, width, all_heads * size)
