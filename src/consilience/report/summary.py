"""Summary: what was found out about some ratings, as plain data, as text, tables and a sentence."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import IO, TYPE_CHECKING, Any

from consilience._version import __version__
from consilience.coefficients import Estimate, registry
from consilience.coefficients.unsettled_scale import UndecidedScale
from consilience.core.label_scales import in_order_of_words
from consilience.core.reading_account import Account
from consilience.core.result import Several
from consilience.core.verdict import Limits, Verdict
from consilience.core.words import (
    counted,
    enumerated,
    interval_head,
    listed,
    number,
    percent,
    shortened,
)
from consilience.document import Document, Finding, Paragraph, Range, Severity, Table
from consilience.document.blocks import Block, Cell, InPlace, value_and_interval
from consilience.document.records import plain_fields
from consilience.exceptions import InputError
from consilience.ratings import Ratings
from consilience.ratings.clusters import Clusters

if TYPE_CHECKING:
    from consilience.diagnosis import Diagnosis
    from consilience.magnitudes import Magnitude

# ---- Summary: everything that was found out about some ratings, as plain data

MOST_RATERS = 20  # more are a crowd


@dataclass(frozen=True, slots=True, kw_only=True)
class DataFacts:
    """What was rated: sizes, labels, where it came from."""

    items: int
    raters: int
    ratings: int
    missing: int
    categories: tuple[object, ...]
    scale: str
    shape: str
    sources: tuple[str, ...] = ()
    states: Mapping[str, Any] | None = None  # of the entries of an export
    clusters: Clusters | None = None  # items that belong together
    scales: tuple[str, ...] = ()  # of several groups, each once; `scale` is "mixed" if they differ
    in_order_of_words: bool = False  # never ... always: nobody told the order, the words do

    @classmethod
    def of(
        cls,
        ratings: Ratings,
        *,
        shape: str | None,
        sources: tuple[str, ...],
    ) -> DataFacts:
        """Collect the facts about some ratings."""
        return cls(
            items=ratings.n_items,
            raters=ratings.n_raters,
            ratings=ratings.n_ratings,
            missing=ratings.n_missing,
            categories=ratings.categories,
            scale=ratings.scale,
            shape=shape or ratings.design,
            sources=sources,
            clusters=ratings.clusters,
            in_order_of_words=ratings.scale == "ordinal"
            and not ratings.categories_declared
            and in_order_of_words(ratings.categories),
        )

    @property
    def kind(self) -> str:
        """The scale in words: "nominal scale", or "nominal and ordinal scales" of groups."""
        if self.scale != "mixed":
            return f"{self.scale} scale"
        return f"{', '.join(self.scales[:-1])} and {self.scales[-1]} scales"

    @property
    def share_missing(self) -> float:
        """Share of the cells of the table without a rating."""
        cells = self.ratings + self.missing
        return self.missing / cells if cells else 0.0

    @property
    def missing_by_design(self) -> bool:
        """Whether nobody was meant to rate everything: many raters, of whom few rated an item."""
        return self.raters > MOST_RATERS and self.share_missing > 0.5

    @property
    def ratings_per_item(self) -> str:
        """How many ratings an item has on average, in words."""
        mean = self.ratings / max(self.items, 1)
        exact = self.ratings == round(mean) * self.items
        return (
            f"{mean:.0f} ratings per item" if exact else f"{mean:.1f} ratings per item on average"
        )

    def to_dict(self) -> dict[str, object]:
        """Return plain data with stable keys; `states` only where an export tells them."""
        record: dict[str, object] = plain_fields(
            self, leave_out=("states", "clusters", "scales", "in_order_of_words")
        )
        if self.clusters is not None:
            record["clusters"] = self.clusters.to_dict()
        if self.states is not None:
            record["states"] = {
                "not_asked": self.states["not asked"],
                "asked_no_label": self.states["asked, no label"],
                "excluded": dict(self.states["excluded"]),
            }
        return record


@dataclass(frozen=True, kw_only=True)
class Group:
    """The results for one group: a variable, a round, a site."""

    name: str
    data: DataFacts
    estimates: tuple[Estimate, ...]
    findings: tuple[Finding, ...] = ()
    magnitudes: tuple[Magnitude, ...] = ()
    undecided: UndecidedScale | None = None
    verdict: Verdict | None = None
    headline: str | None = None  # the coefficient that the verdict and the sentence are about
    diagnosis: Diagnosis | None = None


@dataclass(frozen=True, kw_only=True)
class Summary(Several):
    """Coefficients, facts about the data and findings; made by `measure`.

    Look a coefficient up by name or alias (``s["alpha"]``), print the summary, or hand it on with
    `to_dict`, `to_json` and `to_frame`. `magnitudes` are the intraclass correlations of numbers.
    `undecided` holds both agreements where labels may be names or numbers; estimates take them as
    names.
    With groups, `estimates` is empty and each group holds
    its own.

    Examples
    --------
    >>> import consilience as cs
    >>> s = cs.measure(cs.Ratings.from_table([[20, 5], [10, 65]], categories=["no", "yes"]))
    >>> round(s["kappa"].value, 3)
    0.625
    """

    data: DataFacts
    estimates: tuple[Estimate, ...]
    findings: tuple[Finding, ...] = ()
    magnitudes: tuple[Magnitude, ...] = ()
    undecided: UndecidedScale | None = None
    confidence_level: float = 0.95
    by: str | None = None
    groups: tuple[Group, ...] = ()
    seed: int | None = None
    version: str = field(default=__version__)
    verdict: Verdict | None = None
    headline: str | None = None  # the coefficient that the verdict and the sentence are about
    diagnosis: Diagnosis | None = None  # why it is what it is
    account: Account | None = None  # of the reading, where the ratings came from a file

    def __getitem__(self, name: str) -> Estimate:
        wanted = registry[name].name
        for estimate in self.estimates:
            if estimate.coefficient == wanted:
                return estimate
        found = [estimate.coefficient for estimate in self.estimates]
        hint = "look into .groups" if self.groups else f"the summary has {', '.join(found)}"
        raise InputError.expected("coefficient", "one that was computed", name, hint)

    def __iter__(self) -> Iterator[Estimate]:
        return iter(self.estimates)

    def __len__(self) -> int:
        return len(self.estimates)

    def parts(self) -> Iterator[tuple[str | None, DataFacts, tuple[Estimate, ...]]]:
        """Yield name, facts and estimates of each group; the name is None without groups."""
        if not self.groups:
            yield None, self.data, self.estimates
        for group in self.groups:
            yield group.name, group.data, group.estimates

    def listed(self) -> Iterator[tuple[str | None, DataFacts, tuple[Estimate, ...]]]:
        """Yield the same for tables: with alpha of numbers, too, where the scale is undecided."""
        found = [group.undecided for group in self.groups] or [self.undecided]
        for undecided, (name, data, estimates) in zip(found, self.parts(), strict=True):
            more = () if undecided is None else (undecided.as_numbers,)
            yield name, data, (*estimates, *more)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data: the JSON record, with unrounded numbers."""
        from consilience.document import SCHEMA
        from consilience.document.records import plain

        record: dict[str, Any] = {
            "schema": SCHEMA,
            "version": self.version,
            "seed": self.seed,
            **self._record(self),
        }
        if self.magnitudes:
            record["magnitudes"] = [plain(one) for one in self.magnitudes]
        if self.account is not None:
            record["reading"] = self.account.to_dict()
        if self.groups:
            record["by"] = self.by
            record["groups"] = [{"name": one.name, **self._record(one)} for one in self.groups]
        return record

    def _record(self, part: Summary | Group) -> dict[str, Any]:
        """Return what the record says of all, or of one group."""
        record: dict[str, Any] = {
            "data": part.data.to_dict(),
            "estimates": self._records(part.estimates),
            "findings": [finding.to_dict() for finding in part.findings],
        }
        told = {"verdict": part.verdict, "scale": part.undecided, "diagnosis": part.diagnosis}
        return record | {key: one.to_dict() for key, one in told.items() if one is not None}

    def to_json(self) -> str:
        """Return the record as JSON: sorted keys, no timestamp, null where a number is missing."""
        from consilience.document.records import to_json

        return to_json(self.to_dict())

    def records(self) -> list[dict[str, Any]]:
        """Return one flat record per estimate; the columns of `to_frame` and of CSV."""
        rows = []
        for name, data, estimates in self.listed():
            for record in self._records(estimates):
                interval = record.pop("interval") or {}
                row: dict[str, Any] = {self.by or "group": name} if self.groups else {}
                row |= {key: record[key] for key in _COLUMNS if key in record}
                row["low"], row["high"] = interval.get("low"), interval.get("high")
                row["confidence_level"] = self.confidence_level
                row |= {"items": data.items, "raters": data.raters, "ratings": data.ratings}
                rows.append(row)
        return rows

    def _records(self, estimates: tuple[Estimate, ...]) -> list[dict[str, Any]]:
        return [e.to_dict(confidence_level=self.confidence_level) for e in estimates]

    def document(self) -> Document:
        """Return the facts, the table of estimates and the findings as something to read."""
        return summary_document(self)

    def _repr_latex_(self) -> str:
        return render_latex(self)


