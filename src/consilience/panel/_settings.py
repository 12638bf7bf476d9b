"""One set of ratings out of many settings: each setting becomes a rater beside the people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from consilience.core.arrays import Ints
from consilience.core.frames import columns_of
from consilience.core.labels import is_missing
from consilience.exceptions import InputError
from consilience.panel.panel_data import names_of
from consilience.ratings import Ratings
from consilience.ratings.stores import as_long

EVERYWHERE = None  # the ratings of people without a setting hold for all of them


def split_by_setting(
    data: Any, *, setting: str, item: str, rater: str, label: str, **options: Any
) -> dict[object, Ratings]:
    """Split a long table by its column of settings; an empty one holds for all of them."""
    columns = columns_of(data)
    if columns is None:
        raise InputError.expected(
            "settings",
            "a mapping from setting to Ratings, or a long table with a column of settings",
            type(data).__name__,
            'as in sweep({10: ratings_10, 20: ratings_20}, people=["tutor"])',
        )
    for name in (setting, item, rater, label):
        if name not in columns:
            raise InputError.unknown_word("the column", name, [str(key) for key in columns])
    lists = {name: list(columns[name]) for name in (setting, item, rater, label)}
    groups: dict[object, list[int]] = {}
    for k, value in enumerate(lists[setting]):
        groups.setdefault(EVERYWHERE if is_missing(value) else value, []).append(k)
    return {
        value: Ratings.from_long(
            {name: [lists[name][k] for k in places] for name in (item, rater, label)},
            item=item,
            rater=rater,
            label=label,
            **options,
        )
        for value, places in groups.items()
    }


def as_one(
    settings: Mapping[object, Ratings], people: Any
) -> tuple[Ratings, list[object], list[object]]:
    """Return one set of ratings, the people, and the settings as raters.

    A setting with several systems gives one rater each, named "setting / system".
    """
    everybody = list(dict.fromkeys(name for one in settings.values() for name in one.raters))
    known = _people(settings, people, everybody)
    items: dict[str, int] = {}
    names: list[object] = []
    labels: dict[str, int] = {}
    categories: list[object] = []
    parts: list[tuple[Ints, Ints, Ints]] = []
    raters: list[object] = list(known)
    first = next(iter(settings.values()))
    for setting, one in settings.items():
        item_code = _numbers(one.items, items, names)
        label_code = _numbers(one.categories, labels, categories)
        entries = as_long(one._coded_store())
        systems = [name for name in one.raters if name not in known]
        if setting is EVERYWHERE:
            _check_people_only(one, entries.rater, known)
        rater_code = np.empty(len(one.raters), dtype=np.int64)
        for k, name in enumerate(one.raters):
            if name in known:
                rater_code[k] = known.index(name)
            elif setting is not EVERYWHERE:
                raters.append(setting if len(systems) == 1 else f"{setting} / {name}")
                rater_code[k] = len(raters) - 1
        parts.append(
            (item_code[entries.item], rater_code[entries.rater], label_code[entries.label])
        )
    item, rater, label = (np.concatenate(column) for column in zip(*parts, strict=True))
    item, rater, label = _once((item, rater, label), names, raters, categories)
    declared = first.categories_declared and list(first.categories) == categories
    order = _sorted(categories, scale=first.scale, declared=declared)
    place = np.argsort(order)
    joined = Ratings.from_codes(
        item=item,
        rater=rater,
        label=place[label],
        items=names,
        raters=raters,
        categories=[categories[k] for k in order],
        scale=first.scale,
        declared=declared,
    )
    return joined, known, raters[len(known) :]


def _people(
    settings: Mapping[object, Ratings], people: Any, everybody: list[object]
) -> list[object]:
    if people is None:
        shared = [
            name for name in everybody if all(name in one.raters for one in settings.values())
        ]
        raise InputError.expected(
            "people",
            "named, so that each setting is compared with them",
            None,
            f"raters found in every setting: {', '.join(map(str, shared)) or 'none'}",
        )
    found: list[object] = []
    is_one = isinstance(people, (str, bytes))
    for name in [people] if is_one else list(people):
        home = next((one for one in settings.values() if name in one.raters), None)
        if home is None:
            home = next(
                (one for one in settings.values() if str(name) in map(str, one.raters)), None
            )
        if home is None:
            raise InputError.unknown_word("people", name, [str(rater) for rater in everybody])
        found += names_of(home, [name], "people")
    return found


def _check_people_only(one: Ratings, rater: NDArray[np.integer[Any]], known: list[object]) -> None:
    """Refuse ratings of a system that do not say which setting they are of."""
    others = [name for k in np.unique(rater) if (name := one.raters[k]) not in known]
    if others:
        raise InputError.expected(
            "the setting",
            "given beside every rating of a system",
            f"ratings of {', '.join(map(str, others[:3]))} without one",
            "fill it in, or name them among the people",
        )


def _numbers(values: Sequence[object], known: dict[str, int], listed: list[object]) -> Ints:
    codes = np.empty(len(values), dtype=np.int64)
    for k, value in enumerate(values):
        key = str(value)
        if key not in known:
            known[key] = len(listed)
            listed.append(value)
        codes[k] = known[key]
    return codes


def _sorted(categories: list[object], *, scale: str, declared: bool) -> list[int]:
    places = list(range(len(categories)))
    if declared or scale == "nominal":
        return places
    if all(isinstance(value, (int, float)) for value in categories):
        return sorted(places, key=lambda k: categories[k])  # type: ignore[arg-type,return-value]
    return places


def _once(
    entries: tuple[Ints, Ints, Ints],
    names: list[object],
    raters: list[object],
    categories: list[object],
) -> tuple[Ints, Ints, Ints]:
    """Keep one of the equal ratings that people have in every setting; refuse different ones."""
    item, rater, label = entries
    key = item * len(raters) + rater
    _, first, inverse = np.unique(key, return_index=True, return_inverse=True)
    conflict = np.flatnonzero(label != label[first][inverse])
    if conflict.size:
        k = int(conflict[0])
        raise InputError.expected(
            "the ratings of a person",
            "the same in every setting",
            f"{raters[rater[k]]} gave item {names[item[k]]} "
            f"{categories[label[first][inverse][k]]} and {categories[label[k]]}",
            "give each setting its own system name, and the people once",
        )
    return item[first], rater[first], label[first]
