"""From logits to one token a row: inverse cumulative distribution in float64, a counter-based generator per row.

Conventions: the log-probability is log-softmax(logits / temperature), before top-k and top-p cut anything.
Temperature 0 is greedy (first of equal maxima) with the log-probability at temperature 1. Draw number k of a row is a
function of (seed, k) alone, so neighbours and arrival order change nothing.
"""
from dataclasses import dataclass
from typing import Callable

import numpy
import torch

_GAMMA, _MIX1, _MIX2 = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB


@dataclass(frozen=True)
class Params:
    max_tokens: int
    temperature: float = 1.0
    top_p: float = 1.0
    top_k: int = -1
    stop: frozenset[int] = frozenset()
    ends: Callable[[list[int]], str | None] | None = None  # the stop text that the ids so far end with (text.py)
    held: int = 0  # characters at the end of a text that may yet turn out to be part of a stop text

    @property
    def cuts(self) -> bool:
        return self.top_p < 1.0 or self.top_k > 0


def _mix(x: numpy.ndarray) -> numpy.ndarray:
    """The finaliser of splitmix64 (Steele, Lea and Flood 2014)."""
    x = (x ^ (x >> numpy.uint64(30))) * numpy.uint64(_MIX1)
    x = (x ^ (x >> numpy.uint64(27))) * numpy.uint64(_MIX2)
    return x ^ (x >> numpy.uint64(31))


def uniform(seeds: list[int], counters: list[int]) -> numpy.ndarray:
    """One number in [0, 1) with 53 random bits for each (seed, counter)."""
    with numpy.errstate(over="ignore"):
        seed = numpy.array([s & 0xFFFFFFFFFFFFFFFF for s in seeds], dtype=numpy.uint64)
        count = numpy.array(counters, dtype=numpy.uint64)
        bits = _mix(_mix(seed + numpy.uint64(_GAMMA)) + (count + numpy.uint64(1)) * numpy.uint64(_GAMMA))
    return (bits >> numpy.uint64(11)).astype(numpy.float64) * 2.0**-53


def child_seed(seed: int, index: int) -> int:
    """Seed of sample `index` of a request; sample 0 keeps the request's own seed."""
    if index == 0:
        return seed
    with numpy.errstate(over="ignore"):
        mixed = _mix(numpy.array([(seed * 0x2545F4914F6CDD1D + index * _GAMMA) & 0xFFFFFFFFFFFFFFFF], numpy.uint64))
    return int(mixed[0]) >> 1  # may be sent as the seed of a request of its own


def draw(logits: torch.Tensor, params: list[Params], seeds: list[int], counters: list[int]) -> tuple[list[int], list[float]]:
    """Ids and log-probabilities, one a row; `logits` is [rows, vocabulary]."""
    wide = logits.double()
    heat = torch.tensor([p.temperature if p.temperature > 0 else 1.0 for p in params], dtype=torch.float64)
    if any(p.temperature not in (0.0, 1.0) for p in params):
        wide = wide / heat[:, None]
    top, first = wide.max(-1, keepdim=True)
    mass = (wide - top).exp_()
    cumulative = mass.cumsum(-1)
    total = cumulative[:, -1:].clone()
    for row, p in enumerate(params):
        if p.cuts and p.temperature > 0:
            cumulative[row] = _cut(mass[row], total[row], p).cumsum(-1)
    point = torch.from_numpy(uniform(seeds, counters)).to(wide.device)[:, None] * cumulative[:, -1:]
    ids = torch.searchsorted(cumulative, point, right=True)
    last = torch.searchsorted(cumulative, cumulative[:, -1:].contiguous())  # the last id with mass
    ids = torch.minimum(ids, last)
    greedy = torch.tensor([p.temperature == 0 for p in params])[:, None]
    ids = torch.where(greedy, first, ids)
    logp = wide.gather(-1, ids) - top - total.log()
    return ids[:, 0].tolist(), logp[:, 0].tolist()


@dataclass(frozen=True)
class Score:
    """A given token at its place: log-probability at temperature 1, rank from 1, and the likeliest (id, logp)."""

    logp: float
    rank: int
    top: list[tuple[int, float]]


def score(logits: torch.Tensor, given: list[int], top: int) -> list[Score]:
    """`logits` is [tokens, vocabulary]; `given` the token that follows each."""
    out = []
    for first in range(0, len(given), 64):  # in parts: float64 over a whole vocabulary is large
        part = torch.log_softmax(logits[first : first + 64].double(), -1)
        own = part.gather(-1, torch.tensor(given[first : first + 64])[:, None])
        ranks = (part > own).sum(-1) + 1
        best = part.topk(top)
        tops = [list(zip(*pair)) for pair in zip(best.indices.tolist(), best.values.tolist())]
        out += [Score(*item) for item in zip(own[:, 0].tolist(), ranks.tolist(), tops)]
    return out


def _cut(mass: torch.Tensor, total: torch.Tensor, params: Params) -> torch.Tensor:
    """`mass` with everything outside top-k, then outside the top-p nucleus, set to zero."""
    order = torch.argsort(mass, descending=True, stable=True)
    kept = mass[order].clone()
    if params.top_k > 0:
        kept[params.top_k :] = 0
    before = kept.cumsum(-1) - kept
    kept[before >= params.top_p * kept.sum()] = 0
    out = torch.zeros_like(mass)
    out[order] = kept
    return out
