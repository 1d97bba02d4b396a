"""What the bridge uses of slime's Sample, in the generation that STAND_IN_GENERATION names."""

import os
from dataclasses import field, make_dataclass

_GROUP_KEYS = {"v0.3.0": ["group_id"], "v0.3.1": ["rollout_id"], "v0.2.4": []}[os.environ["STAND_IN_GENERATION"]]


def _from_dict(data):
    known = {name: value for name, value in data.items() if name in Sample.__dataclass_fields__}
    sample = Sample(**known)
    for name in data.keys() - known.keys():
        setattr(sample, name, data[name])
    return sample


Sample = make_dataclass(
    "Sample",
    [(name, object, None) for name in ["group_index", "index", *_GROUP_KEYS]]
    + [("tokens", list, field(default_factory=list)), ("response_length", int, 0)]
    + [(name, object, None) for name in ["reward", "loss_mask", "rollout_log_probs", "status", "train_metadata"]]
    + [("weight_versions", list, field(default_factory=list)), ("metadata", dict, field(default_factory=dict))],
    namespace={"from_dict": staticmethod(_from_dict)},
)
