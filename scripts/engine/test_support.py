"""Shared by the tests: two tiny models, a driver that calls the app without a socket, and short ways to build requests."""
import asyncio
import atexit
import json
import os
import random
import shutil
import tempfile
import time
from pathlib import Path

import numerics

numerics.configure(int(os.environ.get("ENGINE_TEST_THREADS", "1")))

import torch  # noqa: E402
from transformers import LlamaConfig, LlamaForCausalLM, Qwen3Config, Qwen3ForCausalLM  # noqa: E402

from decoder import Decoder, Job  # noqa: E402
from desk import Desk  # noqa: E402
from engine import Engine  # noqa: E402
from model import load  # noqa: E402
from routes import build  # noqa: E402
from sampling import Params  # noqa: E402

VOCABULARY, POSITIONS = 211, 640
SHAPE = dict(vocab_size=VOCABULARY, hidden_size=64, intermediate_size=96, num_hidden_layers=2, num_attention_heads=4,
             num_key_value_heads=2, head_dim=16, max_position_embeddings=POSITIONS, initializer_range=0.12,
             tie_word_embeddings=True, bos_token_id=None, eos_token_id=None, pad_token_id=None)
HOME = Path(tempfile.mkdtemp(prefix="engine-test-"))
atexit.register(shutil.rmtree, HOME, ignore_errors=True)


def make(kind: str) -> Path:
    folder = HOME / kind
    if not folder.exists():
        torch.manual_seed(5)
        config, cls = {"qwen3": (Qwen3Config, Qwen3ForCausalLM), "llama": (LlamaConfig, LlamaForCausalLM)}[kind]
        module = cls(config(**SHAPE)).float()
        with torch.no_grad():
            for weight in module.parameters():
                if weight.ndim == 1:  # norms away from one, or a forgotten norm weight would pass
                    weight.uniform_(0.5, 1.5)
        module.save_pretrained(folder, max_shard_size="1GB")
    return folder


QWEN, QWEN_START = load(make("qwen3"))
LLAMA, LLAMA_START = load(make("llama"))
PLAIN, PLAIN_START = load(make("llama"), lean=False)


def run_rows(policy, start, specs, chance=None, max_rows=64, cache=1 << 24, decoder=None):
    """Decode `specs` = (prompt, seed, params); with `chance`, they arrive at random times in random order."""
    decoder = decoder or Decoder(policy, start, 0, max_rows, cache)
    jobs = []
    for prompt, seed, params in specs:
        job = Job(lambda _job: None)
        job.add(prompt, seed, params)
        jobs.append(job)
    late = list(jobs)
    while decoder.busy or late:
        while late and (chance is None or chance.random() < 0.4):
            decoder.submit(late.pop(chance.randrange(len(late)) if chance else 0))
        decoder.tick()
    return [(job.rows[0].out, job.rows[0].logps) for job in jobs]


def random_specs(draw: random.Random, count: int, longest: int = 90, tokens: int = 12):
    return [([draw.randrange(VOCABULARY) for _ in range(draw.randint(1, longest))], draw.randrange(2**31),
             Params(draw.randint(1, tokens), draw.choice([1.0, 1.0, 0.7, 0.0]), draw.choice([1.0, 1.0, 0.8]),
                    draw.choice([-1, -1, 5]), frozenset([3, 4]))) for _ in range(count)]


class Site:
    """The whole server without a socket."""

    def __init__(self, policy=None, start=None, folder=None):
        self.engine = Engine(policy or QWEN, start or QWEN_START, 64, 1 << 24)
        self.engine.thread.start()
        self.root = Path(tempfile.mkdtemp(prefix="state-", dir=HOME))
        self.desk = Desk(self.engine, folder or make("qwen3"), self.root, "tiny")
        self.app = build(self.desk, {})
        self.loop = asyncio.new_event_loop()
        self.session = self.api("create_session", {})["session_id"]
        self.seq = 0

    def close(self):
        self.engine.stop()
        self.engine.thread.join(5)
        self.loop.close()

    async def request(self, method: str, path: str, body, gone=False, headers=None) -> tuple[int, dict | bytes]:
        """Status and the parsed JSON, or the bytes of anything else."""
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        headers = {"content-type": "application/json", **(headers or {})}
        sent: list = []
        pending = [{"type": "http.request", "body": raw, "more_body": False}]

        async def receive():
            if pending:
                return pending.pop()
            if gone:
                return {"type": "http.disconnect"}
            await asyncio.sleep(3600)

        async def send(message):
            sent.append(message)

        scope = {"type": "http", "method": method, "path": path, "raw_path": path.encode(), "query_string": b"",
                 "headers": [(k.encode(), v.encode()) for k, v in headers.items()], "http_version": "1.1", "scheme": "http", "root_path": ""}
        await self.app(scope, receive, send)
        kind, content = dict(sent[0]["headers"])[b"content-type"], b"".join(m.get("body", b"") for m in sent[1:])
        return sent[0]["status"], json.loads(content) if kind.startswith(b"application/json") else content

    def call(self, path: str, body, method="POST", **headers: str) -> tuple[int, dict | bytes]:
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        return self.loop.run_until_complete(self.request(method, path, body, headers=headers))

    def api(self, path: str, body=None, method="POST") -> dict:
        status, value = self.call("/api/v1/" + path, {} if body is None else body, method)
        assert status == 200, (status, value)
        return value

    def wait(self, request_id: str) -> dict:
        return self.api("retrieve_future", {"request_id": request_id})

    def train(self, path: str, body: dict, model="model-1") -> dict:
        self.seq += 1
        return self.wait(self.api(path, {"model_id": model, "seq_id": self.seq, **body})["request_id"])

    def new_model(self, **lora) -> str:
        lora = {"rank": 0, **lora}
        made = self.api("create_model", {"session_id": self.session, "model_seq_id": len(self.desk.made) + 1, "base_model": "tiny", "lora_config": lora})
        return self.wait(made["request_id"])["model_id"]

    def sample(self, **body) -> dict:
        status, value = self.call("/v1/completions", body)
        assert status == 200, (status, value)
        return value


def wait_until(case, true, seconds: float = 5.0) -> None:
    end = time.monotonic() + seconds
    while not true() and time.monotonic() < end:
        time.sleep(0.02)
    case.assertTrue(true())


def datum(draw: random.Random, length: int, loss: str = "cross_entropy", weights=None) -> dict:
    ids = [draw.randrange(VOCABULARY) for _ in range(length + 1)]
    inputs = {"target_tokens": (ids[1:], "int64"), "weights": (weights or [draw.choice([0, 0, 1, -0.5]) for _ in range(length)], "float32")}
    if loss != "cross_entropy":
        inputs["logprobs"] = ([-5 + draw.random() for _ in range(length)], "float32")
        inputs["advantages"] = ([draw.uniform(-1, 1) for _ in range(length)], "float32")
    return {"model_input": {"chunks": [{"type": "encoded_text", "tokens": ids[:-1]}]},
            "loss_fn_inputs": {k: {"data": v, "dtype": t, "shape": [length]} for k, (v, t) in inputs.items()}}


def batch(draw: random.Random, count: int, loss: str = "cross_entropy") -> dict:
    return {"data": [datum(draw, draw.randint(2, 70), loss) for _ in range(count)], "loss_fn": loss}


ADAM = {"learning_rate": 1e-2, "beta1": 0.9, "beta2": 0.98, "eps": 1e-8, "weight_decay": 0.1, "grad_clip_norm": 1.0}