_COLUMNS = (
    "coefficient", "name", "distance", "status", "reason", "value", "standard_error", "observed",
    "expected", "p_value", "items_used",
)  # fmt: skip


# ---- Several groups in one table: a line for each, the coefficients beside each other

_MOST_BESIDE = 3  # more coefficients are listed below each other, or a line would not fit


def fits_beside(summary: Summary) -> bool:
    """Say whether there are groups, and few enough coefficients for a line of each group."""
    return bool(summary.groups) and len(_names(summary)) <= _MOST_BESIDE


def group_table(summary: Summary, caption: str = "") -> Table:
    """Return one row per group: its size, and each coefficient with its interval."""
    level = summary.confidence_level
    shown = _differing(summary)
    heads = [*_heads(summary), *shown]
    for name in _names(summary).values():
        heads += [name, interval_head(level)]
    rows = []
    for group in summary.groups:
        sizes = {"items": group.data.items, "raters": group.data.raters}
        cells: list[Cell] = [*_said(group, summary), *(sizes[name] for name in shown)]
        for one in _in_order(group, summary):
            cells += value_and_interval(one, level)
        rows.append(cells)
    return Table(heads=tuple(heads), rows=rows, caption=caption)


def group_lines(summary: Summary) -> Table:
    """Return the same in short: an interval stands in brackets behind its value."""
    heads = [*_heads(summary), "items", *_names(summary).values()]
    rows: list[list[Cell]] = []
    for group in summary.groups:
        values = [_bracketed(one, summary.confidence_level) for one in _in_order(group, summary)]
        rows.append([*_said(group, summary), group.data.items, *values])
    return Table(heads=heads, rows=rows)


