"""Ratings nested in JSON: inside an item's record, or two levels of names above the labels."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

from consilience.io.tables.role_names import numbered_stems, role_of

Record = dict[str, Any]
_MAIL = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+")
_AROUND = (dict, list)
_COUNTS = frozenset(("votes", "counts", "labelcounts", "votecounts"))
_ENOUGH = 3  # records in which one sum is no chance


def unfolded(records: Sequence[Record]) -> tuple[list[tuple[int, Record]], str]:
    """Write the ratings inside items' records one per record; say what was taken apart.

    Each comes with the position of the record in which it stood.

    Two forms are known: ``"annotations": {rater: label}`` and
    ``"annotations": [{"annotator": rater, "label": label}, ...]``. Other records stay as they are.
    """
    if any(role_of(name) == "rater" for name in _plain_names(records)):
        return list(enumerate(records)), ""  # each record is one rater's already
    for name in dict.fromkeys(name for record in records for name in record):
        given = [value for record in records if (value := record.get(name)) not in (None, [], {})]
        if given and all(_is_count(value) for value in given) and _adds_up(name, given):
            words = f"the numbers in {name!r} stand in columns of their own"
            return [(k, _flat(record, name)) for k, record in enumerate(records)], words
        if not given or role_of(name.strip().removesuffix("s")) != "label":
            continue
        if all(_is_by_rater(value) for value in given) and _recurs(given):
            return list(_from_dicts(records, name)), f"{name!r} holds one label per rater"
        keys = _keys(given)
        if keys is not None:
            return list(_from_lists(records, name, *keys)), f"{name!r} holds a list of ratings"
    return list(enumerate(records)), ""


def _plain_names(records: Sequence[Record]) -> set[str]:
    return {
        name
        for record in records
        for name, value in record.items()
        if value is not None and not isinstance(value, _AROUND) and "," not in str(value)
    }


def _is_by_rater(value: Any) -> bool:
    return isinstance(value, dict) and not any(isinstance(one, dict) for one in value.values())


def _is_count(value: Any) -> bool:
    return isinstance(value, dict) and all(
        isinstance(one, int) and not isinstance(one, bool) and one >= 0 for one in value.values()
    )


def _adds_up(name: str, given: Sequence[dict[str, int]]) -> bool:
    """Tell whether numbers by name are counts: called so, or of one sum in every record."""
    if re.sub(r"[^a-z]", "", name.casefold()) in _COUNTS:
        return True
    sums = {sum(one.values()) for one in given}
    is_label = role_of(name.strip().removesuffix("s")) == "label"
    varies = len({tuple(sorted(one.items())) for one in given}) > 1
    return is_label and varies and len(given) >= _ENOUGH and len(sums) == 1 and min(sums) > 1


def _flat(record: Record, name: str) -> Record:
    return {**_outside(record, name), **(record.get(name) or {})}


def _recurs(given: Sequence[dict[str, Any]]) -> bool:
    """Tell whether names come back and labels are no shares that sum to one."""
    names = {name for one in given for name in one}
    shares = all(
        abs(sum(v for v in one.values() if isinstance(v, (int, float))) - 1) < 1e-3
        and any(isinstance(v, float) and not v.is_integer() for v in one.values())
        for one in given
    )
    return len(names) < sum(map(len, given)) and not shares


def _keys(given: Sequence[Any]) -> tuple[str, str] | None:
    """Find the fields of rater and label in lists of ratings."""
    ratings = [one for value in given if isinstance(value, list) for one in value]
    if not ratings or not all(isinstance(value, list) for value in given):
        return None
    if not all(isinstance(one, dict) for one in ratings):
        return None
    shared = [name for name in ratings[0] if all(name in one for one in ratings)]
    raters = [name for name in shared if role_of(name) == "rater"]
    labels = [name for name in shared if role_of(name) == "label"]
    return (raters[0], labels[0]) if raters and labels else None


def _outside(record: Record, name: str) -> Record:
    """Return what else the record says; lists beside the ratings would be taken for ratings."""
    return {
        key: value
        for key, value in record.items()
        if key != name and role_of(key.strip().removesuffix("s")) not in ("rater", "label")
    }


def _from_dicts(records: Sequence[Record], name: str) -> Iterator[tuple[int, Record]]:
    for k, record in enumerate(records):
        for rater, label in (record.get(name) or {}).items():
            yield k, {**_outside(record, name), "rater": rater, "label": label}


def _from_lists(
    records: Sequence[Record], name: str, rater: str, label: str
) -> Iterator[tuple[int, Record]]:
    for k, record in enumerate(records):
        for one in record.get(name) or ():
            inside = {key: value for key, value in one.items()
                      if key not in (rater, label) and role_of(key) != "item"}  # fmt: skip
            yield k, {**inside, **_outside(record, name), "rater": one[rater], "label": one[label]}


# -------------------------------------------------------------------- {name: {name: label}}


def laid_bare(document: Any) -> Any:
    """Take off what is wrapped around ratings.

    An object around one list of records, as in ``{"meta": ..., "items": [...]}``, and objects
    around the labels, as in ``{rater: {item: {"label": label, "confidence": ...}}}``.
    """
    if not isinstance(document, dict):
        return document
    lists = [one for one in document.values() if _is_records(one)]
    if len(lists) == 1 and not any(_is_records(v) for v in document.values() if v is not lists[0]):
        return lists[0]
    inside = [one for value in document.values() if isinstance(value, dict)
              for one in value.values()]  # fmt: skip
    if not inside or not all(isinstance(one, dict) for one in (*document.values(), *inside)):
        return document
    shared = set.intersection(*(set(one) for one in inside))
    labels = [name for name in inside[0] if name in shared and role_of(name) == "label"]
    if len(labels) != 1 or any(isinstance(one[labels[0]], _AROUND) for one in inside):
        return document
    return {
        outer: {inner: one[labels[0]] for inner, one in value.items()}
        for outer, value in document.items()
    }


def _is_records(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(v, dict) for v in value)


def outer_role(document: Mapping[str, Any]) -> tuple[Literal["item", "rater"], str]:
    """Say whether the outer names are items or raters, and why.

    The names decide; where they do not tell, there are more items than raters, and of equally
    many the outer ones are raters.
    """
    outer = [str(name) for name in document]
    inner = list(dict.fromkeys(
        str(name) for one in document.values() for name in _names_in(one)
    ))  # fmt: skip
    votes = {_sounds_like(outer), _turned(_sounds_like(inner))} - {None}
    if len(votes) == 1:
        return ("item", "by the names") if votes == {"item"} else ("rater", "by the names")
    if len(outer) > len(inner):
        return "item", "as there are more of them"
    return "rater", "as there are not more of them than of the inner ones"


def _names_in(value: Any) -> list[Any]:
    return list(value) if isinstance(value, dict) else list(range(len(value)))


def _sounds_like(names: Sequence[str]) -> Literal["item", "rater"] | None:
    if all(_MAIL.fullmatch(name) for name in names):
        return "rater"
    stems = numbered_stems(names)
    roles = {role_of(re.sub(r"[\W_]*\d+$", "", name)) for name in names}
    if len(stems.get("rater", ())) == len(names) or roles == {"rater"}:
        return "rater"
    if len(stems.get("item", ())) == len(names) or roles == {"item"}:
        return "item"
    return "item" if len(names) > 1 and all(name.isdigit() for name in names) else None


def _turned(role: Literal["item", "rater"] | None) -> Literal["item", "rater"] | None:
    return None if role is None else "rater" if role == "item" else "item"
