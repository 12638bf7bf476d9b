"""``consilience rows``: what a file of rows holds."""

from __future__ import annotations

from typing import Any

import click

from consilience.cli import _output as out
from consilience.cli._help import Command
from consilience.cli._main import COMMANDS

_EPILOG = """\b
Examples:
  consilience measure today.parquet --add-to all.rows
  consilience rows all.rows
"""


@COMMANDS.add
@click.command(cls=Command, epilog=_EPILOG)
@click.argument("path", metavar="ROWS")
@out.output_options("json", "csv", "markdown")
def rows(**options: Any) -> int:
    """List what a file of rows holds: its sizes, and the files that were added to it."""
    from consilience.document import envelope
    from consilience.engine import rows_inside
    from consilience.report import DataFacts

    form = out.chosen_format(options)
    found = rows_inside(options["path"])
    data = DataFacts.of(found.ratings, shape="rows", sources=(options["path"],)).to_dict()
    record = envelope(data=data, rows=found.to_dict())
    out.emit(found.document(), record, form, options["output"])
    return 0
