"""POST /v1/completions: many prompts in one request, each with its own seed. This keeps the cost of HTTP low.

`prompt` is one list of ids or one text, or a list of either; `seed` and `max_tokens` are one number or one a prompt; `model` names the
weights (current, base, or a sampling session). The reply keeps the order of the prompts and names the weights version.
Prompts of ids stop where the request says; prompts of text also stop at the model's own end of text.
`prompt_logprobs: k` and `echo: true` score the prompt, at temperature 1; then `max_tokens` may be 0.
"""
import time
import uuid

from fastapi import Request
from fastapi.responses import Response

import wire
from calls import Call, Texts, check, seed_of
from decoder import Row
from refusal import Refusal
from sampling import child_seed

KNOWN = {"prompt", "echo", "prompt_logprobs", "suffix"}


def _each(body: dict, key: str, count: int, default) -> list:
    value = body.get(key, default)
    if not isinstance(value, list):
        return [value] * count
    if len(value) != count:
        raise Refusal(f"Cannot read {key}: has {len(value)} values for {count} prompts, must be one or one each", 422)
    return value


def _prompts(body: dict, desk) -> tuple[list[list[int]], bool]:
    """Ids of every prompt, and whether they came as text."""
    given = body.get("prompt")
    given = [given] if isinstance(given, str) else given
    if not isinstance(given, list) or not given:
        raise Refusal("Cannot read prompt: must be a text, a list of token ids, or a list of either", 422)
    if all(isinstance(item, str) for item in given):
        special = wire.flag(body, "add_special_tokens", True)
        return [desk.words.encode(item, special) for item in given], True
    if not isinstance(given[0], list):
        given = [given]
    vocabulary = desk.engine.policy.vocabulary
    return [wire.integers(ids, f"prompt[{i}]", 0, vocabulary - 1).tolist() for i, ids in enumerate(given)], False


async def completions(desk, body: dict, request: Request) -> dict | Response:
    check(body, KNOWN)
    if body.get("suffix") or body.get("logprobs") not in (None, 0, 1, False, True):
        raise Refusal("Cannot complete: suffix is not known here, and logprobs must be 0 or 1 (the sampled token's own)", 422)
    policy, name = desk.engine.policy, wire.text(body, "model", "current")
    pick = desk.pick(name)
    prompts, spoken = _prompts(body, desk)
    count = wire.whole(body, "n", 1, 1, 1024)
    echo = wire.flag(body, "echo", False)
    top = body.get("prompt_logprobs")
    top = wire.whole(body, "prompt_logprobs", 0, 0, 100) if top is not None else 0 if echo else None
    eos = desk.words.eos if spoken and not body.get("ignore_eos") else frozenset()
    seeds, limits = _each(body, "seed", len(prompts), None), _each(body, "max_tokens", len(prompts), 16)
    call, shared = Call(request), {}  # one Params for equal limits
    for i, (prompt, seed, limit) in enumerate(zip(prompts, seeds, limits)):
        if limit not in shared:
            shared[limit] = wire.params({**body, "max_tokens": limit}, policy.vocabulary, desk.words, 1 if top is None else 0, eos)
        if not prompt:
            raise Refusal(f"Cannot sample prompt[{i}]: it is empty", 422)
        wire.room(len(prompt), shared[limit], policy.positions, f"prompt[{i}]")
        seed = seed_of(seed)
        for sample in range(count):
            call.job.add(prompt, child_seed(seed, sample), shared[limit], top if sample == 0 else None)
    texts = Texts(desk.words, body)
    head = {"id": "cmpl-" + uuid.uuid4().hex, "object": "text_completion", "created": int(time.time()), "model": name}

    def choice(row: Row) -> dict:
        # the same prompt is scored once for all its samples
        scores = call.job.rows[row.index - row.index % count].scores
        own = row.logps if not echo else [None, *(s.logp for s in scores), *row.logps]
        text = texts.of(row)
        if echo and desk.words.there:
            text = desk.words.decode(row.prompt, texts.skip_special) + text
        return {"index": row.index, "text": text, "token_ids": row.out, "logprobs": {"token_logprobs": own},
                "finish_reason": row.finish, "stop_reason": row.stopped or (row.out[-1] if row.finish == "stop" else None),
                **({"prompt_token_ids": row.prompt} if body.get("return_token_ids") else {}),
                **({"prompt_logprobs": [None, *map(_told, row.prompt[1:], scores)]} if body.get("prompt_logprobs") is not None else {})}

    if wire.flag(body, "stream", False):
        if echo or top is not None:
            raise Refusal("Cannot stream scores of prompts: leave out echo and prompt_logprobs, or stream", 422)

        def piece(row: Row, new: str, tokens: int, last: bool) -> dict:
            return {**head, "choices": [{**choice(row), "text": new} if last else {"index": row.index, "text": new, "finish_reason": None}]}

        return call.stream(desk.engine.sample, pick, texts, piece)
    rows = await call.rows(desk.engine.sample, pick)
    used, asked = sum(len(r.out) for r in rows), sum(len(p) for p in prompts)
    return {**head, "weights_version": call.job.weights_version, "choices": [choice(row) for row in rows],
            "usage": {"prompt_tokens": asked, "completion_tokens": used, "total_tokens": asked + used}}


def _told(token: int, score) -> dict:
    """A score as such servers write it: by id, the likeliest ones beside the given one."""
    others = {str(i): {"logprob": logp, "rank": rank} for rank, (i, logp) in enumerate(score.top, 1)}
    return {**others, str(token): {"logprob": score.logp, "rank": score.rank}}
