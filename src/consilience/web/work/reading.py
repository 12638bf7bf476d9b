"""What a file is taken for: the sentence, the part of every column, the other readings."""

from __future__ import annotations

import contextlib
import csv
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from consilience.core.cell_values import holds_time
from consilience.core.options import flag
from consilience.core.words import counted, first_of, label_text, shortened
from consilience.exceptions import ConsilienceError, InputError, Option, Words
from consilience.io import Loaded, anonymised, load
from consilience.io.excerpts import FirstLook, first_look
from consilience.io.large_tables import load_reduced
from consilience.io.layout.decision import AmbiguousTableError
from consilience.latent.votes import entries_of
from consilience.ratings import Ratings

# ---- Ratings of a file as every job reads them, called what people call it
# A large file goes through the engine: it is reduced to distinct items where it lies. Who needs
# the items by name asks for them, or takes a sample.


def load_named(
    file: Mapping[str, Any],
    *,
    items: bool = False,
) -> Loaded:
    """Read a file; what is said about it uses the name that people know.

    `file` says where its bytes are ("path"), what it is called ("shown"), how it is read, whether
    names are hidden and whether it is large; `items` says whether items are needed by name, however
    many they are.
    """
    path, shown = file["path"], file["shown"]
    options = dict(file["reading"])
    try:
        if file.get("large") and not items and not options.get("cluster"):
            loaded = load_reduced([path], memory_limit=file["memory"], **options)
        else:
            loaded = load([path], **options)
    except ConsilienceError as error:
        raise renamed(error, path, shown) from error
    sources = tuple(one.replace(path, shown) for one in loaded.reading.sources)
    loaded = replace(loaded, reading=replace(loaded.reading, sources=sources))
    return anonymised(loaded) if file.get("anonymise") else loaded


def texts_beside(file: Mapping[str, Any], column: str | None) -> Mapping[object, object]:
    """Return what a column says about each item; nothing where none was chosen."""
    if column is None:
        return {}
    from consilience.io.side_columns import load_beside

    return load_beside([file["path"]], {"text": column}, **file["reading"])[1].get("text", {})


def reading_lines(*loaded: Loaded) -> list[str]:
    """Return how files were read, line by line, as the pages of the commands end with it."""
    told = [one.reading.told(flag) for one in loaded]
    return list(dict.fromkeys(line.strip() for text in told for line in text.splitlines()))


def renamed(error: ConsilienceError, path: str, shown: str) -> ConsilienceError:
    """Return the same error about the name that people know."""

    def other(text: str) -> str:
        return text.replace(path, shown).replace(Path(path).name, shown)

    again = error.retold(error.words.changed(other))
    if hasattr(again, "sentence"):
        again.sentence = other(again.sentence)
    return again


# ---- What the screen "What is this file?" shows

_MOST_COLUMNS = 40  # that are shown with a chip
_MOST_LABELS = 40
_MOST_RATERS = 200
_MOST_CARDS = 4
_LONGEST_CELL = 60
_TRIED = 4 << 20  # bytes up to which other readings are tried out
_SHAPES = {
    "long": "Long table",
    "wide": "Wide table",
    "transposed": "Table with a row per rater",
    "counts": "Table of counts",
    "table": "Cross-table of two raters",
}
_TEXT_OPTIONS = ("format", "sheet", "delimiter", "encoding", "header")
# What the screen asks about, as long as nothing is known of it.
_NOTHING: dict[str, Any] = {
    "sentence": "", "roles": [], "told": [], "guesses": [], "cards": [], "questions": [],
    "by": None, "is_export": False, "beside": [], "message": "", "line": None, "fixes": [],
    "is_timed": False, "seen": [], "large": False, "reduced": False,
    "there": [],
}  # fmt: skip
_NAMED = re.compile(r"(?i)time|date|when|created|submitted|day|_at$|stamp")
DATE = re.compile(r"\d{4}-\d\d(-\d\d([ T]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?)?")
_LINE = re.compile(r", (?:line|row) ([\d,]+)")


