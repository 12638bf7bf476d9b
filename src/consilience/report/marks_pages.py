"""Marks as a page: how far markers agree, their means and spread, their differences."""

from __future__ import annotations

from collections.abc import Sequence

from consilience.core.words import counted, number, percent
from consilience.magnitudes import MarksSummary
from consilience.ratings import Ratings
from consilience.report._page import Answer, Page
from consilience.report._sentence import apa_interval, apa_number
from consilience.report.result_pages import MADE_BY, Drawing, result_page, sizes_of


def marks_page(
    result: MarksSummary,
    ratings: Ratings,
    *,
    title: str = "",
    command: str = "",
    reading: Sequence[str] = (),
) -> Page:
    """Make the page of marks: how far markers agree, their means and spread, their differences.

    Parameters
    ----------
    result : MarksSummary
    ratings : Ratings
    title, command : str
        Heading, and the command that makes the page again.
    reading : sequence of str
        How the files were read, line by line.

    Returns
    -------
    Page

    Examples
    --------
    >>> from consilience.magnitudes import describe_marks
    >>> rows = [[1.0, 2.0], [3.0, 3.5], [5.0, 4.0], [2.0, 2.5]]
    >>> marks = Ratings.from_wide(rows, scale="interval")
    >>> marks_page(describe_marks(marks), marks).answer.verdict.gauge.name
    'ICC(A,1)'
    """
    from consilience import plot

    drawings: list[Drawing] = [
        (
            "marks",
            "Mean and spread of each rater's marks, and the marks of two raters against each "
            "other: with more than two raters, of those whose means differ most.",
            lambda: plot.marks(ratings),
        ),
        (
            "histogram",
            "How each rater's marks are spread, and how normal marks with the same mean and "
            "spread would be.",
            lambda: plot.histogram(ratings),
        ),
        (
            "bland-altman",
            "The difference of two raters' marks against their mean, with the limits of agreement.",
            lambda: plot.bland_altman(ratings, pair=farthest(result)),
        ),
        (
            "differences",
            "Differences between the marks of these two raters: how often each occurs.",
            lambda: plot.differences(ratings, pair=farthest(result)),
        ),
    ]
    main = result.main
    interval = main.confidence_interval()
    limits = (
        apa_interval(interval, percent(interval.confidence_level)) if interval.has_limits else ""
    )
    means = [one.mean for one in result.raters]
    answer = Answer(
        verdict=result.verdict,
        facts=[
            ("lowest and highest mean", f"{number(min(means), 2)} and {number(max(means), 2)}"),
            ("error of measurement", number(main.standard_error_of_measurement, 2)),
        ],
        findings=result.findings,
        sentence=f"Agreement of {counted(len(result.raters), 'rater')} on "
        f"{counted(result.n_items, 'item')} was {main.name} = {apa_number(main.value)}{limits}, "
        f"{MADE_BY}.",
    )
    return result_page(
        result.document(),
        drawings,
        title=title or "Do the marks agree?",
        lead=sizes_of(ratings),
        command=command,
        reading=reading,
        answer=answer,
    )


def farthest(result: MarksSummary) -> tuple[object, object]:
    """Return the two raters whose means differ most."""
    order = sorted(result.raters, key=lambda one: one.mean)
    return order[0].rater, order[-1].rater
