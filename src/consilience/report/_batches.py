"""Agreement over batches: rounds, days, sites; is it the same everywhere?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from consilience.coefficients import Estimate
from consilience.coefficients.undecided import require_scale
from consilience.core.resample import Progress
from consilience.core.result import Several
from consilience.core.verdict import Verdict
from consilience.core.words import counted, number, p_text, percent
from consilience.document import (
    Cell,
    Document,
    Finding,
    Range,
    Table,
    envelope,
)
from consilience.exceptions import ConsilienceError, InputError, UnsupportedDesignError
from consilience.inference import GroupTest, compare_groups
from consilience.ratings import Ratings
from consilience.report._summary import Summary
from consilience.report.measurement import measure


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
        rows: list[list[Cell]] = []
        for name, one in self.estimates.items():
            interval = one.confidence_interval(self.confidence_level)
            rows.append([name, one.n_items_used, one.value, Range.of(interval)])
        title = next(iter(self.estimates.values())).name
        heads = ("batch", "items", title, f"{level} interval")
        return Document(
            title=f"{title} in {counted(len(self.estimates), 'batch', 'batches')}",
            blocks=(Table(heads=heads, rows=rows),),
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
    0.034
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