def _heads(summary: Summary) -> list[str]:
    return [summary.by or "group", *(["scale"] if _scales_differ(summary) else [])]


def _said(group: Group, summary: Summary) -> list[str]:
    """Return the name of a group, and its scale where another has another."""
    return [shortened(group.name), *([group.data.scale] if _scales_differ(summary) else [])]


def _differing(summary: Summary) -> list[str]:
    """Say which sizes to show: the raters only where their number is not the same everywhere."""
    same = len({group.data.raters for group in summary.groups}) == 1
    return ["items"] if same else ["items", "raters"]


def _scales_differ(summary: Summary) -> bool:
    return len({group.data.scale for group in summary.groups}) > 1


def _names(summary: Summary) -> dict[str, str]:
    """Return each coefficient with its shortest name: with weights some have a longer one."""
    names: dict[str, str] = {}
    for one in (one for group in summary.groups for one in group.estimates):
        names[one.coefficient] = min(names.get(one.coefficient, one.name), one.name, key=len)
    return names


def _in_order(group: Group, summary: Summary) -> list[Estimate | None]:
    found = {one.coefficient: one for one in group.estimates}
    return [found.get(name) for name in _names(summary)]


def _bracketed(one: Estimate | None, level: float) -> Cell:
    value, interval = value_and_interval(one, level)
    if not isinstance(value, float) or not isinstance(interval, Range):
        return value
    low, high = number(interval.low), number(interval.high)
    return InPlace(number(value) + (f" [{low}, {high}]" if low and high else ""))


# ---- A summary as something to read: facts, a table of estimates, what was found

WIDTH = 80
_MOST_NUMBERS = 20  # values on a scale that are listed one by one
_STRADDLES = "straddles_threshold"
_GRAVEST_FIRST: tuple[Severity, ...] = ("problem", "caution", "info")
_MANY = 3  # from so many groups on, this finding is told once for all


