"""Adapters: what they train, what they leave alone, and their checkpoints."""
import random
import unittest

import torch

from test_support import ADAM, LLAMA, LLAMA_START, PLAIN, PLAIN_START, POSITIONS, QWEN, QWEN_START, VOCABULARY, Site, batch

import lora
import wire
from lora import LoraModel
from model import load
from training import TrainedModel

ADAPT = {**ADAM, "weight_decay": 0.0, "learning_rate": 3e-3}


def made(policy=QWEN, start=QWEN_START, **config) -> LoraModel:
    return LoraModel("m", policy, start, lora.read({"rank": 4, "seed": 1, **config}))


class Adapters(unittest.TestCase):
    def setUp(self):
        self.data = wire.data(batch(random.Random(3), 6)["data"], "cross_entropy", VOCABULARY, POSITIONS)
        for d in self.data:
            d.inputs["weights"][:] = 1

    def run_(self, model, backward=True):
        return list(model.forward(self.data, "cross_entropy", {}, backward, False))[-1]

    def test_at_the_start_the_model_is_its_base_on_every_path(self):
        for policy, start in ((QWEN, QWEN_START), (LLAMA, LLAMA_START), (PLAIN, PLAIN_START)):
            one, two = self.run_(made(policy, start), False), self.run_(TrainedModel("f", policy, start), False)
            self.assertEqual(one["loss_fn_outputs"], two["loss_fn_outputs"])

    def test_the_loss_falls_and_the_base_stays(self):
        before = {k: v.clone() for k, v in QWEN_START.items()}
        model, sums = made(), []
        for _ in range(8):
            sums.append(self.run_(model)["metrics"]["loss:sum"])
            model.optim_step(ADAPT, None)
        self.assertLess(sums[-1], 0.8 * sums[0])
        self.assertTrue(all(torch.equal(before[k], QWEN_START[k]) for k in before))
        self.assertEqual(self.run_(model, False)["metrics"]["loss:sum"], self.merged(model))

    def merged(self, model) -> float:
        """The loss of what sampling would get."""
        return self.run_(TrainedModel("f", QWEN, model.snapshot()), False)["metrics"]["loss:sum"]

    def test_the_gradient_is_that_of_the_whole_matrix_projected(self):
        model = made(rank=3, alpha=6)
        draw = torch.Generator().manual_seed(4)
        with torch.no_grad():
            for weight in model.weights.values():
                weight.copy_(0.05 * torch.randn(weight.shape, generator=draw))
        full = TrainedModel("f", QWEN, model.snapshot())
        self.run_(model)
        self.run_(full)
        for key, (a, b) in model.pairs.items():
            whole = full.weights[key].grad
            for leaf, want in ((a, 2 * model.weights[b].T @ whole), (b, 2 * whole @ model.weights[a].T)):
                gap = (model.weights[leaf].grad - want).abs().max().item()
                self.assertLess(gap, 1e-4 * want.abs().max().item() + 1e-7, leaf)

    def test_parts_seed_and_rank_are_respected(self):
        kinds = {part: {k.split(".")[-2] for k in made(**{p: p == part for p in lora.PARTS}).pairs} for part in lora.PARTS}
        self.assertEqual(kinds, {"train_attn": {"q_proj", "k_proj", "v_proj", "o_proj"}, "train_mlp": {"gate_proj", "up_proj", "down_proj"},
                                 "train_unembed": {"embed_tokens"}})
        one, same, other = made(), made(), made(seed=2)
        self.assertTrue(all(torch.equal(one.weights[k], same.weights[k]) for k in one.weights))
        self.assertFalse(any(torch.equal(one.weights[k], other.weights[k]) for k in one.weights if "lora_A" in k))
        self.assertEqual({w.shape[0] for k, w in made(rank=7).weights.items() if "lora_A" in k}, {7})


