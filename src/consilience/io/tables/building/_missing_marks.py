"""Cells that say that there is no rating: NA, nan, -, . and their kin.

Among numbers such a mark cannot be a label. Among words it hardly is one, unless the labels are
codes of capitals, where NA may be North America or "not applicable": then the caller is asked.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from consilience.core.cell_values import holds_number
from consilience.exceptions import InputError, Option, Words
from consilience.io.tables.recogniser.lexicon import ABSENT_MARKS, LIKELY_MARKS, SURE_MARKS
from consilience.io.tables.recogniser.refusal import AmbiguousTableError, Offer

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