def read(
    *,
    file: Mapping[str, Any],
    reading: Mapping[str, Any],
    anonymise: bool,
    limits: tuple[int, int],
    tell: Callable[[str], None],
) -> dict[str, Any]:
    """Return all that the screen "What is this file?" shows.

    `limits` are the bytes and the ratings beyond which a file is large.
    """
    tell("Reading the file")
    look = _look(file["path"], reading)
    found: dict[str, Any] = {**_NOTHING, "table": _table(look), "reading": dict(reading)}
    found["large"] = _weight(file["path"]) > limits[0]
    if look is not None:
        found["large"] = found["large"] or look.n_rows > limits[1]
        tell(f"{look.n_rows:,} rows, {look.n_columns:,} columns")
    try:
        named = load_named({**file, "reading": reading, "large": found["large"]})
    except ConsilienceError as error:
        found |= _refused(error, look, file)
        if anonymise:  # who is a rater is not known, so no cell can be shown
            return found | {"table": None, "roles": []}
        return found | {"there": _there(file["path"], reading, found["line"], look)}
    n_ratings = sum(one.n_ratings for one in named.groups.values())
    found["reduced"] = named.reading.is_reduced
    found["large"] = found["large"] or n_ratings > limits[1]
    found["roles"] = _roles(named, look)
    tell("Trying the other readings")
    if not anonymise:
        return found | _understood(named, file)
    hidden = anonymised(named)
    return found | _understood(hidden, file) | {"table": _hidden(found["table"], named, hidden)}


def _weight(path: str) -> int:
    place = Path(path)
    return place.stat().st_size if place.is_file() else 0


def _look(path: str, reading: Mapping[str, Any], line: int | None = None) -> FirstLook | None:
    asked = {name: reading[name] for name in _TEXT_OPTIONS if name in reading}
    with contextlib.suppress(ConsilienceError):
        return first_look([path], line=line, **asked)
    return None


def _there(
    path: str, reading: Mapping[str, Any], line: int | None, look: FirstLook | None
) -> list[str]:
    """Return the row that a refusal is about, where it is not among the first ones."""
    if line is None or look is None or line <= len(look.rows) + 1:
        return []
    found = _look(path, reading, line=line)
    row = None if found is None else found.there
    return [] if row is None else [_cell(one) for one in row[:_MOST_COLUMNS]]


def _table(look: FirstLook | None) -> dict[str, Any] | None:
    if look is None:
        return None
    shown = slice(0, _MOST_COLUMNS)
    return {
        "names": list(look.names[shown]),
        "heads": list(look.names[shown]),
        "rows": [[_cell(one) for one in row[shown]] for row in look.rows],
        "n_rows": look.n_rows,
        "n_columns": look.n_columns,
    }


def _cell(value: Any) -> str:
    return "" if value is None else shortened(label_text(value), _LONGEST_CELL)


def _hidden(table: dict[str, Any] | None, named: Loaded, hidden: Loaded) -> dict[str, Any] | None:
    """Return the table with codes for the names of raters, wherever a name stands by itself."""
    if table is None:
        return None
    codes: dict[str, str] = {}
    for name, ratings in named.groups.items():
        pairs = zip(ratings.raters, hidden.groups[name].raters, strict=True)
        codes |= {str(rater): str(code) for rater, code in pairs}
    rows = [[codes.get(cell, cell) for cell in row] for row in table["rows"]]
    return {**table, "heads": [codes.get(one, one) for one in table["heads"]], "rows": rows}


# ---- understood


def _understood(loaded: Loaded, file: Mapping[str, Any]) -> dict[str, Any]:
    reading = loaded.reading
    return {
        "status": "clear",
        "sentence": _sentence(loaded),
        "told": [line.strip() for line in reading.told(flag).splitlines()],
        "guesses": [
            [one.what, one.taken, one.because, flag(Option(one.argument))]
            for one in reading.guesses
        ],
        "cards": _cards(_others(loaded), file),
        "questions": [_question(name, one) for name, one in loaded.groups.items()],
        "by": loaded.by,
        "is_export": bool(reading.title),
        "beside": [one.name for one in reading.beside],
    }


