"""What a rater is called: one rule for every file, whoever reads it, as ratings or as units."""

from __future__ import annotations

import json
from pathlib import PurePath
from typing import Any

LONGEST_NAME = 4_000  # characters; questions of a survey are names too


def rater_name(value: Any) -> str | None:
    """Return what somebody is called who is named by a cell or a field; None: nobody is named.

    A name is never cut: two people may share the beginning of an address or of a long code. What
    exports call an item follows the same rule.

    >>> rater_name(" ann@a.org "), rater_name(0), rater_name(3.0), rater_name("  ")
    ('ann@a.org', '0', '3', None)
    """
    if value is None or value != value:  # noqa: PLR0124 - NaN
        return None
    if isinstance(value, (dict, list)):
        return json.dumps(value, ensure_ascii=False, sort_keys=True)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return str(value).strip() or None


def file_name(path: PurePath | str) -> str:
    """Return what a rater is called after whom a file is named: its name without endings.

    >>> file_name("data/Ann.csv"), file_name("Bob.csv.gz")
    ('Ann', 'Bob')
    """
    named = PurePath(path)
    return named.with_suffix("").stem if named.suffix.lower() == ".gz" else named.stem
