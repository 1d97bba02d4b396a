"""Load a model folder: the lean path where one fits, else the class of transformers itself."""
import json
from pathlib import Path

import torch

from lean import Lean


def load(folder: Path, lean: bool = True, device: str = "cpu", dtype: torch.dtype = torch.float32) -> tuple:
    """(forward passes, starting weights by name). Nothing is fetched from the network.

    Code that comes with the folder is not run. The lean path reads config.json and the safetensors files itself:
    importing transformers would double the time of a start.
    """
    config = json.loads((folder / "config.json").read_text())
    if lean and Lean.fits(config):
        return _lean(folder, Lean(config, device, dtype))
    from transformers import AutoModelForCausalLM
    from transformers.utils import logging

    from generic import Generic

    logging.disable_progress_bar()
    module = AutoModelForCausalLM.from_pretrained(folder, dtype=dtype, local_files_only=True, trust_remote_code=False)
    module.to(device).eval().requires_grad_(False)
    return Generic(module), {name: weight.detach().clone() for name, weight in module.named_parameters()}


def _lean(folder: Path, policy: Lean) -> tuple:
    from safetensors.torch import load_file

    found = {}
    for file in sorted(folder.glob("*.safetensors")):
        if file.name != "optimizer.safetensors":
            found.update(load_file(file))
    missing = sorted(policy.names() - set(found))
    if missing:
        raise SystemExit(f"Cannot load {folder}: {len(missing)} weights are missing, first {missing[0]}")
    return policy, {name: found[name].to(policy.device, policy.dtype).contiguous() for name in sorted(policy.names())}
