"""``consilience demo``: one published table that shows why one number is not enough."""

from __future__ import annotations

from pathlib import Path

import click

from consilience.cli import _output as out
from consilience.cli._help import Command
from consilience.cli._main import COMMANDS

_DATA = "di_eugenio_glass_2004_skewed"
_BEFORE = """\
Two coders gave one of two labels to 100 items and agree on 90 of them
(Di Eugenio & Glass 2004).
"""
_AFTER = """\
Why do the coefficients differ so much? Nearly every item got the same label, so
two coders who label at random, but as often, agree on 90.5 of 100 (expected).
Kappa, pi and alpha find nothing beyond that: the prevalence paradox. AC1 and S
expect less agreement by chance and stay high. Say which one you report, with
its interval, and how often each label occurs.
"""
_NEXT = """\
Now with your own data:  consilience measure ratings.csv
                         consilience report ratings.csv
"""


@COMMANDS.add
@click.command(cls=Command)
@click.option(
    "--output",
    "-o",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Also write the report of the example to this file.",
)
@click.option("--force", is_flag=True, help="Replace an existing file.")
def demo(*, output: Path | None, force: bool) -> None:
    """Measure a published example and explain the result."""
    from consilience import datasets
    from consilience.report import measure, report

    out.check_output(output, (), force=force)
    ratings = datasets.load(_DATA)
    click.echo(_BEFORE)
    out.write(measure(ratings), "text", None)
    click.echo()
    click.echo(_AFTER)
    if output is not None:
        page = report(
            ratings, title="Two coders, two labels, 100 items", command="consilience demo"
        )
        out.write_file(output, page.html())
        click.echo(f"The same as a report to hand on: {output}\n")
    click.echo(_NEXT, nl=False)
