"""brat standoff: a folder for each annotator, .ann files beside the .txt they are about."""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass, replace

from consilience.core.input_files import Said
from consilience.io.events.rater_rules import NOT_MEASURED, ONE_TIER
from consilience.io.events.registry import Found, Strand, Wishes, register
from consilience.io.events.unit_files import File

_PIECES = re.compile(r"(?P<type>\S+) (?P<places>\d{1,15} \d{1,15}(?:;\d{1,15} \d{1,15})*+)")


# First letter of a line to what it is, and whether it could have been compared.
_OTHERS = {
    "R": ("relations", True),
    "E": ("events", True),
    "A": ("attributes", True),
    "M": ("attributes", True),
    "*": ("equivalences", True),
    "N": ("normalizations", True),
    "#": ("notes", False),
}


@dataclass(frozen=True)
class _Span:
    line: int
    name: str
    label: str
    pieces: tuple[tuple[int, int], ...]
    text: str | None


def _recognise(file: File) -> bool:
    if file.suffix == ".ann":
        return True
    first = file.head.split("\n", 1)[0].rstrip("\r")
    return bool(re.fullmatch(r"T\d+\t\S+ \d+ \d+(?:;\d+ \d+)*(?:\t.*)?", first))


@register(
    "brat",
    title="brat standoff annotation",
    suffixes=(".ann",),
    rules=("folder", "file-suffix", "file-prefix", "file"),
    recognise=_recognise,
    settled=True,
    may_be_empty=True,
)
def read_brat(file: File, wishes: Wishes) -> Found:
    """Read text-bound annotations; positions count characters, a line end counting one."""
    found = Found(file.path, "character", span=[])
    strand = found.number(Strand(ONE_TIER))
    spans = [span for k, text in enumerate(file.lines, start=1) if (span := _span(file, k, text))]
    _tell_others(file, found)
    text = _text(file, found)
    if text is not None:
        spans = _fitted(file, spans, text)
        plain = text.replace("\r\n", "\n")
        found.bounds[strand] = (0, len(plain))
        found.texts[strand] = plain
    for span in spans:
        for start, end in span.pieces:
            found.add(strand, start, end, span.label, span.line)
            assert found.span is not None
            found.span.append(span.line if len(span.pieces) > 1 else None)
    return found


def _tell_others(file: File, found: Found) -> None:
    """Write down the lines that are no spans, by their first letter."""
    for line in file.lines:
        if not line.strip() or line.startswith("T"):
            continue
        kind, matters = _OTHERS.get(line[0], ("lines", True))
        name, reason = "", NOT_MEASURED
        if kind == "lines":
            name, reason = line[:1], "they begin with no letter that brat knows"
        elif not matters:
            reason = "they say nothing about places or labels"
        found.ledger.set_aside(kind, name, reason=reason, matters=matters)


def _span(file: File, line: int, text: str) -> _Span | None:
    """Understand a line; those that do not begin with T are about other things."""
    if not text.startswith("T"):
        return None
    name, _, rest = text.partition("\t")
    middle, tab, covered = rest.partition("\t")
    match = _PIECES.fullmatch(middle.strip(" "))
    if not match:
        form = "an id, a tab, a type, start and end"
        raise file.wrong(line, "a text-bound annotation", form, text[:60])
    pieces = [tuple(map(int, piece.split())) for piece in match["places"].split(";")]
    pairs = tuple(sorted((first, last) for first, last in pieces))
    for k, (first, last) in enumerate(pairs):
        if last < first or (k and first < pairs[k - 1][1]):
            order = "in order and apart, none ending before it starts"
            raise file.wrong(line, f"the places of {name}", order, match["places"])
    return _Span(line, name, match["type"], pairs, covered if tab else None)


def _text(file: File, found: Found) -> str | None:
    name = file.stem + ".txt"
    beside = file.beside(name)
    if beside is None:
        found.note(
            "no_text",
            f"{file.path} has no {name} beside it, so that its text was not compared "
            "with that of the other raters.",
        )
        return None
    return beside.text


def _fitted(file: File, spans: list[_Span], text: str) -> list[_Span]:
    """Check positions against the words; count CR LF as one character in the result.

    Where a text has CR LF, some programs counted two characters and some one; the words that
    brat copied into the annotation tell which.
    """
    plain = text.replace("\r\n", "\n")
    if plain != text and _mismatch(spans, plain) is None:
        return spans
    _check(file, _mismatch(spans, text))
    carriages = [m.start() for m in re.finditer("\r\n", text)]
    return [_shifted(span, carriages) for span in spans] if carriages else spans


def _shifted(span: _Span, carriages: list[int]) -> _Span:
    pieces = tuple(
        (first - bisect_left(carriages, first), last - bisect_left(carriages, last))
        for first, last in span.pieces
    )
    return replace(span, pieces=pieces)


def _mismatch(spans: list[_Span], text: str) -> _Span | None:
    for span in spans:
        if span.pieces[-1][1] > len(text):
            return span
        covered = " ".join(text[first:last] for first, last in span.pieces)
        if span.text is not None and covered.split() != span.text.split():
            return span
    return None


def _check(file: File, span: _Span | None) -> None:
    if span is None:
        return
    what = f"{span.name} ({span.text or ''!r})"
    got = Said(";".join(f"{first} {last}" for first, last in span.pieces))
    hint = "use the text that was annotated, with its own line ends"
    raise file.wrong(span.line, what, f"at its place in {file.stem}.txt", got, hint)
