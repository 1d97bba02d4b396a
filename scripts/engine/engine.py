"""The compute thread: one loop that alternates decode ticks of every weight set with micro-batches of training.

All torch work happens here, so nothing needs a lock and nothing competes for a core. An error ends the request that
caused it, never the loop.
"""
import logging
import threading
from collections import deque
from typing import Callable, Iterator

import torch

import numerics
from decoder import Decoder, Job
from refusal import Refusal
from training import TrainedModel

log = logging.getLogger("engine")


class Engine:
    def __init__(self, policy, start: dict[str, torch.Tensor], max_rows: int, cache_bytes: int):
        self.policy, self.start_weights = policy, start
        self.max_rows, self.cache_bytes = max_rows, cache_bytes
        self.base = Decoder(policy, start, 0, max_rows, cache_bytes)
        self.current: Decoder | None = self.base
        self.decoders: list[Decoder] = [self.base]
        self.inbox: deque[Callable[[], None]] = deque()
        self.training: deque[tuple[Iterator, Callable, Callable]] = deque()
        self.wake = threading.Condition()
        self.stopping = False
        self.thread = threading.Thread(target=self._loop, name="compute", daemon=True)

    # From the event loop ------------------------------------------------------------------------------------------
    def post(self, work: Callable[[], None]) -> None:
        with self.wake:
            self.inbox.append(work)
            self.wake.notify()

    def sample(self, job: Job, pick: Callable[[], Decoder]) -> None:
        """Queue a job on the weights that `pick` names when the compute thread takes it up."""

        def start():
            try:
                decoder = pick()
            except Refusal as error:
                job.error = error
                job.done(job)
                return
            if decoder not in self.decoders:
                self.decoders.append(decoder)
            decoder.submit(job)

        self.post(start)

    def latest(self) -> Decoder:
        if self.current is None:
            raise Refusal("Cannot sample from current: the loaded weights were never published; "
                          "call save_weights_for_sampler first", 409)
        return self.current

    def run(self, make: Callable[[], Iterator], done: Callable[[dict], None], failed: Callable[[BaseException], None]) -> None:
        """Queue one training call: `make` is a generator that yields None and, last, its result."""
        self.post(lambda: self.training.append((make(), done, failed)))

    def stop(self) -> None:
        with self.wake:
            self.stopping = True
            self.wake.notify()

    # On the compute thread ----------------------------------------------------------------------------------------
    def publish(self, model: TrainedModel) -> Decoder:
        """Make the model's weights the current ones; the version grows when they changed since the last publish."""
        if not model.published:
            model.weights_version += 1
            model.published = True
        return self.show(model)

    def show(self, model: TrainedModel) -> Decoder:
        old = self.current
        fresh = Decoder(self.policy, model.snapshot(), model.weights_version, self.max_rows, self.cache_bytes)
        if old is not None and old is not self.base and not old.busy:
            fresh.slabs, old.slabs = old.slabs, {}  # spares the cost of fresh memory
            old.prefixes.clear()
        self.current = fresh
        self.decoders.append(fresh)
        return fresh

    def _loop(self) -> None:
        torch.set_grad_enabled(True)
        numerics.place(self.policy.device)
        while True:
            with self.wake:
                while not (self.inbox or self.training or self.stopping or any(d.busy for d in self.decoders)):
                    self.wake.wait()
                if self.stopping:
                    return
                work = list(self.inbox)
                self.inbox.clear()
            for item in work:
                try:
                    item()
                except BaseException as error:  # noqa: BLE001 - the loop must outlive everything
                    log.exception("a queued command failed: %s", error)
            for decoder in self.decoders:
                if decoder.busy:
                    try:
                        decoder.tick()
                    except BaseException as error:  # noqa: BLE001
                        log.exception("a decode tick failed")
                        decoder.fail(error)
            for decoder in [d for d in self.decoders if not d.busy and d not in (self.base, self.current)]:
                decoder.rest()
                self.decoders.remove(decoder)
            if self.training:
                self._advance()

    def _advance(self) -> None:
        steps, done, failed = self.training[0]
        try:
            result = next(steps)
        except BaseException as error:  # noqa: BLE001
            self.training.popleft()
            if isinstance(error, StopIteration):
                error = RuntimeError("a training call ended without a result")
            elif isinstance(error, MemoryError):
                error = Refusal("Cannot compute: out of memory; send smaller chunks", 500, "server")
            failed(error)
            return
        if result is not None:
            self.training.popleft()
            done(result)
