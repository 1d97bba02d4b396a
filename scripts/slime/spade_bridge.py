"""SPADE's rollout function for slime: samples come from a run of this project, over HTTP.

Start slime with this folder on PYTHONPATH and

    --rollout-function-path spade_bridge.generate

and the run with `--engine slime:http://127.0.0.1:8780`, in either order. slime's flags that the run needs are refused
by name where they are missing. Environment:

    SPADE_URL         where the run listens; default http://127.0.0.1:8780
    SPADE_KEY         its key, where it wants one
    SPADE_PATIENCE_S  how long a run that is away is waited for; default 3600

Read for slime v0.3.0, v0.3.1 and main of August 2026. Standard library only.
"""

import atexit
import http.client
import inspect
import json
import os
import sys
import time
import urllib.error
import urllib.request
import uuid

from slime.rollout.base_types import RolloutFnTrainOutput
from slime.utils.types import Sample

URL = os.environ.get("SPADE_URL", "http://127.0.0.1:8780").rstrip("/") + "/slime/v1/"
PATIENCE_S = float(os.environ.get("SPADE_PATIENCE_S", "3600"))
CALL_S = 120  # of one call; the run answers a poll well before
LONGEST_REPLY = 2**31

# What decides slime's loss; the run knows the values that do.
SETTINGS = (
    "advantage_estimator",
    "loss_type",
    "rewards_normalization",
    "normalize_advantages",
    "use_tis",
    "tis_clip",
    "tis_clip_low",
    "eps_clip",
    "eps_clip_high",
    "eps_clip_c",
    "kl_coef",
    "kl_loss_coef",
    "entropy_coef",
    "calculate_per_token_loss",
    "use_rollout_logprobs",
    "use_opsm",
    "use_opd",
    "rollout_temperature",
    "rollout_top_p",
    "custom_advantage_function_path",
    "custom_tis_function_path",
    "custom_pg_loss_reducer_function_path",
    "custom_reward_post_process_path",
    "custom_convert_samples_to_train_data_path",
)

# No proxy of the environment: the run is near.
_opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
_session = uuid.uuid4().hex  # SGLang's names for weights begin anew with each slime
_asked = False


def generate(args, rollout_id, data_source, evaluation=False):
    """slime's rollout function: the next batch of the run, one group a unit of its loss."""
    global _asked
    _asked = True
    try:
        key = _group_key()
        settable = _reads_batch_size()
        router = f"http://{args.sglang_router_ip}:{args.sglang_router_port}"
        question = {
            "session": _session,
            "rollout_id": rollout_id,
            "global_batch_size": None if settable else args.global_batch_size,
            "router_url": router,
            "model": getattr(args, "hf_checkpoint", None),
            "evaluation": bool(evaluation),
            "num_rollout": getattr(args, "num_rollout", None),
            "settings": {name: getattr(args, name) for name in SETTINGS if hasattr(args, name)},
        }
        status, answer = 202, None
        while status == 202:
            # asked again each time: a run that was stopped and resumed has forgotten the question
            _call("POST", "rollouts", question)
            status, answer = _call("GET", f"rollouts/{rollout_id}")
        samples = _samples(answer["samples"], key)
        if settable:
            args.global_batch_size = answer["units"]  # read when the samples are split, after this returns
        groups = {}
        for sample in samples:
            groups.setdefault(sample.group_index, []).append(sample)
        return RolloutFnTrainOutput(samples=list(groups.values()), metrics=answer["metrics"])
    except BaseException as error:
        end(f"{type(error).__name__}: {error}")
        raise


def end(reason="it has finished"):
    """Tells the run, if it is there, that nothing more will be asked."""
    global _asked
    if not _asked:
        return
    _asked = False
    try:
        _once("POST", "end", {"session": _session, "reason": reason[:2000]}, timeout=5)
    except Exception:
        pass  # it is away; nobody to tell


atexit.register(end)


def _samples(given, key):
    """slime's samples of the answer. slime looks at the first one to see whether there are log-probabilities."""
    if not given or given[0].get("rollout_log_probs") is None:
        raise RuntimeError("Cannot train: the run's first sample has no rollout_log_probs")
    samples = []
    for fields in given:
        fields = dict(fields)
        group = fields.pop("group")
        sample = Sample.from_dict({**fields, "group_index": group})
        setattr(sample, key, group)
        lengths = {len(sample.loss_mask), len(sample.rollout_log_probs), sample.response_length}
        if len(lengths) != 1 or sample.response_length > len(sample.tokens):
            raise RuntimeError(f"Cannot train: sample {sample.index} of the run has lengths that differ")
        samples.append(sample)
    return samples


def _group_key():
    """Samples with the same value under this name count as one in slime's loss; the wrong name would be ignored."""
    fields = Sample.__dataclass_fields__
    for key in ("group_id", "rollout_id"):
        if key in fields:
            return key
    raise RuntimeError("Cannot train: this slime's Sample has neither group_id nor rollout_id; v0.3.0 or later is needed")


def _reads_batch_size():
    """Whether this slime reads args.global_batch_size anew for each rollout, as v0.3.0 and v0.3.1 do."""
    module = sys.modules.get("slime.ray.rollout")
    try:
        return "global_batch_size=self.args.global_batch_size" in inspect.getsource(module)
    except (OSError, TypeError):
        return False


def _call(method, path, body=None):
    """One call, repeated while the run is away. A refusal is raised with the run's own words."""
    away_since = time.monotonic()
    pause = 0.5
    while True:
        try:
            return _once(method, path, body, timeout=CALL_S)
        except urllib.error.HTTPError as error:
            detail = error.read(10_000).decode("utf-8", "replace")
            if error.code == 404 and method == "GET":
                return 202, None  # resumed meanwhile: it wants to be asked first
            if error.code < 500:
                raise RuntimeError(f"SPADE: {detail}") from None
            what = detail
        except (OSError, ValueError, http.client.HTTPException) as error:  # refused, reset, cut, silent
            what = str(error)
        if time.monotonic() - away_since > PATIENCE_S:
            raise RuntimeError(f"SPADE: no run answers at {URL} ({what})")
        time.sleep(pause)
        pause = min(2 * pause, 10)


def _once(method, path, body, timeout):
    data = None if body is None else json.dumps(body).encode()
    headers = {"content-type": "application/json"}
    if "SPADE_KEY" in os.environ:
        headers["x-api-key"] = os.environ["SPADE_KEY"]
    request = urllib.request.Request(URL + path, data=data, headers=headers, method=method)
    with _opener.open(request, timeout=timeout) as reply:
        text = reply.read(LONGEST_REPLY)
        return reply.status, json.loads(text)
