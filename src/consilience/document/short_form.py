"""A document cut to what a screen holds: what stays behind is counted, and asked for by name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from consilience.core.words import counted, enumerated
from consilience.document._blocks import Block, Document, Finding, Paragraph, Table
from consilience.document.plain_text import MOST_LINES, fits, lines_of

_ROWS = (15, 10, 7, 5, 3)  # of a table, tried in this order until everything fits
_FINDINGS = (8, 5, 3)
_LEAST_BLOCKS = 2


def short(document: Document, width: int = 80, *, most_lines: int = MOST_LINES) -> Document:
    """Return what matters first: no details, long tables cut, the gravest findings.

    Parameters
    ----------
    document : Document
    width : int, default 80
        Of the screen that it is meant for.
    most_lines : int, default 40

    Returns
    -------
    Document
        The same one where everything fits; else its last line says what was left out and that
        ``--all`` shows it.

    Examples
    --------
    >>> long = Table(heads=("item",), rows=[[f"i{k}"] for k in range(100)])
    >>> print(short(Document(blocks=(long,)), most_lines=9).text())
    item
    i0
    i1
    i2
    i3
    i4
    <BLANKLINE>
    Not shown: 95 rows. Add --all to see everything.
    """
    if fits(document, width, most_lines):
        return document
    for rows in _ROWS:
        for findings in _FINDINGS:
            cut = _cut(document, rows, findings)
            if lines_of(cut, width) <= most_lines:
                return cut
    kept = len(_essential(document.blocks))
    while kept > _LEAST_BLOCKS and lines_of(cut, width) > most_lines:
        kept -= 1
        cut = _cut(document, _ROWS[-1], _FINDINGS[-1], blocks=kept)
    return cut


def _essential(blocks: Sequence[Block]) -> list[Block]:
    return [block for block in blocks if not block.detail]


def _cut(document: Document, rows: int, findings: int, *, blocks: int | None = None) -> Document:
    kept = _essential(document.blocks)[:blocks]
    left = [block for block in document.blocks if all(block is not one for one in kept)]
    shown = [_beginning(block, rows) for block in kept]
    n_rows = sum(_rows(block) for block in kept) - sum(_rows(block) for block in shown)
    told = _gravest(document.findings, findings)
    counts = {
        "table": sum(isinstance(block, Table) for block in left),
        "row": n_rows,
        "note": sum(isinstance(block, Paragraph) for block in left),
        "finding": len(document.findings) - len(told),
    }
    missing = [counted(n, what) for what, n in counts.items() if n]
    if missing:
        shown.append(Paragraph(f"Not shown: {enumerated(missing)}. Add --all to see everything."))
    return replace(document, blocks=tuple(shown), findings=told)


def _beginning(block: Block, rows: int) -> Block:
    if not isinstance(block, Table) or block.whole:
        return block
    return replace(block, rows=block.rows[:rows])


def _rows(block: Block) -> int:
    return len(block.rows) if isinstance(block, Table) else 0


def _gravest(findings: Sequence[Finding], most: int) -> tuple[Finding, ...]:
    """Return the gravest findings in their order."""
    order = ("problem", "caution", "info")
    ranked = sorted(range(len(findings)), key=lambda k: order.index(findings[k].severity))
    return tuple(findings[k] for k in sorted(ranked[:most]))
