"""Rounds and batches as pages: has agreement changed, is it the same everywhere?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from consilience.coefficients import Estimate, percent_agreement
from consilience.core.verdict import THRESHOLDS
from consilience.core.words import counted, enumerated, percent
from consilience.report._batches import Batches
from consilience.report._page import Answer, Page
from consilience.report._report_parts import raw_agreement
from consilience.report._rounds import Rounds
from consilience.report._sentence import apa_interval, apa_number
from consilience.report.result_pages import MADE_BY, result_page

_MOST_CARDS = 3  # batches on the first screen


def rounds_page(
    result: Rounds, *, title: str = "", command: str = "", reading: Sequence[str] = ()
) -> Page:
    """Make the page of two rounds: the difference with its interval first.

    Parameters
    ----------
    result : Rounds
    title, command : str
        Heading, and the command that makes the page again.
    reading : sequence of str
        How the files were read, line by line.

    Returns
    -------
    Page

    Examples
    --------
    >>> from consilience import Ratings
    >>> from consilience.report import compare_rounds
    >>> pilot = Ratings.from_table([[30, 20], [15, 35]])
    >>> main = Ratings.from_table([[80, 9], [9, 98]])
    >>> rounds_page(compare_rounds(pilot, main, coefficients="kappa")).answer.verdict.code
    'higher'
    """
    from consilience import plot

    def values() -> Any:
        row = result.headline
        assert row is not None
        return plot.forest(
            [row.before, row.after],
            names=result.names,
            confidence_level=result.confidence_level,
            thresholds=THRESHOLDS,
        )

    caption = "The coefficient in both rounds, each with its interval."
    first, second = result.summaries
    facts = [
        fact
        for name, one in zip(result.names, (first, second), strict=True)
        for fact in _named_raw(name, one.estimates)
    ]
    answer = Answer(
        verdict=result.verdict,
        facts=facts,
        findings=(*result.findings, *second.findings),
        sentence=_rounds_sentence(result),
    )
    document = replace(result.document(), findings=answer.findings)
    return result_page(
        document,
        [("rounds", caption, values)],
        title=title or "Has agreement changed?",
        lead=" · ".join(result.sizes()),
        command=command,
        reading=reading,
        answer=answer,
    )


def _named_raw(name: str, estimates: Sequence[Estimate]) -> list[tuple[str, str]]:
    return [(f"raw agreement, {name}", value.partition(" of ")[0])
            for _, value in raw_agreement(estimates)[:1]]  # fmt: skip


def _rounds_sentence(result: Rounds) -> str:
    row = result.headline
    if row is None or row.comparison is None:
        return ""
    interval = row.comparison.confidence_interval(result.confidence_level)
    how = "compared item by item" if result.paired else "independent items"
    return (
        f"{row.after.name} was {apa_number(row.before.value)} in {result.names[0]} and "
        f"{apa_number(row.after.value)} in {result.names[1]}, a difference of "
        f"{apa_number(row.after.value - row.before.value)}"
        f"{apa_interval(interval, percent(result.confidence_level))} ({how}), {MADE_BY}."
    )


def batches_page(
    result: Batches, *, title: str = "", command: str = "", reading: Sequence[str] = ()
) -> Page:
    """Make the page of batches: whether agreement is the same in all of them.

    Parameters
    ----------
    result : Batches
    title, command : str
        Heading, and the command that makes the page again.
    reading : sequence of str
        How the files were read, line by line.

    Returns
    -------
    Page

    Examples
    --------
    >>> from consilience import Ratings
    >>> from consilience.report import compare_batches
    >>> early = Ratings.from_table([[20, 5], [4, 21]])
    >>> late = Ratings.from_table([[9, 16], [15, 10]])
    >>> batches_page(compare_batches({"May": early, "June": late})).answer.verdict.code
    'batches_differ'
    """
    caption = "The coefficient in each batch, with its interval."
    name = next(iter(result.estimates.values())).name
    values = enumerated(
        [f"{apa_number(one.value)} in {batch}" for batch, one in result.estimates.items()]
    )
    answer = Answer(
        verdict=result.verdict,
        cards=[
            replace(one.verdict, message=f"{batch}: {one.verdict.message}")
            for batch, one in list(result.estimates.items())[:_MOST_CARDS]
        ],
        facts=[
            fact
            for name, one in list(result.ratings.items())[:_MOST_CARDS]
            for fact in _named_raw(name, (percent_agreement(one, on_undefined="ignore"),))
        ],
        findings=result.findings,
        sentence=f"{name} was {values}; {MADE_BY}.",
    )
    return result_page(
        result.document(),
        [("batches", caption, result.plot)],
        title=title or "Is agreement the same everywhere?",
        lead=counted(len(result.estimates), "batch", "batches"),
        command=command,
        reading=reading,
        answer=answer,
    )
