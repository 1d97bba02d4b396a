"""--device and --dtype: parsing, and bfloat16 on a CPU. No GPU is needed here, and none is tested."""
import contextlib
import io
import random
import subprocess
import sys
import unittest
from pathlib import Path

import numpy
import torch

from test_support import POSITIONS, VOCABULARY, Site, batch, make, run_rows

import lora
import server
import wire
from lora import LoraModel
from model import load
from sampling import Params
from training import TrainedModel

FINE = dict(learning_rate=1e-5, beta1=0.9, beta2=0.98, eps=1e-8, weight_decay=0.0, grad_clip_norm=0.0)


class Narrow(unittest.TestCase):
    def logps(self, policy, start, data) -> numpy.ndarray:
        out = list(TrainedModel("m", policy, start).forward(data, "cross_entropy", {}, False, False))[-1]
        return numpy.concatenate([o["logprobs"]["data"] for o in out["loss_fn_outputs"]])

    def test_log_probabilities_are_near_those_of_float32_on_every_path(self):
        data = wire.data(batch(random.Random(1), 8)["data"], "cross_entropy", VOCABULARY, POSITIONS)
        for kind, lean in (("qwen3", True), ("llama", True), ("qwen3", False)):
            wide, narrow = load(make(kind), lean), load(make(kind), lean, dtype=torch.bfloat16)
            self.assertTrue(all(w.dtype == torch.bfloat16 for w in narrow[1].values()))
            gap = numpy.abs(self.logps(*wide, data) - self.logps(*narrow, data))
            self.assertGreater(gap.max(), 0)
            self.assertLess(gap.mean(), 0.03, (kind, lean))

    def test_sampler_and_trainer_stay_near_each_other(self):
        policy, start = load(make("qwen3"), dtype=torch.bfloat16)
        gaps = []
        for seed, (out, logps) in enumerate(run_rows(policy, start, [([seed + 1, 2, 3], seed, Params(40)) for seed in range(20)])):
            ids = numpy.array([seed + 1, 2, 3, *out])
            again = self.logps(policy, start, [wire.Datum(ids[:-1], {"target_tokens": ids[1:]})])
            gaps += numpy.abs(again[2:] - logps).tolist()
        self.assertLess(sum(gaps) / len(gaps), 0.03)

    def test_small_steps_are_not_rounded_away(self):
        policy, start = load(make("qwen3"), dtype=torch.bfloat16)
        data = wire.data(batch(random.Random(2), 6)["data"], "cross_entropy", VOCABULARY, POSITIONS)
        for model in (TrainedModel("m", policy, start), LoraModel("m", policy, start, lora.read({"rank": 4, "seed": 1}))):
            before = {k: w.detach().clone() for k, w in model.weights.items()}
            list(model.forward(data, "cross_entropy", {}, True, True))
            model.optim_step(FINE, None)
            self.assertTrue(all(w.dtype == torch.float32 for w in model.weights.values()))
            moved = sum((before[k] != w).sum().item() for k, w in model.weights.items())
            self.assertGreater(moved, 0.4 * sum(w.numel() for w in before.values()))
            self.assertTrue(all(w.dtype == torch.bfloat16 for w in model.snapshot().values()))

    def test_the_whole_server_runs_in_it(self):
        site = Site(*load(make("qwen3"), dtype=torch.bfloat16))
        try:
            site.new_model()
            for path, body in (("forward_backward", {"forward_backward_input": batch(random.Random(3), 4)}), ("optim_step", {"adam_params": FINE}),
                               ("save_weights", {"path": "c"}), ("load_weights", {"path": "c", "optimizer": True}),
                               ("save_weights_for_sampler", {"path": "s"})):
                self.assertNotIn("error", out := site.train(path, body))
            opened = site.api("create_sampling_session", {"session_id": site.session, "model_path": out["path"]})["sampling_session_id"]
            ask = dict(prompt=[5, 6], seed=3, max_tokens=6, prompt_logprobs=1)
            one, two = (site.sample(model=m, **ask)["choices"] for m in ("current", opened))
            self.assertEqual(one, two)
        finally:
            site.close()


class Options(unittest.TestCase):
    def test_parsing(self):
        given = server.arguments(["--model", "x"])
        self.assertEqual((given.device, given.dtype), ("cpu", "float32"))
        given = server.arguments(["--model", "x", "--device", "cuda:1", "--dtype", "bfloat16"])
        self.assertEqual((given.device, given.dtype), ("cuda:1", "bfloat16"))
        for wrong, words in ((["--device", "gpu"], "must be cpu"), (["--dtype", "float16"], "bfloat16")):
            with self.assertRaises(SystemExit), contextlib.redirect_stderr(io.StringIO()) as told:
                server.arguments(["--model", "x", *wrong])
            self.assertIn(words, told.getvalue())

    @unittest.skipIf(torch.cuda.is_available(), "there is a GPU")
    def test_a_missing_gpu_is_said(self):
        script = Path(server.__file__)
        ran = subprocess.run([sys.executable, script, "--model", make("qwen3"), "--device", "cuda"], capture_output=True, text=True, timeout=60)
        self.assertEqual(ran.returncode, 1)
        self.assertIn("sees no GPU", ran.stderr)


if __name__ == "__main__":
    unittest.main()
