"""python -m unittest test_engine (in this folder). Small models, no network, under a minute."""
import asyncio
import json
import math
import random
import unittest

import numpy
import torch

from test_support import (ADAM, LLAMA, LLAMA_START, PLAIN, PLAIN_START, POSITIONS, QWEN, QWEN_START, VOCABULARY, Site, batch, datum,
                          make, random_specs, run_rows, wait_until)

import autograd
import desk
import futures
import losses
import sampling
import wire
from decoder import Decoder
from model import load
from refusal import Refusal
from sampling import Params
from training import TrainedModel


class Neighbours(unittest.TestCase):
    """spade.md section 2: arrival order changes nothing."""

    def check(self, policy, start, specs, rounds):
        alone = [run_rows(policy, start, [spec])[0] for spec in specs]
        for round_ in range(rounds):
            draw = random.Random(round_)
            mixed = run_rows(policy, start, specs, draw, draw.choice([3, 8, 64]), draw.choice([0, 1 << 24]))
            self.assertEqual(mixed, alone)

    def test_lean_rows_do_not_depend_on_neighbours_or_arrival(self):
        draw = random.Random(1)
        self.check(QWEN, QWEN_START, random_specs(draw, 40) + random_specs(draw, 4, 600, 20), 5)
        self.check(LLAMA, LLAMA_START, random_specs(draw, 20) + random_specs(draw, 2, 600, 20), 2)

    def test_generic_rows_do_not_depend_on_neighbours_or_arrival(self):
        draw = random.Random(2)
        self.check(PLAIN, PLAIN_START, random_specs(draw, 14) + random_specs(draw, 2, 400, 8), 2)

    def test_a_cached_prefix_gives_the_bits_of_a_fresh_prompt(self):
        draw = random.Random(3)
        specs = random_specs(draw, 20)
        decoder = Decoder(QWEN, QWEN_START, 0, 64, 1 << 24)
        first = run_rows(QWEN, QWEN_START, specs, decoder=decoder)
        again = [(p + out + [7, 8, 9], seed + 1, params) for (p, seed, params), (out, _) in zip(specs, first)]
        warm = run_rows(QWEN, QWEN_START, again, decoder=decoder)
        self.assertGreater(decoder.reused, 0)
        self.assertEqual(warm, run_rows(QWEN, QWEN_START, again, cache=0))

    def test_over_http_concurrent_requests_equal_single_ones(self):
        site = Site()
        try:
            draw = random.Random(4)
            bodies = [{"prompt": p, "seed": s, "max_tokens": q.max_tokens, "stop_token_ids": [3]} for p, s, q in random_specs(draw, 12)]
            alone = [site.sample(**b)["choices"] for b in bodies]

            async def late(body):
                await asyncio.sleep(draw.random() * 0.05)
                return (await site.request("POST", "/v1/completions", body))[1]["choices"]

            async def together():
                return await asyncio.gather(*[late(b) for b in bodies])

            self.assertEqual(site.loop.run_until_complete(together()), alone)
            batched = site.sample(prompt=[b["prompt"] for b in bodies], seed=[b["seed"] for b in bodies],
                                  max_tokens=[b["max_tokens"] for b in bodies], stop_token_ids=[3])["choices"]
            self.assertEqual([(c["token_ids"], c["logprobs"]) for c in batched], [(c[0]["token_ids"], c[0]["logprobs"]) for c in alone])
        finally:
            site.close()


