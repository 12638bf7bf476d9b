"""``consilience marks``: numbers that raters gave, and how alike and how far apart they are."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import click

from consilience.cli import _output as out
from consilience.cli._again import how_made
from consilience.cli._extra_columns import facts
from consilience.cli._main import command
from consilience.cli._options import option
from consilience.cli._output import Answer
from consilience.cli._ratings_reading import load, reading_options
from consilience.exceptions import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from consilience.document import Document, Finding
    from consilience.magnitudes import Measure
    from consilience.ratings import Ratings

_EPILOG = """\b
Examples:
  consilience marks marks.csv
  consilience marks marks.csv --measure kendall_tau --measure regression
  consilience marks likert.csv --scale ordinal --categories low,mid,high --measure gamma
"""


@command(_EPILOG)
@click.argument("paths", metavar="PATH...", nargs=-1, required=True)
@option(
    "--measure -m NAME...",
    "Measure to show with everything it tells, such as pearson, spearman, kendall_tau, "
    "regression, bland_altman, paired_differences, vector_distance or icc; repeat for more. "
    "Default: a summary of the usual ones.",
    to="measures",
)
@out.REPORT
@reading_options
@out.output_options("json", "csv", "markdown", "latex")
def marks(**options: Any) -> Answer:
    """Compare marks: correlations, intraclass correlations, differences, distances.

    Labels are read as numbers on an interval scale unless --scale says otherwise. With two raters
    a measure is shown in full, with more for every pair of them.
    """
    from consilience.document import envelope

    chosen = [(one := _measure(word), one.options_of(word)) for word in options["measures"]]
    loaded = load({**options, "scale": options["scale"] or "interval"})
    page = None
    if chosen:
        document, record = _in_full(loaded.ratings, chosen)
    else:
        from consilience.magnitudes import describe_marks
        from consilience.report import marks_page

        summary = describe_marks(loaded.ratings)
        document, record = summary.document(), summary.to_dict()
        page = partial(marks_page, summary, loaded.ratings, **how_made(options))
    findings = record.pop("findings")
    estimates = record.pop("estimates")
    whole = envelope(data=facts(loaded), estimates=estimates, findings=findings, **record)
    return Answer(document=document, record=whole, page=page, whole=bool(chosen))


def _measure(word: str) -> Measure:
    """Return the measure that a word names; an unknown one is wrong usage."""
    from consilience.magnitudes import measures

    known = measures()
    try:
        return known[word]
    except InputError as error:
        from consilience.cli._search import instead_of

        names = [name for one in known.values() for name in (one.name, *one.aliases)]
        guess = instead_of(word, names)
        message = f"unknown measure {word!r}.{guess} There are {', '.join(sorted(known))}."
        raise click.BadParameter(message, param_hint="--measure") from error


def _in_full(
    ratings: Ratings, chosen: list[tuple[Measure, Mapping[str, Any]]]
) -> tuple[Document, dict[str, Any]]:
    """Return the measures one below the other, and their record; a finding is told once."""
    from consilience.document import Document, Paragraph
    from consilience.magnitudes import pairwise

    blocks: list[Any] = []
    findings: dict[str, Finding] = {}
    estimates: list[dict[str, Any]] = []
    pairs: list[dict[str, Any]] = []
    for measure, settings in chosen:
        in_pairs = measure.raters == "two" and ratings.n_raters > 2
        if in_pairs:
            one: Any = pairwise(ratings, measure=measure.name, **settings)
        else:
            one = measure(ratings, **settings)
        (pairs if in_pairs else estimates).append(one.to_dict())
        page = one.document()
        blocks += [Paragraph(page.title), *page.blocks]
        findings |= {finding.code: finding for finding in page.findings}
    told = tuple(findings.values())
    record = {"estimates": estimates, "pairs": pairs, "findings": told}
    return Document(title="Marks", blocks=tuple(blocks), findings=told), record
