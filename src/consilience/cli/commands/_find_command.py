"""``consilience find``: where a word of the literature leads."""

from __future__ import annotations

from typing import Any

import click

from consilience.cli import _output as out
from consilience.cli._main import command
from consilience.cli._output import Answer

_EPILOG = """\b
Examples:
  consilience find "golden formula"
  consilience find wilcoxon
  consilience find fleiss
"""


@command(_EPILOG)
@click.argument("words", metavar="WORD...", nargs=-1, required=True)
@out.output_options("json", "csv", "markdown", "latex")
def find(**options: Any) -> int | Answer:
    """Find what a paper's word is called here: coefficients, measures, tests, tables, figures."""
    from consilience.cli._search import found_for
    from consilience.document import Document, Paragraph, Table, envelope

    word = " ".join(options["words"])
    hits = found_for(word)
    if not hits:
        out.tell(f"Nothing here is called {word!r}. 'consilience coefficients' and 'consilience "
                 "--help' list what there is.")  # fmt: skip
        return 1
    rows = [[one.name.replace("_", " "), one.about, one.command] for one in hits]
    blocks = [Table(heads=("name", "what it is", "command"), rows=rows)]
    calls = [Paragraph(f"In Python: {one.library}") for one in hits[:1] if one.library]
    record = envelope(
        data=None,
        found=[
            {"name": one.name, "about": one.about, "library": one.library, "command": one.command}
            for one in hits
        ],
    )
    return Answer(document=Document(blocks=(*blocks, *calls)), record=record)
