"""Low-rank adapters: each trained matrix W becomes W + (alpha / rank)·B·A, and only A and B are trained.

They are merged before every pass, so any forward pass takes them, training and sampling use the same numbers, and what
is published is a whole model. With B = 0 at the start the model is the base model, bit for bit. What this saves is the
optimiser's memory and the size of checkpoints, not the time of a pass: the gradient of a whole matrix is computed, then
projected. Where input and output embeddings are one matrix, `train_unembed` adapts it for both uses.
"""
import math
import os
from dataclasses import asdict, dataclass

import torch

import wire
from refusal import Refusal
from training import TrainedModel

PARTS = {"train_attn": {"q_proj", "k_proj", "v_proj", "o_proj", "qkv_proj"}, "train_mlp": {"gate_proj", "up_proj", "down_proj", "gate_up_proj"},
         "train_unembed": {"lm_head"}}


@dataclass(frozen=True)
class Lora:
    rank: int
    alpha: float
    seed: int
    train_attn: bool
    train_mlp: bool
    train_unembed: bool


def read(given) -> Lora | None:
    """A request's lora_config; None for rank 0, which trains all weights."""
    if not isinstance(given, dict):
        raise Refusal("Cannot read lora_config: must be an object; send lora_config: {rank: 0} to train all weights", 422)
    wire.only(given, {"rank", "alpha", "seed", *PARTS}, "lora_config")
    rank = wire.whole(given, "rank", low=0, high=1024)
    if rank == 0:
        return None
    seed = given.get("seed")
    seed = int.from_bytes(os.urandom(4), "big") >> 1 if seed is None else wire.whole(given, "seed")
    alpha = float(wire.number(given, "alpha", 32, 1e-6, 1e6))
    return Lora(rank, alpha, seed, **{part: wire.flag(given, part, True) for part in PARTS})


def targets(lora: Lora, start: dict[str, torch.Tensor]) -> list[str]:
    """Names of the adapted matrices, sorted."""
    wanted = {name for part, names in PARTS.items() if getattr(lora, part) for name in names}
    if lora.train_unembed and not any(key.endswith("lm_head.weight") for key in start):
        wanted.add("embed_tokens")
    found = sorted(key for key, weight in start.items() if weight.ndim == 2 and key.split(".")[-2] in wanted)
    if not found:
        raise Refusal("Cannot create this model: nothing to adapt; this engine knows projections by the names "
                      f"{', '.join(sorted(set().union(*PARTS.values())))}", 422)
    return found


class LoraModel(TrainedModel):
    file = "adapter_model.safetensors"

    def __init__(self, name: str, policy, start: dict[str, torch.Tensor], lora: Lora):
        self.lora, self.base, self.pairs = lora, start, {}
        draw, leaves = torch.Generator("cpu").manual_seed(lora.seed), {}
        for key in targets(lora, start):
            rows, columns = start[key].shape
            reach = 1 / math.sqrt(columns)
            first = torch.rand(lora.rank, columns, generator=draw, device="cpu").mul_(2 * reach).sub_(reach)
            at = "base_model.model." + key.removesuffix(".weight")
            self.pairs[key] = f"{at}.lora_A.weight", f"{at}.lora_B.weight"
            for name_, leaf in zip(self.pairs[key], (first, torch.zeros(rows, lora.rank, device="cpu"))):
                leaves[name_] = leaf.to(start[key].device)
        super().__init__(name, policy, leaves)

    def state(self) -> dict[str, torch.Tensor]:
        scale = self.lora.alpha / self.lora.rank
        merged = {}
        for key, (a, b) in self.pairs.items():
            whole = self.base[key]
            merged[key] = (whole.float() + scale * (self.weights[b] @ self.weights[a])).to(whole.dtype)
        return {**self.base, **merged}

    @torch.no_grad()
    def snapshot(self) -> dict[str, torch.Tensor]:
        return self.state()

    def facts(self) -> dict:
        return asdict(self.lora)
