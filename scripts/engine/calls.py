"""What the OpenAI-compatible routes share: fields without effect, seeds, waiting for rows, and the text of replies."""
import asyncio
import json
import os
from typing import AsyncIterator, Callable

from fastapi import Request
from fastapi.responses import StreamingResponse

import wire
from decoder import Decoder, Job, Row
from refusal import Refusal
from text import Text

# Fields of such servers that change nothing here when they have these values.
NEUTRAL = {"min_p": 0, "repetition_penalty": 1, "presence_penalty": 0, "frequency_penalty": 0, "best_of": 1}
IGNORED = {"cache_salt", "priority", "request_id", "user", "return_token_ids", "spaces_between_special_tokens", "stream_options"}
COMMON = {"model", "seed", "max_tokens", "temperature", "top_p", "top_k", "n", "stop", "stop_token_ids", "logprobs", "stream",
          "include_stop_str_in_output", "skip_special_tokens", "add_special_tokens", "ignore_eos"}
GONE_CHECK_SECONDS = 0.25


def check(body: dict, known: set[str]) -> None:
    """`seed` and `max_tokens` apart, the fields that both routes read; anything unknown is refused, never passed over."""
    wire.only(body, COMMON | known | IGNORED | set(NEUTRAL), "the body")
    for key, neutral in NEUTRAL.items():
        if body.get(key, neutral) not in (neutral, None):
            raise Refusal(f"Cannot use {key}: is {body[key]!r}, only {neutral!r} is known here", 422)


def seed_of(given) -> int:
    return int.from_bytes(os.urandom(4), "big") >> 1 if given is None else wire.whole({"seed": given}, "seed")


class Texts:
    """How the ids of replies become text, as the request asks."""

    def __init__(self, words: Text, body: dict):
        self.words = words
        self.keep_stop = wire.flag(body, "include_stop_str_in_output", False)
        self.skip_special = wire.flag(body, "skip_special_tokens", True)

    def of(self, row: Row) -> str:
        """Without what ended the reply, unless asked for; empty where there is no tokenizer."""
        if not self.words.there:
            return ""
        ended = row.finish == "stop" and not self.keep_stop
        text = self.words.decode(row.out[:-1] if ended and row.stopped is None else row.out, self.skip_special)
        return text[: text.find(row.stopped)] if ended and row.stopped and row.stopped in text else text


class Call:
    """Rows that answer together, and the client that waits for them."""

    def __init__(self, request: Request):
        self.request, self.loop = request, asyncio.get_running_loop()
        self.finished: asyncio.Future = self.loop.create_future()
        self.job = Job(lambda _job: self.loop.call_soon_threadsafe(self._finish))

    def _finish(self) -> None:
        if not self.finished.done():
            self.finished.set_result(None)

    async def rows(self, sample: Callable, pick: Callable[[], Decoder]) -> list[Row]:
        """All rows once they are finished; a client that goes away ends them."""
        sample(self.job, pick)
        while not self.finished.done():
            await asyncio.wait([self.finished], timeout=GONE_CHECK_SECONDS)
            if not self.finished.done() and await self.request.is_disconnected():
                self.job.cancelled = True
                raise Refusal("the client went away", 499)
        self._raise()
        return self.job.rows

    def _raise(self) -> None:
        error = self.job.error
        if error:
            raise error if isinstance(error, Refusal) else Refusal(f"Cannot sample: {error!r}", 500)

    async def _heard(self, sample: Callable, pick: Callable[[], Decoder]) -> AsyncIterator[tuple[Row, int, bool]]:
        """(row, how many tokens it has, whether that was its last) after each token."""
        queue: asyncio.Queue = asyncio.Queue()

        def hear(row: Row) -> None:
            self.loop.call_soon_threadsafe(queue.put_nowait, (row, len(row.out), bool(row.finish)))

        self.job.heard = hear
        self.finished.add_done_callback(lambda _future: queue.put_nowait(None))
        sample(self.job, pick)
        while (item := await queue.get()) is not None:
            yield item
        self._raise()

    def stream(self, sample: Callable, pick: Callable[[], Decoder], texts: Texts, shape: Callable[[Row, str, int, bool], dict]) -> StreamingResponse:
        """Server-sent events: `shape(row, new text, tokens so far, last)` makes each; text that may yet be cut waits."""
        from tokenizers.decoders import DecodeStream

        tokenizer = texts.words.tokenizer
        held = max((row.params.held for row in self.job.rows), default=0)

        async def events():
            running = [(DecodeStream(skip_special_tokens=texts.skip_special), "", 0) for _ in self.job.rows]
            try:
                async for row, count, last in self._heard(sample, pick):
                    decoder, text, sent = running[row.index]
                    if last:
                        text, upto = texts.of(row), None
                    else:
                        text += decoder.step(tokenizer, row.out[count - 1]) or ""
                        upto = max(sent, len(text) - held)
                    new = text[sent:upto]
                    running[row.index] = decoder, text, sent + len(new)
                    if new or last:
                        yield f"data: {json.dumps(shape(row, new, count, last))}\n\n"
            except Refusal as error:
                yield f"data: {json.dumps({'error': {'message': error.detail, 'code': error.status}})}\n\n"
            finally:
                self.job.cancelled = True
            yield "data: [DONE]\n\n"

        return StreamingResponse(events(), media_type="text/event-stream")
