"""One trained model: its weights, accumulated gradients, AdamW state, and the numbers that name its version.

Work is a generator that yields between micro-batches, so that sampling goes on in between. Micro-batches are fixed by
the data alone (sorted by length, then by index; bounded by padded tokens): the same calls in the same order give the
same bits. Positions that carry no weight get no logits on the way back; data without any weight get no backward pass.
"""
import math
from typing import Iterator

import numpy
import torch

import losses
from numerics import round_up
from refusal import Refusal
from wire import Datum

MICRO_TOKENS = 1024  # padded tokens of a micro-batch
GRAIN = 8  # lengths inside a micro-batch are rounded up to this


class TrainedModel:
    """`weights` are what is trained; here all of the model's, in lora.py its adapters."""

    file = "model.safetensors"  # what a checkpoint calls them

    def __init__(self, name: str, policy, start: dict[str, torch.Tensor]):
        self.name, self.policy = name, policy
        # float32 whatever the passes use: in bfloat16 most updates of a step would be rounded away
        self.weights = {key: value.detach().to(torch.float32, copy=True).requires_grad_(True) for key, value in start.items()}
        self.first: dict[str, torch.Tensor] = {}  # Adam's running means
        self.second: dict[str, torch.Tensor] = {}
        self.steps = 0
        self.weights_version = 0
        self.batch_id: str | None = None
        self.published = True  # the weights equal the published ones
        self.spoiled = False  # a forward_backward of this step failed: its gradient would be incomplete
        self.pending = 0  # data whose gradients wait for optim_step

    def state(self) -> dict[str, torch.Tensor]:
        """The whole model's weights, for a pass; gradients reach `weights` through them."""
        return {key: value.to(self.policy.dtype) for key, value in self.weights.items()}

    def facts(self) -> dict | None:
        """How adapters were made; None where all weights train."""
        return None

    def snapshot(self) -> dict[str, torch.Tensor]:
        """The whole model's weights as they are now."""
        return {key: value.detach().to(self.policy.dtype, copy=True) for key, value in self.weights.items()}

    def clear(self) -> None:
        self.pending, self.spoiled = 0, False
        for weight in self.weights.values():
            weight.grad = None

    def spoil(self) -> Iterator[dict]:
        self.clear()
        self.spoiled = True
        yield {}

    def forward(self, data: list[Datum], loss: str, config: dict, backward: bool, weighted_only: bool) -> Iterator[dict | None]:
        """Yields None between micro-batches and at last a ForwardBackwardOutput."""
        done = [numpy.full(len(d.ids), numpy.nan) for d in data]
        total, tokens = 0.0, 0
        try:
            for batch, learns in plan(data, loss, backward, weighted_only):
                logp, per_token = self._micro(data, batch, loss, config, learns, weighted_only)
                at = 0
                for index, chosen in batch:
                    done[index][chosen] = logp[at : at + len(chosen)]
                    at += len(chosen)
                if not (numpy.isfinite(logp).all() and math.isfinite(per_token)):
                    raise Refusal("Cannot answer: the model's log-probabilities or the loss are not finite; the weights "
                                  "may be damaged (learning rate?): load the last checkpoint", 500, "server")
                total += per_token
                tokens += sum(len(data[index].ids) for index, _ in batch)
                yield None
        except BaseException:
            if backward:
                next(self.spoil())  # half a batch must not reach an optimiser step
            raise
        if backward:
            self.pending += len(data)
        outputs = [{"logprobs": {"data": _missing_as_null(d), "dtype": "float32", "shape": [len(d)]}} for d in done]
        yield {"loss_fn_output_type": "logprobs", "loss_fn_outputs": outputs,
               "metrics": {"loss:sum": total, "spade_computed_tokens:sum": tokens}}

    def _micro(self, data, batch, loss, config, learns, weighted_only):
        length = round_up(max(len(data[i].ids) for i, _ in batch), GRAIN)
        ids = numpy.zeros((len(batch), length), dtype=numpy.int64)
        for row, (index, _) in enumerate(batch):
            ids[row, : len(data[index].ids)] = data[index].ids
        flat = numpy.concatenate([row * length + chosen for row, (_, chosen) in enumerate(batch)])

        def gather(name: str, default: float | None = None):
            parts = []
            for index, chosen in batch:
                array = data[index].inputs.get(name)
                if array is None and default is None:
                    return None
                parts.append(numpy.full(len(chosen), default) if array is None else array[chosen])
            return torch.from_numpy(numpy.concatenate(parts)).to(self.policy.device)

        targets = gather("target_tokens")[:, None]
        terms = losses.Terms(
            gather("weights", 1.0), gather("logprobs"), gather("advantages"),
            gather("clip_low_threshold", config.get("clip_low_threshold")),
            gather("clip_high_threshold", config.get("clip_high_threshold")))
        heat = gather("temperature")
        with torch.set_grad_enabled(learns):
            logits = self.policy.logits(self.state(), *(torch.from_numpy(part).to(self.policy.device) for part in (ids, flat)))
        with torch.no_grad():
            scaled = logits.float() if heat is None else logits.float() / heat[:, None].float()
            everywhere = torch.log_softmax(scaled, -1)
            logp = everywhere.gather(-1, targets)[:, 0]
            per_token, slope = losses.evaluate(loss, logp, terms)
            if learns:
                # d logp / d logits = one-hot − softmax
                if heat is not None:
                    slope = slope / heat
                slope = slope.float()[:, None]
                grad = everywhere.exp_().mul_(-slope)
                grad.scatter_add_(-1, targets, slope)
        if learns:
            logits.backward(grad.to(logits.dtype))
        return logp.double().cpu().numpy(), float(per_token.sum())

    def optim_step(self, adam: dict, batch_id: str | None) -> dict:
        """torch.optim.AdamW's update, all hyper-parameters from this call; 0 for grad_clip_norm means no clipping."""
        if batch_id is not None and batch_id == self.batch_id:
            self.clear()
            return {"metrics": {"step": self.steps}, "spade_already_applied": True}
        if self.spoiled:
            self.clear()
            raise Refusal("Cannot step: a forward_backward of this step failed, so the gradients were dropped and the "
                          "weights are unchanged; send the calls of the step again", 409)
        if not self.pending:
            raise Refusal("Cannot step: no gradients since the last step; call forward_backward first", 409)
        grads = {k: torch.zeros_like(w) if w.grad is None else w.grad for k, w in self.weights.items()}
        norm = math.sqrt(sum(float(g.double().square().sum()) for g in grads.values()))
        if not math.isfinite(norm):
            self.clear()
            raise Refusal("Cannot step: the gradient is not finite; it was dropped and the weights are unchanged", 500, "server")
        clip = adam["grad_clip_norm"]
        shrink = min(1.0, clip / (norm + 1e-6)) if clip > 0 else 1.0
        self.steps += 1
        one, two = 1 - adam["beta1"] ** self.steps, 1 - adam["beta2"] ** self.steps
        with torch.no_grad():
            for key, weight in self.weights.items():
                grad = grads[key] if shrink == 1.0 else grads[key] * shrink
                first = self.first.setdefault(key, torch.zeros_like(weight))
                second = self.second.setdefault(key, torch.zeros_like(weight))
                weight.mul_(1 - adam["learning_rate"] * adam["weight_decay"])
                first.lerp_(grad, 1 - adam["beta1"])
                second.mul_(adam["beta2"]).addcmul_(grad, grad, value=1 - adam["beta2"])
                below = (second.sqrt() / math.sqrt(two)).add_(adam["eps"])
                weight.addcdiv_(first, below, value=-adam["learning_rate"] / one)
        self.clear()
        self.batch_id, self.published = batch_id, False
        return {"metrics": {"step": self.steps, "grad_norm": norm, "grad_scale": shrink}, "spade_already_applied": False}


