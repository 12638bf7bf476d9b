"""``consilience demo``: a study made to be looked at, then why one number is not enough."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from consilience.cli import _output as out
from consilience.cli._main import command
from consilience.cli._options import option

if TYPE_CHECKING:
    from consilience.document import Table
    from consilience.ratings import Ratings
    from consilience.report import Page

_SEED = 5
_PUBLISHED = "di_eugenio_glass_2004_skewed"
_FIRST = f"""\
1. A made-up study: Consilience itself drew these ratings (simulate, seed {_SEED}).
Five raters say how strong the argument of 160 letters is. Some ratings are
missing, 'weak' and 'moderate' are hard to tell apart, and Eve is lenient.
"""
_SECOND = """\
2. A published table: why one number is not enough.
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


@command()
@option("--output -o FILE", "Also write the report of the example to this file.", type=out.FILE)
@option("--force", "Replace an existing file.")
def demo(*, output: Path | None, force: bool) -> None:
    """Measure a made-up study and a published table, and explain the results."""
    from consilience import datasets
    from consilience.report import measure
    from consilience.simulate.demo_study import made_study

    made, published = made_study(_SEED), datasets.load(_PUBLISHED)
    out.put(_FIRST, None)
    out.write(measure(made), "text", None)
    for table in _to_look_at(made):
        out.put("", None)
        _show(table)
    out.put(f"\n{_SECOND}", None)
    out.write(measure(published), "text", None)
    out.put(f"\n{_AFTER}", None)
    if output is not None:
        out.write_file(output, _page(made, published).html())
        out.put(f"The same as a report to hand on: {output}\n", None)
    out.put(_NEXT.removesuffix("\n"), None)


def _to_look_at(ratings: Ratings) -> list[Table]:
    """Return which labels are confused, and the items to talk about first."""
    from consilience import latent
    from consilience.document import Table

    documents = latent.confusions(ratings).document(), latent.adjudicate(ratings).document()
    tables = [next(b for b in one.blocks if isinstance(b, Table)) for one in documents]
    return [replace(one, rows=one.rows[:3], note="") for one in tables]


def _show(table: Table) -> None:
    from consilience.document import Document

    out.emit(Document(blocks=(table,)), {}, "text", None)


def _page(made: Ratings, published: Ratings) -> Page:
    """Return the report on the made-up study, with the paradox at its end."""
    from consilience import plot
    from consilience.report import measure, report
    from consilience.report.result_pages import paragraphs_and_figure

    page = report(
        made,
        title="Five raters, four labels, 160 letters (a made-up study)",
        command="consilience demo --output demo.html",
        reading=[f"Drawn by consilience.simulate with seed {_SEED}; nobody wrote these letters."],
    ).page
    drawing: Any = plot.prevalence_effect(published)
    extra = paragraphs_and_figure(
        "paradox",
        "Why one number is not enough: a published table",
        [_SECOND.partition("\n")[2], _AFTER],
        measure(published).document(),
        (drawing, "What the share of the common label does to each coefficient at the same "
         "observed agreement, with this table marked."),
    )  # fmt: skip
    return replace(page, sections=(*page.sections, extra))
