"""Continuous batching over one set of weights: every tick admits, prefills within a budget and decodes one token a row.

A long reply never blocks a short one: all rows that can go on go on in each tick. What a tick contains depends on
arrival; what a row gets does not (numerics.py, tested with random mixes and delays).
"""
from collections import deque
from dataclasses import dataclass, field
from typing import Callable

import torch

import sampling
from numerics import ROWS, round_up
from segments import Segment, piece
from slabs import PrefixCache, Slab, length_class

PREFILL_TOKENS = 2048  # a tick prefills at most this many tokens (one row always goes)


@dataclass(eq=False)
class Row:
    job: "Job"
    index: int
    prompt: list[int]
    seed: int
    params: sampling.Params
    score: int | None = None  # how many likeliest tokens to give at each place of the prompt; None: no scores
    scores: list[sampling.Score] = field(default_factory=list)  # of prompt[1:]
    out: list[int] = field(default_factory=list)
    logps: list[float] = field(default_factory=list)
    fed: int = 0  # tokens whose keys and values are in the slab
    cached: int = 0
    slab: Slab | None = None
    slab_row: int = -1
    finish: str = ""
    stopped: str | None = None  # the text that ended it


@dataclass(eq=False)
class Job:
    """One request: some rows that answer together. `done` is called once, on the compute thread."""

    done: Callable[["Job"], None]
    heard: Callable[[Row], None] | None = None  # after each token of each row, on the compute thread
    rows: list[Row] = field(default_factory=list)
    left: int = 0
    error: BaseException | None = None
    cancelled: bool = False
    weights_version: int = 0

    def add(self, prompt: list[int], seed: int, params: sampling.Params, score: int | None = None) -> None:
        self.rows.append(Row(self, len(self.rows), prompt, seed, params, score))
        self.left += 1


