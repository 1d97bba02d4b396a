"""Protocol buffers: the codec, and the same calls in both encodings."""
import math
import random
import unittest

import numpy

from test_support import ADAM, Site, batch, datum

import messages
import proto
from messages import MEDIA
from proto import Field

# forward_backward of one datum as the official SDK (0.38.0, and 0.25.0 without the last field) writes it
OFFICIAL = bytes.fromhex(
    "0a076d6f64656c2d311096011a640a100a0e0a0c01000000020000002c01000012300a0d7461726765745f746f6b656e73121f0a1802000000000000"
    "002c0100000000000004000000000000001802220103121e0a077765696768747312130a0c000000000000803f000000bf1801220103220370706f2a"
    "1d0a12636c69705f6c6f775f7468726573686f6c64119a9999999999e93f30013a1f0a12636c69705f6c6f775f7468726573686f6c641209099a9999"
    "999999e93f")


def as_proto(body: dict, forward_only: bool = False) -> bytes:
    """The JSON body of forward_backward in protocol buffers."""
    kinds = {"int64": ("<i8", messages.INT64), "float32": ("<f4", messages.FLOAT32)}

    def tensor(t):
        element, number = kinds[t["dtype"]]
        return {"dense": numpy.asarray(t["data"], element).tobytes(), "dtype": number, "shape": t["shape"]}

    given = body["forward_backward_input"]
    data = [{"model_input": [{"encoded_text": {"tokens": numpy.asarray(c["tokens"], "<i4").tobytes()}} for c in d["model_input"]["chunks"]],
             "loss_fn_inputs": {k: tensor(t) for k, t in d["loss_fn_inputs"].items()}} for d in given["data"]]
    return proto.encode(messages.REQUEST, {**body, "data": data, "loss_fn": given["loss_fn"], "forward_only": forward_only,
                                           "loss_fn_config": given.get("loss_fn_config")})


class Codec(unittest.TestCase):
    SHAPE = {"n": Field(1, "int"), "many": Field(2, "int", "list"), "text": Field(3, "string"), "raw": Field(4, "bytes"),
             "real": Field(5, "double"), "yes": Field(6, "bool"), "part": Field(7, {"n": Field(1, "int")}),
             "parts": Field(8, {"n": Field(1, "int")}, "list"), "map": Field(20, "double", "map")}
    FULL = {"n": -5, "many": [0, 300, -1, 2**62], "text": "déjà", "raw": b"\0\xff", "real": -0.1, "yes": True, "part": {"n": 0},
            "parts": [{"n": 1}, {"n": 0}], "map": {"": 1.5, "b": 0.0}}

    def test_a_round_trip_keeps_everything(self):
        self.assertEqual(proto.decode(self.SHAPE, proto.encode(self.SHAPE, self.FULL)), self.FULL)
        empty = proto.decode(self.SHAPE, b"")
        self.assertEqual(empty, {"n": 0, "many": [], "text": "", "raw": None, "real": 0.0, "yes": False, "part": None, "parts": [], "map": {}})
        self.assertEqual(proto.encode(self.SHAPE, {"n": 0, "text": "", "yes": False, "real": 0.0}), b"")

    def test_what_is_unknown_is_skipped(self):
        more = {**self.SHAPE, "a": Field(99, "double"), "b": Field(98, "string"), "c": Field(97, "int")}
        raw = proto.encode(more, {"a": 1.0, "b": "x", "c": 7, **self.FULL}) + b"\xf5\x06abcd"  # and a 32-bit field
        self.assertEqual(proto.decode(self.SHAPE, raw), self.FULL)

    def test_every_cut_and_every_changed_byte_is_a_value_or_a_value_error(self):
        raw, draw = proto.encode(self.SHAPE, self.FULL), random.Random(1)
        odd = [raw[:n] for n in range(len(raw))] + [draw.randbytes(draw.randint(1, 40)) for _ in range(3000)]
        for _ in range(3000):
            changed = bytearray(raw)
            changed[draw.randrange(len(raw))] = draw.randrange(256)
            odd.append(bytes(changed))
        refused = 0
        for data in odd:
            try:
                proto.decode(self.SHAPE, data)
            except ValueError:
                refused += 1
        self.assertGreater(refused, 1000)
        for data, words in ((b"\x08", "cut"), (b"\x22\x05ab", "cut"), (b"\x08" + b"\xff" * 11, "too many"), (b"\x0b", "wire type"),
                            (b"\x1a\x01\xff", "UTF-8"), (b"\x00\x00", "field number")):
            with self.assertRaisesRegex(ValueError, words):
                proto.decode(self.SHAPE, data)

    def test_reads_what_the_official_sdk_writes(self):
        body = messages.request(OFFICIAL)
        given = body["forward_backward_input"]
        self.assertEqual((body["model_id"], body["seq_id"], body["forward_only"], given["loss_fn"]), ("model-1", 150, True, "ppo"))
        self.assertEqual(given["loss_fn_config"], given["loss_fn_config_v2"])
        (d,) = given["data"]
        self.assertEqual(d["model_input"]["chunks"][0]["tokens"].tolist(), [1, 2, 300])
        self.assertEqual({k: (t["data"].tolist(), t["shape"]) for k, t in d["loss_fn_inputs"].items()},
                         {"target_tokens": ([2, 300, 4], [3]), "weights": ([0.0, 1.0, -0.5], [3])})


