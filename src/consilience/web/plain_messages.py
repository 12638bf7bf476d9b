"""What a job sends to the server: plain values only, so that nothing in a message can be run.

JSON has no bytes, no tuples, and keys that are texts; each of these is written as an object of one
key that no other object has.
"""

from __future__ import annotations

import base64
import json
from typing import Any

_BYTES, _TUPLE, _PAIRS = "\x00bytes", "\x00tuple", "\x00pairs"


def as_message(value: Any) -> bytes:
    """Write plain values: None, numbers, texts, bytes, lists, tuples and dictionaries of them.

    >>> of_message(as_message(("done", {1: b"x", "y": [None, 2.5]})))
    ('done', {1: b'x', 'y': [None, 2.5]})
    """
    return json.dumps(_plain(value), default=_refused).encode()


def of_message(data: bytes) -> Any:
    """Read what `as_message` wrote."""
    return json.loads(data, object_hook=_restored)


def _plain(value: Any) -> Any:
    if isinstance(value, bytes):
        return {_BYTES: base64.b64encode(value).decode("ascii")}
    if isinstance(value, tuple):
        return {_TUPLE: [_plain(one) for one in value]}
    if isinstance(value, list):
        return [_plain(one) for one in value]
    if isinstance(value, dict):
        if all(isinstance(key, str) and not key.startswith("\x00") for key in value):
            return {key: _plain(one) for key, one in value.items()}
        return {_PAIRS: [[_plain(key), _plain(one)] for key, one in value.items()]}
    return value


def _refused(value: object) -> Any:
    if hasattr(value, "item") and not getattr(value, "shape", ()):
        return value.item()  # a number of numpy's
    raise TypeError(f"a job may send plain values only, not {type(value).__name__}")


def _restored(found: dict[str, Any]) -> Any:
    if len(found) == 1:
        ((key, value),) = found.items()
        if key == _BYTES:
            return base64.b64decode(value)
        if key == _TUPLE:
            return tuple(value)
        if key == _PAIRS:
            return dict(value)
    return found


__all__ = ["as_message", "of_message"]