def facts(summary: Summary) -> list[str]:
    """Return the facts about the data as two short lines."""
    data = summary.data
    missing = "none missing"
    if data.missing_by_design:
        missing = f"{data.ratings_per_item}, others missing by design"
    elif data.missing:
        missing = f"{data.missing:,} missing ({100 * data.share_missing:.1f}%)"
    clusters = data.clusters
    shared = f" in {clusters.n_clusters:,} clusters ({clusters.name})" if clusters else ""
    sizes = [
        counted(data.items, "item") + shared,
        counted(data.raters, "rater"),
        counted(data.ratings, "rating"),
        missing,
    ]
    second = data.kind
    distances = {e.distance for _, _, estimates in summary.parts() for e in estimates}
    if distances != set(data.scales or (data.scale,)):
        second += f", {' and '.join(sorted(distances))} distance"
    if summary.groups:
        second += f", {counted(len(summary.groups), 'group')} by {shortened(summary.by or '')}"
        if fits_beside(summary):
            second += f", {interval_head(summary.confidence_level)}s in brackets"
    elif data.categories:
        second += f", {_labels(data)}"
    if data.sources:
        second += f"; read as {data.shape}"
    return [", ".join(sizes), second]


def _labels(data: DataFacts) -> str:
    """List the labels; numbers too many to list are told by their range."""
    categories, scale = data.categories, data.scale
    if data.in_order_of_words:
        return (
            f"{len(categories):,} categories, in the order of their words (--scale nominal takes "
            f"them as names): {' < '.join(map(str, categories))}"
        )
    if scale in ("interval", "ratio") and len(categories) > _MOST_NUMBERS:
        low, high = (
            f"{end:.6g}" if isinstance(end, float) else str(end)
            for end in (categories[0], categories[-1])
        )
        return f"{len(categories):,} different values from {low} to {high}"
    return f"{counted(len(categories), 'category', 'categories')}: {listed(categories)}"


def reasons(summary: Summary) -> list[str]:
    """Say why estimates are undefined; those with one reason share a sentence."""
    names: dict[tuple[str | None, str], list[str]] = {}
    for group, _, estimates in summary.parts():
        for estimate in estimates:
            if estimate.status == "undefined":
                names.setdefault((group, _reason(estimate)), []).append(estimate.name)
    told = []
    for (group, reason), undefined in names.items():
        prefix = f"{shortened(group)}: " if group else ""
        verb = "is" if len(undefined) == 1 else "are"
        told.append(f"{prefix}{enumerated(undefined)} {verb} undefined: {reason}.")
    return told


def _reason(estimate: Estimate) -> str:
    """Return the reason without its code."""
    return (estimate.reason or "no reason given").partition(": ")[2] or str(estimate.reason)


def findings(summary: Summary) -> tuple[Finding, ...]:
    """Return what was found, the gravest first; those of groups say which, each once."""
    unclear = _unclear(summary)
    by_code: dict[str, list[tuple[str, Finding]]] = {}
    for group in summary.groups:
        for finding in group.findings:
            if not (unclear and finding.code == _STRADDLES):
                by_code.setdefault(finding.code, []).append((shortened(group.name), finding))
    common_first = sorted(by_code.values(), key=len, reverse=True)
    told = [one for found in common_first for one in _of_groups(found, len(summary.groups))]
    every = (*summary.findings, *told, *unclear)
    return tuple(sorted(every, key=lambda one: _GRAVEST_FIRST.index(one.severity)))


def _of_groups(found: Sequence[tuple[str, Finding]], n_groups: int) -> Iterator[Finding]:
    """Tell a finding of several groups: once where it is the same, or where they are many."""
    same: dict[tuple[Severity, str], list[str]] = {}
    for name, finding in found:
        same.setdefault((finding.severity, finding.sentence), []).append(name)
    if len(same) >= _MANY:
        name, first = min(found, key=lambda one: _GRAVEST_FIRST.index(one[1].severity))
        text = f"{listed([name for name, _ in found])}. For example {name}: {first.message}"
        yield Finding(first.code, first.severity, text, first.advice, first.evidence)
        return
    for (severity, text), names in same.items():
        everywhere = len(names) == n_groups > 1
        code = found[0][1].code
        yield Finding(code, severity, text if everywhere else f"{listed(names)}: {text}")


