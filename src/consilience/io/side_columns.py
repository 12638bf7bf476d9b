"""Ratings with what other columns of the file say: the text of an item, the time of a rating."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from consilience.core.input_files import PathLike
from consilience.core.labels import plain
from consilience.io._read import Loaded, opened
from consilience.io.request import request_of
from consilience.io.tables.building._relabel import Relabelling, changed, taken_apart

if TYPE_CHECKING:
    from consilience.ratings import Ratings


def load_beside(
    path: PathLike | Iterable[PathLike], beside: Mapping[str, str], /, **options: Any
) -> tuple[Loaded, dict[str, dict[object, object]]]:
    """Read ratings, and beside them other columns by item and by (item, rater).

    `beside` maps a word of the caller's to the name of a column; the columns are set aside before
    the layout is recognised. The options are those of `load`. In an export, "time" and "text" are
    such columns.
    """
    with opened(path, request_of(**options), beside=beside) as file:
        values = file.beside
        return file.loaded, values


def labels_like(
    ratings: Ratings,
    values: Mapping[str, object],
    *,
    map: Mapping[Any, Any] | None = None,
    ignore_case: bool = False,
    missing_values: Collection[object] = (),
    sets: str | None = None,
) -> dict[str, object]:
    """Return the labels that a column holds for items, cleaned as those of the raters were.

    Labels that differ from a rater's in case only are spelt as the rater's where case is ignored.
    """
    change = Relabelling.of(map, ignore_case=ignore_case, sets=sets)
    counts = Counter(values.values())
    cells = list(counts)
    apart = taken_apart(cells, change, missing_values, [])
    new = changed(apart, list(counts.values()), change, [], ratings.categories)
    spelt = {str(plain(label)): label for label in ratings.categories}
    marks = {_mark(one, ignore_case) for one in missing_values}
    become = {
        cell: None if _mark(cell, ignore_case) in marks else spelt.get(str(plain(label)), label)
        for cell, label in zip(cells, new, strict=True)
    }
    return {item: become[cell] for item, cell in values.items() if become[cell] is not None}


def _mark(label: object, ignore_case: bool) -> str:
    text = str(plain(label)).strip()
    return text.casefold() if ignore_case else text
