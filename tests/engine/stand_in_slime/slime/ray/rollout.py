"""The part of slime's rollout manager between the rollout function and the trainer: its groups and its batch size."""

import os


class RolloutManager:
    def __init__(self, args, generate):
        self.args = args
        self.generate_rollout = generate

    def generate(self, rollout_id):
        """Samples, each with its group's trained tokens, and the groups of the step."""
        output = self.generate_rollout(self.args, rollout_id, None, evaluation=False)
        samples = [sample for group in output.samples for sample in group]
        key = "group_id" if os.environ["STAND_IN_GENERATION"] == "v0.3.0" else "rollout_id"
        sums = {}
        for sample in samples:
            assert len(sample.loss_mask) == len(sample.rollout_log_probs) == sample.response_length
            group = getattr(sample, key)
            sums[group] = sums.get(group, 0) + sum(sample.loss_mask)
        return self._split(
            [(sample, sums[getattr(sample, key)]) for sample in samples],
            len(sums),
            global_batch_size=self.args.global_batch_size,
        )

    def _split(self, samples, groups, global_batch_size):
        # slime drops what is beyond whole steps, and refuses less than one
        assert groups == global_batch_size, f"{groups} groups, steps of {global_batch_size}"
        return samples, global_batch_size
