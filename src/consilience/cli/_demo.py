"""``consilience demo``: one published table that shows why one number is not enough."""

from __future__ import annotations

import click

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

Now with your own data:  consilience measure ratings.csv
"""


@click.command()
def demo() -> None:
    """Measure a published example and explain the result."""
    from consilience import datasets
    from consilience.cli import _output as out
    from consilience.report import measure

    summary = measure(datasets.load(_DATA))
    click.echo(_BEFORE)
    out.write(summary, "text", None)
    click.echo()
    click.echo(_AFTER, nl=False)