class Sampling(unittest.TestCase):
    def test_ends_with_a_stop_id_or_at_the_limit(self):
        specs = [([i + 1], i, Params(40, stop=frozenset(range(0, VOCABULARY, 9)))) for i in range(30)]
        outs = [out for out, _ in run_rows(QWEN, QWEN_START, specs)]
        for out in outs:
            stops = [t for t in out if t % 9 == 0]
            self.assertTrue((stops == [out[-1]]) or (not stops and len(out) == 40))

    def test_draws_follow_the_distribution_and_the_seed(self):
        logits = torch.tensor([[0.0, 1.0, 2.0, -30.0]]).expand(4000, 4)
        ids, logps = sampling.draw(logits, [Params(1)] * 4000, list(range(4000)), [0] * 4000)
        expected = torch.softmax(logits[0].double(), -1)
        for token in range(3):
            self.assertAlmostEqual(ids.count(token) / 4000, expected[token].item(), delta=0.03)
        self.assertEqual(ids.count(3), 0)
        self.assertTrue(all(abs(lp - expected[i].log().item()) < 1e-12 for i, lp in zip(ids, logps)))
        self.assertEqual(sampling.uniform([5], [1]), sampling.uniform([5, 6], [1, 1])[:1])

    def test_cuts_and_greedy(self):
        logits = torch.tensor([[0.0, 1.0, 2.0, 1.5]]).expand(200, 4)
        seeds = list(range(200))
        two, logps = sampling.draw(logits, [Params(1, top_k=2)] * 200, seeds, [0] * 200)
        self.assertEqual(set(two), {2, 3})
        self.assertAlmostEqual(max(logps), torch.log_softmax(logits[0].double(), -1)[2].item(), places=12)
        self.assertEqual(set(sampling.draw(logits, [Params(1, top_p=0.3)] * 200, seeds, [0] * 200)[0]), {2})
        self.assertEqual(set(sampling.draw(logits, [Params(1, temperature=0.0)] * 200, seeds, [0] * 200)[0]), {2})

    def test_sampler_and_trainer_agree(self):
        for policy, start in ((QWEN, QWEN_START), (LLAMA, LLAMA_START), (PLAIN, PLAIN_START)):
            specs = [(p, s, Params(30)) for p, s, _ in random_specs(random.Random(6), 20)]
            model = TrainedModel("m", policy, start)
            gaps = []
            for (prompt, _, _), (out, logps) in zip(specs, run_rows(policy, start, specs)):
                ids = prompt + out
                d = wire.Datum(numpy.array(ids[:-1]), {"target_tokens": numpy.array(ids[1:])})
                got = list(model.forward([d], "cross_entropy", {}, False, False))[-1]["loss_fn_outputs"][0]["logprobs"]["data"]
                gaps += [abs(a - b) for a, b in zip(got[len(prompt) - 1 :], logps)]
            self.assertLess(sum(gaps) / len(gaps), 1e-5)

    def test_the_lean_pass_equals_transformers(self):
        for kind, lean, start in (("qwen3", QWEN, QWEN_START), ("llama", LLAMA, LLAMA_START)):
            plain, _ = load(make(kind), lean=False)
            self.assertEqual((type(lean).__name__, type(plain).__name__), ("Lean", "Generic"))
            self.assertEqual(set(plain.module.state_dict()) - {"lm_head.weight"}, set(start))
            ids, chosen = torch.randint(0, VOCABULARY, (3, 40)), torch.arange(120)
            want, got = plain.logits(start, ids, chosen), lean.logits(start, ids, chosen)
            self.assertLess((want - got).abs().max().item(), 2e-5 * want.abs().max().item())


