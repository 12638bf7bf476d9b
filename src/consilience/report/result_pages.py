"""Any result as a page: the answer first, then figures, findings, and what its document says."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from consilience._version import __version__
from consilience.coefficients import Estimate, percent_agreement
from consilience.core.verdict import THRESHOLDS, Verdict
from consilience.core.words import counted, enumerated, number, percent
from consilience.document import Document, Paragraph
from consilience.exceptions import ConsilienceError
from consilience.magnitudes.marks_summary import MarksSummary
from consilience.ratings import Ratings
from consilience.report.page import (
    Advice,
    Answer,
    Figure,
    Page,
    PageBlock,
    Section,
    Tabular,
    Text,
    shown,
)
from consilience.report.report import raw_agreement
from consilience.report.rounds import Batches, Rounds
from consilience.report.summary import apa_interval, apa_number

Drawing = tuple[str, str, Callable[[], Any]]  # name of its file, caption, how to draw it
MADE_BY = f"computed with Consilience {__version__}"
_MOST_SYSTEMS = 6


def result_page(
    document: Document,
    drawings: Sequence[Drawing] = (),
    *,
    title: str = "",
    lead: str = "",
    command: str = "",
    reading: Sequence[str] = (),
    answer: Answer | None = None,
) -> Page:
    """Make a page of a result: its answer, figures, findings, and what its document says.

    Parameters
    ----------
    document : Document
        What the result says, as `result.document()` returns it.
    drawings : sequence of (name, caption, function that draws)
        Figures; one that the design does not have is left out.
    title, lead, command : str
        Heading, the line below it, and the command that makes the page again.
    reading : sequence of str
        How the file was read, line by line.
    answer : Answer, optional
        The first screen; default the verdict and the findings of the document.

    Returns
    -------
    Page

    Examples
    --------
    >>> from consilience import datasets, measure
    >>> page = result_page(measure(datasets.load("cohen_1960")).document(), title="Diagnoses")
    >>> "Diagnoses" in page.html()
    True
    """
    figures: list[PageBlock] = []
    for name, caption, draw in drawings:
        try:
            figures.append(Figure(draw(), name, caption))
        except ConsilienceError:  # the design has no such figure
            continue
    parts = [
        Section("figures", "At a glance", figures),
        Section("findings", "Findings", [Advice(document.findings)] if document.findings else []),
        Section("results", "Results", [shown(block) for block in document.blocks]),
    ]
    if answer is None and document.verdict is not None:
        answer = Answer(verdict=document.verdict, findings=document.findings)
    return Page(
        title=title or document.title,
        lead=lead,
        sections=[section for section in parts if section.blocks],
        answer=answer,
        command=command,
        reading=reading,
    )


def paragraphs_and_figure(
    anchor: str,
    title: str,
    texts: Sequence[str],
    document: Document,
    figure: tuple[Any, str],
) -> Section:
    """Return a section with some text, the tables of a document, and a drawing with its caption."""
    axes, caption = figure
    tables = [Tabular(block) for block in document.blocks if not isinstance(block, Paragraph)]
    said = [Text(" ".join(text.split())) for text in texts]
    return Section(anchor, title, [said[0], *tables, *said[1:], Figure(axes, anchor, caption)])


# ---- systems and people


def panel_page(
    result: Any,
    document: Document,
    *,
    title: str = "",
    lead: str = "",
    command: str = "",
    reading: Sequence[str] = (),
) -> Page:
    """Make the page of systems against people, or of a sweep.

    Parameters
    ----------
    result : result of `panel.compare` or `panel.sweep`
    document : Document
        What `result.document()` gives.
    title, lead, command : str
        Heading, first sentence, and the command that made the page.
    reading : sequence of str
        What the file was taken for.

    Returns
    -------
    Page

    Examples
    --------
    >>> from consilience import panel
    >>> swept = panel.sweep({"A": panel.differences({0: 80, 3: 20}),
    ...                      "B": panel.differences({0: 75, 1: 25})})
    >>> panel_page(swept, swept.document(), title="Markers").html().startswith("<!")
    True
    """
    from consilience import plot

    is_panel = hasattr(result, "systems")
    if is_panel:
        drawings: list[Drawing] = [
            (
                "ceiling",
                "Agreement of each system with people, beside agreement among people (the human "
                "ceiling). Dotted: always giving the same answer.",
                lambda: plot.panel(result),
            ),
            (
                "differences",
                "Differences between the marks of a system and of a person: how often each occurs.",
                lambda: plot.differences(result),
            ),
        ]
    else:
        drawings = [
            (
                "sweep",
                "Every setting with its interval, the best on top; grey: agreement among people.",
                lambda: plot.sweep(result),
            ),
            (
                "settings",
                "Share of marks that are the same, and that are off by 1 to 4 points, for each "
                "setting.",
                lambda: plot.settings(result),
            ),
        ]
    usual = "Is the system as good as a person?" if is_panel else "Which setting is best?"
    first = next((one for one in document.blocks if isinstance(one, Paragraph)), None)
    answer = Answer(
        verdict=result.verdict,
        cards=_system_cards(result) if is_panel else (),
        facts=_panel_facts(result) if is_panel else (),
        findings=document.findings,
        sentence=_panel_sentence(result) if is_panel else "",
    )
    return result_page(
        document,
        drawings,
        title=title or usual,
        lead=lead or (first.text if first and result.people else ""),
        command=command,
        reading=reading,
        answer=answer,
    )


def _system_cards(result: Any) -> list[Verdict]:
    """Return a card for each system; one system needs none beside the verdict."""
    if len(result.systems) < 2:
        return []
    return [result.verdict_on(one.system) for one in result.systems[:_MOST_SYSTEMS]]


def _panel_facts(result: Any) -> list[tuple[str, str]]:
    key = result.headline.key
    facts = [
        (f"{one.system} with people", number(one.agreement[key].value, 2))
        for one in result.systems[:2]
    ]
    if math.isfinite(result.ceiling[key].value):
        facts.append(("people with each other", number(result.ceiling[key].value, 2)))
    facts += [
        (f"{one.system}: same answer", f"{100 * one.agreement['identical'].value:.1f}%")
        for one in result.systems[:1]
        if "identical" in one.agreement and math.isfinite(one.agreement["identical"].value)
    ]
    return facts


def _panel_sentence(result: Any) -> str:
    """Return the sentence for the paper: agreement, ceiling, gap, margin."""
    key, title = result.headline.key, result.headline.title
    level, ceiling = percent(result.confidence_level), result.ceiling[key]
    told = []
    for one in result.systems:
        agreement, gap = one.agreement[key], one.gap[key]
        if math.isnan(agreement.value):
            continue
        text = (
            f"{one.system} agreed with {counted(len(result.people), 'person', 'people')} on "
            f"{counted(one.n_items, 'item')} at {title} = {apa_number(agreement.value)}"
            f"{apa_interval(agreement.interval, level)}"
        )
        if math.isfinite(gap.value):
            text += (
                f", a gap of {apa_number(gap.value)}{apa_interval(gap.interval, level)} to what "
                f"people reach with each other ({apa_number(ceiling.value)}; margin "
                f"{apa_number(result.margin)})"
            )
        told.append(text)
    return f"{'; '.join(told)}; {MADE_BY}." if told else ""


# ---- latent models


def latent_page(
    result: Any,
    document: Document,
    *,
    title: str = "",
    lead: str = "",
    command: str = "",
    reading: Sequence[str] = (),
    ratings: Ratings | None = None,
) -> Page:
    """Make the page of a latent model; with the ratings, their agreement stands beside it.

    Parameters
    ----------
    result : result of a latent model
    document : Document
        What `result.document()` gives.
    title, lead, command : str
        Heading, first sentence, and the command that made the page.
    reading : sequence of str
        What the file was taken for.
    ratings : Ratings, optional

    Returns
    -------
    Page

    Examples
    --------
    >>> from consilience import datasets
    >>> from consilience.latent import dawid_skene
    >>> found = dawid_skene(datasets.load("krippendorff_2011_nominal"))
    >>> latent_page(found, found.document(), title="Coders").html().startswith("<!")
    True
    """
    from consilience import plot

    drawings: list[Drawing] = []
    if hasattr(result, "error_rates") and hasattr(result, "error_matrix"):
        caption = "Which label raters give for each true label, over all raters."
        drawings.append(("errors", caption, lambda: plot.error_matrix(result)))
    if hasattr(result, "probability"):
        caption = "How sure the model is of each item's label."
        drawings.append(("certainty", caption, lambda: plot.certainty(result)))
        caption = "How often each rater is right, the least accurate at the top."
        drawings.append(("accuracy", caption, lambda: plot.accuracy(result)))
    said = document.verdict
    answer = None
    if said is not None:
        facts, agreement = _agreement_beside(result, ratings)
        answer = Answer(
            verdict=said,
            cards=() if agreement is None else [agreement],
            facts=facts,
            findings=document.findings,
            sentence=_latent_sentence(result, document, ratings),
        )
    if not lead and ratings is not None:
        lead = sizes_of(ratings)
    return result_page(
        document,
        drawings,
        title=title or document.title or "Do the raters agree?",
        lead=lead,
        command=command,
        reading=reading,
        answer=answer,
    )


def agreement_sentence(who: str, name: str, value: float, limits: Any) -> str:
    """Return the sentence for the paper on one number; `who` says on what, too."""
    told = ""
    if limits is not None and limits.has_limits:
        told = apa_interval(limits, percent(limits.confidence_level))
    return f"Agreement of {who} was {name} = {apa_number(value)}{told}, {MADE_BY}."


def sizes_of(ratings: Ratings) -> str:
    """Return how many items, raters and ratings there are, in a line."""
    sizes = [counted(ratings.n_items, "item"), counted(ratings.n_raters, "rater")]
    return " · ".join([*sizes, counted(ratings.n_ratings, "rating")])


def _agreement_beside(
    result: Any, ratings: Ratings | None
) -> tuple[list[tuple[str, str]], Verdict | None]:
    """Return the raw agreement as facts, and the verdict on alpha where the model has none."""
    if ratings is None or ratings.n_raters < 2:
        return [], None
    from consilience.coefficients import krippendorff_alpha

    try:
        raw = percent_agreement(ratings, on_undefined="ignore")
        alpha = krippendorff_alpha(ratings, on_undefined="ignore")
    except ConsilienceError:
        return [], None
    facts = raw_agreement((raw,))
    return facts, alpha.verdict if hasattr(result, "probability") else None


def _latent_sentence(result: Any, document: Document, ratings: Ratings | None) -> str:
    if not hasattr(result, "probability"):
        said = document.verdict
        if said is None or said.gauge is None or ratings is None:
            return ""
        who = f"{counted(ratings.n_raters, 'rater')} on {counted(ratings.n_items, 'item')}"
        return agreement_sentence(who, said.gauge.name, said.gauge.value, said.gauge)
    known = [one.accuracy for one in result.raters if math.isfinite(one.accuracy)]
    right = f"; raters were right in {min(known):.0%} to {max(known):.0%} of cases" if known else ""
    return (
        f"The labels of {counted(result.n_items, 'item')} were estimated from "
        f"{counted(result.n_ratings, 'rating')} by {counted(len(result.raters), 'rater')} "
        f"({document.title}){right}, {MADE_BY}."
    )


# ---- Marks as a page: how far markers agree, their means and spread, their differences


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
    who = f"{counted(len(result.raters), 'rater')} on {counted(result.n_items, 'item')}"
    means = [one.mean for one in result.raters]
    answer = Answer(
        verdict=result.verdict,
        facts=[
            ("lowest and highest mean", f"{number(min(means), 2)} and {number(max(means), 2)}"),
            ("error of measurement", number(main.standard_error_of_measurement, 2)),
        ],
        findings=result.findings,
        sentence=agreement_sentence(who, main.name, main.value, main.confidence_interval()),
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


# ---- Rounds and batches as pages: has agreement changed, is it the same everywhere?

_MOST_BATCHES = 3  # batches on the first screen


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
        f"{apa_number(row.change)}"
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
            for batch, one in list(result.estimates.items())[:_MOST_BATCHES]
        ],
        facts=[
            fact
            for name, one in list(result.ratings.items())[:_MOST_BATCHES]
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
