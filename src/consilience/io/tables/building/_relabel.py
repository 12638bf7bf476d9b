"""Labels as they are to be counted: renamed, in any case, and taken apart into sets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from consilience.core.cell_values import as_label_number
from consilience.core.labels import plain
from consilience.exceptions import InputError, Option, Words
from consilience.io.tables.building._label_cells import (
    LabelReading,
    _as_sets,
    _set_of,
    mark_of,
    read_labels,
)

_SIGNS = {"comma": ",", "semicolon": ";", "bar": "|", "pipe": "|", "tab": "\t", "slash": "/"}
_MOST_SHOWN = 6


@dataclass(frozen=True)
class Relabelling:
    """What is to be done to labels before they are read, and how often each was met.

    Attributes
    ----------
    names : mapping
        Old label, reduced to what makes labels the same, to the new one; None means missing.
    ignore_case : bool
        Labels that differ in case only are one.
    sets : str or None
        The sign at which a cell is cut into a set of labels.
    met : Counter
        How many ratings had each label of `names`, over all variables and groups.
    """

    names: Mapping[str, object] = field(default_factory=dict)
    ignore_case: bool = False
    sets: str | None = None
    met: Counter[str] = field(default_factory=Counter)

    @classmethod
    def of(
        cls, names: Mapping[Any, Any] | None, *, ignore_case: bool = False, sets: str | None = None
    ) -> Relabelling:
        """Check what the caller said."""
        if names is not None and not isinstance(names, Mapping):
            raise InputError.expected(
                "map", "a dict of old labels to new ones", names, 'as in map={"Yes": "yes"}'
            )
        known: dict[str, object] = {}
        for old, new in (names or {}).items():
            key = _key(old, ignore_case)
            if key in known and known[key] != new:
                raise InputError.expected(
                    "map", "clear about each label", old, "name each old label once"
                )
            known[key] = new.strip() if isinstance(new, str) else new
        return cls(known, bool(ignore_case), _sign(sets))

    def __bool__(self) -> bool:
        return bool(self.names) or self.ignore_case or self.sets is not None

    def check(self, labels: Collection[object], where: str) -> None:
        """Refuse a label to be renamed that occurs nowhere."""
        for old in self.names:
            if not self.met[old]:
                found = [str(label) for label in dict.fromkeys(labels)]
                raise InputError.unknown_word(f"{where}: a label to be mapped", old, found)


def _sign(sets: str | None) -> str | None:
    if sets is None:
        return None
    sign = _SIGNS.get(sets, sets)
    if not sign or sign.isalnum():
        raise InputError.expected(
            "sets",
            "the sign between the labels of a cell",
            sets,
            Words("as in ", Option("sets", ",")),
        )
    return sign


def _key(label: object, ignore_case: bool) -> str:
    text = str(mark_of(label))
    return text.casefold() if ignore_case else text


def relabelled(
    cells: Sequence[object],
    how_often: Sequence[int],
    change: Relabelling,
    *,
    missing_values: Collection[object] = (),
    categories: Sequence[object] | None = None,
    **options: Any,
) -> LabelReading:
    """Read the distinct cells of a label column, as `read_labels` does, after the changes.

    `how_often` says how many ratings have each cell.
    """
    told: list[str] = []
    values = taken_apart(cells, change, missing_values, told)
    values = changed(values, how_often, change, told, categories or ())
    if change.ignore_case:
        folded = {_key(value, True) for value in missing_values}
        missing_values = [
            *missing_values,
            *(v for v in values if not isinstance(v, frozenset) and _key(v, True) in folded),
        ]
    distinct = list(dict.fromkeys(value for value in values if value is not None))
    options["locate"] = _first_of(distinct, values, options.get("locate"))
    reading = read_labels(distinct, missing_values=missing_values, categories=categories, **options)
    code_of = dict(zip(distinct, reading.code_of, strict=True))
    return LabelReading(
        reading.labels,
        [-1 if value is None else code_of[value] for value in values],
        reading.declared,
        (*told, *reading.evidence),
        reading.notes,
        reading.scale,
    )


def changed(
    values: Sequence[object],
    how_often: Sequence[int],
    change: Relabelling,
    told: list[str],
    declared: Sequence[object] = (),
) -> list[object]:
    """Return labels, or sets of them, renamed and in one case; None where there is no rating."""
    values = _renamed(values, how_often, change, told)
    if not change.ignore_case:
        return values
    new = (label for label in change.names.values() if label is not None)
    return _one_case(values, how_often, [*declared, *new], told)


def taken_apart(
    cells: Sequence[object], change: Relabelling, missing: Collection[object], told: list[str]
) -> list[object]:
    """Return sets where cells hold several labels, by their own form or as the caller said."""
    if change.sets is not None:
        marks = {_key(value, change.ignore_case) for value in missing}
        kept = [None if _key(cell, change.ignore_case) in marks else cell for cell in cells]
        values, words = _cut(kept, change.sets)
        told.append(words)
        return values
    texts = [cell for cell in cells if isinstance(cell, str)]
    listed = _as_sets(texts) if len(texts) == len(cells) else None
    if listed is not None:
        return list(listed)
    return [_set_of(cell) if isinstance(cell, list) else cell for cell in cells]


def _first_of(distinct: Sequence[object], values: Sequence[object], locate: Any) -> Any:
    """Say where a label first occurs, though several cells may stand for it."""
    return None if locate is None else lambda k: locate(values.index(distinct[k]))


def _cut(cells: Sequence[object], sign: str) -> tuple[list[object], str]:
    """Cut every cell into a set; members are numbers where all of them are."""
    parts = [None if cell is None else _members(cell, sign) for cell in cells]
    numbers = {
        part: as_label_number(str(part), decimal_comma=False)
        for some in parts
        for part in some or ()
    }
    if numbers and all(number is not None for number in numbers.values()):
        parts = [None if some is None else [numbers[part] for part in some] for some in parts]
    several = sum(len(some or ()) > 1 for some in parts)
    words = (
        f"cells were cut at {sign!r} into sets: {several:,} of {len(parts):,} different cells have "
        "several labels"
    )
    return [None if some is None else frozenset(some) for some in parts], words


def _members(cell: object, sign: str) -> list[object]:
    if isinstance(cell, (list, frozenset)):
        return list(cell)
    return [part.strip() for part in str(plain(cell)).split(sign) if part.strip()]


def _renamed(
    values: Sequence[object], how_often: Sequence[int], change: Relabelling, told: list[str]
) -> list[object]:
    if not change.names:
        return list(values)
    counts: Counter[str] = Counter()

    def new_of(label: object, times: int) -> object:
        key = _key(label, change.ignore_case)
        if key not in change.names:
            return label
        new = _of_kind(label, change.names[key])
        change.met[key] += times
        counts[key] += times if new != label else 0
        return new

    out: list[object] = []
    for value, times in zip(values, how_often, strict=True):
        if isinstance(value, frozenset):
            members = [new_of(one, times) for one in value]
            rest = frozenset(one for one in members if one is not None)
            out.append(None if members and not rest else rest)
        else:
            out.append(None if value is None else new_of(value, times))
    said = [
        f"{old!r} to {'no rating' if change.names[old] is None else repr(change.names[old])} "
        f"({n:,} rating{'s' if n != 1 else ''})"
        for old, n in counts.items()
    ]
    if said:
        more = f" and {len(said) - _MOST_SHOWN} more" if len(said) > _MOST_SHOWN else ""
        told.append(f"labels mapped: {', '.join(said[:_MOST_SHOWN])}{more}")
    return out


def _of_kind(old: object, new: object) -> object:
    """Write a new label as a number where the old one is one and the new one can be."""
    if isinstance(new, str) and not isinstance(old, str):
        number = as_label_number(new, decimal_comma=False)
        return new if number is None else number
    return str(new) if isinstance(old, str) and new is not None else new


def _one_case(
    values: Sequence[object], how_often: Sequence[int], declared: Sequence[object], told: list[str]
) -> list[object]:
    """Write labels that differ in case only in one way: as declared, else as most often."""
    spelled: dict[str, Counter[str]] = {}
    for value, times in zip(values, how_often, strict=True):
        for one in value if isinstance(value, frozenset) else (value,):
            if isinstance(one, str):
                spelled.setdefault(one.casefold(), Counter())[one] += times
    chosen = {folded: words.most_common(1)[0][0] for folded, words in spelled.items()}
    chosen |= {
        word.casefold(): word for word in reversed(declared)
        if isinstance(word, str) and word.casefold() in chosen
    }  # fmt: skip
    said = []
    for folded, words in spelled.items():
        others = [word for word in words if word != chosen[folded]]
        if others:
            n = sum(words[word] for word in others)
            listed = ", ".join(map(repr, others[:3]))
            said.append(f"{listed} as {chosen[folded]!r} ({n:,} rating{'s' if n != 1 else ''})")
    if said:
        told.append(f"labels that differ in case only are one: {', '.join(said[:_MOST_SHOWN])}")

    def one_way(value: object) -> object:
        if isinstance(value, frozenset):
            return frozenset(one_way(one) for one in value)
        return chosen[value.casefold()] if isinstance(value, str) else value

    return [one_way(value) for value in values]