def _sentence(loaded: Loaded) -> str:
    reading, groups = loaded.reading, loaded.groups
    most = max(groups.values(), key=lambda one: one.n_items)
    names = {name for one in groups.values() for name in one.raters}
    raters = len(names) or most.n_raters
    items = f"{most.n_items:,} {_plural(reading.columns.get('item', ()), reading.shape)}"
    said = f"{counted(raters, 'rater')} rated {items}"
    if len(groups) > 1:
        said += f" on {len(groups)} questions ({first_of([str(one) for one in groups], 4)})"
    else:
        said += f" with {counted(len(most.categories), 'label')}"
    return f"{reading.title or _SHAPES[reading.shape]}: {said}."


def _plural(names: Sequence[str], shape: str) -> str:
    """Call items what their column is called, where that is a word of its own."""
    word = names[0].strip() if len(names) == 1 and shape in ("long", "wide", "counts") else ""
    plain = word.isalpha() and word.islower() and word not in ("id", "item", "unit", "index")
    return f"items ({word})" if plain else "items"


def _roles(loaded: Loaded, look: FirstLook | None) -> list[str]:
    """Return the part of each column that is shown."""
    if look is None:
        return []
    part: dict[str, str] = {}
    for role, names in loaded.reading.columns.items():
        part |= dict.fromkeys(names, {"by": "variable", "category": "count"}.get(role, role))
    clusters = next(iter(loaded.groups.values())).clusters
    if clusters is not None:
        part[clusters.name] = "cluster"
    if loaded.reading.shape == "wide" and loaded.reading.variables:
        aside = {name for one in loaded.reading.account.set_aside for name in one.name.split(", ")}
        part |= {name: "rater" for name in look.names if name not in part and name not in aside}
    if loaded.reading.shape == "table":
        part |= dict.fromkeys(look.names[1:], "count")
    for j, name in enumerate(look.names):
        cells = ["" if row[j] is None else label_text(row[j]) for row in look.rows]
        if name not in part and looks_like_time(name, cells):
            part[name] = "time"
    return [part.get(name, "ignore") for name in look.names[:_MOST_COLUMNS]]


def _question(name: str | None, ratings: Ratings) -> dict[str, Any]:
    labels = [label_text(one) for one in ratings.categories[:_MOST_LABELS]]
    return {
        "name": name,
        "scale": ratings.scale,
        "told": ratings.scale_told,
        "undecided": ratings.scale_undecided,
        "numbers": ratings.numbers is not None,
        "labels": labels,
        "uses": _uses(ratings),
        "names": [str(one) for one in ratings.raters[:_MOST_RATERS]],
        "n_labels": len(ratings.categories),
        "items": ratings.n_items,
        "raters": ratings.n_raters,
        "ratings": ratings.n_ratings,
        "missing": ratings.n_missing,
    }


def _uses(ratings: Ratings) -> list[int]:
    """Return how often each label was given, as far as labels are listed."""
    try:
        counts = entries_of("a list of labels", ratings, need_raters=False).per_label
    except ConsilienceError:
        return []
    return [int(n) for n in counts[:_MOST_LABELS]]


# ---- other readings


def _others(loaded: Loaded) -> list[tuple[str, dict[str, Any]]]:
    seen = loaded.reading.seen
    readings = () if seen is None else seen.readings[1:]
    return [(one.words, dict(one.options)) for one in readings if one.options]


