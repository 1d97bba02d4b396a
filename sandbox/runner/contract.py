"""The border: what a program may give back. Everything else is refused with the path to it.

Observation: str of at most 64 KiB (UTF-8), lone surrogates replaced. Reward: finite real number, numpy scalars
unwrapped; bool, None, NaN, infinities, text and arrays are refused. terminated, truncated: bool. info: dict, of which
the part that JSON can hold is kept.
"""
import json
import math
import sys

MAX_TEXT = 64 * 1024
MAX_INFO = 64 * 1024
MAX_ACTIONS = 4096
MAX_DEPTH = 16
MAX_TOOLS = 64
SAFE_INTEGER = 2 ** 53 - 1
DROPPED = object()

_encode = json.JSONEncoder(separators=(",", ":"), allow_nan=False).encode


class Violation(Exception):
    """A value that may not cross; the text begins with its path."""


def _refuse(path, found, wanted):
    raise Violation("%s: is %s, must be %s" % (path, found, wanted))


def _kind(value):
    return "None" if value is None else type(value).__name__


def _unwrap(value):
    """A numpy scalar as the Python value it holds."""
    numpy = sys.modules.get("numpy")
    if numpy is not None and isinstance(value, numpy.generic):
        return value.item()
    return value


def well_formed(text):
    """The text with every lone surrogate replaced by U+FFFD."""
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def observation(value, path):
    if not isinstance(value, str):
        _refuse(path, _kind(value), "str")
    text = well_formed(value)
    size = len(text) if text.isascii() else len(text.encode("utf-8"))
    if size > MAX_TEXT:
        _refuse(path, "%d bytes" % size, "at most %d" % MAX_TEXT)
    return text


def reward(value, path):
    value = _unwrap(value)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        _refuse(path, _kind(value), "a real number")
    try:
        number = float(value)
    except OverflowError:
        _refuse(path, "an integer beyond every float", "finite")
    if not math.isfinite(number):
        _refuse(path, str(number), "finite")
    return number


def flag(value, path):
    value = _unwrap(value)
    if not isinstance(value, bool):
        _refuse(path, _kind(value), "bool")
    return value


def _jsonable(value, depth):
    """The value as JSON can hold it, or DROPPED."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return well_formed(value)
    value = _unwrap(value)
    if isinstance(value, int):
        return int(value) if abs(value) <= SAFE_INTEGER else DROPPED
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else DROPPED
    if depth >= MAX_DEPTH:
        return DROPPED
    numpy = sys.modules.get("numpy")
    if numpy is not None and isinstance(value, numpy.ndarray):
        value = value.tolist() if value.size <= MAX_INFO else None
        return DROPPED if value is None else _jsonable(value, depth + 1)
    if isinstance(value, (list, tuple)):
        items = [_jsonable(item, depth + 1) for item in value]
        return DROPPED if any(item is DROPPED for item in items) else items
    if isinstance(value, dict):
        kept = {}
        for key, item in value.items():
            if isinstance(key, str):
                item = _jsonable(item, depth + 1)
                if item is not DROPPED:
                    kept[well_formed(key)] = item
        return kept
    return DROPPED


def info(value, path):
    if not value and type(value) is dict:
        return {}
    if not isinstance(value, dict):
        _refuse(path, _kind(value), "dict")
    kept = _jsonable(value, 0)
    size = len(_encode(kept))
    if size > MAX_INFO:
        _refuse(path, "%d bytes of JSON" % size, "at most %d" % MAX_INFO)
    return kept


def _parts(value, path, shape):
    if not isinstance(value, tuple):
        _refuse(path, _kind(value), shape)
    if len(value) != shape.count(",") + 1:
        _refuse(path, "a tuple of %d" % len(value), shape)
    return value


def reset_value(value):
    first, second = _parts(value, "reset", "(observation, info)")
    return {"observation": observation(first, "reset.observation"), "info": info(second, "reset.info")}


def step_value(value):
    parts = _parts(value, "step", "(observation, reward, terminated, truncated, info)")
    return {
        "observation": observation(parts[0], "step.observation"),
        "reward": reward(parts[1], "step.reward"),
        "terminated": flag(parts[2], "step.terminated"),
        "truncated": flag(parts[3], "step.truncated"),
        "info": info(parts[4], "step.info"),
    }


def solution_value(value):
    """A list of actions as strings; a tool call {name, arguments} becomes its JSON."""
    if not isinstance(value, (list, tuple)):
        _refuse("solution", _kind(value), "a list of actions")
    if len(value) > MAX_ACTIONS:
        _refuse("solution", "%d actions" % len(value), "at most %d" % MAX_ACTIONS)
    actions, size = [], 0
    for index, item in enumerate(value):
        path = "solution[%d]" % index
        if isinstance(item, dict) and isinstance(item.get("name"), str):
            item = _encode(_jsonable(item, 0))
        actions.append(observation(item, path))
        size += len(actions[-1])
        if size > MAX_TEXT:
            _refuse("solution", "more than %d characters" % MAX_TEXT, "shorter")
    return actions


def tools_value(value):
    """OpenAI function schemas, as JSON can hold them."""
    if not isinstance(value, (list, tuple)):
        _refuse("tools", _kind(value), "a list of schemas")
    if len(value) > MAX_TOOLS:
        _refuse("tools", "%d" % len(value), "at most %d" % MAX_TOOLS)
    kept = []
    for index, item in enumerate(value):
        if not isinstance(item, dict):
            _refuse("tools[%d]" % index, _kind(item), "dict")
        kept.append(_jsonable(item, 0))
    if len(_encode(kept)) > MAX_INFO:
        _refuse("tools", "%d bytes of JSON" % len(_encode(kept)), "at most %d" % MAX_INFO)
    return kept


def call_value(value):
    first, second = _parts(value, "call", "(text, info)")
    return {"observation": observation(first, "call.text"), "info": info(second, "call.info")}


def count(value, path):
    """How many items a list has."""
    if not isinstance(value, (list, tuple)):
        _refuse(path, _kind(value), "list")
    return min(len(value), MAX_ACTIONS)
