"""The JSON Schema of the product, compiled once."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from typing import Any

import fastjsonschema

from consilience.document import json_schema


@cache
def _validator() -> Callable[[Any], Any]:
    schema = json_schema()
    # The compiler knows an earlier draft; what is used here is the same in both.
    text = json.dumps(schema).replace("#/$defs/", "#/definitions/")
    earlier = json.loads(text) | {"$schema": "http://json-schema.org/draft-07/schema#"}
    earlier["definitions"] = earlier.pop("$defs")
    compiled: Callable[[Any], Any] = fastjsonschema.compile(earlier)
    return compiled


def check(text: str) -> None:
    """Refuse JSON that does not fulfil the schema."""
    _validator()(json.loads(text))
