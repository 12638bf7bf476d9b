"""Two rounds side by side, or many batches: is agreement the same after a change and everywhere?"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from consilience.coefficients import Estimate
from consilience.coefficients.resampled import compare_rounds_of
from consilience.coefficients.unsettled_scale import require_scale
from consilience.core.draws import Progress
from consilience.core.interval import RESAMPLED
from consilience.core.result import Several
from consilience.core.verdict import Gauge, Verdict
from consilience.core.words import counted, number, p_text, percent
from consilience.document import Document, Finding, Paragraph, Table, envelope
from consilience.exceptions import ConsilienceError, InputError, UnsupportedDesignError
from consilience.inference import compare_groups, holm
from consilience.inference.comparisons import Comparison, GroupTest, IndependentComparison
from consilience.ratings import Ratings, as_ratings
from consilience.report.measure import measure
from consilience.report.summary import Summary

# ---- Two rounds side by side: another guideline, more training, another day


@dataclass(frozen=True, kw_only=True)
class RoundRow:
    """One coefficient in both rounds."""

    before: Estimate
    after: Estimate
    comparison: Comparison | None
    p_value: float | None
    adjusted_p_value: float | None

    @property
    def change(self) -> float:
        """By how much the coefficient is higher in the second round."""
        return self.after.value - self.before.value


@dataclass(frozen=True, kw_only=True)
class Rounds(Several):
    """Two rounds compared; made by `compare_rounds`.

    Attributes
    ----------
    rows : tuple of RoundRow
        One per coefficient that exists in both rounds.
    paired : bool
        Whether the same items were rated in both, and were compared item by item.
    """

    names: tuple[str, str]
    summaries: tuple[Summary, Summary]
    rows: tuple[RoundRow, ...]
    paired: bool
    confidence_level: float
    findings: tuple[Finding, ...] = ()

    def document(self) -> Document:
        """Return the comparison as something to read."""
        level = percent(self.confidence_level)
        table = Table.of(
            self.rows,
            "coefficient: after.name",
            "before: before.value",
            "after: after.value",
            "difference: change",
            (f"{level} interval", self._limits),
            "p: p_value!p",
            "Holm p: adjusted_p_value!p",
        )
        return Document(
            title=f"{self.names[0]} and {self.names[1]}",
            blocks=(Paragraph("\n".join(self.sizes())), table),
            findings=self.findings,
            verdict=self.verdict,
        )

    def sizes(self) -> list[str]:
        """Return how large each round is, and whether they have the same items, in words."""
        told = [
            f"{name}: {counted(one.data.items, 'item')}, {counted(one.data.raters, 'rater')}"
            for name, one in zip(("before", "after"), self.summaries, strict=True)
        ]
        how = "the same items, compared item by item" if self.paired else "independent items"
        return [*told, f"The rounds have {how}."]

    @property
    def headline(self) -> RoundRow | None:
        """The coefficient that stands for the others, if it exists in both rounds."""
        wanted = self.summaries[1].headline
        found = [row for row in self.rows if row.after.coefficient == wanted]
        return next(iter([*found, *self.rows]), None)

    @property
    def verdict(self) -> Verdict:
        """Whether agreement has changed, and by how much."""
        return rounds_verdict(self.headline, self.names, self.confidence_level)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data: the envelope, with the rounds and their differences beside it."""
        first, second = (one.to_dict() for one in self.summaries)
        return envelope(
            data=second["data"],
            estimates=second["estimates"],
            findings=[*second["findings"], *self.findings],
            seed=self.summaries[1].seed,
            verdict=self.verdict,
            rounds=[
                {"name": name, "data": one["data"], "estimates": one["estimates"]}
                for name, one in zip(self.names, (first, second), strict=True)
            ],
            paired=self.paired,
            differences=[self._difference(row) for row in self.rows],
        )

    def _limits(self, row: RoundRow) -> Any:
        found = row.comparison
        return None if found is None else found.confidence_interval(self.confidence_level)

    def _difference(self, row: RoundRow) -> dict[str, Any]:
        found = row.comparison
        return {
            "coefficient": row.after.coefficient,
            "difference": row.change,
            "standard_error": None if found is None else found.standard_error,
            "interval": self._limits(row),
            "p_value": row.p_value,
            "p_value_holm": row.adjusted_p_value,
        }


