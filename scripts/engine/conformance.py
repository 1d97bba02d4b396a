"""Drive a running engine with the official `tinker` Python package: `TINKER_BASE_URL=http://127.0.0.1:PORT python conformance.py`.

Needs the environment of `deno task setup tinker-sdk`, not the engine's. Prints a line for each step and ends with exit
code 1 when one failed. Ids only: the server's model needs no tokenizer that the package knows.
"""
import importlib.util
import math
import os
import sys
import time
import urllib.request
import warnings
from importlib import metadata

os.environ.setdefault("TINKER_API_KEY", "tml-local")
os.environ.setdefault("TINKER_TELEMETRY", "0")

warnings.simplefilter("ignore")  # what a version deprecates is not what is tested

if "TINKER_BASE_URL" not in os.environ:
    sys.exit("Cannot test: TINKER_BASE_URL is not set, must be the address of a running engine such as http://127.0.0.1:8000")
try:  # the package itself would try for many minutes
    urllib.request.urlopen(os.environ["TINKER_BASE_URL"] + "/api/v1/healthz", timeout=10).close()
except (OSError, ValueError) as error:
    sys.exit(f"Cannot test: {os.environ['TINKER_BASE_URL']} does not answer ({error}); is the engine running?")

import tinker  # noqa: E402
from tinker import types  # noqa: E402

PROMPT = [7, 11, 12, 13, 14]
done: list[str] = []


class Skip(Exception):
    """A step that cannot be tried here, and why."""


def step(name: str, work):
    """Run one step; what fails is told, and what hangs on it fails after it."""
    began, value, outcome = time.perf_counter(), None, "ok"
    try:
        value, told = work()
    except Skip as why:
        outcome, told = "skip", str(why)
    except Exception as error:  # noqa: BLE001 - every kind of failure is a finding
        outcome, told = "FAIL", f"{type(error).__name__}: {error}"[:300]
    done.append(outcome)
    print(f"{outcome:4s}  {name:44s} {time.perf_counter() - began:5.2f} s  {told}", flush=True)
    return value


def need(true: bool, what: str) -> None:
    if not true:
        raise AssertionError(what)


def now(value):
    """Later versions of the package give futures of clients where earlier ones give clients."""
    return value.result() if callable(getattr(value, "result", None)) else value


def datum(loss: str = "cross_entropy") -> types.Datum:
    ids = PROMPT * 3
    inputs = {"target_tokens": ids[1:], "weights": [1.0] * (len(ids) - 1)}
    if loss != "cross_entropy":
        inputs |= {"logprobs": [-3.0] * (len(ids) - 1), "advantages": [0.5] * (len(ids) - 1)}
    return types.Datum(model_input=types.ModelInput.from_ints(ids[:-1]), loss_fn_inputs=inputs)


