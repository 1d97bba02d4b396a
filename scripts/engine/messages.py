"""The Tinker messages that travel as protocol buffers, made into the dicts the JSON routes know, and back.

Field numbers are those of `tinker_public`. All arrays are little-endian: input tokens int32, targets int64, the rest
float32. What has no number in the message (null in JSON) is NaN here.
"""
import numpy

import proto
from proto import Field
from refusal import Refusal

MEDIA = "application/x-protobuf"
FLOAT32, INT64, INT32, BFLOAT16 = 1, 2, 3, 4
TYPES = {FLOAT32: "<f4", INT64: "<i8", INT32: "<i4", BFLOAT16: "<u2"}
NO_TOKEN, NO_LOGP = 0, -99999.0  # what stands for an empty place in top-k tables

SPARSE = {"values": Field(1, "bytes"), "crow_indices": Field(2, "bytes"), "col_indices": Field(3, "bytes")}
TENSOR = {"dense": Field(1, "bytes"), "sparse_csr": Field(2, SPARSE), "dtype": Field(3, "int"), "shape": Field(4, "int", "list")}
CHUNK = {"encoded_text": Field(1, {"tokens": Field(1, "bytes")}), "image": Field(2, {}), "dmel": Field(3, {})}
DATUM = {"model_input": Field(1, CHUNK, "list"), "loss_fn_inputs": Field(2, TENSOR, "map")}
SETTING = {"number": Field(1, "double"), "text": Field(2, "bytes")}
REQUEST = {
    "model_id": Field(1, "string"), "seq_id": Field(2, "int"), "data": Field(3, DATUM, "list"), "loss_fn": Field(4, "string"),
    "loss_fn_config": Field(5, "double", "map"), "forward_only": Field(6, "bool"), "loss_fn_config_v2": Field(7, SETTING, "map")}
BATCHED = {"data": Field(1, "bytes"), "offsets": Field(2, "bytes"), "dtype": Field(3, "int"), "trailing_shape": Field(4, "int", "list")}
RECORD = {"type_tag": Field(1, "string"), "fields": Field(2, BATCHED, "map"), "num_datums": Field(3, "int")}
OUTPUT = {"loss_fn_output_type": Field(1, "string"), "loss_fn_outputs": Field(2, RECORD, "list"), "metrics": Field(3, "double", "map")}
SEQUENCE = {"stop_reason": Field(1, "int"), "tokens": Field(2, "bytes"), "logprobs": Field(3, "bytes")}
TOPK = {"token_ids": Field(1, "bytes"), "logprobs": Field(2, "bytes"), "k": Field(3, "int"), "length": Field(4, "int")}
SAMPLE = {"sequences": Field(1, SEQUENCE, "list"), "prompt_logprobs": Field(2, "bytes"), "topk_prompt_logprobs": Field(3, TOPK),
          "prompt_cache_hit_tokens": Field(4, "int"), "policy_version": Field(15001, "int")}  # the last is ours; others skip it


def request(raw: bytes) -> dict:
    """The body of forward_backward in its JSON form, with arrays instead of lists."""
    try:
        given = proto.decode(REQUEST, raw)
        data = [{"model_input": {"chunks": [_chunk(c) for c in d["model_input"]]},
                 "loss_fn_inputs": {name: _tensor(name, t) for name, t in d["loss_fn_inputs"].items()}} for d in given["data"]]
    except ValueError as error:
        raise Refusal(f"Cannot read the body: it is no ForwardBackwardRequest in protocol buffers ({error})", 422) from error
    settings = {k: str(v["text"], "utf-8", "replace") if v["text"] is not None else v["number"]
                for k, v in given["loss_fn_config_v2"].items()}
    inputs = {"data": data, "loss_fn": given["loss_fn"], "loss_fn_config": given["loss_fn_config"], "loss_fn_config_v2": settings}
    return {"model_id": given["model_id"], "seq_id": given["seq_id"], "forward_only": given["forward_only"],
            "forward_backward_input": inputs}


def _chunk(chunk: dict) -> dict:
    if chunk["encoded_text"] is None:
        kind = next((name for name in ("image", "dmel") if chunk[name] is not None), "unknown")
        return {"type": kind}
    return {"type": "encoded_text", "tokens": _array(chunk["encoded_text"]["tokens"], INT32, "tokens")}


def _tensor(name: str, tensor: dict) -> dict:
    if tensor["sparse_csr"] is not None:
        return {"data": [], "sparse_crow_indices": []}  # refused by name where it is read
    return {"data": _array(tensor["dense"], tensor["dtype"], name), **({"shape": tensor["shape"]} if tensor["shape"] else {})}


def _array(data: memoryview | None, dtype: int, name: str) -> numpy.ndarray:
    data = b"" if data is None else data
    if dtype not in TYPES:
        raise ValueError(f"{name} has the element type {dtype}, must be one of {sorted(TYPES)}")
    if len(data) % numpy.dtype(TYPES[dtype]).itemsize:
        raise ValueError(f"{name} has {len(data)} bytes, which are no whole elements")
    array = numpy.frombuffer(data, TYPES[dtype])
    if dtype == BFLOAT16:
        return (array.astype("<u4") << 16).view("<f4")
    return array


def reply(result: dict) -> bytes | None:
    """Bytes of a result that has a message of its own, else None."""
    if "loss_fn_outputs" in result:
        return _output(result)
    if "sequences" in result:
        return _sample(result)
    return None


def _floats(values: list) -> bytes:
    return numpy.asarray(values, dtype="<f4").tobytes()  # None becomes NaN


def _output(result: dict) -> bytes:
    rows = [numpy.asarray(o["logprobs"]["data"], dtype="<f4") for o in result["loss_fn_outputs"]]
    offsets = numpy.cumsum([0, *(row.nbytes for row in rows)], dtype="<i8")
    field = {"data": b"".join(row.tobytes() for row in rows), "offsets": offsets.tobytes(), "dtype": FLOAT32}
    kind = result["loss_fn_output_type"]
    records = [{"type_tag": kind, "fields": {"logprobs": field}, "num_datums": len(rows)}]
    return proto.encode(OUTPUT, {"loss_fn_output_type": kind, "loss_fn_outputs": records, "metrics": result["metrics"]})


def _sample(result: dict) -> bytes:
    sequences = [{"stop_reason": 0 if s["stop_reason"] == "stop" else 1, "tokens": numpy.asarray(s["tokens"], "<i4").tobytes(),
                  "logprobs": _floats(s["logprobs"])} for s in result["sequences"]]
    value: dict = {"sequences": sequences, "policy_version": result["policy_version"]}
    if result.get("prompt_logprobs") is not None:
        value["prompt_logprobs"] = _floats(result["prompt_logprobs"])
    if result.get("topk_prompt_logprobs") is not None:
        value["topk_prompt_logprobs"] = _topk(result["topk_prompt_logprobs"])
    return proto.encode(SAMPLE, value)


def _topk(table: list) -> dict:
    width = max((len(row) for row in table if row), default=0)
    ids = numpy.full((len(table), width), NO_TOKEN, "<i4")
    logps = numpy.full((len(table), width), NO_LOGP, "<f4")
    for i, row in enumerate(table):
        for j, (token, logp) in enumerate(row or []):
            ids[i, j], logps[i, j] = token, logp
    return {"token_ids": ids.tobytes(), "logprobs": logps.tobytes(), "k": width, "length": len(table)}
