"""The sections of the report: each function returns what one of them shows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from consilience.coefficients import (
    Estimate,
    Pairwise,
    pairwise,
    rater_influence,
    registry,
)
from consilience.core.words import number, percent, shortened, upper_first
from consilience.distances import get_distance
from consilience.document import Cell, Range, Table
from consilience.exceptions import ConsilienceError
from consilience.findings import Recommendation, Study, checks
from consilience.ratings import Ratings
from consilience.report._contested_items import most_contested
from consilience.report._page import Advice, Answer, Code, Figure, Heading, PageBlock, Tabular, Text
from consilience.report._sentence import apa_sentence
from consilience.report._summary import MOST_RATERS, Summary
from consilience.report.summary_text import (
    label_table,
    paper_table,
    reasons,
    render_latex,
    render_markdown,
)

_KINDS = {"nominal": "categories", "ordinal": "categories"}  # else labels are numbers
_MOST_MARKS = 12  # numbers that are still shown as labels


def answer(summary: Summary, advice: Recommendation) -> Answer:
    """Return the first screen: the verdict, the number behind it, the gravest findings."""
    assert summary.verdict is not None
    note = " ".join(advice.reasons)
    if summary.undecided is not None:
        note = "The parts on labels, raters and items follow once the scale is known."
    return Answer(
        verdict=summary.verdict,
        facts=raw_agreement(summary.estimates, summary.confidence_level),
        findings=summary.findings,
        silence=silence(),
        sentence=apa_sentence(summary, advice.coefficient),
        note=note,
    )


def raw_agreement(
    estimates: Sequence[Estimate], confidence_level: float = 0.95
) -> list[tuple[str, str]]:
    """Return the raw agreement in words, as a fact beside the verdict."""
    raw = next((one for one in estimates if one.coefficient == "percent_agreement"), None)
    if raw is None or raw.status != "ok":
        return []
    if raw.distance != "nominal":
        return [(f"{raw.name.lower()}", number(raw.value, 2))]
    facts = [("raw agreement", f"{100 * raw.value:.1f}% of pairs of ratings")]
    interval = raw.confidence_interval(confidence_level)
    if interval.has_limits:
        low, high = 100 * interval.low, 100 * interval.high
        facts.append((f"{percent(confidence_level)} CI", f"{low:.1f}% to {high:.1f}%"))
    return facts


def silence() -> str:
    """Say what it means that no check fired: not much."""
    return f"None of the {len(checks())} checks fired. That does not mean agreement is high."


def coefficients(summary: Summary) -> list[PageBlock]:
    """Draw the coefficients with their intervals, and list them."""
    from consilience import plot

    table = paper_table(summary)
    blocks: list[PageBlock] = []
    if any(one.status == "ok" for one in summary):
        axes = plot.forest(
            summary, confidence_level=summary.confidence_level, thresholds=(0.667, 0.8)
        )
        blocks.append(
            Figure(
                axes,
                "coefficients",
                "Each coefficient as a dot on its interval. Dashed: 0.667 and 0.8, which "
                "Krippendorff suggests for tentative and for firm conclusions.",
            )
        )
    blocks.append(Tabular(Table(heads=table.heads, rows=table.rows)))
    blocks += [Text(line, "note") for line in reasons(summary)]
    notes = dict.fromkeys(
        one.confidence_interval(summary.confidence_level).note
        for one in summary
        if one.status == "ok"
    )
    blocks += [Text(f"Intervals: {note}", "note") for note in notes if note]
    return blocks


def findings(summary: Summary, ratings: Ratings) -> list[PageBlock]:
    """List what should be known before a number is believed; draw the paradox where it is found."""
    if not summary.findings:
        return [Text(silence())]
    blocks: list[PageBlock] = [Advice(summary.findings)]
    if any(one.code == "prevalence_paradox" for one in summary.findings):
        blocks += _paradox(ratings)
    return blocks


def _paradox(ratings: Ratings) -> list[PageBlock]:
    """Draw what one common label does to the coefficients, with this study marked."""
    from consilience import plot

    return [
        *drawn(
            lambda: plot.prevalence_effect(ratings),
            "prevalence",
            "What the share of the common label does to each coefficient at the same raw "
            "agreement. The dot is this study.",
        ),
        *drawn(
            lambda: plot.chance_surface(ratings),
            "chance",
            "Agreement that each coefficient expects by chance, for every share of the common "
            "label that two raters may have. The dots are the pairs of raters here.",
        ),
    ]


def labels(ratings: Ratings) -> list[PageBlock]:
    """Draw which labels meet, and list how far raters agree on each."""
    from consilience import plot

    study = Study(ratings)
    if not study.has_categories or _is_marks(ratings):
        return []
    two = len(ratings.raters) == 2
    caption = (
        f"How many items got which label from {ratings.raters[0]} (down) and from "
        f"{ratings.raters[1]} (across). Shades: share of the row."
        if two
        else "How often two labels met on the same item; all cells add up to the ratings. "
        "Shades: share of the ratings with either label."
    )
    return [
        *drawn(lambda: plot.confusion(ratings), "labels", caption),
        Tabular(label_table(ratings, 0.95)),
    ]


def _is_marks(ratings: Ratings) -> bool:
    """Tell whether labels are numbers on a scale, too many for a table of them to be read."""
    return ratings.scale in ("interval", "ratio") and len(ratings.categories) > _MOST_MARKS


def _range(one: Estimate) -> Range | None:
    if one.status != "ok":
        return None
    interval = one.confidence_interval()
    return Range.of(interval)


def drawn(
    draw: Callable[[], Any], name: str, caption: str, table: Table | None = None
) -> list[PageBlock]:
    """Draw a figure, or leave it out where the design has no such figure."""
    try:
        return [Figure(draw(), name, caption, table)]
    except ConsilienceError:
        return []


def raters(ratings: Ratings, distance: Any = None) -> list[PageBlock]:
    """Draw agreement of each pair, the coefficient without each rater, and label use."""
    from consilience import plot

    if len(ratings.raters) > MOST_RATERS:
        return _crowd(ratings, distance)
    if len(ratings.raters) < 2:
        return []
    blocks: list[PageBlock] = _marks(ratings)
    name = "" if distance is None else get_distance(distance, scale=ratings.scale).name
    by = f" ({name} distance)" if name else ""
    if len(ratings.raters) > 2:
        pairs = pairwise(
            ratings, coefficient="krippendorff_alpha", distance=distance, on_undefined="ignore"
        )
        if not np.isfinite(pairs.matrix[np.triu_indices(len(pairs.raters), 1)]).any():
            return _label_use(ratings)  # undefined for every pair: nothing to draw
        blocks += drawn(
            lambda: plot.raters(pairs),
            "pairs",
            f"Krippendorff's alpha of each pair of raters{by}.",
            _pair_table(pairs),
        )
        influence = rater_influence(ratings, distance=distance)
        rows: list[list[Cell]] = [
            [str(rater), value, influence.change[rater]]
            for rater, value in influence.without.items()
        ]
        table = Table(heads=("rater", "alpha without", "change"), rows=rows)
        blocks += drawn(
            lambda: plot.leave_one_out(influence),
            "leave-one-out",
            f"Krippendorff's alpha{by} without each rater in turn; dashed: with all of them. To "
            "the right of it, agreement rises when this rater is left out.",
            table,
        )
    return blocks + _label_use(ratings)


def _crowd(ratings: Ratings, distance: Any) -> list[PageBlock]:
    """Draw many raters at once: who agrees less than so few ratings explain."""
    from consilience import plot

    said = f"{len(ratings.raters):,} raters are too many to compare two by two."
    caption = (
        "Each rater's agreement with the others against the number of ratings. Raters outside the "
        "outer limits agree less, or more, than chance explains."
    )
    return [Text(said), *drawn(lambda: plot.funnel(ratings, distance=distance), "funnel", caption)]


def _marks(ratings: Ratings) -> list[PageBlock]:
    """Draw the means, the spread and the differences of raters who gave numbers."""
    if ratings.scale not in ("interval", "ratio") or len(ratings.raters) < 2:
        return []
    from consilience import plot
    from consilience.magnitudes import describe_marks
    from consilience.report.marks_pages import farthest

    try:
        pair = farthest(describe_marks(ratings))
    except ConsilienceError:
        return []
    named = f"{shortened(str(pair[0]))} and {shortened(str(pair[1]))}, whose means differ most"
    return [
        *drawn(
            lambda: plot.marks(ratings, pair=pair),
            "marks",
            f"Mean and spread of each rater's marks, and the marks of {named}.",
        ),
        *drawn(
            lambda: plot.bland_altman(ratings, pair=pair),
            "bland-altman",
            f"The difference of the marks of {named}, against their mean, with the limits of "
            "agreement.",
        ),
    ]


def _pair_table(pairs: Pairwise) -> Table:
    names = [shortened(str(rater)) for rater in pairs.raters]
    rows: list[list[Cell]] = [
        [name, *(None if g == h else float(pairs.matrix[g, h]) for h in range(len(names)))]
        for g, name in enumerate(names)
    ]
    return Table(heads=("rater", *names), rows=rows)


def _label_use(ratings: Ratings) -> list[PageBlock]:
    from consilience import plot
    from consilience.plot.style import COLOURS

    caption = (
        "How often each rater gave each label. Where the bars differ, raters use the labels "
        "differently."
    )
    if len(ratings.categories) > len(COLOURS):
        caption += " Where labels have no order, the rarest are put together."
    return drawn(lambda: plot.label_use(ratings), "label-use", caption, _label_use_table(ratings))


def _label_use_table(ratings: Ratings) -> Table | None:
    n_gk = Study(ratings).by_rater
    if n_gk is None:
        return None
    share = n_gk / np.maximum(n_gk.sum(axis=1, keepdims=True), 1)
    heads = ("rater", *(shortened(str(label)) for label in ratings.categories))
    rows: list[list[Cell]] = [
        [shortened(str(rater)), *share[g].tolist()] for g, rater in enumerate(ratings.raters)
    ]
    return Table(heads=heads, rows=rows)


def items(ratings: Ratings, distance: Any = None) -> list[PageBlock]:
    """Draw on how many items raters agree, and list the most contested ones."""
    from consilience import plot

    blocks = drawn(
        lambda: plot.item_agreement(ratings, distance=distance),
        "items",
        "Agreement per item, full agreement at the top.",
    )
    contested = most_contested(ratings, distance=distance)
    if contested is not None:
        blocks += [Heading("Most contested"), Tabular(contested)]
    return blocks


def design(ratings: Ratings, summary: Summary) -> list[PageBlock]:
    """Draw who rated what, and count what is missing."""
    from consilience import plot

    data = summary.data
    by_design = data.missing_by_design
    rows: list[list[Cell]] = [
        ["items", data.items],
        ["raters", data.raters],
        ["ratings", data.ratings],
        ["missing by design" if by_design else "missing", data.missing],
        [_KINDS.get(data.scale, "distinct values"), len(data.categories)],
    ]
    blocks: list[PageBlock] = [Tabular(Table(heads=("what", "how many"), rows=rows))]
    if by_design:
        said = (
            f"{upper_first(data.ratings_per_item)}: what is missing is missing by design, as "
            "nobody was meant to rate everything."
        )
        blocks.append(Text(said))
    if data.missing:
        blocks += drawn(
            lambda: plot.design(ratings),
            "design",
            "Who rated which items: the darker, the more of them were rated."
            if len(ratings.raters) > MOST_RATERS
            else "Who rated which items: dark where there is a rating.",
            _missing_by_rater(ratings),
        )
    return blocks


def _missing_by_rater(ratings: Ratings) -> Table | None:
    patterns = Study(ratings).patterns
    if patterns is None:
        return None
    given = ((patterns.codes >= 0) * patterns.multiplicity[:, None]).sum(axis=0)
    rows: list[list[Cell]] = [
        [str(rater), int(n), 1.0 - n / ratings.n_items]
        for rater, n in zip(ratings.raters, given.tolist(), strict=True)
    ]
    return Table(heads=("rater", "ratings", "share missing"), rows=rows)


def method(summary: Summary) -> list[PageBlock]:
    """Say how each number was made."""
    rows: list[list[Cell]] = []
    for one in summary:
        interval = one.confidence_interval(summary.confidence_level)
        rows.append(
            [one.name, registry[one.coefficient].summary, one.distance, one.missing,
             interval.method, one.n_items_used]
        )  # fmt: skip
    for other in summary.magnitudes:
        how = other.confidence_interval(summary.confidence_level).method
        rows.append([other.name, "ratio of variances", "", "", how, None])
    heads = ("coefficient", "chance agreement", "distance", "missing ratings", "interval",
             "items used")  # fmt: skip
    blocks: list[PageBlock] = [Tabular(Table(heads=heads, rows=rows))]
    blocks.append(Text(f"Consilience {summary.version}, random seed {summary.seed}.", "note"))
    return blocks


def paper(summary: Summary) -> list[PageBlock]:
    """Return the table to hand on; the sentence stands on the first screen."""
    return [
        Code(render_latex(summary), "Table in LaTeX (booktabs)"),
        Code(render_markdown(summary), "Table in Markdown"),
    ]