def _unclear(summary: Summary) -> list[Finding]:
    """Say once for many groups that their side of a threshold is open; the table has the rest."""
    found = {
        group.name: finding
        for group in summary.groups
        for finding in group.findings
        if finding.code == _STRADDLES
    }
    if len(found) < _MANY:
        return []
    quoted = sorted({f"{one.evidence['threshold']:g}" for one in found.values()})
    message = (
        f"{len(found):,} of {counted(len(summary.groups), summary.by or 'group')} have an interval "
        f"that includes {' or '.join(quoted)}: {listed(found)}."
    )
    return [Finding(_STRADDLES, "caution", message, next(iter(found.values())).advice)]


def summary_table(summary: Summary, caption: str = "") -> Table:
    """Return the estimates as one table: of several groups, a line for each where that fits."""
    level = summary.confidence_level
    heads = summary_heads(level)
    if summary.groups:
        heads = [summary.by or "group", *heads[:3], "items"]
    rows: list[list[Cell]] = []
    for name, _, estimates in summary.listed():
        for one in estimates:
            middle = [shown_name(one, summary), *value_and_interval(one, level)]
            if summary.groups:
                rows.append([shortened(name or ""), *middle, one.n_items_used])
            else:
                rows.append([*middle, one.observed, one.expected])
    for other in summary.magnitudes:
        rows.append([other.name, *value_and_interval(other, level), None, None])
    return Table(heads=heads, rows=rows, caption=caption)


def summary_heads(confidence_level: float) -> list[str]:
    """Name the columns of estimates."""
    return ["coefficient", "value", interval_head(confidence_level), "observed", "expected"]


def shown_name(estimate: Estimate, summary: Summary) -> str:
    """Name an estimate; alpha of numbers beside alpha of names says so."""
    found = [group.undecided for group in summary.groups] or [summary.undecided]
    second = any(one is not None and one.as_numbers is estimate for one in found)
    return f"{estimate.name}, as numbers" if second else estimate.name


def summary_document(summary: Summary, *, beside: bool = True) -> Document:
    """Return the facts, the table of estimates, what is undefined and what was found.

    With `beside`, few coefficients of several groups stand beside each other.
    """
    table = group_lines(summary) if beside and fits_beside(summary) else summary_table(summary)
    blocks: list[Block] = [Paragraph("\n".join(facts(summary))), table]
    undefined = reasons(summary)
    if undefined:
        blocks.append(Paragraph("\n".join(undefined)))
    return Document(blocks=blocks, findings=findings(summary), verdict=summary.verdict)


def label_table(ratings: Ratings, confidence_level: float, caption: str = "") -> Table:
    """Return how far raters agree on each label, with intervals."""
    from consilience.coefficients import category_agreement

    head = interval_head(confidence_level)
    rows: list[list[Cell]] = []
    for one in category_agreement(ratings):
        specific = Range.of(one.specific_interval(confidence_level))
        kappa = value_and_interval(one.kappa, confidence_level)
        rows.append([shortened(str(one.category), 60), one.share, one.specific, specific, *kappa])
    return Table(
        heads=("label", "share", "specific agreement", head, "kappa", head),
        rows=rows,
        caption=caption,
        note="Specific agreement: given one rating with this label, the chance that another rating "
        "of the item has it too. Kappa: this label against all others.",
    )


def with_labels(summary: Summary, document: Document) -> Document:
    """Add how far raters agree on each label, where there are labels to list."""
    from consilience.findings import Study

    known = next(iter(summary.estimates), None)
    if known is None or not Study(known.basis.ratings).has_categories:
        return document
    table = label_table(known.basis.ratings, summary.confidence_level, "Agreement on each label")
    return replace(document, blocks=(*document.blocks, table))


def render_text(summary: Summary, width: int = WIDTH) -> str:
    """Render a summary as plain text that fits the width.

    Parameters
    ----------
    summary : Summary
    width : int

    Returns
    -------
    str

    Examples
    --------
    >>> from consilience import datasets, measure
    >>> summary = measure(datasets.load("fleiss_1971"), coefficients="alpha")
    >>> max(map(len, render_text(summary, width=60).splitlines())) <= 60
    True
    """
    return summary.document().text(width)


