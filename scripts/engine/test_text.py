"""Text at the edges: stop texts, prompts as text, chat, scores of prompts, streams. With a tokenizer made here."""
import json
import random
import unittest

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast, Qwen3Config, Qwen3ForCausalLM

from test_support import HOME, QWEN, QWEN_START, SHAPE, VOCABULARY, Site, run_rows, wait_until

import messages
import proto
from decoder import Decoder, Job
from model import load
from refusal import Refusal
from sampling import Params, child_seed
from text import Text

TEMPLATE = """{%- for m in messages %}
    {%- if m.role == 'robot' %}{{ raise_exception('no robots') }}{% endif %}
    {{- '<|im_start|>' + m.role + '\\n' + m.content + '<|im_end|>\\n' }}
{%- endfor %}
{%- if tools %}{{ tools | tojson }}{% endif %}
{%- if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}"""


def make_spoken():
    """A model folder with tokenizer and chat template: all bytes, some merges, three special tokens."""
    folder = HOME / "spoken"
    if folder.exists():
        return folder
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer, tokenizer.decoder = pre_tokenizers.ByteLevel(add_prefix_space=False), decoders.ByteLevel()
    trainer = trainers.BpeTrainer(vocab_size=300, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False,
                                  special_tokens=["<|end|>", "<|im_start|>", "<|im_end|>"])
    tokenizer.train_from_iterator(["the cat and the dog ran to the end of the lane", "stop the cat, end the game"], trainer)
    torch.manual_seed(6)
    config = Qwen3Config(**{**SHAPE, "vocab_size": 300, "eos_token_id": 2})
    Qwen3ForCausalLM(config).float().save_pretrained(folder)
    tokenizer.save(str(folder / "tokenizer.json"))
    (folder / "tokenizer_config.json").write_text(json.dumps({"eos_token": "<|im_end|>", "chat_template": TEMPLATE}))
    return folder


SPOKEN = make_spoken()
POLICY, START = load(SPOKEN)


def chunks(ids):
    return {"chunks": [{"type": "encoded_text", "tokens": ids}]}


class Stops(unittest.TestCase):
    def test_a_row_ends_with_the_token_that_completes_a_stop_text(self):
        words = Text(SPOKEN)
        for stops in (["e"], ["th", "zz"], ["\ufffd"], ["a\n", "q", "Ġ"]):
            ender, draw = words.ender(stops), random.Random(repr(stops))
            for _ in range(60):
                ids = [draw.randrange(300) for _ in range(60)]
                first = next((n for n in range(1, 61) if any(s in words.decode(ids[:n], False) for s in stops)), None)
                got = next((n for n in range(1, 61) if ender(ids[:n])), None)
                self.assertEqual(got, first, (stops, ids))

    def test_long_texts_over_many_tokens_are_found(self):
        words = Text(SPOKEN)
        stop = "déjà vu — " * 5 + "🙂"
        ids = words.encode("xx" + stop)
        self.assertEqual([n for n in range(len(ids) + 1) if words.ender([stop])(ids[:n])], [len(ids)])


