"""What comes over HTTP becomes plain records here, once: types, lengths, ranges and finiteness are checked by name.

pydantic is not used for token arrays: a batch holds a hundred thousand numbers, and numpy checks them at once.
"""
import json
import math
from dataclasses import dataclass

import numpy

import losses
import messages
from refusal import Refusal
from sampling import Params
from text import Text

MISSING = object()
MAX_BODY = 64 << 20


def body(raw: bytes, headers, binary: bool = False) -> dict:
    """The body of a request; `binary`: this route takes protocol buffers, too."""
    if len(raw) > MAX_BODY:
        raise Refusal(f"Cannot read the body: {len(raw)} bytes, at most {MAX_BODY}; send smaller chunks", 413)
    if headers.get("content-encoding", "identity") != "identity":
        raise Refusal(f"Cannot read the body: its encoding is {headers['content-encoding']!r}, must be none", 415)
    if headers.get("content-type", "").startswith(messages.MEDIA):
        if binary:
            return messages.request(raw)
        raise Refusal(f"Cannot read the body: this route takes JSON, not {messages.MEDIA}", 415)
    try:
        value = json.loads(raw or b"{}")
    except ValueError as error:
        raise Refusal(f"Cannot read the body: it is not JSON ({error})", 422) from error
    if not isinstance(value, dict):
        raise Refusal("Cannot read the body: must be a JSON object", 422)
    return value


def only(record: dict, allowed: set[str], where: str) -> None:
    unknown = sorted(set(record) - allowed)
    if unknown:
        raise Refusal(f"Cannot read {where}: unknown fields {unknown}; known are {sorted(allowed)}", 422)


def unset(record: dict, keys: tuple[str, ...], where: str) -> None:
    """Fields of later protocol versions that may be sent as long as they ask for nothing."""
    for key in keys:
        if record.get(key):
            raise Refusal(f"Cannot {where} with {key}: it is not known here", 422)


def text(record: dict, key: str, default=MISSING) -> str:
    value = record.get(key, default)
    if value is MISSING or (value is not default and not isinstance(value, str)):
        raise Refusal(f"Cannot read {key}: is {'absent' if value is MISSING else repr(value)[:80]}, must be a string", 422)
    return value


def number(record: dict, key: str, default=MISSING, low=-math.inf, high=math.inf) -> float:
    value = record.get(key, default)
    if value is MISSING or isinstance(value, bool) or not isinstance(value, (int, float)):
        raise Refusal(f"Cannot read {key}: is {'absent' if value is MISSING else repr(value)[:80]}, must be a number", 422)
    if not math.isfinite(value) or not low <= value <= high:
        raise Refusal(f"Cannot read {key}: is {value}, must be finite and in [{low}, {high}]", 422)
    return value


def whole(record: dict, key: str, default=MISSING, low=0, high=2**63 - 1) -> int:
    value = record.get(key, default)
    if value is MISSING or isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        shown = "absent" if value is MISSING else repr(value)[:80]
        raise Refusal(f"Cannot read {key}: is {shown}, must be a whole number in [{low}, {high}]", 422)
    return value


def flag(record: dict, key: str, default: bool) -> bool:
    value = record.get(key, default)
    if not isinstance(value, bool):
        raise Refusal(f"Cannot read {key}: is {value!r}, must be true or false", 422)
    return value


def integers(value, where: str, low: int, high: int) -> numpy.ndarray:
    array = _array(value, where)
    if array.dtype.kind != "i" or (array.size and (array.min() < low or array.max() > high)):
        raise Refusal(f"Cannot read {where}: must be whole numbers in [{low}, {high}]", 422)
    return array


def reals(value, where: str) -> numpy.ndarray:
    array = _array(value, where)
    if array.dtype.kind not in "if" or not numpy.isfinite(array).all():
        raise Refusal(f"Cannot read {where}: must be finite numbers (no null, NaN or Infinity)", 422)
    return array.astype(numpy.float64)


def _array(value, where: str) -> numpy.ndarray:
    if isinstance(value, numpy.ndarray):
        return value
    try:
        array = numpy.asarray(value if value != [] else numpy.zeros(0, numpy.int64))
    except (ValueError, OverflowError) as error:
        raise Refusal(f"Cannot read {where}: must be a flat list of numbers", 422) from error
    if array.ndim != 1 or not isinstance(value, list):
        raise Refusal(f"Cannot read {where}: must be a flat list of numbers", 422)
    return array


@dataclass
class Datum:
    ids: numpy.ndarray
    inputs: dict[str, numpy.ndarray]


