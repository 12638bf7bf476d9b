"""Other units out of units: chosen, merged, relabelled, as a frame."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from consilience.core.frames import native_frame
from consilience.core.labels import is_missing, label_key, plain
from consilience.exceptions import InputError
from consilience.units.model._columns import Codes, Times, in_label_order, together
from consilience.units.model.units_reading import UnitReading

if TYPE_CHECKING:
    from consilience.units.model.units import Units

BACKENDS = ("pandas", "polars", "pyarrow")
_RANK = {"file": 2, "given": 1, "fallback": 0}


def select(units: Units, *, raters: Any, sessions: Any, tiers: Any, labels: Any) -> Units:
    """Keep the named raters, sessions, tiers and labels, in the order named."""
    keep = np.ones(len(units), dtype=bool)
    changed: dict[str, Any] = {}
    for axis, wanted in (
        ("rater", raters),
        ("session", sessions),
        ("tier", tiers),
        ("label", labels),
    ):
        if wanted is None:
            continue
        known = getattr(units, axis + "s")
        places = _places(wanted, known, axis)
        table = np.full(len(known), -1, dtype=np.int32)
        table[places] = np.arange(len(places), dtype=np.int32)
        changed[axis] = table[getattr(units, axis)]
        changed[axis + "s"] = tuple(known[k] for k in places)
        keep &= changed[axis] >= 0
        if axis in ("rater", "session"):
            asked = changed.get("asked", units.asked)
            changed["asked"] = asked[places] if axis == "rater" else asked[:, places]
        if axis == "session":
            changed["bounds"] = units.bounds[places]
            changed["bounds_from"] = tuple(units.bounds_from[k] for k in places)
    return _rows(replace(units, **changed) if changed else units, keep)


def _rows(units: Units, keep: NDArray[np.bool_]) -> Units:
    columns = ("start", "end", "label", "rater", "session", "tier")
    some: dict[str, Any] = {name: getattr(units, name)[keep] for name in columns}
    some["span"] = None if units.span is None else units.span[keep]
    return replace(units, **some)


def _places(wanted: Any, known: tuple[Any, ...], axis: str) -> list[int]:
    if isinstance(wanted, (str, frozenset)) or not isinstance(wanted, Iterable):
        wanted = [wanted]
    keys = {label_key(name): k for k, name in enumerate(known)}
    places: dict[int, None] = {}
    for name in wanted:
        key = label_key(plain(name)) if axis == "label" else str(name)
        if key not in keys:
            raise InputError.unknown_word(f"a {axis}", name, map(str, known))
        places[keys[key]] = None
    return list(places)


def merge(one: Units, other: Any) -> Units:
    """Put two sets of units together."""
    from consilience.units.model.units import Units

    if not isinstance(other, Units):
        raise InputError.expected("other", "Units", type(other).__name__, "build Units first")
    if len({one.time_unit, other.time_unit} - {"unknown"}) > 1:
        raise InputError.expected(
            "time_unit", "the same in both", (one.time_unit, other.time_unit), "convert one of them"
        )
    axes: dict[str, Any] = {}
    for axis in ("rater", "session", "tier", "label"):
        codes, names = _joined(one, other, axis)
        axes[axis], axes[axis + "s"] = codes, names
    start, end, bounds, origins = _times(one, other, axes["sessions"])
    return Units(
        start=start,
        end=end,
        bounds=bounds,
        bounds_from=origins,
        span=_spans(one, other),
        time_unit=one.time_unit if one.time_unit != "unknown" else other.time_unit,
        sources=tuple(dict.fromkeys((*one.sources, *other.sources))),
        notes=tuple(dict.fromkeys((*one.notes, *other.notes))),
        asked=_asked(one, other, axes),
        reading=_reading(one, other),
        **axes,
    )


def _asked(one: Units, other: Units, axes: Mapping[str, Any]) -> NDArray[np.bool_]:
    """Return who was asked in either; of what neither knows nothing is known."""
    table = np.zeros((len(axes["raters"]), len(axes["sessions"])), dtype=bool)
    for units in (one, other):
        rows = [axes["raters"].index(name) for name in units.raters]
        columns = [axes["sessions"].index(name) for name in units.sessions]
        table[np.ix_(rows, columns)] |= units.asked
    return table


def _reading(one: Units, other: Units) -> UnitReading | None:
    if one.reading is None or other.reading is None:
        return one.reading or other.reading
    return one.reading + other.reading


def _joined(one: Units, other: Units, axis: str) -> tuple[Codes, tuple[Any, ...]]:
    left, right = getattr(one, axis + "s"), getattr(other, axis + "s")
    found = {label_key(name): name for name in (*left, *right)}
    names = list(found.values())
    if left != right:
        names = in_label_order(names) if axis == "label" else sorted(names)
    place = {label_key(name): k for k, name in enumerate(names)}
    parts = [
        np.array([place[label_key(x)] for x in known], dtype=np.int32)[getattr(units, axis)]
        if known
        else getattr(units, axis)
        for units, known in ((one, left), (other, right))
    ]
    return np.concatenate(parts), tuple(names)


def _times(
    one: Units, other: Units, sessions: tuple[str, ...]
) -> tuple[Times, Times, Times, tuple[str, ...]]:
    """Join the times; a session in both reaches as far as the better known bounds, or further."""
    start: Times = np.concatenate([one.start, other.start])
    end: Times = np.concatenate([one.end, other.end])
    start, end = together(start, end)
    bounds: Any = np.empty((len(sessions), 2), dtype=start.dtype)
    origins = []
    places = [
        (units, {name: at for at, name in enumerate(units.sessions)}) for units in (one, other)
    ]
    for k, name in enumerate(sessions):
        ends = [
            (units.bounds[place[name]], units.bounds_from[place[name]])
            for units, place in places
            if name in place
        ]
        bounds[k] = min(e[0][0] for e in ends), max(e[0][1] for e in ends)
        origins.append(max((e[1] for e in ends), key=_RANK.__getitem__))
    return start, end, bounds, tuple(origins)


def _spans(one: Units, other: Units) -> NDArray[np.int64] | None:
    if one.span is None and other.span is None:
        return None
    left = np.arange(len(one)) if one.span is None else one.span
    right = np.arange(len(other)) if other.span is None else other.span
    lift = int(left.max()) + 1 if len(left) else 0
    return np.concatenate([left, right + lift]).astype(np.int64)


def relabel(units: Units, mapping: Mapping[Any, Any] | Callable[[Any], Any]) -> Units:
    """Rename labels; units whose label becomes None are left out."""
    if isinstance(mapping, Mapping):
        table = {label_key(plain(old)): new for old, new in mapping.items()}
        known = set(map(label_key, units.labels))
        for old in mapping:
            if label_key(plain(old)) not in known:
                raise InputError.unknown_word("a label", old, map(str, units.labels))
        new = [table.get(label_key(label), label) for label in units.labels]
    elif callable(mapping):
        new = [mapping(label) for label in units.labels]
    else:
        raise InputError.expected("mapping", "a mapping or a function", mapping, "{'old': 'new'}")
    kept = [None if is_missing(label) else plain(label) for label in new]
    found = {label_key(label): label for label in kept if label is not None}
    names = in_label_order(list(found.values()))
    place = {label_key(label): k for k, label in enumerate(names)}
    codes = np.array(
        [-1 if label is None else place[label_key(label)] for label in kept], dtype=np.int32
    )
    label = codes[units.label] if len(codes) else units.label
    return _rows(replace(units, label=label, labels=tuple(names)), label >= 0)


def to_frame(units: Units, backend: str | None) -> Any:
    """Return one row for each entry as a native dataframe."""

    columns: dict[str, Any] = {
        axis: [getattr(units, axis + "s")[k] for k in getattr(units, axis).tolist()]
        for axis in ("session", "tier", "rater")
    }
    columns |= {"start": units.start.tolist(), "end": units.end.tolist()}
    labels = units.labels
    if len({type(label) for label in labels}) > 1 or any(isinstance(x, frozenset) for x in labels):
        labels = tuple(_text(label) for label in labels)
    columns["label"] = [labels[k] for k in units.label.tolist()]
    if units.span is not None:
        columns["span"] = units.span.tolist()
    return native_frame(columns, backend)


def _text(label: Any) -> str:
    return "; ".join(sorted(map(str, label))) if isinstance(label, frozenset) else str(label)
