"""``consilience merge`` and ``consilience rows``: files of rows added up, and what they hold."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from consilience.cli import _output as out
from consilience.cli._main import command
from consilience.cli._options import option
from consilience.cli._output import Answer

_EPILOG_OF_MERGE = """\b
Examples:
  consilience measure monday.parquet --save-rows monday.rows
  consilience merge monday.rows tuesday.rows -o week.rows
  consilience measure week.rows
"""
_EPILOG_OF_ROWS = """\b
Examples:
  consilience measure today.parquet --add-to all.rows
  consilience rows all.rows
"""


@command(_EPILOG_OF_MERGE)
@click.argument("paths", metavar="ROWS...", nargs=-1, required=True)
@option("--output -o FILE", "File of rows to write.", type=out.FILE, required=True)
@option("--force", "Replace an existing file.")
@option("--quiet -q", "Do not say what was merged.")
def merge(*, paths: tuple[str, ...], output: Path, force: bool, quiet: bool) -> None:
    """Add up files of rows.

    A file of rows holds distinct items and how many there are of each: no item names, no text.
    Files that do not fit together (other raters, labels or scale) are refused.
    """
    from consilience.engine import load_rows, merge_rows

    merge_rows(paths, output, existing="replace" if force else "refuse")
    if not quiet:
        merged = load_rows(output)
        out.tell(f"Wrote {output}: {merged!r}")


@command(_EPILOG_OF_ROWS)
@click.argument("path", metavar="ROWS")
@out.output_options("json", "csv", "markdown")
def rows(**options: Any) -> Answer:
    """List what a file of rows holds: its sizes, and the files that were added to it."""
    from consilience.document import envelope
    from consilience.engine import rows_inside
    from consilience.report import DataFacts

    found = rows_inside(options["path"])
    data = DataFacts.of(found.ratings, shape="rows", sources=(options["path"],)).to_dict()
    record = envelope(data=data, rows=found.to_dict())
    return Answer(document=found.document(), record=record)