def rounds_verdict(
    row: RoundRow | None, names: tuple[str, str], confidence_level: float
) -> Verdict:
    """Say whether one coefficient has changed between two rounds, by the interval."""
    found = None if row is None else row.comparison
    interval = None if found is None else found.confidence_interval(confidence_level)
    if row is None or interval is None or not interval.has_limits:
        return Verdict(
            code="undefined",
            message="The rounds cannot be compared: a coefficient is undefined in one of them.",
            gravity="problem",
        )
    gauge = Gauge.of(
        f"change of {row.after.name}", row.change, interval,
        marks=((0.0, "no change"),), axis=(-0.2, 0.2),
    )  # fmt: skip
    values = (
        f"{number(row.before.value, 2)} in {names[0]}, {number(row.after.value, 2)} in {names[1]}"
    )
    if interval.low > 0.0 or interval.high < 0.0:
        rose = interval.low > 0.0
        return Verdict(
            code="higher" if rose else "lower",
            message=f"Agreement is {'higher' if rose else 'lower'} in {names[1]}: {gauge.text}. "
            f"{row.after.name} is {values}.",
            next="Make sure that items, labels and raters are alike before you credit the change "
            "to one cause.",
            gravity="good" if rose else "problem",
            gauge=gauge,
        )
    largest = max(abs(interval.low), abs(interval.high))
    return Verdict(
        code="no_difference_shown",
        message=f"No change can be shown: {gauge.text}. {row.after.name} is {values}.",
        next=f"A change of up to {number(largest, 2)} cannot be ruled out; that is not the same as "
        "no change.",
        gauge=gauge,
    )


def compare_rounds(
    before: Any,
    after: Any,
    *,
    names: tuple[str, str] = ("before", "after"),
    coefficients: str | Collection[str] | None = None,
    distance: Any = None,
    missing: str | None = None,
    confidence_level: float = 0.95,
    interval: str = "auto",
    n_resamples: int | None = None,
    seed: int = 0,
    paired: bool | None = None,
) -> Rounds:
    """Compare agreement in two rounds.

    Parameters
    ----------
    before, after : Ratings, or tables of items × raters
    names : what to call the rounds
    coefficients, distance, missing, confidence_level, interval, n_resamples, seed
        As in `consilience.measure`.
    paired : bool, optional
        Whether the items are the same. Default: yes if both rounds name the same items.

    Returns
    -------
    Rounds

    Notes
    -----
    Paired: posterior draws in which an item weighs as much in either round; of values, the items'
    influence on both coefficients (Gwet 2016) with Student's t. Independent: from
    the interval of each round (Zou & Donner 2008), which keeps its skew; the test inverts the
    interval. p-values are adjusted by Holm over the coefficients.

    Examples
    --------
    >>> from consilience import Ratings
    >>> pilot = Ratings.from_table([[30, 20], [15, 35]])
    >>> main = Ratings.from_table([[80, 10], [12, 98]])
    >>> rounds = compare_rounds(pilot, main, coefficients="kappa")
    >>> round(rounds.rows[0].comparison.difference, 3), round(rounds.rows[0].p_value, 4)
    (0.478, 0.0)
    """
    data = as_ratings(before).on_scale_of_words(), as_ratings(after).on_scale_of_words()
    for part in data:
        if distance is None:
            require_scale(part, "a comparison of rounds")
    options = {
        "coefficients": coefficients,
        "distance": distance,
        "missing": missing,
        "confidence_level": confidence_level,
        "interval": interval,
        "n_resamples": n_resamples,
        "seed": seed,
    }
    summaries = measure(data[0], **options), measure(data[1], **options)
    order = _matched(*data) if paired is None or paired else None
    if paired and order is None:
        raise InputError.expected(
            "paired rounds", "about the same items", "items that differ", "leave paired out"
        )
    pairs = [
        (one, other)
        for one in summaries[0]
        for other in summaries[1]
        if one.coefficient == other.coefficient
    ]
    found = [_compared(one, other, order, interval) for one, other in pairs]
    raw = [None if c is None or not math.isfinite(c.p_value) else c.p_value for c in found]
    adjusted = _adjusted(raw)
    rows = tuple(
        RoundRow(before=one, after=other, comparison=c, p_value=p, adjusted_p_value=h)
        for (one, other), c, p, h in zip(pairs, found, raw, adjusted, strict=True)
    )
    return Rounds(
        names=(str(names[0]), str(names[1])),
        summaries=summaries,
        rows=rows,
        paired=order is not None,
        confidence_level=confidence_level,
        findings=tuple(_not_comparable(*data)),
    )


