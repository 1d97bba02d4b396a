"""The Tinker REST routes in JSON, and the batch route /v1/completions. Everything here is parsing and naming."""
import asyncio
import json
import os
import time
import uuid

from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse, Response

import losses
import wire
from checkpoints import check_name
from completions import completions
from decoder import Job
from desk import Desk
from refusal import Refusal
from sampling import child_seed

ADAM = {"learning_rate": (1e-4, 0, 1e3), "beta1": (0.9, 0, 1 - 1e-12), "beta2": (0.95, 0, 1 - 1e-12),
        "eps": (1e-12, 0, 1), "weight_decay": (0.0, 0, 1e3), "grad_clip_norm": (0.0, 0, 1e12)}
POLL_SECONDS = 30.0


def reply(value: dict, status: int = 200) -> Response:
    return Response(json.dumps(value, allow_nan=False, separators=(",", ":")), status, media_type="application/json")


def build(desk: Desk, facts: dict) -> FastAPI:
    app = FastAPI(title="SPADE embedded engine", docs_url=None, redoc_url=None, openapi_url=None)
    policy = desk.engine.policy

    @app.exception_handler(Refusal)
    async def refused(_request: Request, error: Refusal):
        return JSONResponse({"detail": error.detail}, error.status)

    @app.exception_handler(Exception)
    async def broke(_request: Request, error: Exception):
        return JSONResponse({"detail": f"the engine failed: {type(error).__name__}: {error}"}, 500)

    def post(path: str):
        """A route whose handler takes the parsed body and returns a dict."""

        def wrap(handler):
            async def route(request: Request):
                return reply(await handler(wire.body(await request.body())))

            app.post("/api/v1/" + path)(route)
            return handler

        return wrap

    @app.get("/api/v1/healthz")
    async def healthz():
        return {"status": "ok"}

    @app.get("/api/v1/get_server_capabilities")
    async def capabilities():
        return {"supported_models": [{"model_name": desk.name, "max_context_length": policy.positions}], **facts}

    @post("client/config")
    async def config(_body: dict):
        return {"pjwt_auth_enabled": False, "proto_compress_fwdbwd": False, "sample_max_concurrent_requests": 1024,
                "fwdbwd_max_chunk_len": 1024, "fwdbwd_max_chunk_bytes_count": 5_000_000}

    @post("create_session")
    async def create_session(body: dict):
        session_id = uuid.uuid4().hex
        desk.sessions[session_id] = {"seen": time.monotonic()}
        return {"session_id": session_id, "type": "create_session"}

    @post("session_heartbeat")
    async def heartbeat(body: dict):
        known(wire.text(body, "session_id"))
        return {"type": "session_heartbeat"}

    def known(session_id: str) -> None:
        if session_id not in desk.sessions:
            raise Refusal(f"Cannot find session {session_id!r}: call create_session", 404)
        desk.sessions[session_id]["seen"] = time.monotonic()

    def base(name: str) -> None:
        if name not in (desk.name, "base"):
            raise Refusal(f"Cannot use base model {name!r}: this server holds {desk.name!r} (also called base)", 404)

    @post("create_model")
    async def create_model(body: dict):
        session_id = wire.text(body, "session_id")
        known(session_id)
        base(wire.text(body, "base_model"))
        lora = body.get("lora_config")
        if not isinstance(lora, dict) or wire.whole(lora, "rank") != 0:
            raise Refusal("Cannot create this model: only full fine-tuning is known here; send lora_config: {rank: 0}", 422)
        promise, model_id = desk.new_model(session_id, wire.whole(body, "model_seq_id", len(desk.made) + 1))
        return {"request_id": promise.id, "model_id": model_id}

    @post("get_info")
    async def get_info(body: dict):
        return desk.info(wire.text(body, "model_id"))

    @post("unload_model")
    async def unload(body: dict):
        desk.unload(wire.text(body, "model_id"))
        promise = desk.promises.new()
        promise.settle({"type": "unload_model", "model_id": body["model_id"]})
        return {"request_id": promise.id, "model_id": body["model_id"]}

    def trains(path: str, parse):
        """A training route: `parse(body)` gives the generator maker; a refused body uses up its seq_id."""

        @post(path)
        async def route(body: dict):
            model_id, seq_id = wire.text(body, "model_id"), wire.whole(body, "seq_id", low=1)
            desk.model(model_id)
            try:
                make = parse(body)
            except Refusal:
                desk.refused(model_id, seq_id, path)
                raise
            return {"request_id": desk.train(model_id, seq_id, make).id, "model_id": model_id}

    def learn(field: str, backward: bool):
        def parse(body: dict):
            given = body.get(field)
            if not isinstance(given, dict):
                raise Refusal(f"Cannot read {field}: must be an object with data and loss_fn", 422)
            wire.only(given, {"data", "loss_fn", "loss_fn_config", "spade_positions"}, field)
            loss = wire.text(given, "loss_fn")
            config = losses.check_config(loss, given.get("loss_fn_config") or {})
            data = wire.data(given.get("data"), loss, policy.vocabulary, policy.positions)
            positions = wire.text(given, "spade_positions", "all")
            if positions not in ("all", "weighted"):
                raise Refusal(f"Cannot use spade_positions {positions!r}: must be all or weighted", 422)
            return lambda model: model.forward(data, loss, config, backward, positions == "weighted")

        return parse

    trains("forward", learn("forward_input", False))
    trains("forward_backward", learn("forward_backward_input", True))

    def adam(body: dict):
        given = body.get("adam_params") or {}
        wire.only(given, set(ADAM), "adam_params")
        values = {k: float(wire.number(given, k, default, low, high)) for k, (default, low, high) in ADAM.items()}
        batch_id = wire.text(body, "spade_batch_id", None)

        def make(model):
            yield model.optim_step(values, batch_id)

        return make

    def save(body: dict):
        name, overwrite = wire.text(body, "path"), body.get("overwrite") is True
        check_name(name)
        return lambda model: desk.save(model, name, overwrite)

    def load(body: dict):
        path, optimizer = wire.text(body, "path"), body.get("optimizer", True) is True
        return lambda model: desk.load(model, path, optimizer)

    def publish(body: dict):
        name = wire.text(body, "path", None)
        if name is not None:
            check_name(name)
        return lambda model: desk.publish(model, name, body.get("overwrite") is True)

    trains("optim_step", adam)
    trains("save_weights", save)
    trains("load_weights", load)
    trains("save_weights_for_sampler", publish)

    @post("weights_info")
    async def weights_info(body: dict):
        return desk.saved(wire.text(body, "tinker_path", wire.text(body, "path", "")))

    @post("create_sampling_session")
    async def create_sampling_session(body: dict):
        known(wire.text(body, "session_id"))
        if body.get("model_path") is not None:
            return {"sampling_session_id": desk.open_saved(wire.text(body, "model_path")), "type": "create_sampling_session"}
        base(wire.text(body, "base_model"))
        return {"sampling_session_id": desk.open(desk.pick("base")), "type": "create_sampling_session"}

    @post("asample")
    async def asample(body: dict):
        if body.get("prompt_logprobs") or body.get("topk_prompt_logprobs"):
            raise Refusal("Cannot give prompt_logprobs here: call forward with cross_entropy for given tokens", 422)
        name = body.get("sampling_session_id") or body.get("model_path") or body.get("base_model")
        pick = desk.pick(desk.open_saved(name) if str(name).startswith("tinker://") else wire.text({"session": name}, "session"))
        prompt = wire.chunks(body.get("prompt"), "prompt", policy.vocabulary, policy.positions)
        given = body.get("sampling_params") or {}
        params = wire.params(given, policy.vocabulary)
        wire.room(len(prompt), params, policy.positions, "prompt")
        count = wire.whole(body, "num_samples", 1, 1, 1024)
        seed = wire.whole(given, "seed", int.from_bytes(os.urandom(4), "big") >> 1)
        promise = desk.promises.new()

        def done(job: Job):
            if job.error:
                promise.fail(job.error)
                return
            promise.settle({
                "type": "sample", "policy_version": job.weights_version, "spade_seed": seed,
                "sequences": [{"tokens": r.out, "logprobs": r.logps, "stop_reason": r.finish} for r in job.rows]})

        job = Job(done)
        for i in range(count):
            job.add(prompt, child_seed(seed, i), params)
        desk.engine.sample(job, pick)
        return {"request_id": promise.id, "sample_sequence_ids": [f"{promise.id}-{i}" for i in range(count)]}

    @post("retrieve_future")
    async def retrieve(body: dict):
        promise = desk.promises.get(wire.text(body, "request_id"))
        try:
            await asyncio.wait_for(promise.ready.wait(), POLL_SECONDS)
        except TimeoutError:
            return {"type": "try_again", "request_id": promise.id, "queue_state": "active"}
        return desk.promises.deliver(promise)

    @app.post("/v1/completions")
    async def complete(request: Request):
        return reply(await completions(desk, wire.body(await request.body()), request))

    return app
