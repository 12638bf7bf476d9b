"""Labels: numbers, text, sets or nothing; and as they are to be counted, renamed or taken apart.

Among numbers a mark such as NA cannot be a label. Among words it hardly is one, unless the labels
are codes of capitals, where NA may be North America or "not applicable": then the caller is asked.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from consilience.core.cell_values import as_label_number, as_literal, holds_number, written_numbers
from consilience.core.label_scales import label_scale
from consilience.core.labels import MOST_CODES, Note, in_natural_order, is_number, label_key, plain
from consilience.exceptions import InputError, Option, Words, shown
from consilience.io.layout.decision import AmbiguousTableError, Offer
from consilience.io.layout.lexicon import ABSENT_MARKS, LIKELY_MARKS, SURE_MARKS

# ---- cells that say that there is no rating: NA, nan, -, . and their kin

_CODE = re.compile(r"[A-Z]{1,3}")
_PRESENT = frozenset(
    ["present", "complete", "incomplete", "partial", "available", "intact", "found", "vorhanden",
     "vollständig", "présent", "complet", "presente", "completo", "aanwezig", "närvarande"]
)  # fmt: skip


def missing_marks(
    cells: Sequence[object],
    categories: Sequence[object] | None,
) -> tuple[list[str], list[str]]:
    """Return the cells that mean "no rating", and what is to be told about them."""
    texts = [cell for cell in cells if isinstance(cell, str)]
    declared = {str(category) for category in categories or ()}
    sure = [text for text in texts if _is(text, SURE_MARKS) and text not in declared]
    likely = [text for text in texts if _is(text, LIKELY_MARKS) and text not in declared]
    rest = [cell for cell in cells if cell not in sure and cell not in likely]
    if not rest:
        return [], []
    if all(_is_number(cell) for cell in rest):
        found = [*sure, *likely]
        why = "beside numbers"
    else:
        found, why = _not_labels(sure, rest), "beside words"
        _refuse_codes(found, [*rest, *likely])
    if not found:
        return [], []
    listed = ", ".join(dict.fromkeys(repr(text.strip()) for text in found))
    return found, [
        f"taken for no rating, {why}: {listed} (--categories says which labels there are)"
    ]


def _not_labels(sure: Sequence[str], rest: Sequence[object]) -> list[str]:
    """Return the marks, without "missing" where that is a label: beside one other, or present."""
    labels = {str(cell).strip().casefold() for cell in rest}
    if len(labels) > 1 and not labels & _PRESENT:
        return list(sure)
    return [text for text in sure if not _is(text, ABSENT_MARKS)]


def _is(text: str, marks: frozenset[str]) -> bool:
    folded = text.strip().casefold()
    return bool(folded) and folded in marks


def _is_number(cell: object) -> bool:
    if isinstance(cell, str):
        return holds_number(cell)
    return isinstance(cell, (int, float)) and not isinstance(cell, bool)


def _refuse_codes(found: Sequence[str], labels: Sequence[object]) -> None:
    """Refuse a mark of letters among codes that look like it."""
    codes = [label for label in labels if isinstance(label, str) and _CODE.fullmatch(label)]
    doubtful = [text for text in found if _CODE.fullmatch(text)]
    if not doubtful or len(codes) < len(labels) or len(codes) < 2:
        return
    known = sorted([*map(str, codes), *doubtful])
    error = InputError.expected(
        f"the label {doubtful[0]!r}",
        "clear",
        doubtful[0],
        Words(
            "pass ",
            Option("missing_values", [doubtful[0]]),
            " if it means that there is no rating, or name all labels with ",
            Option("categories", known),
            " if it is one",
        ),
    )
    words = ", ".join(doubtful)
    offers = (
        Offer(f"{words}: no rating", {"missing_values": tuple(doubtful)}),
        Offer(f"{words}: a label like {codes[0]}", {"categories": tuple(known)}),
    )
    raise AmbiguousTableError.of(error.words, offers)


# ---- decide what the cells of a label column are: numbers, text, sets, or nothing

_WORDS_FOR_MISSING = frozenset(
    ("na", "n/a", "n.a.", "nan", "null", "none", "nil", "missing", "unknown", "-", "--", ".", "?",
     "#n/a", "<na>", "not applicable", "skipped", "")
)  # fmt: skip
_NUMBERS_FOR_MISSING = (9, 77, 88, 97, 98, 99, 777, 888, 998, 999, 9999)
# Words that say that nobody answered; "none" and "unknown" are answers as often.
_NO_ANSWERS = frozenset(
    mark for mark in LIKELY_MARKS if len(mark) > 2 and ("." in mark or "/" in mark)
) | {"skip", "skipped", "no answer", "no response", "keine antwort", "keine angabe", "ka"}
_NO_ANSWERS |= {"sans réponse", "sin respuesta", "sem resposta", "無回答", "未回答", "무응답"}
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

    Words of one scale have its order. Numbers that are not whole measure something. Whole numbers
    may be marks or codes.
    """
    scale = label_scale(labels)
    if scale is not None:
        return "ordinal", [
            f"the labels are words of one scale ({scale.kind}), so they are taken in its order: "
            f"{' < '.join(scale.order)} (--scale nominal takes them as names)"
        ]
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
            "a label",
            "one label or a list of labels",
            cell,
            Words("write nested lists as text, or choose another column with ", Option("label")),
        ) from None


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
    found += far_numbers(labels)
    return [
        Note(
            "label_looks_missing",
            f"{shown(label)} was taken as a label like any other. If it means that there is no "
            f"rating, pass missing_values=[{shown(label)}] (--missing-value {label}).",
        )
        for label in found
    ]


def far_numbers(labels: Sequence[object]) -> list[object]:
    """Find -99 below, or 99 far above, all the other numbers; and -1 beside 0 and 1."""
    numbers = [float(label) for label in labels if is_number(label)]  # type: ignore[arg-type]
    if len(numbers) < 3 or len(numbers) < len(labels):
        return []
    low, second = sorted(numbers)[:2]
    below, high = sorted(numbers)[-2:]
    odd: list[object] = []
    is_alone = second >= 1 or sorted(numbers) == [-1, 0, 1]
    if -low in (*_NUMBERS_FOR_MISSING, 1) and second >= 0 and (low < -1 or is_alone):
        odd.append(int(low))
    if high in _NUMBERS_FOR_MISSING and below <= high / 5 and (high > 9 or below <= 2):
        odd.append(int(high))
    return odd


def words_for_no_answer(labels: Sequence[object]) -> list[object]:
    """Find words that say that nobody answered, beside others that are labels."""
    found: list[object] = [o for o in labels if isinstance(o, str) and _is(o, _NO_ANSWERS)]
    return found if len(found) < len(labels) else []


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


# ---- labels as they are to be counted: renamed, in any case, and taken apart into sets

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
        word.casefold(): word
        for word in reversed(declared)
        if isinstance(word, str) and word.casefold() in chosen
    }
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
