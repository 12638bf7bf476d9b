"""Lists of raters beside lists of their labels, one level down in a record."""

from __future__ import annotations

from typing import Any

from consilience.io.tables.role_names import role_of


def hoisted(record: dict[str, Any]) -> dict[str, Any]:
    """Lift lists that name raters and, in the same order, what they said, to the top.

    >>> hoisted({"id": 1, "answers": {"annotators": ["a", "b"], "labels": ["x", "y"]}})
    {'id': 1, 'annotators': ['a', 'b'], 'labels': ['x', 'y']}
    """
    made: dict[str, Any] = {}
    for key, value in record.items():
        if _are_parallel(value) and not set(value) & (set(record) | set(made)):
            made |= value
        else:
            made[key] = value
    return made


def _are_parallel(value: Any) -> bool:
    if not isinstance(value, dict) or len(value) < 2:
        return False
    lists = list(value.values())
    if not all(isinstance(one, list) and len(one) == len(lists[0]) > 0 for one in lists):
        return False
    roles = {role_of(str(key).removesuffix("s")) for key in value}
    return {"rater", "label"} <= roles