def _cards(
    offers: Sequence[tuple[str, Mapping[str, Any]]], file: Mapping[str, Any]
) -> list[dict[str, Any]]:
    path = file["path"]
    small = Path(path).is_file() and Path(path).stat().st_size <= _TRIED
    cards: list[dict[str, Any]] = []
    for words, options in offers:
        gives = _would_give(path, options) if small else ""
        if gives is not None and len(cards) < _MOST_CARDS:
            cards.append({"words": words, "options": dict(options), "gives": gives})
    return cards


def _would_give(path: str, options: Mapping[str, Any]) -> str | None:
    """Say how much there would be to compare, not how far it agrees; None if it is refused."""
    try:
        groups = load([path], **dict(options)).groups
    except ConsilienceError:
        return None
    one = max(groups.values(), key=lambda ratings: ratings.n_items)
    return (
        f"{counted(one.n_items, 'item')}, {counted(one.n_raters, 'rater')}, "
        f"{counted(one.n_ratings, 'rating')}, {counted(len(one.categories), 'label')}"
    )


# ---- refused


def _refused(
    error: ConsilienceError, look: FirstLook | None, file: Mapping[str, Any]
) -> dict[str, Any]:
    error = renamed(error, file["path"], file["shown"])
    offers: list[tuple[str, Mapping[str, Any]]] = []
    message = error.words.worded(flag)
    if isinstance(error, AmbiguousTableError):
        offers = [(one.words, one.options) for one in error.offers]
        message = Words(error.sentence).worded(flag)
        message = message.partition(" Hint: ")[0]
    cards = _cards(offers, file)
    if cards:
        message += " Choose one of the readings below, or correct the file."
    place = _LINE.search(message)
    return {
        "status": "refused",
        "message": message.partition("\n")[0],
        "line": int(place[1].replace(",", "")) if place else None,
        "fixes": [] if offers else _fixes(error),
        "cards": cards,
        "roles": ["ignore"] * min(len(look.names), _MOST_COLUMNS) if look else [],
        "is_timed": "consilience units" in message,
        "seen": _seen(error),
    }


def _fixes(error: ConsilienceError) -> list[tuple[str, dict[str, Any]]]:
    """Return what the hint names as things to click: each value of an argument it speaks of."""
    fixes: list[tuple[str, dict[str, Any]]] = []
    for part in error.words.parts:
        if not isinstance(part, Option):
            continue
        for value in part.values:
            kept = tuple(value) if isinstance(value, list) else value
            fixes.append((flag(Option(part.name, value)), {part.name: kept}))
    return fixes[:6]


def _seen(error: ConsilienceError) -> list[list[str]]:
    seen = getattr(error, "seen", None) if isinstance(error, InputError) else None
    columns = () if seen is None else seen.columns
    return [[one.name, one.kind, f"{one.filled:,}", f"{one.distinct:,}", one.examples]
            for one in columns]  # fmt: skip


# ---- times


def looks_like_time(name: str, cells: Sequence[str]) -> bool:
    """Tell whether a column says when: dates by themselves, clocks and numbers by their name.

    >>> looks_like_time("x", ["2026-01-05 14:02"]), looks_like_time("time", ["14"])
    (True, True)
    >>> looks_like_time("score", ["14"])
    False
    """
    given = [cell for cell in cells if cell]
    if not given:
        return False
    if all(DATE.fullmatch(cell) for cell in given):
        return True
    plain = all(map(holds_time, given))
    return plain and _NAMED.search(name) is not None


def write_demo(path: str, tell: Callable[[str], None]) -> str:
    """Write the made-up study as a wide table, to be looked at like any other."""
    from consilience.simulate.simulator import made_study

    ratings = made_study()
    entries = entries_of("the demo", ratings)
    labels = [[""] * len(ratings.raters) for _ in range(ratings.n_items)]
    for i, g, k in zip(entries.item, entries.rater, entries.label, strict=True):
        labels[i][g] = str(ratings.categories[k])
    with Path(path).open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow(["letter", *map(str, ratings.raters)])
        writer.writerows([f"letter {i + 1}", *row] for i, row in enumerate(labels))
    return path
