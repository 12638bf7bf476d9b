"""CoNLL columns with IOB1, IOB2, BIOES or BILOU tags: a token a line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from consilience.core.input_files import Said
from consilience.exceptions import InputError
from consilience.io.annotations._rater_rules import ONE_TIER
from consilience.io.annotations.strands import Found, Strand, Wishes
from consilience.io.annotations.unit_registry import register
from consilience.io.bytes._unit_files import File
from consilience.io.platforms.records._coreference_column import begins_as_coreference
from consilience.ratings import Note

_TAG = re.compile(r"O|[BIESLUM]-.+|[BIESLU]")
_ENDS = frozenset("ES")
_STARTS = frozenset("BS")
_SAME = {"L": "E", "U": "S", "M": "I"}
_NO_LABEL = "segment"


@dataclass
class _Tokens:
    """The lines of a file: tokens with their columns, and where sentences begin."""

    rows: list[list[str]] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    begins: set[int] = field(default_factory=set)
    names: list[str] | None = None


def _recognise(file: File) -> bool:
    if file.suffix in (".conll", ".iob", ".iob2", ".bio", ".bioes"):
        return True
    if file.suffix in (".csv", ".json", ".jsonl"):
        return False
    rows = [line.split() for line in file.head.splitlines()[:60] if line.strip()]
    rows = [row for row in rows if row[0] != "-DOCSTART-" and not row[0].startswith("#")][:-1]
    return len(rows) > 2 and all(
        len(row) > 1 and _TAG.fullmatch(row[-1]) is not None for row in rows[1:]
    )


@register(
    "conll",
    title="CoNLL columns with IOB or BIOES tags",
    suffixes=(".conll", ".iob", ".iob2", ".bio", ".bioes", ".txt", ".tsv"),
    rules=("file-suffix", "file-prefix", "folder", "column", "file"),
    recognise=_recognise,
)
def read_conll(file: File, wishes: Wishes) -> Found:
    """Read spans from tags: the last column, or one column for each rater."""
    if begins_as_coreference(file.head):
        raise InputError.expected(
            "the file", "one with IOB or BIOES tags", Said("chains of coreference"),
            "compare chains with `consilience measure FILES --distance dice`",
            where=str(file.path),
        )  # fmt: skip
    tokens = _tokens(file)
    wide = len(tokens.rows[0])
    columns = _columns(file, tokens, wishes)
    found = Found(file.path, "token")
    for column in columns:
        name = tokens.names[column] if tokens.names else f"column {column + 1}"
        facts = (("column", name),) if len(columns) > 1 or wide > 2 else ()
        strand = found.number(Strand(ONE_TIER, None, facts))
        for first, last, label in spans_of([row[column] for row in tokens.rows], tokens.begins):
            found.add(strand, first, last, label, tokens.lines[first])
        found.bounds[strand] = (0, len(tokens.rows))
        found.texts[strand] = tuple(row[0] for row in tokens.rows)
    tagged = [j for j in range(1, wide) if all(_TAG.fullmatch(row[j]) for row in tokens.rows)]
    others = [j for j in tagged if j not in columns]
    named = [tokens.names[j] if tokens.names else f"column {j + 1}" for j in others]
    why = "one column of tags is read (label=, or rater='column' for all)"
    found.ledger.set_aside("columns", ", ".join(named), len(others), reason=why)
    if len(columns) == 1 and wide > 2:
        found.notes.append(
            Note("tag_column", f"The tags of {file.path.name} were taken from {name!r}.")
        )
    return found


def _tokens(file: File) -> _Tokens:
    tokens = _Tokens()
    new = True
    for number, line in enumerate(file.lines, start=1):
        row = line.rstrip().split("\t") if "\t" in line else line.split()
        if not line.strip():
            new = True
            continue
        if row[0] == "-DOCSTART-" or re.match(r"#\s", line) or line.startswith("# "):
            new = True
            continue
        if tokens.rows and len(row) != len(tokens.rows[0]):
            raise _wrong(
                file, number, "every line", f"cut into {len(tokens.rows[0])} cells",
                Said(f"{len(row)}"),
            )  # fmt: skip
        if len(row) < 2:
            raise _wrong(file, number, "a line", "a token and its tags", line[:60])
        if not tokens.rows and tokens.names is None and not _TAG.fullmatch(row[-1]):
            tokens.names = row
            continue
        if new:
            tokens.begins.add(len(tokens.rows))
            new = False
        tokens.rows.append([cell.strip() for cell in row])
        tokens.lines.append(number)
    if not tokens.rows:
        raise _wrong(file, 1, "the file", "filled with tokens and tags", Said("none"))
    if tokens.names is not None and len(tokens.names) != len(tokens.rows[0]):
        raise _wrong(
            file, 1, "the names of columns", "one for each column", Said(len(tokens.names))
        )
    return tokens


def _columns(file: File, tokens: _Tokens, wishes: Wishes) -> list[int]:
    """Choose the columns with tags: all of them if they are raters, else one."""
    wide = len(tokens.rows[0])
    named = wishes.columns.get("label") or wishes.label
    if named is not None:
        names = tokens.names or []
        at = names.index(named) if named in names else _place(named, wide)
        if at is None:
            raise InputError.unknown_word(
                f"{file.path}: label", named, [*names, *map(str, range(1, wide + 1))]
            )
        _check_tags(file, tokens, at)
        return [at]
    if wishes.rater == "column" or (isinstance(wishes.rater, dict) and wide > 2):
        tagged = [j for j in range(1, wide) if all(_TAG.fullmatch(row[j]) for row in tokens.rows)]
        if tagged:
            return tagged
    _check_tags(file, tokens, wide - 1)
    return [wide - 1]


def _place(name: str, wide: int) -> int | None:
    number = name.removeprefix("column ").strip()
    return int(number) - 1 if number.isdecimal() and 1 < int(number[:6]) <= wide else None


def _check_tags(file: File, tokens: _Tokens, column: int) -> None:
    for row, line in zip(tokens.rows, tokens.lines, strict=True):
        if not _TAG.fullmatch(row[column]):
            raise _wrong(
                file,
                line,
                "a tag",
                "O, or B-, I-, E-, S- (or L-, U-) and a label",
                row[column][:60],
            )


def spans_of(tags: Sequence[str], begins: set[int]) -> Iterator[tuple[int, int, str]]:
    """Yield (first, end, label) of each span, whatever the scheme.

    An I- (or E-) that follows nothing of its kind begins a span, as in the scorer of the CoNLL
    tasks; this is what makes IOB1 and IOB2 one rule.
    """
    start, label, before = -1, "", "O"
    for k, tag in enumerate(tags):
        part, _, kind = tag.partition("-")
        part, kind = _SAME.get(part, part), kind or _NO_LABEL
        if start >= 0 and (
            part == "O" or k in begins or part in _STARTS or before in _ENDS or kind != label
        ):
            yield start, k, label
            start = -1
        if part != "O" and start < 0:
            start, label = k, kind
        before = part
    if start >= 0:
        yield start, len(tags), label


def _wrong(file: File, line: int, what: str, expectation: str, got: object) -> InputError:
    return InputError.expected(
        what, expectation, got, "correct the line", where=f"{file.path}, line {line}"
    )