class Gradients(unittest.TestCase):
    def test_hand_written_functions(self):
        draw = torch.Generator().manual_seed(1)
        new = lambda *shape: torch.randn(*shape, generator=draw, dtype=torch.float64, requires_grad=True)  # noqa: E731
        angle = torch.randn(5, 1, 4, generator=draw, dtype=torch.float64)
        cos, sin = torch.cat((angle, angle), -1).cos(), torch.cat((angle, angle), -1).sin()
        check = torch.autograd.gradcheck
        self.assertTrue(check(lambda x, w: autograd.rms_norm(x, w, 1e-6), (new(5, 8), new(8))))
        self.assertTrue(check(lambda x, w: autograd.qk_norm_rope(x, w, cos, sin, 1e-6), (new(5, 3, 8), new(3, 8))))
        self.assertTrue(check(lambda x: autograd.rope(x, cos, sin), (new(5, 3, 8),)))
        self.assertTrue(check(autograd.swiglu, (new(5, 12),)))

    def test_slopes_are_derivatives(self):
        draw = torch.Generator().manual_seed(2)
        r = lambda: torch.randn(300, generator=draw, dtype=torch.float64)  # noqa: E731
        q = r()
        terms = losses.Terms(r(), q, r(), torch.full((300,), 0.8, dtype=torch.float64), torch.full((300,), 1.28, dtype=torch.float64))
        logp = q + 0.4 * r()
        for loss in losses.INPUTS.keys() - {"cispo"}:
            _, slope = losses.evaluate(loss, logp, terms)
            up, down = losses.evaluate(loss, logp + 1e-6, terms)[0], losses.evaluate(loss, logp - 1e-6, terms)[0]
            self.assertLess(((up - down) / 2e-6 - slope).abs().max().item(), 1e-6, loss)

    def test_the_ratio_of_cispo_is_clipped_and_a_constant_to_the_derivative(self):
        draw = torch.Generator().manual_seed(3)
        r = lambda: torch.randn(300, generator=draw, dtype=torch.float64)  # noqa: E731
        weights, q, advantages = r(), r(), r()
        logp = (q + 0.4 * r()).requires_grad_(True)
        ratio = (logp - q).exp().clamp(0.8, 1.28).detach()
        loss = -(ratio * logp * advantages * weights).sum()
        loss.backward()
        bounds = torch.full((300,), 0.8, dtype=torch.float64), torch.full((300,), 1.28, dtype=torch.float64)
        each, slope = losses.evaluate("cispo", logp.detach(), losses.Terms(weights, q, advantages, *bounds))
        self.assertAlmostEqual(each.sum().item(), loss.item(), places=9)
        self.assertLess((slope - logp.grad).abs().max().item(), 1e-12)
        self.assertGreater((ratio != (logp - q).exp()).sum().item(), 50)  # clipping happened

    def test_cross_entropy_with_derived_weights_equals_every_other_loss(self):
        """engines.md section 5: weights = −dL/dlogp."""
        draw = random.Random(7)
        clip = {"clip_low_threshold": 0.8, "clip_high_threshold": 1.28}
        for loss, config in (("importance_sampling", {}), ("ppo", clip), ("cispo", clip)):
            data = wire.data(batch(draw, 6, loss)["data"], loss, VOCABULARY, POSITIONS)
            model, other = TrainedModel("a", QWEN, QWEN_START), TrainedModel("b", QWEN, QWEN_START)
            out = list(model.forward(data, loss, losses.check_config(loss, config), True, False))[-1]
            derived = []
            for d, o in zip(data, out["loss_fn_outputs"]):
                logp = torch.tensor(o["logprobs"]["data"], dtype=torch.float64)
                t = losses.Terms(*[torch.from_numpy(d.inputs[k]) for k in ("weights", "logprobs", "advantages")],
                                 torch.full_like(logp, 0.8), torch.full_like(logp, 1.28))
                weights = -losses.evaluate(loss, logp, t)[1]
                derived.append(wire.Datum(d.ids, {"target_tokens": d.inputs["target_tokens"], "weights": weights.numpy()}))
            list(other.forward(derived, "cross_entropy", {}, True, False))
            for key, weight in model.weights.items():
                scale = weight.grad.abs().max().item() + 1e-9
                self.assertLess((weight.grad - other.weights[key].grad).abs().max().item() / scale, 1e-4, key)

    def test_gradient_matches_plain_autograd_on_both_paths(self):
        draw = random.Random(8)
        data = wire.data(batch(draw, 5)["data"], "cross_entropy", VOCABULARY, POSITIONS)
        for kind, lean, start in (("qwen3", QWEN, QWEN_START), ("llama", LLAMA, LLAMA_START)):
            plain, _ = load(make(kind), lean=False)
            a, b = TrainedModel("a", lean, start), TrainedModel("b", plain, start)
            list(a.forward(data, "cross_entropy", {}, True, True))
            total = 0
            for d in data:
                logits = plain.logits(b.weights, torch.from_numpy(d.ids)[None], torch.arange(len(d.ids)))
                logp = torch.log_softmax(logits, -1).gather(-1, torch.from_numpy(d.inputs["target_tokens"])[:, None])[:, 0]
                total = total - (logp * torch.from_numpy(d.inputs["weights"]).float()).sum()
            total.backward()
            for key, weight in a.weights.items():
                scale = weight.grad.abs().max().item()
                self.assertLess((weight.grad - b.weights[key].grad).abs().max().item(), 1e-4 * scale, key)

    def test_temperature_divides_logits(self):
        d = wire.data(batch(random.Random(3), 1)["data"], "cross_entropy", VOCABULARY, POSITIONS)[0]
        d.inputs["temperature"] = numpy.full(len(d.ids), 0.6)
        model = TrainedModel("a", QWEN, QWEN_START)
        got = list(model.forward([d], "cross_entropy", {}, False, False))[-1]["loss_fn_outputs"][0]["logprobs"]["data"]
        logits = QWEN.logits(QWEN_START, torch.from_numpy(d.ids)[None], torch.arange(len(d.ids))) / 0.6
        want = torch.log_softmax(logits, -1).gather(-1, torch.from_numpy(d.inputs["target_tokens"])[:, None])[:, 0]
        self.assertLess(numpy.abs(numpy.array(got) - want.numpy()).max(), 1e-5)

    def test_adam_equals_torch(self):
        model = TrainedModel("a", QWEN, QWEN_START)
        twin = {k: v.detach().clone().requires_grad_(True) for k, v in QWEN_START.items()}
        other = torch.optim.AdamW(twin.values(), lr=1e-2, betas=(0.9, 0.98), eps=1e-8, weight_decay=0.1, foreach=False)
        draw = random.Random(9)
        for step in range(4):
            data = wire.data(batch(draw, 4)["data"], "cross_entropy", VOCABULARY, POSITIONS)
            list(model.forward(data, "cross_entropy", {}, True, True))
            for key, weight in twin.items():
                weight.grad = model.weights[key].grad.clone()
            torch.nn.utils.clip_grad_norm_(twin.values(), 1.0)
            other.param_groups[0]["lr"] = ADAM["learning_rate"] / (step + 1)
            other.step()
            model.optim_step({**ADAM, "learning_rate": ADAM["learning_rate"] / (step + 1)}, None)
            for key, weight in twin.items():
                self.assertLess((weight - model.weights[key]).abs().max().item(), 2e-6, key)

    def test_same_calls_same_bits(self):
        data = wire.data(batch(random.Random(10), 12)["data"], "cross_entropy", VOCABULARY, POSITIONS)
        runs = []
        for _ in range(2):
            model = TrainedModel("a", QWEN, QWEN_START)
            out = list(model.forward(data, "cross_entropy", {}, True, False))[-1]
            runs.append((out, {k: w.grad for k, w in model.weights.items()}))
        self.assertEqual(runs[0][0], runs[1][0])
        self.assertTrue(all(torch.equal(g, runs[1][1][k]) for k, g in runs[0][1].items()))