def render_markdown(summary: Summary) -> str:
    """Render a summary as a Markdown table with the facts above and the notes below.

    Parameters
    ----------
    summary : Summary

    Returns
    -------
    str

    Examples
    --------
    >>> from consilience import datasets, measure
    >>> summary = measure(datasets.load("fleiss_1971"), coefficients="alpha")
    >>> "| Krippendorff" in render_markdown(summary)
    True
    """
    return summary.document().markdown()


def render_html_fragment(summary: Summary) -> str:
    """Render a summary as HTML for a notebook: the facts, the table with bars, the notes.

    Parameters
    ----------
    summary : Summary

    Returns
    -------
    str

    Examples
    --------
    >>> from consilience import datasets, measure
    >>> summary = measure(datasets.load("fleiss_1971"), coefficients="alpha")
    >>> "<table" in render_html_fragment(summary)
    True
    """
    return summary.document().notebook()


def render_latex(summary: Summary) -> str:
    r"""Render the table for the paper in the manner of booktabs; everything escaped.

    Parameters
    ----------
    summary : Summary

    Returns
    -------
    str

    Examples
    --------
    >>> from consilience import datasets, measure
    >>> summary = measure(datasets.load("fleiss_1971"), coefficients="alpha")
    >>> "\\toprule" in render_latex(summary)
    True
    """
    return Document(blocks=(paper_table(summary),)).latex()


def paper_table(summary: Summary) -> Table:
    """Return the estimates as one table, with what was rated as its caption."""
    data = summary.data
    caption = (
        f"Agreement of {counted(data.raters, 'rater')} on {counted(data.items, 'item')} "
        f"({data.kind})."
    )
    if fits_beside(summary):
        return group_table(summary, caption)
    table = summary_table(summary, caption)
    heads = [head if k == 0 and summary.groups else head.capitalize()
             for k, head in enumerate(table.heads)]  # fmt: skip
    return replace(table, heads=heads)


def render_csv(summary: Summary, *, raw: bool = False) -> str:
    r"""Render one line per estimate, unrounded; safe to open in a spreadsheet unless `raw`.

    Parameters
    ----------
    summary : Summary
    raw : bool
        Leave texts that look like formulas as they are.

    Returns
    -------
    str

    Examples
    --------
    >>> from consilience import datasets, measure
    >>> summary = measure(datasets.load("fleiss_1971"), coefficients="alpha")
    >>> render_csv(summary).partition(",")[0]
    'coefficient'
    """
    rows = summary.records()
    from consilience.document import records as csv_tables

    return csv_tables.written([list(rows[0]), *(list(row.values()) for row in rows)], raw=raw)


def render_terminal(summary: Summary, *, width: int = 80, color: bool = False) -> str:
    r"""Render a summary for a terminal of some width; escape codes only with `color`.

    Parameters
    ----------
    summary : Summary
    width : int
    color : bool

    Returns
    -------
    str

    Examples
    --------
    >>> from consilience import datasets, measure
    >>> summary = measure(datasets.load("fleiss_1971"), coefficients="alpha")
    >>> "\x1b" in render_terminal(summary, color=True)
    True
    """
    return summary_document(summary, beside=False).terminal(width, color=color)


def print_summary(summary: Summary, stream: IO[str] | None = None) -> None:
    """Print a summary: for a terminal with colour and bars, otherwise as plain text.

    Parameters
    ----------
    summary : Summary
    stream : text file, default standard output

    Examples
    --------
    >>> from consilience import datasets, measure
    >>> summary = measure(datasets.load("fleiss_1971"), coefficients="alpha")
    >>> print_summary(summary)  # doctest: +ELLIPSIS
    Clearly too low: Krippendorff's alpha 0.43 ...
    """
    stream = stream or sys.stdout
    stream.write(for_stream(summary, stream) + "\n")


def for_stream(summary: Summary, stream: IO[str]) -> str:
    """Render a summary in the way that fits where it goes."""
    from consilience.document.text import for_stream, is_screen

    return for_stream(summary_document(summary, beside=not is_screen(stream)), stream)


# ---- The sentence for the paper: everything a reviewer asks for, in the manner of APA

