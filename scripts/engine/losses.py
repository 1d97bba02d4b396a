"""The losses of the Tinker protocol, as functions of the chosen tokens' log-probabilities.

All are sums over tokens; `weights` multiplies every term; the caller normalises. Each returns the loss of every token
and its derivative by the token's log-probability, so the pass back through the model is the same for all. Hence the
portable form: cross_entropy with weights = −dL/dlogp trains exactly like the loss it was derived from.
"""
from dataclasses import dataclass

import torch

from refusal import Refusal

INPUTS = {
    "cross_entropy": {"target_tokens", "weights", "temperature"},
    "importance_sampling": {"target_tokens", "weights", "logprobs", "advantages", "temperature"},
    "ppo": {"target_tokens", "weights", "logprobs", "advantages", "clip_low_threshold", "clip_high_threshold", "temperature"},
    "cispo": {"target_tokens", "weights", "logprobs", "advantages", "clip_low_threshold", "clip_high_threshold", "temperature"},
}
NEEDED = {loss: known & {"target_tokens", "logprobs", "advantages"} for loss, known in INPUTS.items()}
CLIP = {"clip_low_threshold": 0.8, "clip_high_threshold": 1.2}
CONFIG = {"cross_entropy": {}, "importance_sampling": {}, "ppo": CLIP, "cispo": CLIP}


@dataclass
class Terms:
    """Per chosen token, float64: what the losses read beside the log-probability."""

    weights: torch.Tensor
    logprobs: torch.Tensor | None = None
    advantages: torch.Tensor | None = None
    low: torch.Tensor | None = None
    high: torch.Tensor | None = None


def one_config(old, new) -> dict:
    """loss_fn_config, or its later form of numbers and texts; where both are given they must say the same."""
    for name, given in (("loss_fn_config", old), ("loss_fn_config_v2", new)):
        if given is not None and not isinstance(given, dict):
            raise Refusal(f"Cannot read {name}: must be an object", 422)
    new = {k: v.get("number", v.get("text")) if isinstance(v, dict) else v for k, v in (new or {}).items()}
    if old and new and old != new:
        raise Refusal(f"Cannot use loss_fn_config {old} with loss_fn_config_v2 {new}: they must say the same", 422)
    return new or old or {}


def check_config(loss: str, config: dict) -> dict[str, float]:
    if loss not in INPUTS:
        raise Refusal(f"Cannot use loss_fn {loss!r}: must be one of {', '.join(INPUTS)}", 422)
    unknown = sorted(set(config) - set(CONFIG[loss]))
    if unknown:
        known = ", ".join(CONFIG[loss]) or "no keys"
        raise Refusal(f"Cannot use loss_fn_config keys {unknown} with {loss}: it takes {known}", 422)
    for key, value in config.items():
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value < float("inf"):
            raise Refusal(f"Cannot use loss_fn_config.{key}: is {value!r}, must be a positive ratio such as 0.8 or 1.28", 422)
    merged = {**CONFIG[loss], **config}
    if merged and merged["clip_low_threshold"] > merged["clip_high_threshold"]:
        raise Refusal(f"Cannot clip: the low threshold {merged['clip_low_threshold']} is above the high one", 422)
    return merged


def evaluate(loss: str, logp: torch.Tensor, t: Terms) -> tuple[torch.Tensor, torch.Tensor]:
    """(loss of each token, d loss / d logp), float64.

    cross_entropy        −logp·w
    importance_sampling  −exp(logp − q)·A·w
    ppo                  −min(r·A, clip(r, low, high)·A)·w with r = exp(logp − q); where the clipped branch is smaller,
                         the derivative is 0. On the border the unclipped branch counts (torch.min at ties gives half).
    cispo                −clip(r, low, high)·logp·A·w, where the clipped ratio is a constant to the derivative
    """
    logp = logp.double()
    if loss == "cross_entropy":
        return -logp * t.weights, -t.weights
    ratio = (logp - t.logprobs).exp()
    open_term = ratio * t.advantages
    if loss == "importance_sampling":
        return -open_term * t.weights, -open_term * t.weights
    clipped = torch.minimum(torch.maximum(ratio, t.low), t.high) * t.advantages
    if loss == "cispo":
        return -clipped * logp * t.weights, -clipped * t.weights
    slope = torch.where(open_term <= clipped, open_term, 0.0)
    return -torch.minimum(open_term, clipped) * t.weights, -slope * t.weights