class Server(unittest.TestCase):
    def setUp(self):
        self.site = Site()
        self.site.new_model()
        self.draw = random.Random(11)

    def tearDown(self):
        self.site.close()

    def learn(self, batch_id=None, count=4):
        given = batch(self.draw, count)
        self.site.train("forward_backward", {"forward_backward_input": given})
        extra = {} if batch_id is None else {"spade_batch_id": batch_id}
        return self.site.train("optim_step", {"adam_params": ADAM, **extra})

    def weights(self, model="model-1"):
        return self.site.desk.models[model].snapshot()

    def assertSame(self, one, two):
        self.assertTrue(all(torch.equal(one[k], two[k]) for k in one))

    def test_save_and_load_are_exact_with_optimizer_and_counts(self):
        self.learn("b1")
        self.site.train("save_weights_for_sampler", {})
        path = self.site.train("save_weights", {"path": "c1"})["path"]
        state = self.draw.getstate()
        self.learn("b2")
        expected = self.weights()
        self.site.train("save_weights_for_sampler", {})
        loaded = self.site.train("load_weights", {"path": path, "optimizer": True})
        self.assertEqual((loaded["spade_weights_version"], loaded["spade_batch_id"], loaded["spade_steps"]), (1, "b1", 1))
        self.assertEqual(self.site.sample(prompt=[1], seed=1, max_tokens=2)["weights_version"], 1)
        self.draw.setstate(state)
        self.learn("b2")
        self.assertSame(self.weights(), expected)
        taken = self.site.train("save_weights", {"path": "c1"})
        self.assertIn("exists", taken["error"])
        self.assertEqual([p.name for p in (self.site.root / "weights").iterdir()], ["c1"])
        load(self.site.root / "weights" / "c1")  # a model folder of transformers

    def test_loaded_but_unpublished_weights_are_not_sampled(self):
        self.learn()
        self.site.train("save_weights", {"path": "dirty"})
        self.site.train("load_weights", {"path": "dirty", "optimizer": True})
        status, value = self.site.call("/v1/completions", {"prompt": [1], "max_tokens": 1})
        self.assertEqual(status, 409)
        self.assertIn("save_weights_for_sampler", value["detail"])
        self.assertEqual(self.site.train("save_weights_for_sampler", {})["spade_weights_version"], 1)
        self.site.sample(prompt=[1], max_tokens=1)

    def test_a_batch_is_applied_once(self):
        self.assertFalse(self.learn("b1")["spade_already_applied"])
        before = self.weights()
        self.assertTrue(self.learn("b1")["spade_already_applied"])
        self.assertSame(before, self.weights())
        self.assertEqual(self.site.api("get_info", {"model_id": "model-1"})["spade_batch_id"], "b1")
        self.assertFalse(self.learn("b2")["spade_already_applied"])

    def test_the_base_session_stays_frozen_and_current_moves(self):
        opened = self.site.api("create_sampling_session", {"session_id": self.site.session, "base_model": "tiny"})["sampling_session_id"]
        ask = dict(prompt=[5, 6], seed=3, max_tokens=6)
        first = {m: self.site.sample(model=m, **ask)["choices"] for m in ("base", "current", opened)}
        self.assertEqual(first["base"], first["current"])
        self.learn()
        self.assertEqual(self.site.sample(model="current", **ask)["choices"], first["current"])  # not yet published
        published = self.site.train("save_weights_for_sampler", {"path": "kept"})
        self.assertEqual(published["spade_weights_version"], 1)
        moved = self.site.sample(model="current", **ask)
        self.assertEqual(moved["weights_version"], 1)
        self.assertNotEqual(moved["choices"], first["current"])
        for name in ("base", opened):
            self.assertEqual(self.site.sample(model=name, **ask)["choices"], first["base"])
        again = self.site.api("create_sampling_session", {"session_id": self.site.session, "model_path": published["path"]})
        self.assertEqual(self.site.sample(model=again["sampling_session_id"], **ask)["choices"], moved["choices"])
        self.assertEqual(self.site.train("save_weights_for_sampler", {})["spade_weights_version"], 1)  # nothing changed

    def test_asample_gives_what_completions_gives(self):
        sent = {"sampling_session_id": "base", "seq_id": 1, "num_samples": 2, "prompt": {"chunks": [{"type": "encoded_text", "tokens": [5, 6]}]},
                "sampling_params": {"max_tokens": 6, "seed": 3, "stop": [9]}}
        promise = self.site.api("asample", sent)
        self.assertEqual(len(promise["sample_sequence_ids"]), 2)
        got = self.site.wait(promise["request_id"])["sequences"]
        want = self.site.sample(model="base", prompt=[5, 6], seed=3, max_tokens=6, stop_token_ids=[9])["choices"][0]
        self.assertEqual((got[0]["tokens"], got[0]["logprobs"]), (want["token_ids"], want["logprobs"]["token_logprobs"]))
        self.assertNotEqual(got[0]["tokens"], got[1]["tokens"])

    def test_sampling_in_between_does_not_change_training(self):
        given = batch(self.draw, 40)
        self.site.new_model()
        self.site.train("forward_backward", {"forward_backward_input": given})
        promise = self.site.api("forward_backward", {"model_id": "model-2", "seq_id": 1, "forward_backward_input": given})
        noise = self.site.sample(prompt=[[i] for i in range(50)], seed=list(range(50)), max_tokens=20, model="base")
        self.site.wait(promise["request_id"])
        one, two = (self.site.desk.models[m].weights for m in ("model-1", "model-2"))
        self.assertTrue(all(torch.equal(one[k].grad, two[k].grad) for k in one))
        self.assertEqual(len(noise["choices"]), 50)

    def test_forward_accumulates_nothing_and_chunks_add_up(self):
        given = batch(self.draw, 6)
        self.site.train("forward", {"forward_input": given})
        self.assertIn("no gradients", self.site.train("optim_step", {"adam_params": ADAM})["error"])
        for part in (given["data"][:2], given["data"][2:]):
            self.site.train("forward_backward", {"forward_backward_input": {**given, "data": part}})
        model = self.site.desk.models["model-1"]
        chunked = {k: w.grad.clone() for k, w in model.weights.items()}
        model.clear()
        self.site.train("forward_backward", {"forward_backward_input": given})
        for key, grad in chunked.items():
            self.assertLess((grad - model.weights[key].grad).abs().max().item(), 1e-4 * (grad.abs().max().item() + 1e-6))

    def test_positions_without_weight_are_null_when_only_weighted_are_asked(self):
        d = datum(self.draw, 4, weights=[0, 1, 0, 2])
        full, part = [self.site.train("forward", {"forward_input": {"data": [d], "loss_fn": "cross_entropy", "spade_positions": p}})
                      ["loss_fn_outputs"][0]["logprobs"]["data"] for p in ("all", "weighted")]
        self.assertEqual([v is None for v in part], [True, False, True, False])
        self.assertLess(max(abs(a - b) for a, b in zip(full, part) if b is not None), 1e-5)

    def test_a_step_with_a_failed_call_is_not_taken(self):
        before, good = self.weights(), batch(self.draw, 3)
        self.site.train("forward_backward", {"forward_backward_input": good})
        self.site.seq += 1
        status, _ = self.site.call("/api/v1/forward_backward", {"model_id": "model-1", "seq_id": self.site.seq, "forward_backward_input": {}})
        self.assertEqual(status, 422)
        self.site.train("forward_backward", {"forward_backward_input": good})
        self.assertIn("again", self.site.train("optim_step", {"adam_params": ADAM})["error"])
        self.assertSame(before, self.weights())
        self.learn()

    def test_seq_ids_order_calls_and_repeats_are_one_call(self):
        given = {"model_id": "model-1", "forward_backward_input": batch(self.draw, 3)}
        step = self.site.api("optim_step", {"model_id": "model-1", "seq_id": 2, "adam_params": ADAM})
        first = self.site.api("forward_backward", {**given, "seq_id": 1})
        again = self.site.api("forward_backward", {**given, "seq_id": 1})
        self.assertEqual(first["request_id"], again["request_id"])
        self.assertEqual(self.site.wait(step["request_id"])["metrics"]["step"], 1)
        gap, futures.GAP_SECONDS = futures.GAP_SECONDS, 0.05
        try:
            lost = self.site.api("optim_step", {"model_id": "model-1", "seq_id": 9, "adam_params": ADAM})
            self.assertIn("seq_id 3", self.site.wait(lost["request_id"])["error"])
        finally:
            futures.GAP_SECONDS = gap
        status, _ = self.site.call("/api/v1/optim_step", {"model_id": "model-1", "seq_id": 1000, "adam_params": {"lr": 1}})
        self.assertEqual(status, 422)

    def test_fetched_results_can_be_fetched_again_for_a_while(self):
        first = self.site.api("forward", {"model_id": "model-1", "seq_id": 1, "forward_input": batch(self.draw, 2)})
        self.assertEqual(self.site.wait(first["request_id"]), self.site.wait(first["request_id"]))
        self.site.seq = 1
        for _ in range(futures.DELIVERED):
            self.site.train("forward", {"forward_input": batch(self.draw, 1)})
        self.assertEqual(self.site.call("/api/v1/retrieve_future", first)[0], 410)

    def test_a_model_is_made_from_a_checkpoint_and_ends_with_its_session(self):
        self.learn("b1")
        path = self.site.train("save_weights", {"path": "c"})["path"]
        ask = {"session_id": self.site.session, "model_seq_id": 7, "path": path, "optimizer": True}
        made = self.site.api("load_weights", ask)
        self.assertEqual(made["model_id"], f"{self.site.session}:train:7")
        self.assertEqual(self.site.wait(made["request_id"])["spade_steps"], 1)
        self.assertEqual(self.site.api("load_weights", ask), made)  # a repeat makes no second one
        self.assertSame(self.weights(), self.weights(made["model_id"]))
        given = batch(self.draw, 3)
        for model, seq in (("model-1", self.site.seq + 1), (made["model_id"], 1)):
            for path_, more in (("forward_backward", {"forward_backward_input": given}), ("optim_step", {"adam_params": ADAM})):
                self.assertNotIn("error", self.site.wait(self.site.api(path_, {"model_id": model, "seq_id": seq, **more})["request_id"]))
                seq += 1
        self.assertSame(self.weights(), self.weights(made["model_id"]))
        file = self.site.root / "weights" / "c" / "model.safetensors"
        file.write_bytes(file.read_bytes()[:-10])
        broken = self.site.api("load_weights", {**ask, "model_seq_id": 8})
        self.assertIn("damaged", self.site.wait(broken["request_id"])["error"])
        self.assertNotIn(broken["model_id"], self.site.desk.models)
        self.site.api(f"sessions/{self.site.session}/finish")
        self.assertEqual(self.site.desk.models, {})
        self.assertEqual(self.site.call("/api/v1/session_heartbeat", {"session_id": self.site.session})[0], 404)

    def test_small_routes(self):
        self.assertEqual(self.site.api("telemetry", {"events": []}), {"status": "accepted"})
        self.assertIn("sample_cancel_enabled", self.site.api("client/dynamic_config"))
        self.assertEqual(self.site.api("samplers/base", method="GET")["base_model"], "tiny")
        self.assertEqual(self.site.call("/api/v1/samplers/nope", b"", "GET")[0], 404)
        names = [m["id"] for m in self.site.call("/v1/models", b"", "GET")[1]["data"]]
        self.assertEqual(names, ["current", "base", "tiny"])

    def test_a_client_that_goes_away_ends_its_rows_and_models_of_silent_clients_make_room(self):
        async def leave():
            job = asyncio.ensure_future(self.site.request("POST", "/v1/completions", {"prompt": [[1]] * 8, "max_tokens": 600}, gone=True))
            return await job

        status, _ = self.site.loop.run_until_complete(leave())
        self.assertEqual(status, 499)
        wait_until(self, lambda: not self.site.engine.base.busy)
        for _ in range(desk.MAX_MODELS - 1):
            self.site.new_model()
        asked = {"session_id": self.site.session, "model_seq_id": 99, "base_model": "tiny", "lora_config": {"rank": 0}}
        self.assertEqual(self.site.call("/api/v1/create_model", asked)[0], 409)
        self.site.desk.sessions[self.site.session]["seen"] -= 1000
        fresh = self.site.api("create_session", {})["session_id"]
        self.site.api("create_model", {**asked, "session_id": fresh})
        self.assertEqual(len(self.site.desk.models), 1)

    def test_malformed_requests_are_refused_with_a_reason(self):
        good = datum(self.draw, 3)

        def fb(change, loss="cross_entropy", **more):
            d = json.loads(json.dumps(good))
            change(d)
            return ("forward_backward", {"model_id": "model-1", "seq_id": 50, "forward_backward_input": {"data": [d], "loss_fn": loss, **more}})

        inputs = lambda d: d["loss_fn_inputs"]  # noqa: E731
        cases = [
            (fb(lambda d: None, loss="nope"), "must be one of"),
            (fb(lambda d: None, loss_fn_config={"x": 1}), "loss_fn_config"),
            (fb(lambda d: None, loss="ppo"), "needs"),
            (fb(lambda d: None, loss_fn_config_v2={"x": {"text": "y"}}), "'x'"),
            (fb(lambda d: None, loss_fn_config=[1]), "must be an object"),
            (fb(lambda d: inputs(d)["weights"].update(sparse_crow_indices=[0])), "sparse"),
            (fb(lambda d: inputs(d)["weights"].update(shape=[1, 3])), "shape"),
            (("forward_backward", {"model_id": "model-1", "seq_id": 51, "forward_only": 1, "forward_backward_input": batch(self.draw, 1)}), "forward_only"),
            (fb(lambda d: inputs(d).update(mask=inputs(d)["weights"])), "unknown fields ['mask']"),
            (fb(lambda d: inputs(d)["weights"].update(data=[1, 2])), "one a token"),
            (fb(lambda d: inputs(d)["weights"].update(data=[1, math.nan, 0])), "finite"),
            (fb(lambda d: inputs(d)["weights"].update(data=[1, None, 0])), "finite"),
            (fb(lambda d: inputs(d)["target_tokens"].update(data=[1, 2, VOCABULARY])), "whole numbers"),
            (fb(lambda d: d["model_input"]["chunks"][0].update(tokens=[1] * (POSITIONS + 1))), "positions"),
            (fb(lambda d: d["model_input"]["chunks"][0].update(type="image")), "encoded_text"),
            (("optim_step", {"model_id": "model-9", "seq_id": 1}), "create_model"),
            (("optim_step", {"model_id": "model-1", "seq_id": "1"}), "whole number"),
            (("optim_step", {"model_id": "model-1", "seq_id": 60, "adam_params": {"learning_rate": math.inf}}), "finite"),
            (("save_weights", {"model_id": "model-1", "seq_id": 61, "path": "../x"}), "must match"),
            (("weights_info", {"tinker_path": "x\n"}), "must match"),
            (("create_model", {"session_id": self.site.session, "base_model": "tiny", "lora_config": {"rank": -1}}), "rank"),
            (("create_model", {"session_id": self.site.session, "base_model": "tiny"}), "rank: 0"),
            (("create_model", {"session_id": self.site.session, "base_model": "tiny", "lora_config": {
                "rank": 2, "train_attn": False, "train_mlp": False, "train_unembed": False}}), "nothing to adapt"),
            (("create_model", {"session_id": self.site.session, "base_model": "other", "lora_config": {"rank": 0}}), "holds"),
            (("create_model", {"session_id": self.site.session, "base_model": "tiny", "lora_config": {"rank": 0},
                               "optimizer_config": {"type": "dimuon"}}), "adamw"),
            (("optim_step", {"model_id": "model-1", "seq_id": 62, "optimizer_params": {"type": "dimuon"}}), "optimizer_params"),
            (("asample", {"sampling_session_id": "base", "prompt": {"chunks": [{"tokens": [1]}]}, "topk_sample_logprobs": 2,
                          "sampling_params": {"max_tokens": 1}}), "topk_sample_logprobs"),
            (("asample", {"sampling_session_id": "base", "prompt": {"chunks": [{"tokens": [1]}]}, "sampling_params": {"max_tokens": 1, "stop": "x"}}), "token ids"),
            (("load_weights", {"session_id": self.site.session, "model_seq_id": 9, "path": "nowhere"}), "no complete checkpoint"),
            (("retrieve_future", {"request_id": "zzz"}), "never gave"),
        ]
        for (path, body), words in cases:
            status, value = self.site.call("/api/v1/" + path, body)
            self.assertTrue(400 <= status < 500 and words in value["detail"], (path, words, status, value))
        for body, words in [
            ({"prompt": []}, "prompt"), ({"prompt": [[1], []]}, "empty"), ({"prompt": [[1.5]]}, "whole numbers"),
            ({"prompt": [[1]], "seed": [1, 2]}, "one each"), ({"prompt": [1] * 600, "max_tokens": 100}, "positions"),
            ({"prompt": [1], "stop": ["x"]}, "token ids"), ({"prompt": [1], "model": "x"}, "current"), ({"prompt": [1], "best": 1}, "unknown"),
            ({"prompt": [1], "temperature": -1}, "temperature"), ({"prompt": [1], "max_tokens": 0}, "max_tokens"), ({"prompt": [1], "n": 0}, "n"),
            ({"prompt": "text"}, "tokenizer.json"), ({"prompt": [1], "logprobs": 5}, "logprobs"), ({"prompt": [1], "min_p": 0.5}, "min_p"),
        ]:
            status, value = self.site.call("/v1/completions", body)
            self.assertTrue(400 <= status < 500 and words in value["detail"], (body, status, value))
        self.assertEqual(self.site.call("/v1/completions", b"{not json")[0], 422)
        self.site.sample(prompt=[1], max_tokens=1)  # still alive

    def test_an_error_inside_ends_its_requests_and_not_the_server(self):
        step, calls = type(QWEN).step, []

        def broken(*args):
            calls.append(1)
            raise RuntimeError("planted")

        QWEN.step = broken
        try:
            with self.assertLogs("engine", "ERROR"):
                status, value = self.site.call("/v1/completions", {"prompt": [1], "max_tokens": 1})
        finally:
            del QWEN.step
        self.assertEqual((status, len(calls)), (500, 1))
        self.assertIn("planted", value["detail"])
        self.assertIs(type(QWEN).step, step)
        self.site.sample(prompt=[1], max_tokens=1)

    def test_damaged_weights_are_an_error_not_a_number(self):
        with torch.no_grad():
            self.site.desk.models["model-1"].weights["model.norm.weight"].fill_(math.nan)
        out = self.site.train("forward_backward", {"forward_backward_input": batch(self.draw, 2)})
        self.assertEqual(out["category"], "server")
        self.assertIn("not finite", out["error"])

    def test_damaged_checkpoints_change_nothing(self):
        self.learn()
        self.site.train("save_weights", {"path": "c"})
        file = self.site.root / "weights" / "c" / "model.safetensors"
        file.write_bytes(file.read_bytes()[:-100])
        before = self.weights()
        self.assertIn("damaged", self.site.train("load_weights", {"path": "c"})["error"])
        self.assertSame(before, self.weights())
        with self.assertRaises(Refusal):
            self.site.desk.saved("nowhere")


if __name__ == "__main__":
    unittest.main()
