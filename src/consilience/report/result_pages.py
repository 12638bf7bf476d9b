"""Any result as a page: the answer first, then figures, findings, and what its document says."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from consilience._version import __version__
from consilience.core.verdict import Verdict
from consilience.core.words import counted, number, percent
from consilience.document import Document, Paragraph
from consilience.exceptions import ConsilienceError
from consilience.report._page import Advice, Answer, Figure, Page, PageBlock, Section, Tabular, Text
from consilience.report._report_parts import raw_agreement
from consilience.report._sentence import apa_interval, apa_number

if TYPE_CHECKING:
    from consilience.ratings import Ratings

Drawing = tuple[str, str, Callable[[], Any]]  # name of its file, caption, how to draw it
MADE_BY = f"computed with Consilience {__version__}"
_MOST_CARDS = 6


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
    said: list[PageBlock] = [
        Text(block.text) if isinstance(block, Paragraph) else Tabular(block)
        for block in document.blocks
    ]
    parts = [
        Section("figures", "At a glance", figures),
        Section("findings", "Findings", [Advice(document.findings)] if document.findings else []),
        Section("results", "Results", said),
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


# -------------------------------------------------------------------- systems and people


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
    return [result.verdict_on(one.system) for one in result.systems[:_MOST_CARDS]]


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


# -------------------------------------------------------------------- latent models


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
    from consilience.coefficients import krippendorff_alpha, percent_agreement

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
        gauge = said.gauge
        limits = apa_interval(gauge, percent(gauge.confidence_level)) if gauge.has_limits else ""
        return (
            f"Agreement of {counted(ratings.n_raters, 'rater')} on "
            f"{counted(ratings.n_items, 'item')} was {gauge.name} = {apa_number(gauge.value)}"
            f"{limits}, {MADE_BY}."
        )
    known = [one.accuracy for one in result.raters if math.isfinite(one.accuracy)]
    right = f"; raters were right in {min(known):.0%} to {max(known):.0%} of cases" if known else ""
    return (
        f"The labels of {counted(result.n_items, 'item')} were estimated from "
        f"{counted(result.n_ratings, 'rating')} by {counted(len(result.raters), 'rater')} "
        f"({document.title}){right}, {MADE_BY}."
    )
