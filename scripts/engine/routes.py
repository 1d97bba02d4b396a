"""The Tinker REST routes, and the batch route /v1/completions. Everything here is parsing and naming."""
import asyncio
import json
import time
import uuid

from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse, Response

import losses
import messages
import wire
from calls import seed_of
from chat import chat
from checkpoints import check_name
from completions import completions
from decoder import Job
from desk import Desk
from lora import read as read_lora
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

    def post(path: str, binary: bool = False):
        """A route whose handler takes the parsed body and returns a dict."""

        def wrap(handler):
            async def route(request: Request):
                return reply(await handler(wire.body(await request.body(), request.headers, binary)))

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

    @post("client/dynamic_config")
    async def dynamic_config(_body: dict):
        return {"sample_cancel_enabled": False}

    @post("telemetry")
    async def telemetry(_body: dict):
        return {"status": "accepted"}  # and dropped

    @post("create_session")
    async def create_session(body: dict):
        session_id = uuid.uuid4().hex
        desk.sessions[session_id] = {"seen": time.monotonic()}
        return {"session_id": session_id, "type": "create_session"}

    @post("session_heartbeat")
    async def heartbeat(body: dict):
        known(wire.text(body, "session_id"))
        return {"type": "session_heartbeat"}

    @app.post("/api/v1/sessions/{session_id}/finish")
    async def finish(session_id: str):
        desk.finish(session_id)
        return {"session_id": session_id}

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
        if (body.get("optimizer_config") or {}).get("type", "adamw") != "adamw":
            raise Refusal(f"Cannot create this model: its optimizer is {body['optimizer_config']['type']!r}, must be adamw", 422)
        lora = read_lora(body.get("lora_config"))
        promise, model_id = desk.new_model(session_id, wire.whole(body, "model_seq_id", len(desk.made) + 1), lora)
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

    def trains(path: str, parse, instead=lambda body: None):
        """A training route: `parse(body)` gives the generator maker; a refused body uses up its seq_id. What `instead`
        takes up never comes to that."""

        @post(path, binary=path == "forward_backward")
        async def route(body: dict):
            if (made := instead(body)) is not None:
                return made
            model_id, seq_id = wire.text(body, "model_id"), wire.whole(body, "seq_id", low=1)
            desk.model(model_id)
            try:
                make = parse(body)
            except Refusal:
                desk.refused(model_id, seq_id, path == "forward_backward" and body.get("forward_only") is not True)
                raise
            return {"request_id": desk.train(model_id, seq_id, make).id, "model_id": model_id}

    def learn(field: str, backward: bool):
        def parse(body: dict):
            given = body.get(field)
            if not isinstance(given, dict):
                raise Refusal(f"Cannot read {field}: must be an object with data and loss_fn", 422)
            wire.only(given, {"data", "loss_fn", "loss_fn_config", "loss_fn_config_v2", "spade_positions"}, field)
            loss = wire.text(given, "loss_fn")
            config = losses.check_config(loss, losses.one_config(given.get("loss_fn_config"), given.get("loss_fn_config_v2")))
            gradient = backward and not wire.flag(body, "forward_only", False)
            data = wire.data(given.get("data"), loss, policy.vocabulary, policy.positions)
            positions = wire.text(given, "spade_positions", "all")
            if positions not in ("all", "weighted"):
                raise Refusal(f"Cannot use spade_positions {positions!r}: must be all or weighted", 422)
            return lambda model: model.forward(data, loss, config, gradient, positions == "weighted")

        return parse

    trains("forward", learn("forward_input", False))
    trains("forward_backward", learn("forward_backward_input", True))

    def adam(body: dict):
        wire.unset(body, ("optimizer_params",), "optim_step")
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

    def load_new(body: dict) -> dict | None:
        """A session and a model number instead of a model: a new model, made like the one that was saved."""
        if body.get("session_id") is None:
            return None
        known(wire.text(body, "session_id"))
        if body.get("base_model") is not None:
            base(wire.text(body, "base_model"))
        promise, model_id = desk.revive(body["session_id"], wire.whole(body, "model_seq_id"), wire.text(body, "path"),
                                        wire.flag(body, "optimizer", True))
        return {"request_id": promise.id, "model_id": model_id}

    def publish(body: dict):
        name = wire.text(body, "path", None)
        if name is not None:
            check_name(name)
        return lambda model: desk.publish(model, name, body.get("overwrite") is True)

    trains("optim_step", adam)
    trains("save_weights", save)
    trains("load_weights", load, load_new)
    trains("save_weights_for_sampler", publish)

    @post("weights_info")
    async def weights_info(body: dict):
        return desk.saved(wire.text(body, "tinker_path", wire.text(body, "path", "")))

    @app.get("/api/v1/samplers/{name}")
    async def sampler(name: str):
        desk.pick(name)
        return {"sampler_id": name, "base_model": desk.name}

    @post("create_sampling_session")
    async def create_sampling_session(body: dict):
        known(wire.text(body, "session_id"))
        if body.get("model_path") is not None:
            return {"sampling_session_id": desk.open_saved(wire.text(body, "model_path")), "type": "create_sampling_session"}
        base(wire.text(body, "base_model"))
        return {"sampling_session_id": desk.open(desk.pick("base")), "type": "create_sampling_session"}

    @post("asample")
    async def asample(body: dict):
        wire.unset(body, ("topk_sample_logprobs", "target_prompt_logprobs", "prompt_alt_tokens_k", "prompt_logprobs_last_n"), "asample")
        top = wire.whole(body, "topk_prompt_logprobs", 0, 0, 100)
        score = top if top or body.get("prompt_logprobs") else None
        name = body.get("sampling_session_id") or body.get("model_path") or body.get("base_model")
        pick = desk.pick(desk.open_saved(name) if str(name).startswith("tinker://") else wire.text({"session": name}, "session"))
        prompt = wire.chunks(body.get("prompt"), "prompt", policy.vocabulary, policy.positions)
        given = body.get("sampling_params") or {}
        params = wire.params(given, policy.vocabulary, desk.words)
        wire.room(len(prompt), params, policy.positions, "prompt")
        count = wire.whole(body, "num_samples", 1, 1, 1024)
        seed = seed_of(given.get("seed"))
        promise = desk.promises.new()

        def done(job: Job):
            if job.error:
                promise.fail(job.error)
                return
            result = {
                "type": "sample", "policy_version": job.weights_version, "spade_seed": seed,
                "sequences": [{"tokens": r.out, "logprobs": r.logps, "stop_reason": r.finish} for r in job.rows]}
            if score is not None:
                result["prompt_logprobs"] = [None, *(s.logp for s in job.rows[0].scores)]
            if top:
                result["topk_prompt_logprobs"] = [None, *(s.top for s in job.rows[0].scores)]
            promise.settle(result)

        job = Job(done)
        for i in range(count):
            job.add(prompt, child_seed(seed, i), params, score if i == 0 else None)
        desk.engine.sample(job, pick)
        return {"request_id": promise.id, "sample_sequence_ids": [f"{promise.id}-{i}" for i in range(count)]}

    @app.post("/api/v1/retrieve_future")
    async def retrieve(request: Request):
        body = wire.body(await request.body(), request.headers)
        promise = desk.promises.get(wire.text(body, "request_id"))
        try:
            await asyncio.wait_for(promise.ready.wait(), POLL_SECONDS)
        except TimeoutError:
            return reply({"type": "try_again", "request_id": promise.id, "queue_state": "active"})
        result = desk.promises.deliver(promise)
        binary = messages.reply(result) if messages.MEDIA in request.headers.get("accept", "") else None
        return reply(result) if binary is None else Response(binary, media_type=messages.MEDIA)

    @app.post("/v1/completions")
    async def complete(request: Request):
        made = await completions(desk, wire.body(await request.body(), request.headers), request)
        return made if isinstance(made, Response) else reply(made)

    @app.post("/v1/chat/completions")
    async def speak(request: Request):
        made = await chat(desk, wire.body(await request.body(), request.headers), request)
        return made if isinstance(made, Response) else reply(made)

    @app.get("/v1/models")
    async def models():
        return {"object": "list", "data": [{"id": name, "object": "model", "owned_by": "spade", "max_model_len": policy.positions}
                                           for name in ("current", "base", desk.name)]}

    return app
