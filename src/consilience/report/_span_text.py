"""Spans on their text: a line below it for each rater, and where raters differ."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from consilience.core.words import enumerated, shortened
from consilience.report._page import PageBlock, Piece, Spanned, Text
from consilience.units import Units
from consilience.units.linking.diag_results import shown_label

_MOST_TEXTS = 3
_LONGEST = 1_200  # letters of a text that are shown
_MOST_RATERS = 8  # with a line of their own
Marks = list[tuple[int, int, str]]  # from, to, label


def spans_on_text(units: Units) -> list[PageBlock]:
    """Return the texts on which raters differ most, with what each of them marked.

    Nothing where the texts are not known, as in a table of spans.
    """
    texts = {} if units.reading is None else units.reading.texts
    known = [name for name in units.sessions if texts.get(name)]
    if not known or units.n_raters < 2:
        return []
    made = [_told(units, name, texts[name]) for name in known]
    order = sorted(range(len(made)), key=lambda k: -made[k][0])[:_MOST_TEXTS]
    blocks: list[PageBlock] = [made[k][1] for k in order]
    if len(known) > _MOST_TEXTS:
        told = f"{_MOST_TEXTS} of {len(known):,} texts, those first on which raters differ most."
        blocks.append(Text(told, "note"))
    return blocks


def _told(units: Units, session: str, text: str | tuple[str, ...]) -> tuple[float, Spanned]:
    """Return the share of what was marked on which raters differ, and the text with its spans."""
    at = units.sessions.index(session)
    raters = [g for g in range(units.n_raters) if units.asked[g, at]]
    whole, starts, ends = _letters(text)
    marks = [_marks_of(units, at, g, starts, ends) for g in raters[:_MOST_RATERS]]
    names = [shortened(units.raters[g]) for g in raters[:_MOST_RATERS]]
    pieces = _pieces(whole, names, marks)
    marked = sum(len(one.text) for one in pieces if one.raters)
    differing = sum(len(one.text) for one in pieces if one.differs)
    shown, is_part = _worst(pieces)
    said = f"{shortened(session, 60)}: raters differ on {differing / max(marked, 1):.0%} of what "
    said += "anybody marked."
    if is_part:
        said += " The stretch with the most differences is shown."
    return differing / max(marked, 1), Spanned(title=said, raters=names, pieces=shown)


def _letters(text: str | tuple[str, ...]) -> tuple[str, np.ndarray, np.ndarray]:
    """Return a text, and where its letters, or the words that were counted, begin and end."""
    if isinstance(text, str):
        places = np.arange(len(text) + 1)
        return text, places, places
    lengths = np.array([len(word) for word in text], dtype=np.int64)
    ends = np.cumsum(lengths + 1) - 1
    return " ".join(text), ends - lengths, np.concatenate([[0], ends])


def _marks_of(
    units: Units, session: int, rater: int, starts: np.ndarray, ends: np.ndarray
) -> Marks:
    """Return what one rater marked, in letters; marks outside the text are cut."""
    rows = np.flatnonzero((units.session == session) & (units.rater == rater))
    several = len(units.tiers) > 1
    found = []
    for row in rows:
        first, last = int(units.start[row]), int(units.end[row])
        if not 0 <= first < last <= len(ends) - 1:
            continue
        label = shown_label(units.labels[units.label[row]])
        tier = f"{units.tiers[units.tier[row]]}: " if several else ""
        found.append((int(starts[first]), int(ends[last]), f"{tier}{label}"))
    return found


def _pieces(text: str, names: Sequence[str], marks: Sequence[Marks]) -> list[Piece]:
    """Cut a text wherever a span begins or ends, and say who marked each piece as what."""
    cuts = sorted({0, len(text), *(x for one in marks for a, b, _ in one for x in (a, b))})
    found: list[Piece] = []
    for low, high in pairwise(cuts):
        given = [tuple(sorted({label for a, b, label in one if a < high and low < b}))
                 for one in marks]  # fmt: skip
        places = tuple(k for k, labels in enumerate(given) if labels)
        differs = len(set(given)) > 1
        piece = Piece(text[low:high], places, differs, _tag(names, given) if places else "")
        if found and found[-1].tag == piece.tag and found[-1].raters == places:
            before = found.pop()
            piece = Piece(before.text + piece.text, places, differs, piece.tag)
        found.append(piece)
    return found


def _tag(names: Sequence[str], given: Sequence[tuple[str, ...]]) -> str:
    """Say which label a piece has, and from whom where there are several.

    >>> _tag(["Ann", "Bob", "Cid"], [("PER",), ("PER",), ("ORG",)])
    'ORG: Cid; PER: Ann and Bob'
    >>> _tag(["Ann", "Bob"], [("PER",), ()])
    'PER'
    """
    kinds = sorted({kind for kind in given if kind})
    if len(kinds) == 1:  # the lines show who marked it
        return " + ".join(kinds[0]) or "marked"
    return "; ".join(
        f"{' + '.join(kind)}: "
        + enumerated([name for name, one in zip(names, given, strict=True) if one == kind])
        for kind in kinds
    )


def _worst(pieces: Sequence[Piece]) -> tuple[list[Piece], bool]:
    """Return the stretch of a long text on which raters differ most, and whether it is cut."""
    lengths = np.array([len(one.text) for one in pieces])
    if lengths.sum() <= _LONGEST:
        return list(pieces), False
    begins = np.cumsum(lengths) - lengths
    apart = np.cumsum(
        [0, *(n if one.differs else 0 for n, one in zip(lengths, pieces, strict=True))]
    )
    last = np.searchsorted(begins + lengths, begins + _LONGEST - _LONGEST // 8, side="right")
    worth = apart[np.maximum(last, np.arange(len(pieces)) + 1)] - apart[:-1]
    first = int(worth.argmax())
    chosen = list(pieces[first : max(int(last[first]), first + 1)])
    if first:  # what was marked needs some words before it
        before = pieces[first - 1]
        lead = before.text[-_LONGEST // 8 :].partition(" ")[2] or before.text[-_LONGEST // 8 :]
        chosen.insert(0, Piece("… " + lead, before.raters, before.differs, before.tag))
    chosen = [_shortened(one) for one in chosen]
    end = chosen[-1]
    chosen[-1] = Piece(end.text + " …", end.raters, end.differs, end.tag)
    return chosen, True


def _shortened(piece: Piece) -> Piece:
    """Cut out the middle of a long piece."""
    if len(piece.text) <= _LONGEST // 2:
        return piece
    part = _LONGEST // 5
    text = f"{piece.text[:part]} … {piece.text[-part:]}"
    return Piece(text, piece.raters, piece.differs, piece.tag)