def chunks(value, where: str, vocabulary: int, positions: int) -> list[int]:
    """Token ids of {chunks: [{type: "encoded_text", tokens}]}."""
    parts = value.get("chunks") if isinstance(value, dict) else None
    if not isinstance(parts, list):
        raise Refusal(f"Cannot read {where}: must be {{chunks: [{{type, tokens}}]}}", 422)
    ids: list[int] = []
    for i, part in enumerate(parts):
        if not isinstance(part, dict) or part.get("type", "encoded_text") != "encoded_text":
            raise Refusal(f"Cannot read {where}.chunks[{i}]: only chunks of type encoded_text are known", 422)
        ids.extend(integers(part.get("tokens"), f"{where}.chunks[{i}].tokens", 0, vocabulary - 1).tolist())
    if not 1 <= len(ids) <= positions:
        raise Refusal(f"Cannot use {where}: has {len(ids)} tokens, must have 1 to {positions} (the model's positions)", 422)
    return ids


def dense(tensor, where: str):
    """The flat numbers of a TensorData."""
    if not isinstance(tensor, dict):
        raise Refusal(f"Cannot read {where}: must be an object with data, dtype and shape", 422)
    if tensor.get("sparse_crow_indices") is not None or tensor.get("sparse_col_indices") is not None:
        raise Refusal(f"Cannot use {where}: it is sparse; only dense tensors are known here", 422)
    shape = tensor.get("shape")
    if shape is not None and (not isinstance(shape, list) or len(shape) != 1):
        raise Refusal(f"Cannot use {where}: its shape is {shape}, must be one number, the count of tokens", 422)
    return tensor.get("data")


def data(value, loss: str, vocabulary: int, positions: int) -> list[Datum]:
    if not isinstance(value, list) or not value:
        raise Refusal("Cannot read data: must be a list of at least one datum", 422)
    out = []
    for i, item in enumerate(value):
        where = f"data[{i}]"
        if not isinstance(item, dict):
            raise Refusal(f"Cannot read {where}: must be an object", 422)
        only(item, {"model_input", "loss_fn_inputs", "model_input_spans", "loss_fn_input_spans"}, where)
        ids = chunks(item.get("model_input"), f"{where}.model_input", vocabulary, positions)
        given = item.get("loss_fn_inputs")
        if not isinstance(given, dict):
            raise Refusal(f"Cannot read {where}.loss_fn_inputs: must be an object", 422)
        only(given, losses.INPUTS[loss], f"{where}.loss_fn_inputs ({loss})")
        missing = sorted(losses.NEEDED[loss] - set(given))
        if missing:
            raise Refusal(f"Cannot use {where}: {loss} needs {missing}", 422)
        inputs = {}
        for name, tensor in given.items():
            at = f"{where}.loss_fn_inputs.{name}"
            numbers = dense(tensor, at)
            array = integers(numbers, at, 0, vocabulary - 1) if name == "target_tokens" else reals(numbers, at)
            if len(array) != len(ids):
                raise Refusal(f"Cannot use {at}: has {len(array)} values for {len(ids)} tokens, must be one a token", 422)
            if name == "temperature" and (array <= 0).any():
                raise Refusal(f"Cannot use {at}: must be above 0", 422)
            inputs[name] = array
        out.append(Datum(numpy.asarray(ids), inputs))
    return out


def params(record: dict, vocabulary: int, words: Text, least: int = 1, also_stop: frozenset[int] = frozenset()) -> Params:
    """Sampling parameters of one row, Tinker or OpenAI names. `least` is the fewest tokens that may be asked for."""
    stop, ids = record.get("stop"), record.get("stop_token_ids") or []
    stop = stop if isinstance(stop, list) else [] if stop is None else [stop]
    if not isinstance(ids, list):
        raise Refusal("Cannot read stop_token_ids: must be a list of token ids", 422)
    texts, ids = [s for s in stop if isinstance(s, str)], [s for s in stop if not isinstance(s, str)] + ids
    top_k = whole(record, "top_k", -1, -1, vocabulary)
    return Params(
        max_tokens=whole(record, "max_tokens", MISSING, least),
        temperature=float(number(record, "temperature", 1.0, 0.0, 100.0)),
        top_p=float(number(record, "top_p", 1.0, 1e-9, 1.0)),
        top_k=top_k,
        stop=frozenset(integers(ids, "stop", 0, vocabulary - 1).tolist()) | also_stop,
        ends=words.ender(texts) if texts else None,
        held=max((len(s) - 1 for s in texts), default=0),
    )


def room(prompt: int, params: Params, positions: int, where: str) -> None:
    if prompt + params.max_tokens > positions:
        raise Refusal(
            f"Cannot sample {where}: {prompt} prompt tokens and max_tokens {params.max_tokens} exceed the model's "
            f"{positions} positions; shorten the prompt or lower max_tokens", 422)
