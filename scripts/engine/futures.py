"""Promises of the Tinker protocol, and the order of training calls.

A heavy call answers at once with a request id; `retrieve_future` waits for its result. Training calls carry `seq_id`,
1, 2, 3 … for each model: they run in that order however they arrive, a repeat gets the first one's request id, and a
gap that does not close within `GAP_SECONDS` fails what waits behind it instead of hanging for ever.
"""
import asyncio
import logging
import uuid
from collections import OrderedDict
from typing import Callable

from refusal import Refusal

KEEP = 4096
DELIVERED = 64
GAP_SECONDS = 30.0
log = logging.getLogger("engine")


class Promise:
    def __init__(self, loop: asyncio.AbstractEventLoop):
        self.id, self.loop = uuid.uuid4().hex, loop
        self.ready = asyncio.Event()
        self.result: dict | None = None

    def settle(self, result: dict) -> None:
        """From any thread; the first result stands."""

        def apply():
            if self.result is None:
                self.result = result
                self.ready.set()

        try:
            self.loop.call_soon_threadsafe(apply)
        except RuntimeError:
            pass  # the server is stopping

    def fail(self, error: BaseException) -> None:
        if isinstance(error, Refusal):
            self.settle({"error": error.detail, "category": error.category, "spade_status": error.status})
        else:
            log.error("a request failed inside the engine", exc_info=error)
            self.settle({"error": f"{type(error).__name__}: {error}", "category": "server", "spade_status": 500})


class Promises:
    """Results are kept until they were fetched and `DELIVERED` newer ones were; then asking again answers 410."""

    def __init__(self):
        self.known: OrderedDict[str, Promise] = OrderedDict()
        self.delivered: OrderedDict[str, None] = OrderedDict()
        self.expired: OrderedDict[str, None] = OrderedDict()

    def new(self) -> Promise:
        promise = Promise(asyncio.get_running_loop())
        self.known[promise.id] = promise
        if len(self.known) > KEEP:
            oldest = next((k for k, p in self.known.items() if p.result is not None), None)
            if oldest:
                self._drop(oldest)
        return promise

    def deliver(self, promise: Promise) -> dict:
        result = promise.result
        self.delivered[promise.id] = None
        if len(self.delivered) > DELIVERED:
            self._drop(next(iter(self.delivered)))
        return result

    def _drop(self, request_id: str) -> None:
        self.delivered.pop(request_id, None)
        promise = self.known.pop(request_id, None)
        if promise:
            promise.result = {}  # a model's sequence still points at it
        self.expired[request_id] = None
        if len(self.expired) > 16 * KEEP:
            self.expired.popitem(last=False)

    def get(self, request_id: str) -> Promise:
        if request_id in self.expired:
            raise Refusal(f"Cannot retrieve {request_id}: its result was dropped; send the request again", 410)
        if request_id not in self.known:
            raise Refusal(f"Cannot retrieve {request_id}: this server never gave that id (was it restarted?)", 404)
        return self.known[request_id]


class Sequence:
    """The training calls of one model, in the order of their seq_id."""

    def __init__(self):
        self.next, self.by_id, self.refused = 1, {}, set()  # type: ignore[var-annotated]
        self.held: dict[int, tuple[Callable[[], None], Promise]] = {}
        self.timer: asyncio.TimerHandle | None = None

    def known(self, seq_id: int) -> Promise | None:
        return self.by_id.get(seq_id)

    def add(self, seq_id: int, promise: Promise, start: Callable[[], None]) -> None:
        if seq_id < self.next or seq_id in self.refused:
            raise Refusal(f"Cannot run seq_id {seq_id}: it is used up (next is {self.next}); take a higher number", 409)
        self.by_id[seq_id] = promise
        if len(self.by_id) > KEEP:
            del self.by_id[min(self.by_id)]
        self.held[seq_id] = (start, promise)
        self._advance()

    def refuse(self, seq_id: int) -> None:
        """A refused call uses up its number, so that the calls behind it run."""
        if seq_id >= self.next and seq_id not in self.held:
            self.refused.add(seq_id)
            self._advance()

    def _advance(self) -> None:
        while self.next in self.held or self.next in self.refused:
            self.refused.discard(self.next)
            start = self.held.pop(self.next, None)
            self.next += 1
            if start:
                start[0]()
        if self.timer:
            self.timer.cancel()
        self.timer = asyncio.get_running_loop().call_later(GAP_SECONDS, self._give_up) if self.held else None

    def _give_up(self) -> None:
        missing = self.next
        for seq_id in sorted(self.held):
            _, promise = self.held.pop(seq_id)
            self.by_id.pop(seq_id, None)
            self.next = seq_id + 1
            promise.fail(Refusal(f"Cannot run seq_id {seq_id}: seq_id {missing} did not come within {GAP_SECONDS:.0f} s", 409))