def carries(datum: Datum, loss: str) -> numpy.ndarray:
    """Where a datum has weight: outside, its tokens change neither loss nor gradient."""
    weights = datum.inputs.get("weights")
    weights = numpy.ones(len(datum.ids)) if weights is None else weights
    return (weights if loss == "cross_entropy" else weights * datum.inputs["advantages"]) != 0


def plan(data: list[Datum], loss: str, backward: bool, weighted_only: bool) -> list[tuple[list, bool]]:
    """Micro-batches [(index, chosen positions)…] and whether each goes backward: learning data first, short ones first."""
    learning, looking = [], []
    for index, datum in enumerate(data):
        weight = carries(datum, loss)
        chosen = numpy.flatnonzero(weight) if weighted_only else numpy.arange(len(datum.ids))
        if len(chosen):
            (learning if backward and weight.any() else looking).append((len(datum.ids), index, chosen))
    out = []
    for items, learns in ((learning, True), (looking, False)):
        batch: list = []
        for length, index, chosen in sorted(items, key=lambda item: item[:2]):
            if batch and (len(batch) + 1) * round_up(length, GRAIN) > MICRO_TOKENS:
                out.append((batch, learns))
                batch = []
            batch.append((index, chosen))
        if batch:
            out.append((batch, learns))
    return out


def _missing_as_null(values: numpy.ndarray) -> list[float | None]:
    if not numpy.isnan(values).any():
        return values.tolist()
    return [None if math.isnan(v) else v for v in values.tolist()]
