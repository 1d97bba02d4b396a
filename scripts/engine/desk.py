"""Who is who on this server: models, sampling sessions, promises. Training verbs become generators for the engine."""
import time
from collections import OrderedDict
from pathlib import Path
from typing import Callable, Iterator

import torch

import checkpoints
from decoder import Decoder
from engine import Engine
from futures import Promise, Promises, Sequence
from lora import PARTS, Lora, LoraModel
from refusal import Refusal
from text import Text
from training import TrainedModel

MAX_MODELS = 4
STALE_SECONDS = 120.0  # a client sends a heartbeat every 10 s
KEEP_SESSIONS = 8  # sampling sessions of published weights; older ones answer 410


class Desk:
    def __init__(self, engine: Engine, model_folder: Path, root: Path, name: str):
        self.engine, self.model_folder, self.root, self.name = engine, model_folder, root, name
        self.words = Text(model_folder)
        self.models: dict[str, TrainedModel] = {}
        self.sequences: dict[str, Sequence] = {}
        self.promises = Promises()
        self.made: dict[tuple[str, int], tuple[Promise, str]] = {}
        self.sessions: dict[str, dict] = {}
        self.sampling: OrderedDict[str, Callable[[], Decoder]] = OrderedDict()
        self.samplers_opened = self.models_made = 0

    def model(self, model_id: str) -> TrainedModel:
        if model_id not in self.models:
            raise Refusal(f"Cannot find model {model_id!r}: known are {sorted(self.models)}; call create_model", 404)
        return self.models[model_id]

    def new_model(self, session_id: str, model_seq_id: int, lora: Lora | None, model_id: str | None = None) -> tuple[Promise, str]:
        """A repeat of (session, model_seq_id) is the same request: a lost reply must not leave a second model."""
        key = (session_id, model_seq_id)
        if key in self.made:
            return self.made[key]
        promise, given = self.promises.new(), model_id
        if len(self.models) >= MAX_MODELS:
            self._drop_stale()
        if len(self.models) >= MAX_MODELS:
            raise Refusal(f"Cannot create a model: {MAX_MODELS} are loaded; unload_model one", 409)
        model_id = given or f"model-{self.models_made + 1}"
        parts = model_id, self.engine.policy, self.engine.start_weights
        made = TrainedModel(*parts) if lora is None else LoraModel(*parts, lora)
        self.models_made += 1
        self.models[model_id], self.sequences[model_id] = made, Sequence()
        if given is None:
            promise.settle({"model_id": model_id})
        self.made[key] = promise, model_id
        return promise, model_id

    def revive(self, session_id: str, model_seq_id: int, path: str, optimizer: bool) -> tuple[Promise, str]:
        """A new model like the one saved at `path`, under the id that clients derive themselves; the promise is the load's."""
        state = checkpoints.facts(checkpoints.resolve(self.root, path))
        lora = Lora(**state["lora"]) if state.get("lora") else None
        known = (session_id, model_seq_id) in self.made
        promise, model_id = self.new_model(session_id, model_seq_id, lora, f"{session_id}:train:{model_seq_id}")
        if known:
            return promise, model_id
        model = self.models[model_id]

        def failed(error: BaseException) -> None:
            promise.fail(error)
            promise.loop.call_soon_threadsafe(self.models.pop, model_id, None)

        self.engine.run(lambda: self.load(model, path, optimizer), promise.settle, failed)
        return promise, model_id

    def finish(self, session_id: str) -> None:
        """The end of a session: its models make room."""
        self.sessions.pop(session_id, None)
        for owner, model_id in [(key[0], made[1]) for key, made in self.made.items()]:
            if owner == session_id and model_id in self.models:
                self.unload(model_id)

    def _drop_stale(self) -> None:
        """Models of clients that went away without a word make room for new ones."""
        for (session_id, _), (_, model_id) in list(self.made.items()):
            if model_id in self.models and time.monotonic() - self.sessions[session_id]["seen"] > STALE_SECONDS:
                self.unload(model_id)

    def unload(self, model_id: str) -> None:
        self.model(model_id)
        del self.models[model_id], self.sequences[model_id]

    def open(self, pick: Callable[[], Decoder]) -> str:
        self.samplers_opened += 1
        name = f"sampler-{self.samplers_opened}"
        self.sampling[name] = pick
        while len(self.sampling) > KEEP_SESSIONS:
            self.sampling.popitem(last=False)
        return name

    def pick(self, name: str) -> Callable[[], Decoder]:
        """The weights behind a sampling session, `base` (frozen starting weights) or `current` (last published)."""
        if name == "base" or name == self.name:
            return lambda: self.engine.base
        if name == "current":
            return self.engine.latest
        if name in self.sampling:
            return self.sampling[name]
        if name.startswith("sampler-") and name[8:].isdigit() and int(name[8:]) <= self.samplers_opened:
            raise Refusal(f"Cannot sample from {name}: only the newest {KEEP_SESSIONS} sessions stay open; open another", 410)
        raise Refusal(f"Cannot sample from {name!r}: must be current, base, or an open sampling session", 404)

    def train(self, model_id: str, seq_id: int, make: Callable[[TrainedModel], Iterator]) -> Promise:
        """Start a training call in seq_id order; a repeated seq_id gives the first call's promise."""
        model, sequence = self.model(model_id), self.sequences[model_id]
        known = sequence.known(seq_id)
        if known:
            return known
        promise = self.promises.new()
        sequence.add(seq_id, promise, lambda: self.engine.run(lambda: make(model), promise.settle, promise.fail))
        return promise

    def refused(self, model_id: str, seq_id: int, backward: bool) -> None:
        """A refused call uses up its seq_id; one that should have given gradients also spoils its step."""
        sequence = self.sequences[model_id]
        if backward and seq_id >= sequence.next and not sequence.known(seq_id):
            self.train(model_id, seq_id, lambda model: model.spoil())
            sequence.by_id.pop(seq_id)
        else:
            sequence.refuse(seq_id)

    # Generators, run on the compute thread --------------------------------------------------------------------------
    def save(self, model: TrainedModel, name: str, overwrite: bool) -> Iterator[dict]:
        checkpoints.save_training(self.root, name, self.model_folder, model, overwrite)
        yield {"path": f"tinker://{model.name}/weights/{name}", "type": "save_weights"}

    def load(self, model: TrainedModel, path: str, optimizer: bool) -> Iterator[dict]:
        """Weights that were published when saved become the current ones again, under their old version."""
        checkpoints.load_training(checkpoints.resolve(self.root, path), model, optimizer)
        if model.published:
            self.engine.show(model)
        else:
            self.engine.current = None
        yield {"path": path, "type": "load_weights", "spade_weights_version": model.weights_version,
               "spade_published": model.published, "spade_steps": model.steps, "spade_batch_id": model.batch_id}

    def publish(self, model: TrainedModel, name: str | None, overwrite: bool) -> Iterator[dict]:
        decoder = self.engine.publish(model)
        path = None
        if name is not None:
            state = {"kind": "sampler_weights", "weights_version": model.weights_version, "steps": model.steps}
            checkpoints.save(self.root, "sampler_weights", name, self.model_folder, decoder.state, None, state, overwrite)
            path = f"tinker://{model.name}/sampler_weights/{name}"
        yield {"path": path, "type": "save_weights_for_sampler", "sampling_session_id": self.open(lambda: decoder),
               "spade_weights_version": model.weights_version}

    def open_saved(self, path: str) -> str:
        weights, _, state = checkpoints.load(checkpoints.resolve(self.root, path), self.engine.start_weights)
        with torch.no_grad():
            policy = self.engine.policy
            weights = {key: value.to(policy.device, policy.dtype) for key, value in weights.items()}
            decoder = Decoder(policy, weights, state["weights_version"], self.engine.max_rows, self.engine.cache_bytes)
        return self.open(lambda: decoder)

    def saved(self, path: str) -> dict:
        state = checkpoints.facts(checkpoints.resolve(self.root, path))
        return {"base_model": self.name, **told(state.pop("lora", None)), "path": path, **{f"spade_{k}": v for k, v in state.items()}}

    def info(self, model_id: str) -> dict:
        model = self.model(model_id)
        return {
            "type": "get_info", "model_id": model_id, "model_name": self.name, **told(model.facts()),
            "model_data": {"arch": type(self.engine.policy).__name__.lower(), "model_name": self.name},
            "spade_steps": model.steps, "spade_weights_version": model.weights_version,
            "spade_published": model.published, "spade_batch_id": model.batch_id, "spade_pending": model.pending,
        }


def told(lora: dict | None) -> dict:
    """Facts about adapters in the protocol's words."""
    if lora is None:
        return {"is_lora": False, "lora_rank": 0}
    return {"is_lora": True, "lora_rank": lora["rank"], **{part: lora[part] for part in PARTS},
            "spade_lora_alpha": lora["alpha"], "spade_lora_seed": lora["seed"]}