class Scores(unittest.TestCase):
    def test_scores_do_not_depend_on_neighbours_and_change_nothing(self):
        draw = random.Random(5)
        prompts = [[draw.randrange(VOCABULARY) for _ in range(draw.choice([1, 2, 40, 300]))] for _ in range(12)]
        job, decoder = Job(lambda _job: None), Decoder(QWEN, QWEN_START, 0, 64, 1 << 24)
        for i, prompt in enumerate(prompts):
            job.add(prompt, i, Params(5), 2 if i % 3 else None)
        decoder.submit(job)
        while decoder.busy:
            decoder.tick()
        plain = run_rows(QWEN, QWEN_START, [(p, i, Params(5)) for i, p in enumerate(prompts)])
        self.assertEqual([(r.out, r.logps) for r in job.rows], plain)
        for row in job.rows:
            self.assertEqual(len(row.scores), 0 if row.score is None else len(row.prompt) - 1)
            if row.score is not None and len(row.prompt) > 1:
                lone = Job(lambda _job: None)
                lone.add(row.prompt, 0, Params(0), 2)
                decoder.submit(lone)
                while decoder.busy:
                    decoder.tick()
                self.assertEqual(lone.rows[0].scores, row.scores)
                self.assertEqual((lone.rows[0].out, lone.rows[0].finish), ([], "length"))
                logits = QWEN.logits(QWEN_START, torch.tensor([row.prompt]), torch.arange(len(row.prompt) - 1))
                want = torch.log_softmax(logits.double(), -1)
                for place, (s, token) in enumerate(zip(row.scores, row.prompt[1:])):
                    self.assertAlmostEqual(s.logp, want[place, token].item(), delta=1e-4)
                    self.assertEqual(s.rank == 1, s.top[0][0] == token)
                    self.assertGreaterEqual(s.top[0][1], s.top[1][1])