def main() -> int:
    print(f"tinker {metadata.version('tinker')}, Python {sys.version.split()[0]}, {os.environ.get('TINKER_BASE_URL')}")
    service = step("create a client", lambda: (tinker.ServiceClient(), ""))
    if service is None:
        return 1

    def capabilities():
        models = service.get_server_capabilities().supported_models
        return models[0].model_name, f"{models[0].model_name}, {models[0].max_context_length} positions"

    base = step("server capabilities", capabilities)
    trainer = step("create a LoRA model", lambda: (now(service.create_lora_training_client(base, rank=4, seed=1)), ""))
    if trainer is None:
        return 1

    def info():
        got = trainer.get_info()
        need(got.is_lora and got.lora_rank == 4, f"is_lora {got.is_lora}, rank {got.lora_rank}")
        return got, f"{got.model_id}, rank {got.lora_rank}"

    step("get_info", info)
    params = types.SamplingParams(max_tokens=8, seed=3, temperature=1.0)
    prompt = types.ModelInput.from_ints(PROMPT)

    def sample(client, **more):
        got = client.sample(prompt, num_samples=3, sampling_params=params, **more).result()
        need(len(got.sequences) == 3, f"{len(got.sequences)} sequences")
        for s in got.sequences:
            need(len(s.tokens) == len(s.logprobs) > 0 and all(math.isfinite(p) and p <= 0 for p in s.logprobs), "log-probabilities")
        return got

    sampler = step("sampling client of the base model", lambda: (now(service.create_sampling_client(base_model=base)), ""))

    def from_base():
        got = sample(sampler)
        return got, f"{sum(len(s.tokens) for s in got.sequences)} tokens"

    first = step("sample", from_base)

    def stops():
        stop = first.sequences[0].tokens[2]
        got = sampler.sample(prompt, num_samples=1, sampling_params=types.SamplingParams(max_tokens=8, seed=3, stop=[stop])).result()
        (only,) = got.sequences
        need(only.stop_reason == "stop" and only.tokens[-1] == stop, f"{only.stop_reason} {only.tokens}")
        return only, only.stop_reason

    step("sample with a stop id", stops)

    def scores():
        got = sample(sampler, include_prompt_logprobs=True, topk_prompt_logprobs=2)
        table = got.topk_prompt_logprobs
        need(got.prompt_logprobs[0] is None or math.isnan(got.prompt_logprobs[0]), "the first token has a log-probability")
        need(len(got.prompt_logprobs) == len(table) == len(PROMPT) and len(table[1]) == 2, "lengths")
        return got, f"{len(table)} positions, 2 likeliest"

    step("prompt log-probabilities, top k", scores)
    alone = step("compute_logprobs", lambda: ((got := sampler.compute_logprobs(prompt).result()), f"sum {sum(p for p in got[1:]):.3f}"))

    def forward():
        got = trainer.forward([datum()], "cross_entropy").result()
        row = list(got.loss_fn_outputs[0]["logprobs"].data)
        gap = max(abs(a - b) for a, b in zip(row, alone[1:]))
        need(gap < 1e-4, f"trainer and sampler differ by {gap}")
        return got, f"loss {got.metrics['loss:sum']:.3f}, within {gap:.0e} of the sampler"

    step("forward (no gradient)", forward)

    def no_gradient():
        try:
            trainer.optim_step(types.AdamParams(learning_rate=1e-3)).result()
        except Exception as error:  # noqa: BLE001
            need("no gradients" in str(error), str(error))
            return error, "a step after forward alone is refused"
        raise AssertionError("forward left a gradient behind")

    step("optim_step without forward_backward", no_gradient)

    def train():
        sums = []
        for _ in range(4):
            future = trainer.forward_backward([datum(), datum()], "cross_entropy")
            trainer.optim_step(types.AdamParams(learning_rate=3e-3)).result()
            sums.append(future.result().metrics["loss:sum"])
        need(sums[-1] < sums[0], f"the loss did not fall: {sums}")
        return sums, " -> ".join(f"{s:.2f}" for s in sums)

    step("forward_backward, optim_step (4 times)", train)

    def losses():
        told = []
        for loss in ("importance_sampling", "ppo", "cispo"):
            config = None if loss == "importance_sampling" else {"clip_low_threshold": 0.8, "clip_high_threshold": 1.28}
            told.append(f"{loss} {trainer.forward_backward([datum(loss)], loss, config).result().metrics['loss:sum']:.2f}")
        trainer.optim_step(types.AdamParams(learning_rate=1e-4)).result()
        return told, ", ".join(told)

    step("the other losses", losses)

    def custom():
        def loss(data, logprobs):
            total = -sum(row.sum() for row in logprobs)
            return total, {"custom": float(total)}

        if importlib.util.find_spec("torch") is None:
            raise Skip("the package needs torch for it, which is not installed beside it")
        got = trainer.forward_backward_custom([datum()], loss).result()
        trainer.optim_step(types.AdamParams(learning_rate=1e-4)).result()
        return got, f"{got.metrics['custom']:.2f}"

    step("forward_backward_custom", custom)
    name = f"conformance-{int(time.time())}"
    saved = step("save_state", lambda: ((got := trainer.save_state(name).result()), got.path))

    def after():
        return list(trainer.forward([datum()], "cross_entropy").result().loss_fn_outputs[0]["logprobs"].data)

    def load():
        before = after()
        trainer.forward_backward([datum()], "cross_entropy")
        trainer.optim_step(types.AdamParams(learning_rate=1e-1)).result()
        need(after() != before, "the step changed nothing")
        trainer.load_state_with_optimizer(saved.path).result()
        need(after() == before, "the loaded weights are others")
        return before, "log-probabilities are again those of the checkpoint"

    step("load_state_with_optimizer", load)

    def again():
        other = now(service.create_training_client_from_state(saved.path))
        need(list(other.forward([datum()], "cross_entropy").result().loss_fn_outputs[0]["logprobs"].data) == after(), "weights differ")
        return other, "a second model from the checkpoint"

    step("create_training_client_from_state", again)
    tuned = step("save_weights_and_get_sampling_client", lambda: (now(trainer.save_weights_and_get_sampling_client()), ""))

    def moved():
        got = sample(tuned)
        need([s.tokens for s in got.sequences] != [s.tokens for s in first.sequences], "the trained model samples as the base does")
        return got, "other tokens than the base model's"

    step("sample the trained model", moved)
    kept = step("save_weights_for_sampler", lambda: ((got := trainer.save_weights_for_sampler(name).result()), got.path))

    def reopened():
        a, b = sample(now(service.create_sampling_client(model_path=kept.path))), sample(tuned)
        need([s.tokens for s in a.sequences] == [s.tokens for s in b.sequences], "other tokens than before saving")
        return a, "the same tokens"

    step("sample from saved sampler weights", reopened)

    def rest():
        got = service.create_rest_client().get_weights_info_by_tinker_path(saved.path).result()
        need(got.is_lora and got.lora_rank == 4 and got.base_model == base, str(got))
        return got, f"{got.base_model}, rank {got.lora_rank}"

    step("weights info", rest)
    print(", ".join(f"{done.count(outcome)} {word}" for outcome, word in (("ok", "passed"), ("FAIL", "failed"), ("skip", "skipped"))))
    return 1 if "FAIL" in done else 0


if __name__ == "__main__":
    sys.exit(main())
