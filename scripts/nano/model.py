"""The Qwen3 model of the nano policy, its optimizer, and its folder on disk."""
import hashlib
import json
import math
import os
import torch
from safetensors.torch import load_file, save_file
from transformers import Qwen3Config, Qwen3ForCausalLM


PERIODS = [2, 3, 4, 5, 7, 10, 14, 20, 32, 50, 100]


def number_features(n):
    """Where the embedding of a number starts: its size, the square of it, and waves of several periods.

    Sums, differences, means and comparisons are then almost linear in what the model reads and writes.
    """
    x = n / 20 - 1
    waves = [f(2 * math.pi * n / period) for period in PERIODS for f in (math.sin, math.cos)]
    return [1.0, x, x * x / 2 - .5, *waves]


def new_model(vocabulary, end_id, number_ids, seed):
    """A new model: random, with damped output projections and number embeddings that start as `number_features`."""
    torch.manual_seed(seed)
    config = Qwen3Config(
        vocab_size=vocabulary, hidden_size=128, intermediate_size=384, num_hidden_layers=4, num_attention_heads=4,
        num_key_value_heads=2, head_dim=32, max_position_embeddings=1024, rope_theta=10000.0, tie_word_embeddings=True,
        bos_token_id=None, eos_token_id=end_id, pad_token_id=0, attn_implementation="sdpa", dtype="float32")
    model = Qwen3ForCausalLM(config)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if parameter.dim() == 2 and "embed" not in name:
                scale = .8 * parameter.shape[1] ** -.5
                damped = "o_proj" in name or "down_proj" in name
                torch.nn.init.normal_(parameter, 0, scale * (8 ** -.5 if damped else 1))
        table = model.model.embed_tokens.weight
        torch.nn.init.normal_(table, 0, .1)
        for n, row in enumerate(number_ids):
            features = torch.tensor(number_features(n))
            table[row] *= .5
            table[row, :len(features)] = .25 * features
    return model


class Muon(torch.optim.Optimizer):
    """Momentum whose update is orthogonalised by five Newton-Schulz steps (Jordan et al. 2024), for matrices."""

    def __init__(self, parameters, lr, momentum=.95, weight_decay=.01):
        super().__init__(parameters, {"lr": lr, "momentum": momentum, "weight_decay": weight_decay})

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            for p in group["params"]:
                state = self.state[p]
                mean = state.setdefault("mean", torch.zeros_like(p))
                mean.lerp_(p.grad, 1 - group["momentum"])
                update = p.grad.lerp(mean, group["momentum"])
                tall = update.shape[0] > update.shape[1]
                x = update.T if tall else update
                x = x / (x.norm() + 1e-7)
                for _ in range(5):
                    b = x @ x.T
                    x = 3.4445 * x + (-4.775 * b + 2.0315 * b @ b) @ x
                p.mul_(1 - group["lr"] * group["weight_decay"])
                p.add_(x.T if tall else x, alpha=-group["lr"] * max(1, p.shape[0] / p.shape[1]) ** .5)


def optimizers(model, lr):
    matrices = [p for name, p in model.named_parameters() if p.dim() == 2 and "embed" not in name]
    scales = [p for p in model.parameters() if p.dim() == 1]
    groups = [{"params": scales, "lr": lr}, {"params": [model.model.embed_tokens.weight], "lr": lr}]
    return [Muon(matrices, 7 * lr), torch.optim.AdamW(groups, betas=(.9, .98), weight_decay=0.0)]


def save(model, folder):
    """Write config.json and model.safetensors (float32); returns the sha256 of the weights."""
    os.makedirs(folder, exist_ok=True)
    described = json.loads(model.config.to_json_string())
    described["architectures"] = ["Qwen3ForCausalLM"]
    with open(f"{folder}/config.json", "w") as file:
        json.dump(described, file, indent=2, sort_keys=True)
        file.write("\n")
    tensors = {name: p.detach().contiguous() for name, p in model.state_dict().items() if name != "lm_head.weight"}
    save_file(tensors, f"{folder}/model.safetensors", metadata={"format": "pt"})
    return hashlib.sha256(open(f"{folder}/model.safetensors", "rb").read()).hexdigest()


def load(folder):
    config = Qwen3Config.from_pretrained(folder)
    config._attn_implementation = "sdpa"
    model = Qwen3ForCausalLM(config)
    model.load_state_dict(load_file(f"{folder}/model.safetensors"), strict=False)
    model.tie_weights()
    return model.float()
