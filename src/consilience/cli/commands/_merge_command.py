"""``consilience merge``: rows of several days, files or machines added up."""

from __future__ import annotations

from pathlib import Path

import click

from consilience.cli import _output as out
from consilience.cli._help import Command
from consilience.cli._main import COMMANDS

_EPILOG = """\b
Examples:
  consilience measure monday.parquet --save-rows monday.rows
  consilience merge monday.rows tuesday.rows -o week.rows
  consilience measure week.rows
"""


@COMMANDS.add
@click.command(cls=Command, epilog=_EPILOG)
@click.argument("paths", metavar="ROWS...", nargs=-1, required=True)
@click.option(
    "--output",
    "-o",
    type=out.FILE,
    required=True,
    metavar="FILE",
    help="File of rows to write.",
)
@click.option("--force", is_flag=True, help="Replace an existing file.")
@click.option("--quiet", "-q", is_flag=True, help="Do not say what was merged.")
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
