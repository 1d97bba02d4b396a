"""Load a model folder: the lean path where one fits, else the class of transformers itself."""
from pathlib import Path

import torch

from generic import Generic
from qwen3 import Qwen3


def load(folder: Path, lean: bool = True) -> tuple[Qwen3 | Generic, dict[str, torch.Tensor]]:
    """(forward passes, starting weights by name). Float32, evaluation mode, nothing fetched from the network.

    Code that comes with the folder is not run.
    """
    from transformers import AutoModelForCausalLM
    from transformers.utils import logging

    logging.disable_progress_bar()
    module = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32, local_files_only=True, trust_remote_code=False)
    module.eval().requires_grad_(False)
    start = {name: weight.detach().clone() for name, weight in module.named_parameters()}
    policy = Qwen3(module) if lean and Qwen3.fits(module.config) else Generic(module)
    return policy, start
