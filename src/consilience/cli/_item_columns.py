"""Columns beside the ratings that say more about the items: read with them, in one go."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING, Any

import click

from consilience.cli._ratings_reading import read_with

if TYPE_CHECKING:
    from consilience.io import Loaded
    from consilience.ratings import Ratings

Pairs = Iterable[tuple[object, object]]  # an item, and what its column says
ByItem = dict[str, dict[str, object]]  # option, item, value

_COLUMNS = ("document", "gold", "time", "stratum", "weight", "answers_of", "uncertainty", "author",
            "length", "position", "batch")  # fmt: skip
_CHANGING = ("time",)  # may differ between the ratings of an item


def read_beside(
    options: dict[str, Any], reading: Mapping[str, Any], names: Collection[str] = _COLUMNS
) -> tuple[Loaded, ByItem]:
    """Read the ratings, and by item what the columns say that options name.

    The columns are set aside before the layout is recognised: one with essays or times may well
    look like an item's name, or like one more rater of a wide table. --gold may also name a rater,
    who is none of them.
    """
    from consilience.exceptions import InputError
    from consilience.io.tables.recogniser.refusal import AmbiguousTableError

    asked = dict(reading)
    columns = {name: options[name] for name in names if options.get(name)}
    if "-" in asked["paths"]:  # which is read once only
        return _read(options, asked, {n: c for n, c in columns.items() if n != "gold"})
    try:
        return _read(options, asked, columns)
    except AmbiguousTableError:
        raise
    except InputError as error:
        loaded, _ = read_with(asked, {})
        if loaded.reading.title:
            return loaded, _by_item(options, loaded, _fields(options, loaded, columns))
        if not is_rater(loaded, columns.get("gold")):
            raise error from None
    return _read(options, asked, {n: c for n, c in columns.items() if n != "gold"})


def is_rater(loaded: Loaded, name: str | None) -> bool:
    """Tell whether somebody of that name rated."""
    return any(str(who) == name for part in loaded.groups.values() for who in part.raters)


def gold_in(options: dict[str, Any], ratings: Ratings, beside: ByItem) -> Any:
    """Return the gold standard: the rater who is it, or the labels of a column."""
    for rater in ratings.raters:
        if str(rater) == options["gold"]:
            return rater
    if "gold" in beside:
        return beside["gold"]
    raise click.UsageError("--gold needs a file: standard input can be read once only.")


def of_items(beside: ByItem, wanted: Mapping[str, str]) -> dict[str, Any]:
    """Return argument to what a column says about each item, for the options that name one."""
    return {to: beside[option] for option, to in wanted.items() if option in beside}


def _read(
    options: dict[str, Any], asked: dict[str, Any], columns: Mapping[str, str]
) -> tuple[Loaded, ByItem]:
    flags = {f"--{name.replace('_', '-')}": name for name in columns}
    loaded, found = read_with(asked, {flag: columns[name] for flag, name in flags.items()})
    pairs: dict[str, Pairs] = {
        flags[flag]: [(key[0] if isinstance(key, tuple) else key, value)
                      for key, value in values.items()]
        for flag, values in found.items()
    }  # fmt: skip
    return loaded, _by_item(options, loaded, pairs)


def _fields(
    options: dict[str, Any], loaded: Loaded, columns: Mapping[str, str]
) -> dict[str, Pairs]:
    """Return what fields of a flat export say about the items."""
    from consilience.exceptions import InputError
    from consilience.io.plain_columns import read_columns

    item = next((one.taken for one in loaded.reading.guesses if one.what == "item"), "")
    found: dict[str, list[tuple[object, object]]] = {name: [] for name in columns}
    for path in options["paths"]:
        table = read_columns(path, delimiter=options["delimiter"], encoding=options["encoding"])
        for name, column in columns.items():
            for one in (column, item):
                if one not in table:
                    flag = f"--{name.replace('_', '-')}"
                    said = str(InputError.unknown_word(f"{path}: {flag}", one, list(table)))
                    raise InputError(
                        said.replace("must be one of", "must be one of the columns", 1)
                    )
            found[name] += zip(table[item], table[column], strict=True)
    return dict(found)


def _by_item(options: dict[str, Any], loaded: Loaded, pairs: Mapping[str, Pairs]) -> ByItem:
    return {name: _one_each(options, loaded, name, some) for name, some in pairs.items()}


def _one_each(
    options: dict[str, Any], loaded: Loaded, name: str, pairs: Pairs
) -> dict[str, object]:
    """Return one value for each item; gold labels are cleaned as the raters' labels were."""
    from consilience.exceptions import InputError

    known = [(str(item), value) for item, value in pairs if value is not None]
    numbers = _numbers([value for _, value in known])
    values: dict[str, Any] = {}
    for item, cell in known:
        value = numbers.get(cell, cell) if name != "gold" else cell
        before = values.setdefault(item, value)
        if before == value:
            continue
        if name in _CHANGING:
            values[item] = min(before, value)
            continue
        raise InputError.expected(
            f"the column {options[name]!r}",
            "the same in all rows of an item",
            f"{before}, {value} for item {item}",
            f"correct the file, or leave out --{name.replace('_', '-')}",
            where=loaded.reading.sources[0],
        )
    return _as_labels(options, loaded, values) if name == "gold" else values


def _numbers(cells: list[object]) -> dict[object, object]:
    """Return the numbers that texts stand for, where all of them do."""
    from consilience.core.cell_values import written_numbers

    texts = [cell for cell in dict.fromkeys(cells) if isinstance(cell, str)]
    found = written_numbers(texts) if texts and len(set(cells)) == len(texts) else None
    return {} if found is None else dict(zip(texts, found[0], strict=True))


def _as_labels(
    options: dict[str, Any], loaded: Loaded, values: dict[str, object]
) -> dict[str, object]:
    from consilience.io.side_columns import labels_like

    told = {name: options[name] for name in ("map", "ignore_case", "missing_values", "sets")
            if options.get(name)}  # fmt: skip
    return labels_like(next(iter(loaded.groups.values())), values, **told)
