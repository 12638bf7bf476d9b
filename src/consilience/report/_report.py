"""The report: what was rated, how far raters agree, why it is not higher, what to do next."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from consilience.core.words import counted, percent
from consilience.distances import get_distance
from consilience.findings import Recommendation, recommend
from consilience.inference import check_confidence_level
from consilience.ratings import Ratings, as_ratings
from consilience.report import _report_parts as parts
from consilience.report._groups_report import groups_answer, groups_sections
from consilience.report._page import Page, Section
from consilience.report._summary import Summary
from consilience.report.measurement import measure


@dataclass(frozen=True, kw_only=True)
class Report:
    """A page about some ratings.

    Attributes
    ----------
    summary : Summary
        The coefficients and findings that the page shows.
    recommendation : Recommendation or None
        Which coefficient to report, and why; None for several variables.
    first : Page
        The answer and how it came about, without figures; it takes little time.
    page : Page
        What the page says, drawn when it is first asked for; `html` renders it.
    """

    summary: Summary
    recommendation: Recommendation | None
    first: Page
    further: Callable[[], Sequence[Section]] = field(repr=False)  # the sections, figures drawn

    @cached_property
    def page(self) -> Page:
        """What the page says."""
        return replace(self.first, sections=self.further())

    def html(self) -> str:
        """Render the report as one HTML file that loads nothing else."""
        return self.page.html()

    def _repr_html_(self) -> str:
        return self.summary._repr_html_()


def report(
    ratings: Any,
    *,
    title: str = "",
    coefficients: str | Collection[str] | None = None,
    distance: Any = None,
    missing: str | None = None,
    confidence_level: float = 0.95,
    interval: str = "auto",
    n_resamples: int | None = None,
    seed: int = 0,
    shape: str | None = None,
    sources: Collection[str] = (),
    command: str = "",
    reading: Collection[str] = (),
    by: str | None = None,
    date: str = "",
) -> Report:
    """Make the report on some ratings.

    Parameters
    ----------
    ratings : Ratings, a table of items × raters, or a dict of them
        A dict gives a page with one line per entry, for example per variable that was coded.
    title : heading of the page, default from the sources
    coefficients, distance, missing, confidence_level, interval, n_resamples, seed, shape, sources
        As in `consilience.measure`; intervals are "auto" unless asked otherwise.
    command : how to make the report again, shown at the end of the page
    reading : how the file was read, line by line; default what the ratings themselves tell
    by : what the entries of a dict are, for headings; default "variable"
    date : shown at the foot; left out by default, so that the same input gives the same bytes

    Returns
    -------
    Report

    Examples
    --------
    >>> from consilience import datasets
    >>> page = report(datasets.load("fleiss_1971"), title="Diagnoses")
    >>> "<h1>Diagnoses</h1>" in page.html()
    True
    """
    several = isinstance(ratings, Mapping) and all(
        isinstance(one, Ratings) for one in ratings.values()
    )
    data = None if several else as_ratings(ratings)
    level = check_confidence_level(confidence_level)
    summary = measure(
        ratings if data is None else data,
        coefficients=coefficients,
        distance=distance,
        missing=missing,
        confidence_level=level,
        interval=interval,
        n_resamples=n_resamples,
        seed=seed,
        shape=shape,
        sources=sources,
        by=(by or "variable") if data is None else None,
    )
    heading = title or page_title(sources)
    made: dict[str, Any] = {
        "title": heading,
        "lead": _lead(summary),
        "date": date,
        "command": command,
        "reading": reading or told_reading(ratings),
    }
    if data is None:
        return Report(
            summary=summary,
            recommendation=None,
            first=Page(answer=groups_answer(summary), sections=(), **made),
            further=lambda: groups_sections(summary),
        )
    # Sets are compared as names unless asked otherwise; the words must fit the number.
    used = distance if distance is not None else get_distance(None, scale=data.scale)
    advice = recommend(data, distance=used)
    if advice.coefficient not in {one.coefficient for one in summary}:
        first = summary[summary.headline] if summary.headline else summary.estimates[0]
        advice = replace(advice, coefficient=first.coefficient, name=first.name)
    return Report(
        summary=summary,
        recommendation=advice,
        first=Page(answer=parts.answer(summary, advice), sections=(), **made),
        further=lambda: _sections(data, summary, distance),
    )


def told_reading(ratings: Any) -> list[str]:
    """Return how the ratings were read, line by line; nothing if they were not read from a file."""
    several = ratings.values() if isinstance(ratings, Mapping) else [ratings]
    found = {
        id(one): one for part in several if (one := getattr(part, "reading", None)) is not None
    }
    return [line.strip() for one in found.values() for line in one.told().splitlines()]


def page_title(sources: Collection[str]) -> str:
    """Return the heading of a page about some files."""
    names = [str(one).replace("\\", "/").rsplit("/", 1)[-1] for one in sources]
    return f"Do the raters agree? {', '.join(names)}" if names else "Do the raters agree?"


def _lead(summary: Summary) -> str:
    data = summary.data
    lead = [counted(data.items, "item"), counted(data.raters, "rater")]
    lead.append(counted(data.ratings, "rating"))
    if data.missing_by_design:
        lead.append(data.ratings_per_item)
    else:
        lead.append(f"{100 * data.share_missing:.1f}% missing" if data.missing else "none missing")
    lead.append(data.kind)
    if summary.groups:
        lead.insert(0, counted(len(summary.groups), summary.by or "group"))
    lead.append(f"{percent(summary.confidence_level)} intervals")
    return " · ".join(lead)


def _sections(ratings: Ratings, summary: Summary, distance: Any) -> list[Section]:
    """Return the sections that have something to say about these ratings."""
    every = [
        Section("coefficients", "Coefficients", parts.coefficients(summary)),
        Section("findings", "Findings", parts.findings(summary, ratings)),
        Section("labels", "Labels", parts.labels(ratings)),
        Section("raters", "Raters", parts.raters(ratings, distance)),
        Section("items", "Items", parts.items(ratings, distance)),
        Section("design", "Design and missing ratings", parts.design(ratings, summary)),
        Section("method", "Method", parts.method(summary)),
        Section("paper", "For the paper", parts.paper(summary)),
    ]
    waits = () if summary.undecided is None else ("labels", "raters", "items")
    return [section for section in every if section.blocks and section.id not in waits]