_SYMBOLS = {"kappa": "κ", "alpha": "α", "pi": "π", "beta": "β"}
_METHODS = {
    "analytic": "analytic",
    "clopper-pearson": "Clopper-Pearson",
    "donner-eliasziw": "goodness-of-fit",
    "transformed": "Fisher-transformed jackknife",
    "dirichlet": "posterior",
    "skewed-t": "jackknife t",
    "bca": "bias-corrected and accelerated bootstrap",
    "percentile": "percentile bootstrap",
    "basic": "basic bootstrap",
    "studentised": "studentised bootstrap",
    "jackknife": "jackknife",
    "profile": "profile-likelihood",
}


def apa_number(value: float) -> str:
    """Write a number that cannot exceed 1 without the zero before its point.

    >>> apa_number(0.7249), apa_number(-0.05), apa_number(1.0)
    ('.72', '-.05', '1.00')
    """
    if not math.isfinite(value):
        return "undefined"
    text = number(value, 2)
    return text.replace("0.", ".", 1) if abs(round(value, 2)) < 1 else text


def apa_interval(limits: Limits, level: str) -> str:
    """Write an interval behind its number: , 95% CI [.12, .34]; nothing where there is none."""
    if not math.isfinite(limits.low):
        return ""
    return f", {level} CI [{apa_number(limits.low)}, {apa_number(limits.high)}]"


def apa_sentence(summary: Summary, coefficient: str | None = None) -> str:
    """Return the sentence that reports one coefficient, ready for the paper; one for each group.

    Parameters
    ----------
    summary : Summary
    coefficient : name or alias, default the one that fits the design

    Returns
    -------
    str

    Examples
    --------
    >>> from consilience import datasets, measure
    >>> print(apa_sentence(measure(datasets.load("fleiss_1971"), coefficients="alpha")))
    Agreement of 6 raters on 30 items (5 categories, nominal scale, no ratings missing) was
    Krippendorff's α = .43, 95% CI [.32, .55] (posterior interval), computed with Consilience ...
    """
    return "\n".join(_sentences(summary, coefficient))


def _sentences(summary: Summary, coefficient: str | None) -> list[str]:
    if not summary.groups:
        chosen = (
            summary[coefficient] if coefficient else _chosen(summary.estimates, summary.headline)
        )
        return [_sentence(summary.data, chosen, summary, summary.undecided)]
    told = []
    for group in summary.groups:
        if not group.estimates:
            told.append(f"{group.name}: not measured.")
            continue
        one = _chosen(group.estimates, coefficient or group.headline)
        told.append(f"{group.name}: {_sentence(group.data, one, summary, group.undecided)}")
    return told


def _chosen(estimates: tuple[Estimate, ...], wanted: str | None) -> Estimate:
    wanted = wanted or "krippendorff_alpha"
    return next((one for one in estimates if one.coefficient == wanted), estimates[0])


def _sentence(
    data: DataFacts, one: Estimate, summary: Summary, undecided: UndecidedScale | None
) -> str:
    missing = "no ratings missing"
    if data.missing_by_design:
        missing = data.ratings_per_item
    elif data.missing:
        missing = f"{100 * data.share_missing:.1f}% of ratings missing"
    kind = f"{data.scale} scale"
    if one.distance != data.scale:
        kind += f", {one.distance} distance"
    labels = (
        counted(len(data.categories), "category", "categories") + ", "
        if data.scale in ("nominal", "ordinal")
        else ""  # numbers on a scale
    )
    what = f"{counted(data.raters, 'rater')} on {counted(data.items, 'item')}"
    result = f"{symbol(one)} = {apa_number(one.value)}"
    if one.status == "undefined":
        result = f"{symbol(one)} undefined ({one.reason})"
    interval = one.confidence_interval(summary.confidence_level)
    if math.isfinite(interval.low):
        method = _METHODS.get(interval.method, interval.method)
        result += (
            f", {percent(summary.confidence_level)} CI [{apa_number(interval.low)}, "
            f"{apa_number(interval.high)}] ({method} interval)"
        )
    if undecided is not None:
        numbers = apa_number(undecided.as_numbers.value)
        result += f" if labels are names, and {symbol(undecided.as_numbers)} = {numbers} if they "
        result += "are numbers (say which with --scale before this is quoted)"
    return (
        f"Agreement of {what} ({labels}{kind}, {missing}) was {result}, computed with "
        f"Consilience {summary.version}."
    )


def symbol(one: Estimate) -> str:
    """Return the name of a coefficient as papers write it."""
    return " ".join(_SYMBOLS.get(word, word) for word in one.name.split())