class Served(unittest.TestCase):
    def setUp(self):
        self.site, self.draw = Site(), random.Random(21)

    def tearDown(self):
        self.site.close()

    def learn(self, model, given, seq):
        for path, body in (("forward_backward", {"forward_backward_input": given}), ("optim_step", {"adam_params": ADAPT})):
            seq += 1
            out = self.site.wait(self.site.api(path, {"model_id": model, "seq_id": seq, **body})["request_id"])
            self.assertNotIn("error", out)
        return seq

    def test_save_and_load_are_exact_and_ranks_do_not_mix(self):
        given = batch(self.draw, 5)
        self.site.new_model(rank=4, seed=1)
        self.site.new_model(rank=2, seed=9, train_mlp=False)
        self.site.new_model()
        for model in ("model-1", "model-2", "model-3"):
            self.learn(model, given, 0)
        call = lambda route, model, seq, **body: self.site.wait(self.site.api(route, {"model_id": model, "seq_id": seq, **body})["request_id"])  # noqa: E731
        saved = [call("save_weights", f"model-{i}", 3, path=f"c{i}")["path"] for i in (1, 2, 3)]
        files = [sorted(p.name for p in (self.site.root / "weights" / f"c{i}").glob("*.safetensors")) for i in (1, 3)]
        self.assertEqual(files, [["adapter_model.safetensors", "optimizer.safetensors"], ["model.safetensors", "optimizer.safetensors"]])
        info = self.site.api("weights_info", {"tinker_path": saved[1]})
        self.assertEqual([info[k] for k in ("is_lora", "lora_rank", "train_mlp", "train_attn")], [True, 2, False, True])
        self.assertEqual(self.site.api("get_info", {"model_id": "model-1"})["lora_rank"], 4)
        model = self.site.desk.models["model-1"]
        self.learn("model-1", given, 3)
        expected = {k: v.detach().clone() for k, v in model.weights.items()}
        self.assertEqual(call("load_weights", "model-1", 6, path=saved[0], optimizer=True)["spade_steps"], 1)
        self.learn("model-1", given, 6)
        self.assertTrue(all(torch.equal(expected[k], v) for k, v in model.weights.items()))
        for seq, path in ((9, saved[1]), (10, saved[2])):
            self.assertRegex(call("load_weights", "model-1", seq, path=path, optimizer=True)["error"], "another model|place")
        self.assertIn("place", call("load_weights", "model-3", 4, path=saved[0], optimizer=True)["error"])

    def test_models_are_sampled_side_by_side_from_merged_weights(self):
        given = batch(self.draw, 5)
        ask, got = dict(prompt=[5, 6], seed=3, max_tokens=12), {}
        got["base"] = self.site.sample(model="base", **ask)["choices"][0]["logprobs"]
        sessions = {}
        for i, rank in ((1, 2), (2, 6)):
            model = self.site.new_model(rank=rank, seed=i)
            first = self.site.wait(self.site.api("save_weights_for_sampler", {"model_id": model, "seq_id": 1})["request_id"])
            self.assertEqual(self.site.sample(model=first["sampling_session_id"], **ask)["choices"][0]["logprobs"], got["base"])
            self.learn(model, given, 1)
            kept = self.site.wait(self.site.api("save_weights_for_sampler", {"model_id": model, "seq_id": 4, "path": f"s{i}"})["request_id"])
            sessions[model] = kept["sampling_session_id"]
        for model, session in sessions.items():
            got[model] = self.site.sample(model=session, **ask)["choices"][0]["logprobs"]
        self.assertEqual(len({str(v) for v in got.values()}), 3)
        self.assertEqual(self.site.sample(model="base", **ask)["choices"][0]["logprobs"], got["base"])
        policy, start = load(self.site.root / "sampler_weights" / "s1")  # a whole model for any tool
        self.assertEqual(set(start), set(QWEN_START))
        again = self.site.api("create_sampling_session", {"session_id": self.site.session, "model_path": kept["path"]})["sampling_session_id"]
        self.assertEqual(self.site.sample(model=again, **ask)["choices"][0]["logprobs"], got["model-2"])


if __name__ == "__main__":
    unittest.main()