class Decoder:
    def __init__(self, policy, state: dict[str, torch.Tensor], version: int, max_rows: int, cache_bytes: int):
        self.policy, self.version, self.max_rows = policy, version, max_rows
        self.state, self.weights = state, policy.prepare(state)
        self.slabs: dict[int, Slab] = {}
        self.waiting: deque[Row] = deque()
        self.active: list[Row] = []
        self.prefixes = PrefixCache(cache_bytes if policy.exact_prefix else 0)
        self.decoded = self.prefilled = self.reused = 0

    @property
    def busy(self) -> bool:
        return bool(self.active or self.waiting)

    def submit(self, job: Job) -> None:
        job.weights_version = self.version
        self.waiting.extend(job.rows)

    def fail(self, error: BaseException) -> None:
        """Drop every row; each job hears `error` once. Called when a tick raised, so nothing is reused."""
        jobs = {id(r.job): r.job for r in [*self.active, *self.waiting]}
        self.active, self.waiting, self.slabs = [], deque(), {}
        self.prefixes = PrefixCache(self.prefixes.budget)
        for job in jobs.values():
            job.error = error
            job.done(job)

    def rest(self) -> None:
        """Give back memory that only speeds up decoding."""
        self.slabs = {}
        self.prefixes.clear()

    def tick(self) -> None:
        for row in [r for r in self.active if r.job.cancelled]:
            self._leave(row)
        while self.waiting and len(self.active) < self.max_rows:
            row = self.waiting.popleft()
            if not row.job.cancelled:
                self._admit(row)
        segments, ready, scored = self._plan()
        if not segments:
            return
        ids = [i for s in segments for i in s.ids()]
        positions = torch.cat([s.positions.flatten() for s in segments])
        padding = round_up(len(ids), ROWS) - len(ids)
        offsets, starts, at = [], [], 0
        for s in segments:
            offsets.extend(s.last(at))
            starts.append(at)
            at += s.count * s.width
        wanted = [(offset, row) for offset, row in zip(offsets, ready) if row is not None]
        last = [offset for offset, _ in wanted]
        for number, place, row, first, count in scored:
            begin = starts[number] + place * segments[number].width
            last += range(begin, begin + count)
        last += [0] * (round_up(max(1, len(last)), ROWS) - len(last))
        logits = self.policy.step(
            self.weights,
            torch.tensor(ids + [0] * padding),
            torch.nn.functional.pad(positions, (0, padding)),
            segments,
            torch.tensor(last),
        )
        rows, at = [row for _, row in wanted], len(wanted)
        for _, _, row, first, count in scored:
            row.scores += sampling.score(logits[at : at + count], row.prompt[first + 1 : first + 1 + count], row.score)
            at += count
        if rows:
            self._extend(rows, logits[: len(rows)])

    def _admit(self, row: Row) -> None:
        length = length_class(len(row.prompt) + row.params.max_tokens)
        if length not in self.slabs:
            self.slabs[length] = Slab(self.policy.kv_shape, length)
        row.slab = self.slabs[length]
        row.slab_row = row.slab.add(row)
        kept = self.prefixes.longest(row.prompt) if row.score is None else None
        if kept is not None:
            row.slab.write(row.slab_row, kept)
            row.fed = row.cached = kept.shape[3]
            self.reused += row.fed
        self.active.append(row)

    def _plan(self) -> tuple[list[Segment], list[Row | None], list[tuple[int, int, Row, int, int]]]:
        """Segments; for each of their rows the row that samples now (None: its prompt is not finished); and the pieces
        of prompts whose tokens are scored: (segment, place in it, row, first position, count)."""
        groups: dict[tuple[int, int], list[Row]] = {}
        budget = PREFILL_TOKENS
        for row in self.active:
            todo = len(row.prompt) + len(row.out) - row.fed
            width = piece(todo) if self.policy.exact_prefix or todo == 1 else round_up(todo, ROWS)
            if width > 1:
                if budget < width and budget < PREFILL_TOKENS:
                    continue
                budget -= width
            groups.setdefault((row.slab.length, width), []).append(row)
        segments, ready, scored = [], [], []
        for (length, width), rows in sorted(groups.items(), key=lambda item: item[0]):
            rows.sort(key=lambda r: r.slab_row)
            tokens = []
            for r in rows:
                todo = r.prompt[r.fed :] if r.fed < len(r.prompt) else r.out[r.fed - len(r.prompt) :]
                tokens.append(todo[:width])
            segments.append(Segment(self.slabs[length], [r.slab_row for r in rows], [r.fed for r in rows], tokens, width))
            for place, (r, piece_ids) in enumerate(zip(rows, tokens)):
                if r.score is not None and r.fed < len(r.prompt) - 1:
                    count = min(len(piece_ids), len(r.prompt) - 1 - r.fed)
                    scored.append((len(segments) - 1, place, r, r.fed, count))
                r.fed += len(piece_ids)
                ready.append(r if r.fed == len(r.prompt) + len(r.out) else None)
                if width > 1:
                    self.prefilled += len(piece_ids)
        return segments, ready, scored

    def _extend(self, rows: list[Row], logits: torch.Tensor) -> None:
        ids, logps = sampling.draw(logits, [r.params for r in rows], [r.seed for r in rows], [len(r.out) for r in rows])
        self.decoded += len(rows)
        finished = []
        for row, token, logp in zip(rows, ids, logps):
            if row.params.max_tokens:  # 0: only the prompt's scores were asked for
                row.out.append(token)
                row.logps.append(logp)
            if token in row.params.stop:
                row.finish = "stop"
            elif row.params.ends and (stopped := row.params.ends(row.out)):
                row.finish, row.stopped = "stop", stopped
            elif len(row.out) >= row.params.max_tokens:
                row.finish = "length"
            if row.job.heard:
                row.job.heard(row)
            if row.finish:
                finished.append(row)
        for row in finished:
            if self.prefixes.budget:
                self.prefixes.put((row.prompt + row.out)[: row.fed], row.slab.read(row.slab_row, row.fed))
            self._leave(row)
            row.job.left -= 1
            if not row.job.left:
                row.job.done(row.job)

    def _leave(self, row: Row) -> None:
        row.slab.remove(row.slab_row)
        row.slab = None
        self.active.remove(row)