def _adjusted(raw: list[float | None]) -> list[float | None]:
    given = [p for p in raw if p is not None]
    corrected = iter(holm(given)) if given else iter(())
    return [None if p is None else float(next(corrected)) for p in raw]


def _compared(
    one: Estimate, other: Estimate, order: NDArray[np.int64] | None, how: str
) -> Comparison | None:
    if one.status != "ok" or other.status != "ok":
        return None
    if order is not None:
        return compare_rounds_of(one, other, order)
    return IndependentComparison(
        other.value - one.value,
        math.hypot(one.standard_error, other.standard_error),
        None,
        "independent",
        (one.value, other.value),
        (partial(_limits, one, how), partial(_limits, other, how)),
    )


def _limits(one: Estimate, how: str, level: float) -> tuple[float, float]:
    """Return the limits of one round; a test asks for many levels, too many to resample each."""
    if how in RESAMPLED:
        one, how = replace(one, interval_method="auto"), "auto"
    interval = one.confidence_interval(level, method=how)
    return interval.low, interval.high


def _matched(before: Ratings, after: Ratings) -> NDArray[np.int64] | None:
    """Return where each item of the first round stands in the second; None if they differ."""
    if before.told_items is None or after.told_items is None or before.n_items != after.n_items:
        return None
    place = {item: k for k, item in enumerate(after.items)}
    if len(place) != after.n_items or any(item not in place for item in before.items):
        return None
    return np.array([place[item] for item in before.items])


def _not_comparable(before: Ratings, after: Ratings) -> list[Finding]:
    """Say what makes two rounds differ other than agreement."""
    if before.categories == after.categories:
        return []
    changed = sorted(set(map(str, before.categories)) ^ set(map(str, after.categories)))
    if not changed:
        return []
    return [
        Finding(
            "categories_differ",
            "caution",
            f"The rounds do not use the same labels: {', '.join(changed[:8])} "
            f"{'occurs' if len(changed) == 1 else 'occur'} in one of them only.",
            "Coefficients with different labels do not measure the same thing; declare the labels "
            "of both rounds.",
            {"labels": changed},
        )
    ]


# ---- Agreement over batches: rounds, days, sites; is it the same everywhere?


