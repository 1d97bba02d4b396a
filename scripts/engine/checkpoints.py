"""Saved weights on disk: written aside, flushed, renamed. A folder under its final name is complete.

A folder is a model folder of `transformers` (config, tokenizer, model.safetensors), so other tools can load it, plus,
for training weights, `optimizer.safetensors` and `state.json` (steps, weights version, last batch id). Training weights
of adapters are in `adapter_model.safetensors` instead; sampler weights are always whole models.
"""
import json
import os
import re
import shutil
import uuid
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file

from refusal import Refusal

NAME = re.compile(r"^[A-Za-z0-9_-]{1,128}$")
FORMAT = 1


def check_name(name: str) -> str:
    if not NAME.fullmatch(name):
        raise Refusal(f"Cannot use the name {name!r}: must match {NAME.pattern}", 422)
    return name


def resolve(root: Path, path: str) -> Path:
    """The folder of `tinker://<model>/<kind>/<name>`, or of a bare name among the training weights."""
    match = re.fullmatch(r"tinker://[^/]+/(weights|sampler_weights)/([A-Za-z0-9_-]{1,128})", path)
    folder = root / match[1] / match[2] if match else root / "weights" / check_name(path)
    if not (folder / "state.json").is_file():
        raise Refusal(f"Cannot load {path!r}: there is no complete checkpoint at {folder}", 404)
    return folder


def facts(folder: Path) -> dict:
    """What state.json of a checkpoint says."""
    try:
        return json.loads((folder / "state.json").read_text())
    except (OSError, ValueError) as error:
        raise Refusal(f"Cannot load {folder}: {error}; the checkpoint is damaged, use an older one", 422) from error


def save(root: Path, kind: str, name: str, model_folder: Path, weights: dict, optimizer: dict | None, state: dict, overwrite: bool,
         file_name: str = "model.safetensors") -> None:
    target = root / kind / check_name(name)
    if target.exists() and not overwrite:
        raise Refusal(f"Cannot save {name!r}: it exists; choose another name or send overwrite: true", 409)
    target.parent.mkdir(parents=True, exist_ok=True)
    aside = target.parent / f".{name}.{uuid.uuid4().hex}"
    aside.mkdir()
    try:
        for file in model_folder.iterdir():
            if file.is_file() and file.suffix in {".json", ".txt", ".model", ".jinja"} and "index" not in file.name:
                shutil.copy(file, aside / file.name)
        save_file({k: v.detach().contiguous() for k, v in weights.items()}, aside / file_name, {"format": "pt"})
        if optimizer is not None:
            save_file(optimizer, aside / "optimizer.safetensors")
        (aside / "state.json").write_text(json.dumps({"format": FORMAT, **state}))
        for file in aside.iterdir():
            _flush(file)
        _flush(aside)
        if target.exists():
            old = target.parent / f".{name}.{uuid.uuid4().hex}"
            target.rename(old)
            aside.rename(target)
            shutil.rmtree(old, ignore_errors=True)
        else:
            aside.rename(target)
        _flush(target.parent)
    finally:
        shutil.rmtree(aside, ignore_errors=True)


def _flush(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def load(folder: Path, like: dict[str, torch.Tensor], file_name: str = "model.safetensors") -> tuple[dict, dict, dict]:
    """(weights, optimizer, state); the weights' names and shapes must be those of `like`."""
    if not (folder / file_name).is_file() and (folder / "state.json").is_file():
        raise Refusal(f"Cannot load {folder}: it has no {file_name}; full weights and adapters do not take each other's place", 409)
    state = facts(folder)
    try:
        weights = load_file(folder / file_name)
        extra = folder / "optimizer.safetensors"
        optimizer = load_file(extra) if extra.is_file() else {}
    except Exception as error:
        raise Refusal(f"Cannot load {folder}: {error}; the checkpoint is damaged, use an older one", 422) from error
    if state.get("format") != FORMAT:
        raise Refusal(f"Cannot load {folder}: format {state.get('format')}, must be {FORMAT}", 422)
    shapes = {k: tuple(v.shape) for k, v in like.items()}
    if {k: tuple(v.shape) for k, v in weights.items()} != shapes:
        raise Refusal(f"Cannot load {folder}: its weights are those of another model", 409)
    if any(k.split("/", 1)[1] not in shapes or tuple(v.shape) != shapes[k.split("/", 1)[1]] for k, v in optimizer.items()):
        raise Refusal(f"Cannot load {folder}: its optimizer state is that of another model", 409)
    return weights, optimizer, state


def save_training(root: Path, name: str, model_folder: Path, model, overwrite: bool) -> None:
    optimizer = {f"first/{k}": v for k, v in model.first.items()} | {f"second/{k}": v for k, v in model.second.items()}
    state = {"kind": "weights", "steps": model.steps, "weights_version": model.weights_version,
             "batch_id": model.batch_id, "published": model.published, "lora": model.facts()}
    save(root, "weights", name, model_folder, model.weights, optimizer, state, overwrite, model.file)


def load_training(folder: Path, model, with_optimizer: bool) -> None:
    """All or nothing: everything is read and checked before the first weight changes."""
    weights, optimizer, state = load(folder, model.weights, model.file)
    if state["kind"] != "weights":
        raise Refusal(f"Cannot train from {folder}: it holds sampler weights without an optimizer", 409)
    model.clear()
    with torch.no_grad():
        for key, weight in model.weights.items():
            weight.copy_(weights[key])
    model.first, model.second = {}, {}
    if with_optimizer:
        for key, value in optimizer.items():
            part, name = key.split("/", 1)
            getattr(model, part)[name] = value.to(model.weights[name].device, copy=True)
    model.steps = state["steps"] if with_optimizer else 0
    model.weights_version, model.batch_id = state["weights_version"], state["batch_id"]
    model.published = state["published"]