class Encodings(unittest.TestCase):
    def setUp(self):
        self.site = Site()
        self.site.new_model()
        self.site.new_model()
        self.draw = random.Random(12)

    def tearDown(self):
        self.site.close()

    def send(self, body: dict, forward_only=False) -> str:
        status, value = self.site.call("/api/v1/forward_backward", as_proto(body, forward_only), content_type=MEDIA)
        self.assertEqual(status, 200, value)
        return value["request_id"]

    def fetch(self, request_id: str, message: dict) -> dict:
        status, value = self.site.call("/api/v1/retrieve_future", {"request_id": request_id}, accept=f"{MEDIA}, application/json")
        self.assertIsInstance(value, bytes, value)
        return proto.decode(message, value)

    def grads(self, model: str) -> dict:
        return {k: w.grad for k, w in self.site.desk.models[model].weights.items()}

    def test_both_give_the_same_numbers_and_gradients(self):
        for loss, seq in (("cross_entropy", 1), ("ppo", 2)):
            given = {**batch(self.draw, 5, loss), **({"loss_fn_config": {"clip_high_threshold": 1.28}} if loss == "ppo" else {})}
            for d in given["data"]:  # float32 is what travels in one of the two
                for tensor in d["loss_fn_inputs"].values():
                    tensor["data"] = numpy.asarray(tensor["data"], "f4" if tensor["dtype"] == "float32" else "i8").tolist()
            body = {"model_id": "model-1", "seq_id": seq, "forward_backward_input": given}
            text = self.site.wait(self.site.api("forward_backward", body)["request_id"])
            made = self.fetch(self.send({**body, "model_id": "model-2"}), messages.OUTPUT)
            self.assertEqual(made["metrics"], text["metrics"])
            (record,) = made["loss_fn_outputs"]
            field = record["fields"]["logprobs"]
            offsets = numpy.frombuffer(field["offsets"], "<i8") // 4
            flat = numpy.frombuffer(field["data"], "<f4")
            self.assertEqual(record["num_datums"], 5)
            for i, output in enumerate(text["loss_fn_outputs"]):
                numpy.testing.assert_array_equal(flat[offsets[i] : offsets[i + 1]], numpy.asarray(output["logprobs"]["data"], "f4"))
            one, two = self.grads("model-1"), self.grads("model-2")
            for key in one:
                self.assertTrue((one[key] == two[key]).all(), key)

    def test_a_forward_pass_accumulates_nothing_in_either_encoding(self):
        body = {"model_id": "model-1", "seq_id": 1, "forward_backward_input": batch(self.draw, 3)}
        made = self.fetch(self.send(body, forward_only=True), messages.OUTPUT)
        self.assertGreater(made["metrics"]["spade_computed_tokens:sum"], 0)
        self.site.wait(self.site.api("forward_backward", {**body, "seq_id": 2, "forward_only": True})["request_id"])
        self.assertTrue(all(g is None for g in self.grads("model-1").values()))
        step = self.site.api("optim_step", {"model_id": "model-1", "seq_id": 3, "adam_params": ADAM})
        self.assertIn("no gradients", self.site.wait(step["request_id"])["error"])
        # a refused one does not spoil the step around it
        self.site.wait(self.site.api("forward_backward", {**body, "seq_id": 4})["request_id"])
        status, _ = self.site.call("/api/v1/forward_backward", {"model_id": "model-1", "seq_id": 5, "forward_only": True, "forward_backward_input": {}})
        self.assertEqual(status, 422)
        step = self.site.api("optim_step", {"model_id": "model-1", "seq_id": 6, "adam_params": ADAM})
        self.assertEqual(self.site.wait(step["request_id"])["metrics"]["step"], 1)

    def test_what_was_not_computed_is_null_or_nan(self):
        d = datum(self.draw, 4, weights=[0, 1, 0, 2])
        given = {"data": [d], "loss_fn": "cross_entropy", "spade_positions": "weighted"}
        promise = self.site.api("forward_backward", {"model_id": "model-1", "seq_id": 1, "forward_backward_input": given})
        text = self.site.wait(promise["request_id"])["loss_fn_outputs"][0]["logprobs"]["data"]
        field = self.fetch(promise["request_id"], messages.OUTPUT)["loss_fn_outputs"][0]["fields"]["logprobs"]
        self.assertEqual([v is None for v in text], [math.isnan(v) for v in numpy.frombuffer(field["data"], "<f4")])
        self.assertEqual(text[0], None)

    def test_errors_waiting_and_other_results_stay_json(self):
        promise = self.site.api("optim_step", {"model_id": "model-1", "seq_id": 1, "adam_params": ADAM})
        status, value = self.site.call("/api/v1/retrieve_future", {"request_id": promise["request_id"]}, accept=MEDIA)
        self.assertIn("no gradients", value["error"])

    def test_odd_bodies_are_refused_by_name(self):
        good = as_proto({"model_id": "model-1", "seq_id": 1, "forward_backward_input": batch(self.draw, 2)})
        sparse = proto.encode(messages.REQUEST, {"model_id": "model-1", "seq_id": 1, "loss_fn": "cross_entropy", "data": [
            {"model_input": [{"encoded_text": {"tokens": bytes(4)}}], "loss_fn_inputs": {"target_tokens": {"sparse_csr": {}, "dtype": 2}}}]})
        image = proto.encode(messages.REQUEST, {"model_id": "model-1", "seq_id": 2, "loss_fn": "cross_entropy", "data": [
            {"model_input": [{"image": {}}]}]})
        half = proto.encode(messages.REQUEST, {"data": [{"model_input": [{"encoded_text": {"tokens": b"123"}}]}]})
        for raw, words in ((good[:-3], "cut"), (b"\xff\xff\xff", "protocol buffers"), (b"{}", "protocol buffers"), (b"", "seq_id"),
                           (sparse, "sparse"), (image, "encoded_text"), (half, "whole elements")):
            status, value = self.site.call("/api/v1/forward_backward", raw, content_type=MEDIA)
            self.assertEqual(status, 422 if words != "seq_id" else status, value)
            self.assertTrue(400 <= status < 500 and words in value["detail"], (words, status, value))
        for n in range(0, len(good), 7):
            self.assertLess(self.site.call("/api/v1/forward_backward", good[:n], content_type=MEDIA)[0], 500)
        self.assertEqual(self.site.call("/api/v1/optim_step", good, content_type=MEDIA)[0], 415)
        self.assertEqual(self.site.call("/api/v1/forward_backward", good, content_type=MEDIA, content_encoding="zstd")[0], 415)


if __name__ == "__main__":
    unittest.main()