@dataclass(frozen=True, kw_only=True)
class Batches(Several):
    """One coefficient in several batches of different items; made by `compare_batches`.

    Attributes
    ----------
    estimates : dict of Estimate
        By the name of the batch.
    test : GroupTest or None
        Whether the coefficient is the same in all batches; None where it cannot be tested.
    """

    ratings: Mapping[str, Ratings]
    summary: Summary
    estimates: dict[str, Estimate]
    test: GroupTest | None
    confidence_level: float
    findings: tuple[Finding, ...] = ()

    def plot(self, ax: Any = None) -> Any:
        """Draw the coefficient over the batches, with its intervals."""
        from consilience.plot import batches

        return batches(self.estimates, confidence_level=self.confidence_level, ax=ax)

    def document(self) -> Document:
        """Return the batches and the test as something to read."""
        level = percent(self.confidence_level)
        title = next(iter(self.estimates.values())).name
        table = Table.of(
            self.estimates.items(),
            "batch: 0",
            "items: 1.n_items_used",
            (title, "1.value"),
            (f"{level} interval", lambda one: one[1].confidence_interval(self.confidence_level)),
        )
        return Document(
            title=f"{title} in {counted(len(self.estimates), 'batch', 'batches')}",
            blocks=(table,),
            findings=self.findings,
            verdict=self.verdict,
        )

    @property
    def verdict(self) -> Verdict:
        """Whether agreement is the same in all batches."""
        known = {n: one.value for n, one in self.estimates.items() if one.status == "ok"}
        if self.test is None:
            return Verdict(
                code="undefined",
                message="The batches cannot be tested against each other: see the values.",
            )
        p_value = self.test.p_value
        differs = p_value < 1 - self.confidence_level
        low, high = min(known, key=lambda n: known[n]), max(known, key=lambda n: known[n])
        return Verdict(
            code="batches_differ" if differs else "no_difference_shown",
            message=f"Agreement {'differs between' if differs else 'may be the same in'} the "
            f"batches (chi-square {self.test.statistic:.2f} with {len(self.estimates) - 1} degrees "
            f"of freedom, p {p_text(p_value)}): from {number(known[low], 2)} in {low} to "
            f"{number(known[high], 2)} in {high}; pooled {number(self.test.pooled_value, 2)}.",
            next=f"Look at {low} first."
            if differs
            else "That is not the same as no difference: "
            "the intervals say what cannot be ruled out.",
            gravity="problem" if differs else "caution",
        )

    def to_dict(self) -> dict[str, Any]:
        """Return plain data: the envelope, with the batches beside it."""
        record = self.summary.to_dict()
        return envelope(
            data=record["data"],
            findings=self.findings,
            seed=self.summary.seed,
            verdict=self.verdict,
            batches=record["groups"],
            test=None
            if self.test is None
            else {
                "statistic": self.test.statistic,
                "p_value": self.test.p_value,
                "pooled_value": self.test.pooled_value,
            },
        )


def compare_batches(
    groups: Mapping[Any, Any],
    *,
    coefficient: str = "krippendorff_alpha",
    confidence_level: float = 0.95,
    interval: str = "auto",
    distance: Any = None,
    missing: str | None = None,
    n_resamples: int | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> Batches:
    """Compare a coefficient over batches of different items.

    Parameters
    ----------
    groups : mapping from the batch's name to its Ratings, in order
    coefficient : name or alias
    confidence_level, interval, distance, missing, n_resamples, seed, progress
        As in `consilience.measure`.

    Returns
    -------
    Batches

    Notes
    -----
    The test weighs the tails of each batch's own test; see `compare_groups`.

    Examples
    --------
    >>> from consilience import Ratings
    >>> early = Ratings.from_table([[20, 5], [4, 21]])
    >>> late = Ratings.from_table([[15, 10], [9, 16]])
    >>> found = compare_batches({"Monday": early, "Tuesday": early, "Friday": late})
    >>> round(found.test.p_value, 3)
    0.033
    """
    for part in groups.values():
        if isinstance(part, Ratings) and distance is None:
            require_scale(part, "a comparison of batches")
    if len(groups) < 2:
        raise InputError.expected(
            "groups", "at least two batches", f"{len(groups)}", "name another file or column"
        )
    named = {str(name): part for name, part in groups.items()}
    summary = measure(
        named,
        coefficients=coefficient,
        confidence_level=confidence_level,
        interval=interval,
        distance=distance,
        missing=missing,
        n_resamples=n_resamples,
        seed=seed,
        progress=progress,
    )
    for group in summary.groups:
        if not group.estimates:
            raise UnsupportedDesignError.needs(
                f"batch {group.name!r}",
                "ratings that the coefficient can be computed from",
                counted(named[group.name].n_raters, "rater"),
                "name another column, or leave it out",
            )
    estimates = {group.name: group.estimates[0] for group in summary.groups}
    defined = [one for one in estimates.values() if one.status == "ok"]
    try:
        test = compare_groups(defined) if len(defined) > 1 else None
    except ConsilienceError:  # a batch without an error of its own
        test = None
    return Batches(
        ratings=named,
        summary=summary,
        estimates=estimates,
        test=test,
        confidence_level=confidence_level,
    )
