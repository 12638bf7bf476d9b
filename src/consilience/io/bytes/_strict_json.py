"""JSON from strangers: one value for each key, finite numbers, no endless nesting."""

from __future__ import annotations

import json
import math
from collections import Counter
from typing import Any

from consilience.exceptions import InputError
from consilience.io.bytes._unit_files import File
from consilience.io.bytes.paths import Said


class _Fault(ValueError):
    """Something that Python's parser would let through."""


def parse(file: File) -> Any:
    """Return the JSON document of a file."""
    try:
        return json.loads(
            file.text, object_pairs_hook=_object, parse_constant=_constant, parse_float=_float
        )
    except InputError:
        raise
    except json.JSONDecodeError as error:
        raise _refused(file, error.msg, f", line {error.lineno}") from None
    except RecursionError:
        raise _refused(file, "a document nested too deeply") from None
    except ValueError as error:
        raise _refused(file, str(error)) from None


def _refused(file: File, got: str, place: str = "") -> InputError:
    return InputError.expected(
        "the file",
        "well-formed JSON",
        Said(got),
        "export it again, and check that it was copied completely",
        where=f"{file.path}{place}",
    )


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        twice = Counter(key for key, _ in pairs).most_common(1)[0][0]
        raise _Fault(f"the key {twice[:60]!r} twice in one object")
    return found


def _constant(word: str) -> float:
    raise _Fault(f"{word}, which is no number")


def _float(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise _Fault(f"the number {text[:40]}, which is too large")
    return number
