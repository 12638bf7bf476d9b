"""The sections of the report: each function returns what one of them shows."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from consilience.coefficients import (
    Estimate,
    Pairwise,
    category_agreement,
    pairwise,
    rater_influence,
    registry,
)
from consilience.core.words import percent, shortened
from consilience.distances import get_distance
from consilience.document import Cell, Range, Table
from consilience.exceptions import ConsilienceError
from consilience.findings import Recommendation, Study
from consilience.ratings import Ratings
from consilience.report._page import Advice, Code, Figure, Heading, PageBlock, Tabular, Text
from consilience.report._sentence import apa_sentence
from consilience.report._summary import Summary
from consilience.report.summary_text import paper_table, reasons, render_latex, render_markdown

_KINDS = {"nominal": "categories", "ordinal": "categories"}  # else labels are numbers
_MOST_ITEMS = 20
_MOST_RATERS = 20
_ITEMS_ONE_BY_ONE = 1_000_000


def answer(summary: Summary, advice: Recommendation) -> list[PageBlock]:
    """Say in one sentence how far raters agree, and why this coefficient."""
    if summary.undecided is not None:
        return [
            Text(summary.undecided.both, "answer"),
            Text(f"{summary.undecided.sentence} {summary.undecided.advice}"),
            Text("What is said about labels, raters and items waits until then.", "note"),
        ]
    one = summary[advice.coefficient]
    raw = next((e for e in summary if e.coefficient == "percent_agreement"), None)
    told = ""
    if raw is not None and raw.status == "ok" and raw.distance == "nominal":
        told = f"Two ratings of an item agree in {100 * raw.value:.1f}% of cases. "
    if told and one is raw:
        told = f"{told.rstrip('. ')}{_interval_words(raw, summary)}."
    elif one.status == "undefined":
        told += f"{one.name} is undefined: {_reason(one)}."
    else:
        told += (
            f"Corrected for chance, {one.name} is {one.value:.3f}{_interval_words(one, summary)}."
        )
    return [
        Text(told, "answer"),
        Text(" ".join(advice.reasons), "note"),
    ]


def _reason(one: Estimate) -> str:
    return (one.reason or "").partition(": ")[2] or str(one.reason)


def _interval_words(one: Estimate, summary: Summary) -> str:
    interval = one.confidence_interval(summary.confidence_level)
    if not math.isfinite(interval.low):
        return ""
    return (
        f", and with {percent(summary.confidence_level)} confidence between {interval.low:.3f} and "
        f"{interval.high:.3f}"
    )


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


def findings(summary: Summary) -> list[PageBlock]:
    """List what should be known before a number is believed."""
    if not summary.findings:
        return [Text("Nothing stands out: no check that was made raised a concern.")]
    return [Advice(summary.findings)]


def labels(ratings: Ratings) -> list[PageBlock]:
    """Draw which labels meet, and list how far raters agree on each."""
    from consilience import plot

    study = Study(ratings)
    if not study.has_categories:
        return []
    two = len(ratings.raters) == 2
    caption = (
        f"How many items got which label from {ratings.raters[0]} (down) and from "
        f"{ratings.raters[1]} (across). Shades: share of the row."
        if two
        else "How many ratings met which label on the same item; all cells add up to the ratings. "
        "Shades: share of the ratings with either label."
    )
    rows: list[list[Cell]] = [
        [
            shortened(str(one.category), 60),
            one.share,
            one.specific,
            one.kappa.value,
            _range(one.kappa),
        ]
        for one in category_agreement(ratings)
    ]
    heads = ("label", "share", "specific agreement", "kappa against all others", "95% interval")
    note = (
        "Specific agreement: given one rating with this label, the chance that another rating of "
        "the item has it too."
    )
    return [
        *_drawn(lambda: plot.confusion(ratings), "labels", caption),
        Tabular(Table(heads=heads, rows=rows, note=note)),
    ]


def _range(one: Estimate) -> Range | None:
    if one.status != "ok":
        return None
    interval = one.confidence_interval()
    return Range.of(interval)


def _drawn(
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

    if not 2 <= len(ratings.raters) <= _MOST_RATERS:
        return []
    blocks: list[PageBlock] = []
    name = "" if distance is None else get_distance(distance, scale=ratings.scale).name
    by = f" ({name} distance)" if name else ""
    if len(ratings.raters) > 2:
        pairs = pairwise(
            ratings, coefficient="krippendorff_alpha", distance=distance, on_undefined="ignore"
        )
        if not np.isfinite(pairs.matrix[np.triu_indices(len(pairs.raters), 1)]).any():
            return _label_use(ratings)  # undefined for every pair: nothing to draw
        blocks += _drawn(
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
        blocks += _drawn(
            lambda: plot.leave_one_out(influence),
            "leave-one-out",
            f"Krippendorff's alpha{by} without each rater in turn; dashed: with all of them. To "
            "the right of it, agreement rises when this rater is left out.",
            table,
        )
    return blocks + _label_use(ratings)


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
        "How large a share of each rater's ratings each label has: raters whose marks differ use "
        "the labels differently."
    )
    if len(ratings.categories) > len(COLOURS):
        caption += " Where labels have no order, the rarest are put together."
    return _drawn(lambda: plot.label_use(ratings), "label-use", caption, _label_use_table(ratings))


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

    blocks = _drawn(
        lambda: plot.item_agreement(ratings, distance=distance),
        "items",
        "On how many items raters agree how far: 1 where all ratings of an item are the same.",
    )
    contested = most_contested(ratings, distance=distance)
    if contested is not None:
        blocks += [Heading("Most contested"), Tabular(contested)]
    return blocks


def most_contested(ratings: Ratings, most: int = _MOST_ITEMS, distance: Any = None) -> Table | None:
    """Return the items on which raters differ most, with the label that each rater gave.

    Where there are too many items to look at one by one, the distinct patterns of labels are
    listed with how often each occurs.
    """
    if not 2 <= len(ratings.raters) <= _MOST_RATERS or Study(ratings).patterns is None:
        return None
    if ratings.n_items > _ITEMS_ONE_BY_ONE:
        return _contested_patterns(ratings, most)
    from consilience.coefficients import item_agreement

    agreement = item_agreement(ratings, distance=distance)
    order = np.argsort(np.where(np.isnan(agreement), np.inf, agreement), kind="stable")[:most]
    chosen = [int(i) for i in order if agreement[i] < 1.0]
    if not chosen:
        return None
    store = ratings._coded_store()
    codes = _codes_of(store, chosen)
    rows: list[list[Cell]] = [
        [_name(ratings, i), float(agreement[i]), *_shown(ratings, codes[k])]
        for k, i in enumerate(chosen)
    ]
    heads = ("item", "agreement", *(shortened(str(rater)) for rater in ratings.raters))
    return Table(heads=heads, rows=rows)


def _name(ratings: Ratings, i: int) -> str:
    return shortened(str(ratings.items[i]), 60)


def _shown(ratings: Ratings, codes: Any) -> list[Cell]:
    return [shortened(str(ratings.categories[c])) if c >= 0 else "" for c in codes]


def _codes_of(store: Any, chosen: list[int]) -> Any:
    """Return the label codes of some items."""
    if store.multiplicity is None:
        return store.decode(store.matrix[chosen])
    rows = np.searchsorted(np.cumsum(store.multiplicity), chosen, side="right")
    return store.decode(store.matrix[rows])


def _contested_patterns(ratings: Ratings, most: int) -> Table | None:
    patterns = Study(ratings).patterns
    assert patterns is not None
    counts = np.stack(
        [(patterns.codes == k).sum(axis=1) for k in range(len(ratings.categories))], axis=1
    )
    n = counts.sum(axis=1)
    agreeing = (counts * (counts - 1)).sum(axis=1) / np.maximum(n * (n - 1), 1)
    agreement = np.where(n >= 2, agreeing, np.inf)
    order = np.lexsort((-patterns.multiplicity, agreement))[:most]
    rows: list[list[Cell]] = [
        [int(patterns.multiplicity[i]), float(agreement[i]), *_shown(ratings, patterns.codes[i])]
        for i in order
        if agreement[i] < 1.0
    ]
    heads = ("items", "agreement", *(shortened(str(rater)) for rater in ratings.raters))
    return Table(heads=heads, rows=rows) if rows else None


def design(ratings: Ratings, summary: Summary) -> list[PageBlock]:
    """Draw who rated what, and count what is missing."""
    from consilience import plot

    data = summary.data
    rows: list[list[Cell]] = [
        ["items", data.items],
        ["raters", data.raters],
        ["ratings", data.ratings],
        ["missing", data.missing],
        [_KINDS.get(data.scale, "distinct values"), len(data.categories)],
    ]
    blocks: list[PageBlock] = [Tabular(Table(heads=("what", "how many"), rows=rows))]
    if data.missing:
        blocks += _drawn(
            lambda: plot.design(ratings),
            "design",
            "Who rated which items: dark where there is a rating.",
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


def method(summary: Summary, command: str) -> list[PageBlock]:
    """Say how each number was made, and how to make it again."""
    rows: list[list[Cell]] = []
    for one in summary:
        interval = one.confidence_interval(summary.confidence_level)
        rows.append(
            [one.name, registry[one.coefficient].summary, one.distance, one.missing,
             interval.method, one.n_items_used]
        )  # fmt: skip
    heads = ("coefficient", "chance agreement", "distance", "missing ratings", "interval",
             "items used")  # fmt: skip
    blocks: list[PageBlock] = [Tabular(Table(heads=heads, rows=rows))]
    if summary.data.sources:
        sources = ", ".join(summary.data.sources)
        blocks.append(Text(f"Read from {sources} as {summary.data.shape}.", "note"))
    aside = () if summary.account is None else summary.account.set_aside
    blocks += [Text(f"In the file: {one}.", "note") for one in aside]
    blocks.append(Text(f"Consilience {summary.version}, random seed {summary.seed}.", "note"))
    if command:
        blocks.append(Code(command, "The command that makes this page again"))
    return blocks


def paper(summary: Summary, advice: Recommendation) -> list[PageBlock]:
    """Return the paragraph and the table to hand on."""
    return [
        Code(apa_sentence(summary, advice.coefficient), "Sentence"),
        Code(render_latex(summary), "Table in LaTeX (booktabs)"),
        Code(render_markdown(summary), "Table in Markdown"),
    ]
