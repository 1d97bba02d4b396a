"""POST /v1/chat/completions: messages through the model's own chat template. For judges, hints and trying things out.

Training does not come this way: the server renders the whole history anew, so earlier replies may get other ids than
those that were sampled. `return_token_ids` shows the ids of this call.
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

KNOWN = {"messages", "tools", "max_completion_tokens", "top_logprobs", "chat_template_kwargs", "add_generation_prompt", "continue_final_message"}


async def chat(desk, body: dict, request: Request) -> dict | Response:
    check(body, KNOWN)
    if body.get("top_logprobs") or body.get("continue_final_message"):
        raise Refusal("Cannot chat: top_logprobs and continue_final_message are not known here", 422)
    policy, words, name = desk.engine.policy, desk.words, wire.text(body, "model", "current")
    pick = desk.pick(name)
    messages, tools, more = body.get("messages"), body.get("tools"), body.get("chat_template_kwargs") or {}
    if not isinstance(messages, list) or not messages or not all(isinstance(m, dict) and isinstance(m.get("role"), str) for m in messages):
        raise Refusal("Cannot read messages: must be a list of objects with role and content", 422)
    if not isinstance(more, dict) or (tools is not None and not isinstance(tools, list)):
        raise Refusal("Cannot read chat_template_kwargs or tools: must be an object and a list", 422)
    ask = wire.flag(body, "add_generation_prompt", True)
    prompt = words.chat(messages, tools, {**more, "add_generation_prompt": ask})
    limit = body.get("max_completion_tokens", body.get("max_tokens"))
    limit = max(1, policy.positions - len(prompt)) if limit is None else limit
    eos = frozenset() if body.get("ignore_eos") else words.eos
    params = wire.params({**body, "max_tokens": limit}, policy.vocabulary, words, also_stop=eos)
    wire.room(len(prompt), params, policy.positions, "messages")
    call, seed, texts = Call(request), seed_of(body.get("seed")), Texts(words, body)
    for sample in range(wire.whole(body, "n", 1, 1, 1024)):
        call.job.add(prompt, child_seed(seed, sample), params)
    shows_ids, shows_logps = body.get("return_token_ids") is True, body.get("logprobs") is True
    head = {"id": "chatcmpl-" + uuid.uuid4().hex, "created": int(time.time()), "model": name}

    def end(row: Row) -> dict:
        logps = {"content": [{"token": words.decode([i], False), "logprob": p, "top_logprobs": []} for i, p in zip(row.out, row.logps)]}
        return {"index": row.index, "finish_reason": row.finish, "stop_reason": row.stopped or (row.out[-1] if row.finish == "stop" else None),
                "logprobs": logps if shows_logps else None, **({"token_ids": row.out} if shows_ids else {})}

    if wire.flag(body, "stream", False):

        def piece(row: Row, new: str, tokens: int, last: bool) -> dict:
            rest = end(row) if last else {"index": row.index, "finish_reason": None}
            delta = {"content": new, **({"role": "assistant"} if tokens == 1 else {})}
            return {**head, "object": "chat.completion.chunk", "choices": [{**rest, "delta": delta}]}

        return call.stream(desk.engine.sample, pick, texts, piece)
    rows = await call.rows(desk.engine.sample, pick)
    used = sum(len(r.out) for r in rows)
    return {**head, "object": "chat.completion", "weights_version": call.job.weights_version,
            "choices": [{**end(row), "message": {"role": "assistant", "content": texts.of(row)}} for row in rows],
            **({"prompt_token_ids": prompt} if shows_ids else {}),
            "usage": {"prompt_tokens": len(prompt), "completion_tokens": used, "total_tokens": len(prompt) + used}}
