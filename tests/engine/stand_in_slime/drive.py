"""Plays slime's train.py: asks the bridge for rollouts, computes slime's loss, and has the engine behind it trained.

usage: drive.py ROUTER_PORT START NUM_ROLLOUT [NAME=VALUE...]
"""

import json
import math
import sys
import urllib.request
from argparse import Namespace

import spade_bridge
from slime.ray.rollout import RolloutManager


def post(port, path, body):
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}{path}", json.dumps(body).encode(), {"content-type": "application/json"}
    )
    with urllib.request.urlopen(request) as reply:
        return json.loads(reply.read())


def weigh(sample, mask_sum, groups, p0):
    """-dL/dlogp of each target at the first step: truncated importance weight times advantage, mean of means."""
    weights = [0.0] * (len(sample.tokens) - 1)
    first = len(weights) - sample.response_length
    for t, trained in enumerate(sample.loss_mask):
        if trained:
            ratio = min(math.exp(p0[first + t] - sample.rollout_log_probs[t]), 2)
            weights[first + t] = ratio * sample.reward * (1 / (groups * mask_sum))
    return weights


def main(port, start, num_rollout, *settings):
    args = Namespace(
        sglang_router_ip="127.0.0.1",
        sglang_router_port=port,
        global_batch_size=7,
        num_rollout=num_rollout,
        hf_checkpoint="nano",
        advantage_estimator="grpo",
        rewards_normalization=False,
        use_tis=True,
        eps_clip_high=0.28,
        rollout_temperature=1.0,
    )
    for setting in settings:
        name, value = setting.split("=")
        setattr(args, name, json.loads(value))
    manager = RolloutManager(args, spade_bridge.generate)
    for rollout_id in range(start, num_rollout):
        samples, groups = manager.generate(rollout_id)
        data = [{"input": sample.tokens[:-1], "target": sample.tokens[1:]} for sample, _ in samples]
        p0 = post(port, "/forward", data)
        for datum, row, (sample, mask_sum) in zip(data, p0, samples):
            datum["weights"] = weigh(sample, mask_sum, groups, row)
        post(port, "/train", {"rollout": rollout_id, "data": data})


if __name__ == "__main__":
    main(*map(int, sys.argv[1:4]), *sys.argv[4:])
