"""Predicted distributions of labels: a column for each label, or a row for each item and label."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping
from typing import Any

from consilience.core.cell_values import as_literal, as_number, holds_number
from consilience.core.input_files import PathLike
from consilience.exceptions import InputError
from consilience.io.side_columns import read_columns

_MOST = 0.5  # share of a column's values that must be items before it is taken for theirs
_PREFIX = re.compile(r"^(?:p|prob|probs|proba|probability|probabilities|pred|predicted|score|share)"
                     r"[\s_.:\-(\[]+", re.IGNORECASE)  # fmt: skip
_NUMBERS = ("probability", "prob", "p", "share", "predicted", "score", "value", "weight")


def read_distributions(
    path: PathLike,
    *,
    items: Collection[str],
    labels: Collection[str],
    delimiter: str | None = None,
    encoding: str | None = None,
) -> dict[str, dict[str, float]]:
    """Read predicted distributions about items and labels that are known already.

    Use it for what a model writes beside people's labels: one column per label (named after it,
    also p_yes or prob_yes), one row per item and label, or JSON lines with an object of
    probabilities.

    Parameters
    ----------
    path : path of the file
    items, labels : names of the items and of the labels that people gave, as text
    delimiter, encoding : str, optional

    Returns
    -------
    dict
        Item to label to probability.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "predicted.csv"
    >>> _ = path.write_text("id,p_yes,p_no\\na,0.9,0.1\\nb,0.4,0.6\\n")
    >>> read_distributions(path, items=["a", "b"], labels=["yes", "no"])["b"]
    {'yes': 0.4, 'no': 0.6}
    """
    table = read_columns(path, delimiter=delimiter, encoding=encoding)
    item = _item_column(table, set(items), str(path))
    rest = {name: column for name, column in table.items() if name != item}
    known = {label.casefold(): label for label in labels}
    names = [_text(one) for one in table[item]]
    for shape in (_by_column, _by_object, _by_row):
        cells = shape(rest, known)
        if cells is not None:
            return _checked(names, cells, item, str(path))
    raise InputError.expected(
        "the predictions",
        "a column for each label, or columns of labels and probabilities",
        ", ".join(list(rest)[:8]) or "one column",
        f"name the columns after the labels: {', '.join(list(labels)[:6])}",
        where=str(path),
    )


def _text(value: object) -> str:
    """Write a cell as the items are named: 3.0 of a column with gaps is 3."""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return "" if value is None else str(value).strip()


def _item_column(table: Mapping[str, list[Any]], items: set[str], path: str) -> str:
    """Return the column that holds the names of the items."""
    shares = {
        name: sum(_text(one) in items for one in column) / len(column) if column else 0.0
        for name, column in table.items()
    }
    best = max(shares, key=lambda name: shares[name], default=None)
    if best is None or shares[best] < _MOST:
        raise InputError.expected(
            "the predictions",
            "a column with the names of the items that people labelled",
            "none" if best is None else f"{shares[best]:.0%} of {best} at most",
            f"call them as people's file does, such as {min(items, default='item-1')}",
            where=path,
        )
    return best


Cells = list[dict[str, float]]


def _by_column(rest: Mapping[str, list[Any]], known: Mapping[str, str]) -> Cells | None:
    """Read a column for each label; two of the labels at least must have one."""
    of_label = {}
    for name in rest:
        bare = _PREFIX.sub("", name.strip()).rstrip(")] ")
        label = known.get(name.strip().casefold()) or known.get(bare.casefold())
        if label is not None:
            of_label[label] = rest[name]
    if len(of_label) < min(2, len(known)):
        return None
    rows = zip(*of_label.values(), strict=True)
    return [{label: _number(x) for label, x in zip(of_label, row, strict=True)} for row in rows]


def _by_object(rest: Mapping[str, list[Any]], known: Mapping[str, str]) -> Cells | None:
    """Read objects of label to probability, as JSON lines hold them."""
    for column in rest.values():
        found = [_object(cell) for cell in column]
        given = [one for one in found if one is not None]
        if given and all(any(str(k).casefold() in known for k in one) for one in given):
            return [
                {known.get(str(k).casefold(), str(k)): _number(x) for k, x in (one or {}).items()}
                for one in found
            ]
    return None


def _object(cell: Any) -> dict[str, Any] | None:
    if isinstance(cell, str) and cell.lstrip().startswith("{"):
        cell = as_literal(cell)
    return cell if isinstance(cell, dict) and cell else None


def _by_row(rest: Mapping[str, list[Any]], known: Mapping[str, str]) -> Cells | None:
    """Read a row for each item and label."""
    label = next(
        (
            name
            for name, column in rest.items()
            if column and all(_text(x).casefold() in known for x in column)
        ),
        None,
    )
    numbers = [
        name for name, column in rest.items() if name != label and all(map(holds_number, column))
    ]
    told = [name for name in numbers if name.strip().casefold() in _NUMBERS] or numbers
    if label is None or len(told) != 1:
        return None
    return [
        {known[_text(one).casefold()]: _number(x)}
        for one, x in zip(rest[label], rest[told[0]], strict=True)
    ]


def _number(value: Any) -> float:
    """Return a probability; an empty cell is none, and what is no number fails the check below."""
    if value is None:
        return 0.0
    number = as_number(value)
    return math.nan if number is None else number


def _checked(names: list[str], cells: Cells, item: str, path: str) -> dict[str, dict[str, float]]:
    """Gather the rows of each item; refuse what is no distribution, with its place."""
    found: dict[str, dict[str, float]] = {}
    for row, (name, own) in enumerate(zip(names, cells, strict=True), start=2):
        before = found.setdefault(name, {})
        twice = [label for label in own if label in before]
        if twice:
            raise InputError.expected(
                "the predictions",
                "one for each item and label",
                f"{name} twice ({item}, {twice[0]})",
                "one file for each system",
                where=f"{path}, row {row}",
            )
        before |= own
    for name, own in found.items():
        total = sum(own.values())
        if not abs(total - 1.0) <= 1e-3 or min(own.values()) < 0.0:
            raise InputError.expected(
                f"the predictions of {name}",
                "probabilities of 0 or more that add up to 1",
                f"{total:.6g}",
                "divide each row by its sum",
                where=path,
            )
    return found