class Routes(unittest.TestCase):
    def setUp(self):
        self.site = Site(POLICY, START, SPOKEN)
        self.words = self.site.desk.words

    def tearDown(self):
        self.site.close()

    def asample(self, accept="application/json", **body):
        promise = self.site.api("asample", {"sampling_session_id": "base", "prompt": chunks([5, 6, 7]), **body})
        return promise, self.site.call("/api/v1/retrieve_future", {"request_id": promise["request_id"]}, accept=accept)[1]

    def test_asample_scores_prompts_in_both_encodings(self):
        _, got = self.asample(prompt_logprobs=True, topk_prompt_logprobs=3, num_samples=2, sampling_params={"max_tokens": 2, "seed": 1})
        self.assertEqual((len(got["prompt_logprobs"]), got["prompt_logprobs"][0], got["topk_prompt_logprobs"][0]), (3, None, None))
        self.assertEqual([len(row) for row in got["topk_prompt_logprobs"][1:]], [3, 3])
        self.site.engine.base.version = 3  # stands for weights published three times
        _, raw = self.asample(messages.MEDIA, prompt_logprobs=True, topk_prompt_logprobs=3, num_samples=2, sampling_params={"max_tokens": 2, "seed": 1})
        made = proto.decode(messages.SAMPLE, raw)
        self.assertEqual(made["policy_version"], 3)
        flat = torch.frombuffer(bytearray(made["prompt_logprobs"]), dtype=torch.float32)
        self.assertTrue(flat[0].isnan())
        self.assertEqual(flat[1:].tolist(), torch.tensor(got["prompt_logprobs"][1:]).tolist())
        table = made["topk_prompt_logprobs"]
        ids = torch.frombuffer(bytearray(table["token_ids"]), dtype=torch.int32).view(table["length"], table["k"])
        self.assertEqual(ids.tolist(), [[0, 0, 0]] + [[i for i, _ in row] for row in got["topk_prompt_logprobs"][1:]])
        for json_form, form in zip(got["sequences"], made["sequences"]):
            self.assertEqual(torch.frombuffer(bytearray(form["tokens"]), dtype=torch.int32).tolist(), json_form["tokens"])
            self.assertEqual(form["stop_reason"], {"stop": 0, "length": 1}[json_form["stop_reason"]])
        self.assertIsNone(self.asample(sampling_params={"max_tokens": 1})[1].get("prompt_logprobs"))

    def test_asample_stops_on_texts_and_ids_and_draws_samples_from_one_seed(self):
        params = {"max_tokens": 80, "seed": 4}
        free = self.asample(num_samples=4, sampling_params=params)[1]["sequences"]
        text = self.words.decode(free[0]["tokens"], False)
        stop = text[len(text) // 2 : len(text) // 2 + 2]
        for given in (stop, [stop], [stop, free[1]["tokens"][7]]):
            promise, got = self.asample(num_samples=4, sampling_params={**params, "stop": given})
            self.assertEqual(len(promise["sample_sequence_ids"]), 4)
            tokens = got["sequences"][0]["tokens"]
            self.assertEqual(got["sequences"][0]["stop_reason"], "stop")
            self.assertEqual(free[0]["tokens"][: len(tokens)], tokens)
            self.assertIn(stop, self.words.decode(tokens, False))
            self.assertNotIn(stop, self.words.decode(tokens[:-1], False))
        self.assertLessEqual(len(got["sequences"][1]["tokens"]), 8)
        for i, sequence in enumerate(free):
            lone = self.site.sample(model="base", prompt=[5, 6, 7], seed=child_seed(4, i), max_tokens=80)["choices"][0]
            self.assertEqual(lone["token_ids"], sequence["tokens"])

    def test_completions_take_text_and_give_text(self):
        asked = dict(prompt="the cat", seed=3, max_tokens=40, return_token_ids=True)
        whole = self.site.sample(**asked)["choices"][0]
        self.assertEqual(whole["prompt_token_ids"], self.words.encode("the cat"))
        self.assertEqual(whole["text"], self.words.decode(whole["token_ids"]))
        text = self.words.decode(whole["token_ids"], False)
        stop = next(text[i : i + 2] for i in range(8, 30) if "\ufffd" not in text[i : i + 2] and text.find(text[i : i + 2]) == i)
        for keep in (False, True):
            cut = self.site.sample(**asked, stop=[stop], include_stop_str_in_output=keep)["choices"][0]
            self.assertEqual((cut["finish_reason"], cut["stop_reason"], stop in cut["text"]), ("stop", stop, keep))
            self.assertEqual(whole["token_ids"][: len(cut["token_ids"])], cut["token_ids"])
        both = self.site.sample(**{**asked, "prompt": ["the cat", "the dog"]}, n=3)
        self.assertEqual([c["index"] for c in both["choices"]], [0, 1, 2, 3, 4, 5])
        self.assertEqual(both["choices"][0]["token_ids"], whole["token_ids"])
        self.assertEqual(len({tuple(c["token_ids"]) for c in both["choices"]}), 6)
        # text ends at the model's own end of text, ids only where asked
        self.words.eos = frozenset([whole["token_ids"][4]])
        until = whole["token_ids"].index(whole["token_ids"][4]) + 1
        for prompt, more, length in (("the cat", {}, until), ("the cat", {"ignore_eos": True}, 40), (whole["prompt_token_ids"], {}, 40)):
            self.assertEqual(len(self.site.sample(prompt=prompt, seed=3, max_tokens=40, **more)["choices"][0]["token_ids"]), length)

    def test_scoring_by_echo_and_by_prompt_logprobs(self):
        ids = self.words.encode("the cat ran to the lane")
        told = self.site.sample(prompt=ids, max_tokens=1, seed=1, prompt_logprobs=2)["choices"][0]
        echoed = self.site.sample(prompt="the cat ran to the lane", max_tokens=0, echo=True, logprobs=1)["choices"][0]
        self.assertEqual((echoed["text"], echoed["token_ids"]), ("the cat ran to the lane", []))
        own = [None] + [given[str(i)]["logprob"] for i, given in zip(ids[1:], told["prompt_logprobs"][1:])]
        self.assertEqual(echoed["logprobs"]["token_logprobs"], own)
        self.assertTrue(all(2 <= len(given) <= 3 for given in told["prompt_logprobs"][1:]))
        self.assertEqual({g["rank"] for given in told["prompt_logprobs"][1:] for g in given.values()} >= {1, 2}, True)
        self.assertEqual(len(told["logprobs"]["token_logprobs"]), 1)

    def test_chat_renders_what_transformers_renders(self):
        said = [{"role": "system", "content": "be <brief>"}, {"role": "user", "content": "the cat, déjà vu?"}]
        tools = [{"type": "function", "function": {"name": "look", "parameters": {"type": "object", "properties": {}}}}]
        other = PreTrainedTokenizerFast(tokenizer_file=str(SPOKEN / "tokenizer.json"))
        for given in (None, tools):
            want = other.apply_chat_template(said, chat_template=TEMPLATE, tools=given, add_generation_prompt=True, return_dict=False)
            self.assertEqual(self.words.chat(said, given, {}), want)
        status, got = self.site.call("/v1/chat/completions", {"messages": said, "max_tokens": 6, "seed": 2, "n": 2, "return_token_ids": True, "logprobs": True})
        self.assertEqual(status, 200, got)
        self.assertEqual(got["prompt_token_ids"], self.words.chat(said, None, {}))
        lone = self.site.sample(prompt=got["prompt_token_ids"], seed=2, max_tokens=6, stop_token_ids=[2])["choices"][0]
        first = got["choices"][0]
        self.assertEqual((first["token_ids"], first["message"]["content"]), (lone["token_ids"], lone["text"]))
        self.assertEqual([t["logprob"] for t in first["logprobs"]["content"]], lone["logprobs"]["token_logprobs"])

    def test_streams_add_up_to_the_reply(self):
        said = [{"role": "user", "content": "the cat"}]
        for path, body in (("/v1/chat/completions", {"messages": said}), ("/v1/completions", {"prompt": "the cat"})):
            for stop in ([], ["e"], ["\ufffd\ufffd"]):
                body = {**body, "max_tokens": 60, "seed": 7, "n": 2, "stop": stop}
                whole = self.site.call(path, body)[1]["choices"]
                raw = self.site.call(path, {**body, "stream": True})[1].decode()
                self.assertTrue(raw.endswith("data: [DONE]\n\n"))
                events = [json.loads(part[6:]) for part in raw.split("\n\n")[:-2]]
                texts, ends = ["", ""], {}
                for event in events:
                    (c,) = event["choices"]
                    texts[c["index"]] += c["delta"]["content"] if "delta" in c else c["text"]
                    if c["finish_reason"]:
                        ends[c["index"]] = c["finish_reason"]
                self.assertEqual(texts, [c["message"]["content"] if "message" in c else c["text"] for c in whole])
                self.assertEqual(ends, {c["index"]: c["finish_reason"] for c in whole})
                self.assertTrue(stop or len(events) > 20)  # they came one by one

    def test_a_reader_that_leaves_a_stream_ends_its_rows(self):
        async def leave():
            body = {"prompt": "the cat", "max_tokens": 600, "n": 8, "stream": True}
            return await self.site.request("POST", "/v1/completions", body, gone=True)

        self.site.loop.run_until_complete(leave())
        wait_until(self, lambda: not self.site.engine.base.busy)
        self.assertLess(self.site.engine.base.decoded, 8 * 600)

    def test_refusals(self):
        for path, body, words in (
            ("/v1/chat/completions", {"messages": []}, "messages"),
            ("/v1/chat/completions", {"messages": [{"role": "robot", "content": "x"}]}, "no robots"),
            ("/v1/chat/completions", {"messages": [{"role": "user", "content": ["x"]}]}, "template"),
            ("/v1/chat/completions", {"messages": [{"role": "user", "content": "x"}], "top_logprobs": 3}, "top_logprobs"),
            ("/v1/completions", {"prompt": ""}, "empty"), ("/v1/completions", {"prompt": ["a", [1]]}, "flat list"),
            ("/v1/completions", {"prompt": "a", "stop": [""]}, "stop"), ("/v1/completions", {"prompt": "a", "stream": True, "echo": True}, "stream"),
            ("/v1/completions", {"prompt": "a", "stop_token_ids": 5}, "stop_token_ids"),
        ):
            status, got = self.site.call(path, body)
            self.assertTrue(status == 422 and words in got["detail"], (body, status, got))
        with self.assertRaisesRegex(Refusal, "no chat template"):
            Text(HOME / "qwen3")._template  # noqa: B018
        with self.assertRaisesRegex(Refusal, "no tokenizer.json"):
            Text(HOME / "qwen3").ender(["x"])


if __name__ == "__main__":
    unittest.main()
