r"""LaTeX in the manner of booktabs; everything escaped."""

from __future__ import annotations

from collections.abc import Sequence

from consilience.core.words import MINUS, printable
from consilience.document._blocks import Block, Document, Paragraph, Table

_ESCAPES = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "_": r"\_", "%": r"\%", "&": r"\&",
    "#": r"\#", "$": r"\$", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}",
    MINUS: "$-$",
}  # fmt: skip


def render(document: Document) -> str:
    """Render the blocks: paragraphs as text, tables as floats."""
    return "\n\n".join(_block(block) for block in document.blocks)


def _block(block: Block) -> str:
    if isinstance(block, Paragraph):
        return "\n\n".join(escaped(line) for line in block.text.splitlines())
    return _table(block)


def _table(table: Table) -> str:
    columns = "".join("l" if to_left else "r" for to_left in table.is_text())
    lines = [r"\begin{table}", r"\centering"]
    if table.caption:
        lines.append(rf"\caption{{{escaped(table.caption)}}}")
    lines += [rf"\begin{{tabular}}{{{columns}}}", r"\toprule", _row(table.heads), r"\midrule"]
    lines += [_row(row) for row in table.typeset()]
    lines += [r"\bottomrule", r"\end{tabular}"]
    if table.note:
        lines.append(rf"\par\smallskip {escaped(table.note)}")
    return "\n".join([*lines, r"\end{table}"])


def _row(cells: Sequence[str]) -> str:
    text = " & ".join(escaped(cell) for cell in cells)
    # After the end of a row or a rule, TeX takes a bracket or a star for an option of it.
    return ("{}" if text.lstrip().startswith(("[", "*")) else "") + text + r" \\"


def escaped(text: str) -> str:
    r"""Escape what TeX would take as its own.

    >>> escaped("50% of a_b")
    '50\\% of a\\_b'
    """
    return "".join(_ESCAPES.get(sign, sign) for sign in printable(text))
