"""Decide what the cells of a label column are: numbers, text, sets, or nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any

from consilience.core.cell_values import as_label_number, as_literal, written_numbers
from consilience.core.labels import MOST_CODES, in_natural_order, is_number, label_key, plain
from consilience.exceptions import InputError, Option, Words, shown
from consilience.io.tables.building._missing_marks import missing_marks
from consilience.ratings import Note

_WORDS_FOR_MISSING = frozenset(
    ("na", "n/a", "n.a.", "nan", "null", "none", "nil", "missing", "unknown", "-", "--", ".", "?",
     "#n/a", "<na>", "not applicable", "skipped", "")
)  # fmt: skip
_NUMBERS_FOR_MISSING = (9, 99, 999, 9999)
LISTS = "lists in the cells were read as sets of labels"
_LONGEST_CODE = 16  # digits
_JOINED_BY = {",": "commas", ";": "semicolons", "|": "bars"}
_FEWEST_JOINED = 2  # different cells with such a sign in them


@dataclass(frozen=True)
class LabelReading:
    """The labels that the raw cells stand for.

    `code_of[k]` is the place in `labels` of the k-th raw cell, or -1 where that cell is missing.
    `scale` is what was told or what the labels say by themselves; None leaves it to the default.
    """

    labels: list[object]
    code_of: list[int]
    declared: bool
    evidence: tuple[str, ...] = ()
    notes: tuple[Note, ...] = ()
    scale: str | None = None


def read_labels(
    cells: Sequence[object],
    *,
    scale: str | None,
    categories: Sequence[object] | None = None,
    missing_values: Collection[object] = (),
    decimal_comma: bool = False,
    locate: Callable[[int], str] | None = None,
    weigh_marks: bool = True,
) -> LabelReading:
    """Turn the distinct raw cells of a label column into labels in order.

    `scale` is None where nobody told it; `locate` says where in the file the k-th cell first
    occurs. `weigh_marks` looks for NA and its kin; an export says itself what is missing.
    """
    marks = {mark_of(value) for value in missing_values}
    given = [cell for cell in cells if mark_of(cell) not in marks]
    found, told = missing_marks(given, categories) if weigh_marks else ([], [])
    marks |= {mark_of(value) for value in found}
    kept = [k for k, cell in enumerate(cells) if mark_of(cell) not in marks]
    raw = [cells[k] for k in kept]
    values, evidence = _as_numbers(raw, decimal_comma=decimal_comma)
    evidence = [*told, *evidence]
    if scale in ("interval", "ratio"):
        find = None if locate is None else lambda k: locate(kept[k])
        values, evidence = _as_quantities(raw, values, evidence, find)
    if categories is not None:
        wanted, values = _declared(list(categories), raw, values, decimal_comma)
        labels = wanted
        odd = _unknown(values, wanted)
        if odd is not None:
            where = locate(kept[odd]) if locate else None
            raise _unknown_label(values[odd], wanted, where)
    else:
        unique = {label_key(value): value for value in values}
        labels = in_natural_order(unique.values())
    place = {label_key(label): k for k, label in enumerate(labels)}
    code_of = [-1] * len(cells)
    for k, value in zip(kept, values, strict=True):
        code_of[k] = place[label_key(value)]
    notes = _suspects(labels, categories)
    if LISTS not in evidence and categories is None:
        notes += _look_like_sets(labels)
    if scale is None and categories is None:
        scale, why = plain_scale(labels)
        evidence = [*evidence, *why]
    return LabelReading(
        labels, code_of, categories is not None, tuple(evidence), tuple(notes), scale
    )


def plain_scale(labels: Sequence[object]) -> tuple[str | None, list[str]]:
    """Return the scale that labels show by themselves, or None, and what is to be said about it.

    Numbers that are not whole measure something. Whole numbers may be marks or codes.
    """
    if not labels or not all(map(is_number, labels)):
        return None, []
    if any(not float(label).is_integer() for label in labels):  # type: ignore[arg-type]
        return "interval", [
            "the labels are numbers that are not whole, so they are taken as measurements, on an "
            "interval scale (--scale nominal takes them as names)"
        ]
    if len(labels) <= MOST_CODES:
        return None, []
    return None, [
        f"the labels are {len(labels):,} different whole numbers, which may be names or numbers: "
        "--scale says which"
    ]


def reader_of(
    *,
    scale: str | None,
    categories: Sequence[object] | None,
    missing_values: Collection[object],
    decimal_comma: bool = False,
    where: str = "the table",
) -> Callable[[Sequence[object]], LabelReading]:
    """Return `read_labels` for one column: the reader of labels that the reducer asks for."""

    def read(cells: Sequence[object]) -> LabelReading:
        return read_labels(
            cells,
            scale=scale,
            categories=categories,
            missing_values=missing_values,
            decimal_comma=decimal_comma,
            locate=lambda _: where,
        )

    return read


def mark_of(value: object) -> object:
    """Reduce a cell or a missing value to what makes them the same: -99, '-99' and -99.0."""
    text = str(plain(value)).strip()
    number = as_label_number(text, decimal_comma=False)
    return text if number is None or abs(number) >= 2**53 else str(number)


def _as_numbers(raw: Sequence[object], *, decimal_comma: bool) -> tuple[list[object], list[str]]:
    """Return the cells as numbers if every one is a number, else as they are."""
    if not all(isinstance(cell, str) for cell in raw):
        return [_set_of(c) if isinstance(c, list) else plain(c) for c in raw], []
    texts = [str(cell) for cell in raw]
    sets = _as_sets(texts)
    if sets is not None:
        return list(sets), [LISTS]
    numbers: list[Any] = _one_code_each(texts)
    numbers = numbers or [as_label_number(text, decimal_comma=decimal_comma) for text in texts]
    if not texts or any(number is None for number in numbers):
        return list(raw), _nearly_numbers(texts, numbers)
    evidence = []
    if any("," in text for text in texts):
        evidence.append("decimal commas were read as decimal points")
    if len(set(numbers)) < len(texts):
        often = Counter(numbers)
        twins = sorted(text for text, n in zip(texts, numbers, strict=True) if often[n] > 1)
        evidence.append(f"labels written differently are one number: {', '.join(twins[:4])}")
    return list(numbers), evidence


def _one_code_each(texts: Sequence[str]) -> list[object]:
    """Return codes as numbers where some are written twice, as 04 and 4; else nothing.

    A frame keeps the zeros only in a column that holds something else as well.
    """
    if not all(text.isascii() and text.isdigit() and len(text) < _LONGEST_CODE for text in texts):
        return []
    found: list[object] = [int(text) for text in texts]
    return found if len(set(found)) < len(set(texts)) else []


def _as_quantities(
    raw: Sequence[object],
    values: list[object],
    evidence: list[str],
    locate: Callable[[int], str] | None,
) -> tuple[list[object], list[str]]:
    """Read what is measured with thousands separators or decimal commas, where that is plain.

    Numbers that can be read as they are stay so, unless 1.000 stands beside 2,5: then the point
    must be between thousands.
    """
    texts = [cell for cell in raw if isinstance(cell, str)]
    both = any("," in text for text in texts) and any("." in text for text in texts)
    is_plain = all(map(is_number, values))
    if not texts or len(texts) < len(raw) or (is_plain and not both):
        return values, evidence
    try:
        found = written_numbers(texts, locate=locate)
    except InputError:
        if not is_plain:
            raise
        return values, evidence
    return (values, evidence) if found is None else (list(found[0]), [found[1]])


def _as_sets(texts: Sequence[str]) -> list[frozenset[object]] | None:
    """Return cells that are all lists of labels, such as ["a", "b"], as sets; else None."""
    if not texts or not all(text.startswith("[") for text in texts):
        return None
    found = []
    for text in texts:
        parts = as_literal(text)
        if not isinstance(parts, list) or any(isinstance(p, (list, dict, set)) for p in parts):
            return None
        found.append(frozenset(part for part in parts if part is not None))
    return found


def _set_of(cell: list[object]) -> frozenset[object]:
    try:
        return frozenset(cell)
    except TypeError:
        raise InputError.expected(
            "a label", "one label or a list of labels", cell,
            Words("write nested lists as text, or choose another column with ", Option("label")),
        ) from None  # fmt: skip


def _nearly_numbers(texts: Sequence[str], numbers: Sequence[object]) -> list[str]:
    """Say which few cells keep a column of numbers from being one."""
    odd = [text for text, number in zip(texts, numbers, strict=True) if number is None]
    if odd and len(odd) <= 3 and len(texts) - len(odd) > 2 * len(odd):
        return [f"labels are text, because {', '.join(map(repr, odd))} is no number"]
    return []


def _declared(
    categories: list[object], raw: list[object], values: list[object], decimal_comma: bool
) -> tuple[list[object], list[object]]:
    """Bring declared categories and cells to one kind: '1' declared for 1 found, or text."""
    if all(isinstance(c, str) for c in categories) and any(is_number(v) for v in values):
        numbers = [as_label_number(str(c).strip(), decimal_comma=decimal_comma) for c in categories]
        if all(number is not None for number in numbers):
            return list(numbers), values
        return categories, raw
    return categories, values


def _unknown(values: Sequence[object], wanted: Sequence[object]) -> int | None:
    known = {label_key(label) for label in wanted}
    return next((k for k, value in enumerate(values) if label_key(value) not in known), None)


def _unknown_label(label: object, wanted: Sequence[object], where: str | None) -> InputError:
    return InputError.expected(
        "every label",
        f"one of the categories {shown(list(wanted))}",
        label,
        Words("add it to the categories, or declare it missing with ", Option("missing_values")),
        where=where,
    )


def means_missing(cell: object) -> bool:
    """Tell whether a cell looks like a word for "no rating"."""
    return isinstance(cell, str) and cell.strip().casefold() in _WORDS_FOR_MISSING


def _suspects(labels: Sequence[object], categories: Sequence[object] | None) -> list[Note]:
    """Point out labels that look like a missing value but were taken as labels."""
    if categories is not None:
        return []
    found = [label for label in labels if means_missing(label)]
    found += _odd_numbers(labels)
    return [
        Note(
            "label_looks_missing",
            f"{shown(label)} was taken as a label like any other. If it means that there is no "
            f"rating, pass missing_values=[{shown(label)}] (--missing-value {label}).",
        )
        for label in found
    ]


def _odd_numbers(labels: Sequence[object]) -> list[object]:
    """Find -99 below, or 99 far above, all the other numbers."""
    numbers = [float(label) for label in labels if is_number(label)]  # type: ignore[arg-type]
    if len(numbers) < 3 or len(numbers) < len(labels):
        return []
    low, second = sorted(numbers)[:2]
    below, high = sorted(numbers)[-2:]
    odd: list[object] = []
    if -low in (*_NUMBERS_FOR_MISSING, 1) and second >= 0 and (low < -1 or second >= 1):
        odd.append(int(low))
    if high in _NUMBERS_FOR_MISSING and high > 9 and below <= high / 5:
        odd.append(int(high))
    return odd


def _look_like_sets(labels: Sequence[object]) -> list[Note]:
    """Point out labels such as 'a,b' whose parts are labels themselves."""
    texts = [label for label in labels if isinstance(label, str)]
    for sign, word in _JOINED_BY.items():
        joined = [text for text in texts if sign in text]
        parts = {text: [part.strip() for part in text.split(sign)] for text in joined}
        counted = Counter(part for some in parts.values() for part in set(some))
        counted.update(text for text in texts if sign not in text)
        if len(joined) < _FEWEST_JOINED or len(counted) >= len(texts) + len(joined):
            continue
        if any(not part or counted[part] < 2 for some in parts.values() for part in some):
            continue
        return [
            Note(
                "labels_look_like_sets",
                f"Labels such as {joined[0]!r} look like several labels joined by {word}; they "
                "were compared whole. To give credit for labels that two raters share, pass "
                f'sets="{sign}" (--sets "{sign}") and distance="masi" (--distance masi).',
            )
        ]
    return []
