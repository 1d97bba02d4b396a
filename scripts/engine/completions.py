"""POST /v1/completions: many prompts of ids in one request, each with its own seed. This keeps the cost of HTTP low.

`prompt` is one list of ids or a list of them; `seed` and `max_tokens` are one number or one a prompt; `model` names the
weights (current, base, or a sampling session). The reply keeps the order of the prompts and names the weights version.
"""
import asyncio
import os
import time
import uuid

from fastapi import Request

import wire
from decoder import Job
from refusal import Refusal

# Fields of OpenAI-compatible servers that change nothing here when they have these values.
NEUTRAL = {"n": 1, "stream": False, "echo": False, "min_p": 0, "repetition_penalty": 1, "presence_penalty": 0,
           "frequency_penalty": 0, "include_stop_str_in_output": True, "skip_special_tokens": False,
           "spaces_between_special_tokens": False, "add_special_tokens": False, "best_of": 1}
IGNORED = {"cache_salt", "priority", "request_id", "user", "return_token_ids"}
KNOWN = {"model", "prompt", "seed", "max_tokens", "temperature", "top_p", "top_k", "stop", "stop_token_ids", "logprobs"}
GONE_CHECK_SECONDS = 0.25


def _each(body: dict, key: str, count: int, default) -> list:
    value = body.get(key, default)
    if not isinstance(value, list):
        return [value] * count
    if len(value) != count:
        raise Refusal(f"Cannot read {key}: has {len(value)} values for {count} prompts, must be one or one each", 422)
    return value


async def completions(desk, body: dict, request: Request) -> dict:
    wire.only(body, KNOWN | IGNORED | set(NEUTRAL), "the body")
    for key, neutral in NEUTRAL.items():
        if key in body and body[key] != neutral:
            raise Refusal(f"Cannot use {key}: is {body[key]!r}, only {neutral!r} is known here", 422)
    policy = desk.engine.policy
    name = wire.text(body, "model", "current")
    pick = desk.pick(name)
    prompts = body.get("prompt")
    if not isinstance(prompts, list) or not prompts:
        raise Refusal("Cannot read prompt: must be a list of token ids or a list of such lists", 422)
    if not isinstance(prompts[0], list):
        prompts = [prompts]
    seeds, limits = _each(body, "seed", len(prompts), None), _each(body, "max_tokens", len(prompts), 16)
    shared = {}  # one Params for equal limits
    loop = asyncio.get_running_loop()
    finished: asyncio.Future = loop.create_future()

    def done(job: Job) -> None:
        loop.call_soon_threadsafe(lambda: finished.done() or finished.set_result(job))

    job = Job(done)
    for i, (ids, seed, limit) in enumerate(zip(prompts, seeds, limits)):
        if limit not in shared:
            shared[limit] = wire.params({**body, "max_tokens": limit}, policy.vocabulary)
        prompt = wire.integers(ids, f"prompt[{i}]", 0, policy.vocabulary - 1).tolist()
        if not prompt:
            raise Refusal(f"Cannot sample prompt[{i}]: it is empty", 422)
        wire.room(len(prompt), shared[limit], policy.positions, f"prompt[{i}]")
        if seed is None:
            seed = int.from_bytes(os.urandom(4), "big") >> 1
        job.add(prompt, wire.whole({"seed": seed}, "seed"), shared[limit])
    desk.engine.sample(job, pick)
    while not finished.done():
        await asyncio.wait([finished], timeout=GONE_CHECK_SECONDS)
        if not finished.done() and await request.is_disconnected():
            job.cancelled = True
            raise Refusal("the client went away", 499)
    if job.error:
        raise job.error if isinstance(job.error, Refusal) else Refusal(f"Cannot sample: {job.error!r}", 500)
    used = sum(len(r.out) for r in job.rows)
    asked = sum(len(r.prompt) for r in job.rows)
    return {
        "id": "cmpl-" + uuid.uuid4().hex, "object": "text_completion", "created": int(time.time()), "model": name,
        "weights_version": job.weights_version,
        "choices": [{"index": r.index, "text": "", "token_ids": r.out, "logprobs": {"token_logprobs": r.logps},
                     "finish_reason": r.finish, "stop_reason": r.out[-1] if r.finish == "stop" else None,
                     **({"prompt_token_ids": r.prompt} if body.get("return_token_ids") else {})} for r in job.rows],
        "usage": {"prompt_tokens": asked, "completion_tokens": used, "total_tokens": asked + used},
    }
