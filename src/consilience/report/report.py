"""The report: what was rated, how far raters agree, why it is not higher, what to do next."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from consilience.coefficients import Estimate, item_agreement, pairwise, rater_influence, registry
from consilience.coefficients.pairs_of_raters import Pairwise
from consilience.core.verdict import SHORT, Verdict
from consilience.core.words import counted, label_text, number, percent, shortened, upper_first
from consilience.distances import get_distance
from consilience.document import Finding, Table
from consilience.document.blocks import Cell, Differing, value_and_interval
from consilience.exceptions import ConsilienceError
from consilience.findings import Recommendation, Study, checks, recommend
from consilience.inference.intervals import check_confidence_level
from consilience.latent.votes import entries_of
from consilience.ratings import Ratings, as_ratings
from consilience.report import summary as texts
from consilience.report.measure import measure
from consilience.report.page import (
    Advice,
    Answer,
    Code,
    Figure,
    Heading,
    Links,
    Page,
    PageBlock,
    Section,
    Tabular,
    Text,
)
from consilience.report.summary import (
    MOST_RATERS,
    Group,
    Summary,
    apa_sentence,
    group_table,
    label_table,
    paper_table,
    reasons,
    render_latex,
    render_markdown,
)

# ---- The items on which raters differ most: each rater's label, or how the labels split

_MOST_ITEMS = 20
_ITEMS_ONE_BY_ONE = 1_000_000
_MOST_LABELS = 6  # told of one item
_COLOURED = "Coloured: labels that differ from the one that most raters gave."


def most_contested(ratings: Ratings, distance: Any = None) -> Table | None:
    """Return the items on which raters differ most, with the label that each rater gave.

    Of a crowd, and of counts, it is told how the labels split. Where there are too many items to
    look at one by one, the distinct patterns of labels are listed with how often each occurs.
    """
    few = 2 <= len(ratings.raters) <= MOST_RATERS and Study(ratings).patterns is not None
    if ratings.n_items > _ITEMS_ONE_BY_ONE:
        return _contested_patterns(ratings) if few else None
    if not few and not Study(ratings).has_categories:
        return None
    agreement = item_agreement(ratings, distance=distance)
    order = np.argsort(np.where(np.isnan(agreement), np.inf, agreement), kind="stable")
    chosen = [int(i) for i in order[:_MOST_ITEMS] if agreement[i] < 1.0]
    if not chosen:
        return None
    if not few:
        return _by_split(ratings, chosen, agreement)
    codes = _codes_of(ratings.coded_store(), chosen)
    rows: list[list[Cell]] = [
        [_name(ratings, i), float(agreement[i]), *_labels(ratings, codes[k])]
        for k, i in enumerate(chosen)
    ]
    return _table("item", ratings, rows)


def _table(what: str, ratings: Ratings, rows: Sequence[Sequence[Cell]]) -> Table:
    coloured = any(isinstance(cell, Differing) for row in rows for cell in row)
    heads = (what, "agreement", *(shortened(str(rater)) for rater in ratings.raters))
    return Table(heads=heads, rows=rows, note=_COLOURED if coloured else "")


def _by_split(ratings: Ratings, chosen: Sequence[int], agreement: Any) -> Table | None:
    """Tell of each item how the labels split, such as 3-2, and which labels these are."""
    counts = entries_of("the items", ratings, need_raters=False).counts
    if counts.shape[0] != ratings.n_items:  # patterns without the names of items
        return None
    rows: list[list[Cell]] = []
    for i in chosen:
        n_k = counts[[i]].toarray()[0]
        order = [int(k) for k in np.argsort(-n_k, kind="stable") if n_k[k]]
        split = "-".join(f"{n_k[k]:.0f}" for k in order)
        told = [f"{shortened(label_text(ratings.categories[k]))} {n_k[k]:.0f}" for k in order]
        more = [f"{len(told) - _MOST_LABELS} more"] if len(told) > _MOST_LABELS else []
        labels = ", ".join([*told[:_MOST_LABELS], *more])
        rows.append([_name(ratings, i), split, labels, float(agreement[i])])
    heads = ("item", "split", "labels", "agreement")
    return Table(heads=heads, rows=rows)


def _name(ratings: Ratings, i: int) -> str:
    return shortened(str(ratings.items[i]), 60)


def _labels(ratings: Ratings, codes: Any) -> list[Cell]:
    """Return the labels of one item as they are shown, those that differ marked as such."""
    given = [int(c) for c in codes]
    words = [shortened(label_text(ratings.categories[c])) if c >= 0 else "" for c in given]
    place = _places(given) if len(given) > 2 else {}
    return [
        Differing.of(word, place[c]) if c in place else word
        for c, word in zip(given, words, strict=True)
    ]


def _places(codes: Iterable[int]) -> dict[int, int]:
    """Number the labels that are not the one that most raters gave, the most common first.

    >>> _places([4, 4, 2, -1]), _places([1, 2, 3]), _places([5, 5])
    ({2: 1}, {1: 1, 2: 2, 3: 3}, {})
    """
    ranked = Counter(c for c in codes if c >= 0).most_common()
    if len(ranked) < 2:
        return {}
    leads = ranked[0][1] > ranked[1][1]
    return {code: k for k, (code, _) in enumerate(ranked[leads:], start=1)}


def _codes_of(store: Any, chosen: list[int]) -> Any:
    """Return the label codes of some items."""
    if store.multiplicity is None:
        return store.decode(store.matrix[chosen])
    rows = np.searchsorted(np.cumsum(store.multiplicity), chosen, side="right")
    return store.decode(store.matrix[rows])


def _contested_patterns(ratings: Ratings) -> Table | None:
    patterns = Study(ratings).patterns
    assert patterns is not None
    counts = np.stack(
        [(patterns.codes == k).sum(axis=1) for k in range(len(ratings.categories))], axis=1
    )
    n = counts.sum(axis=1)
    agreeing = (counts * (counts - 1)).sum(axis=1) / np.maximum(n * (n - 1), 1)
    agreement = np.where(n >= 2, agreeing, np.inf)
    order = np.lexsort((-patterns.multiplicity, agreement))[:_MOST_ITEMS]
    rows: list[list[Cell]] = [
        [int(patterns.multiplicity[i]), float(agreement[i]), *_labels(ratings, patterns.codes[i])]
        for i in order
        if agreement[i] < 1.0
    ]
    return _table("items", ratings, rows) if rows else None


# ---- The sections of the report: each function returns what one of them shows

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
        change = ("change", lambda one: influence.change[one[0]])
        without = influence.without.items()
        table = Table.of(without, "rater: 0!s", "alpha without: 1", change)
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
    from consilience.report.result_pages import farthest

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

    def how(one: Any) -> str:
        return str(one.confidence_interval(summary.confidence_level).method)

    table = Table.of(
        summary,
        "coefficient: name",
        ("chance agreement", lambda one: registry[one.coefficient].summary),
        "distance",
        "missing ratings: missing",
        ("interval", how),
        "items used: n_items_used",
        below=[[x.name, "ratio of variances", "", "", how(x), None] for x in summary.magnitudes],
    )
    return [Tabular(table), _made_by(summary)]


def _made_by(summary: Summary) -> Text:
    return Text(f"Consilience {summary.version}, random seed {summary.seed}.", "note")


def paper(summary: Summary) -> list[PageBlock]:
    """Return the table to hand on; the sentence stands on the first screen."""
    return [
        Code(render_latex(summary), "Table in LaTeX (booktabs)"),
        Code(render_markdown(summary), "Table in Markdown"),
    ]


# ---- The page about several variables: which are too low, all of them in one figure, then each

_MOST_DRAWN = 3  # on the first screen
_MOST_IN_FULL = 60  # variables with a part of their own


def groups_answer(summary: Summary) -> Answer:
    """Return the first screen of a page about groups."""
    assert summary.verdict is not None
    return Answer(
        verdict=summary.verdict,
        cards=_lowest(summary),
        facts=_range_of_values(summary),
        findings=texts.findings(summary),
        silence=silence(),
        sentence=apa_sentence(summary),
    )


def groups_sections(summary: Summary) -> list[Section]:
    """Return the sections of a page about groups."""
    found = texts.findings(summary)
    every = [
        Section("coefficients", "All of them", _together(summary)),
        Section("findings", "Findings", _told(summary, found)),
        Section("each", "One by one", _each(summary)),
        Section("method", "Method", _method(summary)),
        Section("paper", "For the paper", [Code(texts.render_latex(summary), "LaTeX")]),
    ]
    return [section for section in every if section.blocks]


def _headline(group: Group) -> Estimate | None:
    wanted = group.headline
    return next((one for one in group.estimates if one.coefficient == wanted), None)


def _lowest(summary: Summary) -> list[Verdict]:
    """Return the verdicts on the lowest variables, each with its name."""
    judged = sorted((group for group in summary.groups if group.verdict), key=_rank)
    drawn_ones = [(group.name, group.verdict) for group in judged if group.verdict]
    return [
        replace(verdict, message=f"{shortened(name)}: {SHORT.get(verdict.code, verdict.code)}")
        for name, verdict in drawn_ones
        if verdict.gauge is not None
    ][:_MOST_DRAWN]


def _range_of_values(summary: Summary) -> list[tuple[str, str]]:
    """Return the lowest and the highest value as facts."""
    every = [(group.name, _headline(group)) for group in summary.groups]
    known = [(one.value, name) for name, one in every if one is not None and one.status == "ok"]
    facts = [(f"{summary.by or 'group'}s", f"{len(summary.groups):,}")]
    if known:
        (low, first), (high, last) = min(known), max(known)
        facts.append(("lowest", f"{number(low, 2)} ({shortened(first)})"))
        facts.append(("highest", f"{number(high, 2)} ({shortened(last)})"))
    return facts


def _together(summary: Summary) -> list[PageBlock]:
    """Draw every variable with its interval, the lowest first, and list them."""
    from consilience import plot

    caption = (
        "Each with its interval, the lowest first, against 0.667 and 0.8, which Krippendorff "
        "suggests for tentative and for firm conclusions."
    )
    order = sorted(range(len(summary.groups)), key=lambda k: _rank(summary.groups[k]))
    level = summary.confidence_level
    in_full = summary.groups[:_MOST_IN_FULL]
    places = {group.name: f"#part-{k}" for k, group in enumerate(in_full, start=1)}
    figure = drawn(
        lambda: plot.variables(summary, confidence_level=level, links=places), "variables", caption
    )
    links = [(_line(summary.groups[k]), f"part-{k + 1}") for k in order[:_MOST_IN_FULL]]
    return [*figure, Tabular(group_table(summary)), Heading("Go to"), Links(links)]


def _rank(group: Group) -> float:
    one = _headline(group)
    return one.value if one is not None and math.isfinite(one.value) else -math.inf


def _line(group: Group) -> str:
    one = _headline(group)
    if one is None:
        return f"{group.name}: not measured"
    value = number(one.value, 2) if one.status == "ok" else "undefined"
    return f"{group.name}: {value}"


def _told(summary: Summary, found: Sequence[Finding]) -> list[PageBlock]:
    blocks: list[PageBlock] = [Text(line) for line in texts.reasons(summary)]
    return [*blocks, Advice(found) if found else Text(silence())]


def _each(summary: Summary) -> list[PageBlock]:
    """Return the verdict, the numbers and the findings of each variable."""
    blocks: list[PageBlock] = []
    for k, group in enumerate(summary.groups[:_MOST_IN_FULL], start=1):
        blocks += [Heading(group.name, f"part-{k}"), *_part(group, summary)]
    left = len(summary.groups) - _MOST_IN_FULL
    if left > 0:
        blocks.append(Text(f"{left:,} more stand in the table above only.", "note"))
    return blocks


def _part(group: Group, summary: Summary) -> list[PageBlock]:
    data = group.data
    sizes = [counted(data.items, "item"), counted(data.raters, "rater"), data.kind]
    blocks: list[PageBlock] = [Text(" · ".join(sizes), "note")]
    if group.verdict is not None:
        blocks.append(Text(group.verdict.sentence))
    level = summary.confidence_level
    rows = [
        [one.name, *value_and_interval(one, level), one.observed, one.expected]
        for one in group.estimates
    ]
    if rows:
        heads = texts.summary_heads(level)
        blocks.append(Tabular(Table(heads=heads, rows=rows)))
    further = [
        f for f in group.findings if group.verdict is None or not group.verdict.repeats(f.code)
    ]
    return [*blocks, *([Advice(further)] if further else [])]


def _method(summary: Summary) -> list[PageBlock]:
    kinds = dict.fromkeys(
        (one.name, one.distance, one.missing, _interval(one, summary.confidence_level))
        for group in summary.groups
        for one in group.estimates
    )
    heads = ("coefficient", "distance", "missing ratings", "interval")
    return [
        Tabular(Table(heads=heads, rows=[list(kind) for kind in kinds])),
        _made_by(summary),
    ]


def _interval(one: Estimate, confidence_level: float) -> str:
    defined = one.status != "undefined"
    return one.confidence_interval(confidence_level).method if defined else ""


# ---- The report on some ratings


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
    data = None if several else as_ratings(ratings).on_scale_of_words()
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
        first=Page(answer=answer(summary, advice), sections=(), **made),
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
        Section("coefficients", "Coefficients", coefficients(summary)),
        Section("findings", "Findings", findings(summary, ratings)),
        Section("labels", "Labels", labels(ratings)),
        Section("raters", "Raters", raters(ratings, distance)),
        Section("items", "Items", items(ratings, distance)),
        Section("design", "Design and missing ratings", design(ratings, summary)),
        Section("method", "Method", method(summary)),
        Section("paper", "For the paper", paper(summary)),
    ]
    waits = () if summary.undecided is None else ("labels", "raters", "items")
    return [section for section in every if section.blocks and section.id not in waits]
