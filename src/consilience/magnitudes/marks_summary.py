"""Everything that people expect to see about marks, in one result; any measure for every pair."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from consilience.core.arrays import Floats
from consilience.core.options import MARKS, MarkOptions, written_out
from consilience.core.result import Several, Unremarked
from consilience.core.verdict import Verdict, verdict_on
from consilience.core.words import counted
from consilience.document import Document, Finding, Paragraph, PValue, Table
from consilience.document.records import Recorded, plain_record
from consilience.exceptions import InputError, UnsupportedDesignError
from consilience.inference import holm
from consilience.magnitudes._correlations import mean_pearson, mean_spearman
from consilience.magnitudes._icc import IntraclassCorrelation, icc
from consilience.magnitudes._icc_intervals import FORMS
from consilience.magnitudes._magnitude import MEASURES, Magnitude
from consilience.magnitudes._ranks import kendall_w
from consilience.magnitudes.marks import Panel, _columns, panel, taken

# ---- every pair


@dataclass(frozen=True, kw_only=True)
class PairwiseMagnitudes(Unremarked, Several):
    """One measure for every pair of raters, on the items that both rated.

    Attributes
    ----------
    results : dict
        By pair of raters, in the order of the raters.
    without_overlap : tuple of pairs
        Pairs that have no item in common.
    """

    measure: str
    raters: tuple[object, ...]
    results: dict[tuple[object, object], Magnitude] = field(repr=False)
    without_overlap: tuple[tuple[object, object], ...] = ()

    def __getitem__(self, pair: tuple[object, object]) -> Magnitude:
        first, second = pair
        found = self.results.get((first, second)) or self.results.get((second, first))
        if found is None:
            known = [f"{a}, {b}" for a, b in self.results]
            raise InputError.unknown_word("pair", f"{first}, {second}", known)
        return found

    def __iter__(self) -> Iterator[tuple[object, object]]:
        return iter(self.results)

    def __len__(self) -> int:
        return len(self.results)

    @property
    def values(self) -> dict[tuple[object, object], float]:
        """The value of each pair."""
        return {pair: one.value for pair, one in self.results.items()}

    @property
    def mean(self) -> float:
        """Mean over the pairs that have a value."""
        values = [one.value for one in self.results.values() if one.status == "ok"]
        return float(np.mean(values)) if values else math.nan

    @property
    def matrix(self) -> NDArray[np.float64]:
        """Raters × raters, NaN on the diagonal and where a pair has no value.

        Differences are first minus second, so the lower triangle repeats the upper one.
        """
        place = {rater: k for k, rater in enumerate(self.raters)}
        out = np.full((len(self.raters), len(self.raters)), np.nan)
        for (first, second), one in self.results.items():
            out[place[first], place[second]] = out[place[second], place[first]] = one.value
        return out

    @property
    def adjusted_p_values(self) -> dict[tuple[object, object], float]:
        """P-values adjusted for the number of pairs, after Holm."""
        return holm({pair: one.p_value for pair, one in self.results.items()})

    def to_dict(self, *, confidence_level: float = 0.95) -> dict[str, Any]:
        """Return plain data with stable keys."""
        adjusted = self.adjusted_p_values
        pairs = [
            {
                **one.to_dict(confidence_level=confidence_level),
                "p_value_holm": adjusted[pair],
            }
            for pair, one in self.results.items()
        ]
        record = {
            "measure": self.measure,
            "raters": self.raters,
            "pairs": pairs,
            "mean": self.mean,
            "without_overlap": self.without_overlap,
        }
        return plain_record(record)

    def document(self) -> Document:
        """Return a table with one line a pair."""
        adjusted = self.adjusted_p_values
        spec = MEASURES[self.measure]
        apart = len(self.without_overlap)
        table = Table.of(
            self.results.items(),
            ("raters", "0", pair_name),
            "value: 1.value",
            ("95% interval", lambda one: one[1].confidence_interval()),
            ("p", "1.p_value", PValue),
            ("p (Holm)", lambda one: PValue(adjusted[one[0]])),
            "items: 1.n_items_used",
            note=f"{apart} pairs have no item in common." if apart else "",
        )
        title = f"{spec.title} of every pair of raters"
        return Document(title=title, blocks=(table, Paragraph(spec.caution)))


def pair_name(pair: tuple[object, object]) -> str:
    """Return the names of two raters, as a table shows them."""
    return f"{pair[0]}, {pair[1]}"


@written_out(MarkOptions, MARKS)
def pairwise(
    *ratings: Any, measure: str = "lin_ccc", **options: Unpack[MarkOptions]
) -> PairwiseMagnitudes:
    """Compute a measure of two raters for every pair of raters.

    Parameters
    ----------
    ratings : Ratings, or one sequence of marks per rater
    measure : str
        Name of a measure of two raters, see `measures`.
    confidence_level, coverage, error_ratio, limits, mark_range, method, multiplier, ...
        Passed on to the measure; those that it does not have are refused.

    Returns
    -------
    PairwiseMagnitudes

    Raises
    ------
    InputError
        There is no such measure.
    UnsupportedDesignError
        The measure is not one of two raters.

    Examples
    --------
    >>> from consilience import Ratings
    >>> marks = Ratings.from_wide({"A": [1, 2, 3, 5], "B": [1, 2, 4, 5], "C": [2, 3, 4, 6]},
    ...                           scale="interval")
    >>> round(pairwise(marks, measure="pearson")["A", "C"].value, 3)
    1.0
    """
    spec = MEASURES[measure]
    if spec.raters != "two":
        two = ", ".join(name for name, one in MEASURES.items() if one.raters == "two")
        raise UnsupportedDesignError.needs(
            "pairwise", "a measure of two raters", measure, f"choose one of {two}"
        )
    data = taken(spec.name, ratings)
    if len(data.raters) < 2:
        raise UnsupportedDesignError.needs(
            "pairwise",
            "at least two raters, known by name",
            f"{len(data.raters)}",
            "bring the ratings in long or wide form",
        )
    results, apart = {}, []
    for pair in combinations(data.raters, 2):
        if _columns(data, pair, spec.labels)[2].size:
            results[pair] = spec(data, pair=pair, **options)
        else:
            apart.append(pair)
    return PairwiseMagnitudes(
        measure=spec.name, raters=data.raters, results=results, without_overlap=tuple(apart)
    )


# ---- everything in one result

MOST_PAIRS = 45  # ten raters; beyond that a table of pairs is no summary
PAIRED = ("lin_ccc", "pearson", "spearman", "bland_altman", "paired_differences")


@dataclass(frozen=True, slots=True)
class RaterMarks(Recorded):
    """One rater's marks; the skewness is negative where marks crowd at the upper end."""

    rater: object
    n_ratings: int
    mean: float
    sd: float
    low: float
    high: float
    skewness: float = math.nan


@dataclass(frozen=True, kw_only=True)
class MarksSummary(Several):
    """Intraclass correlations, correlations and differences of all raters' marks.

    Attributes
    ----------
    raters : tuple of RaterMarks
        Number, mean, standard deviation, range and skewness of each rater's marks.
    icc : dict
        The forms by name: "1", "k", "C,1", "C,k", "A,1", "A,k"; without raters the first two.
    together : dict
        Measures of all raters: mean correlations and Kendall's W.
    pairs : dict
        By name, each measure for every pair of raters; empty with more than ten raters.
    """

    raters: tuple[RaterMarks, ...]
    icc: Mapping[str, IntraclassCorrelation] = field(repr=False)
    together: Mapping[str, Magnitude] = field(repr=False)
    pairs: Mapping[str, PairwiseMagnitudes] = field(repr=False)
    n_items: int = 0

    def __getitem__(self, name: str) -> Magnitude | PairwiseMagnitudes:
        """Return a result by name: an intraclass correlation, or a measure."""
        if name in self.icc:
            return self.icc[name]
        spec = MEASURES[name].name
        if spec == "icc":
            return self.icc.get("A,1", self.icc["1"])
        for part in (self.together, self.pairs):
            if spec in part:
                return part[spec]
        raise UnsupportedDesignError.needs(
            "the summary", "one of its measures", spec, f"use {spec}(ratings) itself"
        )

    @property
    def main(self) -> IntraclassCorrelation:
        """The intraclass correlation for agreement of single marks."""
        return self.icc.get("A,1", self.icc["1"])

    @property
    def verdict(self) -> Verdict:
        """What the interval of the intraclass correlation says, and what to do next."""
        one = self.main
        sample = counted(self.n_items, "item")
        shown = one.confidence_interval()
        interval = shown if shown.has_limits else None
        return verdict_on(one.name, one.value, interval, sample=sample, reason=one.reason)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What to know before the numbers are believed."""
        found: dict[str, Finding] = {}
        for one in (*self.icc.values(), *self.together.values()):
            for finding in one.findings:  # of several forms the last is agreement
                found[finding.code] = finding
        found.update(self._level_findings())
        return tuple(found.values())

    def _level_findings(self) -> dict[str, Finding]:
        if "A,1" not in self.icc:
            return {}
        agreement, consistency = self.icc["A,1"].value, self.icc["C,1"].value
        if not consistency - agreement > 0.1:
            return {}
        means = sorted(self.raters, key=lambda one: one.mean)
        message = (
            f"Raters differ in level: {means[0].rater} gives {means[0].mean:.3g} on average, "
            f"{means[-1].rater} {means[-1].mean:.3g}; ICC(C,1) is {consistency:.2f} and ICC(A,1) "
            f"{agreement:.2f}. Align how the scale is used before marks of different raters are "
            "mixed."
        )
        return {"raters_differ_in_level": Finding("raters_differ_in_level", "caution", message)}

    def to_dict(self, *, confidence_level: float = 0.95) -> dict[str, Any]:
        """Return plain data with stable keys."""

        def record(one: Magnitude | PairwiseMagnitudes) -> dict[str, Any]:
            return one.to_dict(confidence_level=confidence_level)

        return plain_record(
            {
                "verdict": self.verdict,
                "raters": self.raters,
                "estimates": [record(one) for one in (*self.icc.values(), *self.together.values())],
                "pairs": [record(one) for one in self.pairs.values()],
                "findings": self.findings,
            }
        )

    def document(self) -> Document:
        """Return the tables: raters, all together, pairs."""
        told = {MEASURES["icc"].title: self.icc["1"].caution}
        told |= {one.name: one.caution for one in self.together.values()}
        return Document.of(
            Table.of(
                self.raters,
                "rater!s",
                "ratings: n_ratings",
                "mean",
                "sd",
                "lowest: low",
                "highest: high",
                "skewness",
                caption="Raters",
            ),
            Table.of(
                (*self.icc.values(), *self.together.values()),
                "measure: name",
                "value",
                ("95% interval", lambda one: one.confidence_interval()),
                ("p", "p_value", PValue),
                (
                    "error of measurement",
                    lambda one: getattr(one, "standard_error_of_measurement", None),
                ),
                caption="All raters",
            ),
            *self._pair_tables(),
            *(Paragraph(f"{name}: {why}", detail=True) for name, why in told.items()),
            title="Marks",
            findings=self.findings,
            verdict=self.verdict,
        )

    def _pair_tables(self) -> tuple[Table, Table]:
        pairs = [
            (pair, {name: each.results[pair] for name, each in self.pairs.items()})
            for pair in next(iter(self.pairs.values()), ())
        ]
        return (
            Table.of(
                pairs,
                ("raters", "0", pair_name),
                "CCC: 1.lin_ccc.value",
                ("95% interval", lambda pair: pair[1]["lin_ccc"].confidence_interval()),
                "Pearson: 1.pearson.value",
                "Spearman: 1.spearman.value",
                "items: 1.bland_altman.n_items_used",
                caption="Pairs: how alike the marks run",
                detail=True,
            ),
            Table.of(
                pairs,
                ("raters", "0", pair_name),
                "difference: 1.paired_differences.value",
                (
                    "95% interval",
                    lambda pair: pair[1]["paired_differences"].confidence_interval(),
                ),
                ("p", "1.paired_differences.p_value", PValue),
                ("limits of agreement", "1.bland_altman"),
                "equal: 1.paired_differences.share_of_zeros",
                caption="Pairs of raters: difference of their marks, first minus second",
            ),
        )


def describe_marks(*ratings: Any) -> MarksSummary:
    """Describe marks: intraclass correlations, concordance, correlations, differences.

    Parameters
    ----------
    ratings : Ratings, or one sequence of marks per rater

    Returns
    -------
    MarksSummary
        Print it, or ask for a part: ``summary["A,1"]``, ``summary["lin_ccc"]["A", "B"]``.

    Raises
    ------
    UnsupportedDesignError
        Fewer than two raters, or labels that are not numbers.

    Examples
    --------
    >>> from consilience import Ratings
    >>> marks = Ratings.from_wide({"A": [1, 2, 3, 5], "B": [1, 2, 4, 5], "C": [2, 3, 4, 6]},
    ...                           scale="interval")
    >>> summary = describe_marks(marks)
    >>> round(summary["A,1"].value, 3), round(summary["lin_ccc"]["A", "B"].value, 3)
    (0.899, 0.947)
    """
    data = panel("icc", ratings, raters_known=False)
    forms = FORMS if data.raters else FORMS[:2]
    found = {form: icc(data.ratings, model=form) for form in forms}
    if not data.raters:
        return MarksSummary(
            raters=(), icc=found, together={}, pairs={}, n_items=data.ratings.n_items
        )
    k = len(data.raters)
    together: dict[str, Magnitude] = {}
    few = k * (k - 1) // 2 <= MOST_PAIRS
    if k > 2 and few:
        for measure in (mean_pearson, mean_spearman, kendall_w):
            together[measure.__name__] = measure(data.ratings)
    pairs = {name: pairwise(data.ratings, measure=name) for name in PAIRED} if few else {}
    return MarksSummary(
        raters=_rater_marks(data),
        icc=found,
        together=together,
        pairs=pairs,
        n_items=data.ratings.n_items,
    )


@dataclass(frozen=True, slots=True)
class MarkCounts:
    """How often one rater gave which mark, the marks rising; all raters together is None."""

    rater: object
    marks: Floats
    times: Floats


def mark_counts(*ratings: Any) -> tuple[MarkCounts, ...]:
    """Count how often each rater gave each mark: the numbers behind a histogram.

    Parameters
    ----------
    ratings : Ratings, or one sequence of marks per rater

    Returns
    -------
    tuple of MarkCounts
        One for each rater; where ratings do not say who gave which mark, one for all.

    Raises
    ------
    UnsupportedDesignError
        Fewer than two raters, or labels that are not numbers.

    Examples
    --------
    >>> tutor, computer = mark_counts([4, 4, 3, 4, 1], [4, 3, 3, 4, 0])
    >>> dict(zip(tutor.marks.tolist(), tutor.times.tolist()))
    {1.0: 1.0, 3.0: 1.0, 4.0: 3.0}
    """
    data = panel("icc", ratings, raters_known=False)
    found: list[dict[float, float]] = [{} for _ in data.raters or (None,)]
    for values, weight in data.blocks():
        columns = (
            [(marks, weight) for marks in values.T]
            if data.raters
            else [(values.ravel(), np.repeat(weight, values.shape[1]))]
        )
        for counts, (column, times) in zip(found, columns, strict=True):
            given = ~np.isnan(column)
            marks, place = np.unique(column[given], return_inverse=True)
            n = np.bincount(place.ravel(), weights=times[given], minlength=marks.size)
            for mark, number in zip(marks.tolist(), n.tolist(), strict=True):
                counts[mark] = counts.get(mark, 0.0) + number
    return tuple(
        MarkCounts(rater, np.array(sorted(one)), np.array([one[mark] for mark in sorted(one)]))
        for rater, one in zip(data.raters or (None,), found, strict=True)
    )


def _rater_marks(data: Panel) -> tuple[RaterMarks, ...]:
    """Return number, mean, spread and range of each rater's marks, in one pass."""
    k = len(data.raters)
    n, sums, squares, cubes = np.zeros(k), np.zeros(k), np.zeros(k), np.zeros(k)
    low, high = np.full(k, np.inf), np.full(k, -np.inf)
    shift = None
    for values, w in data.blocks():
        if shift is None:
            shift = np.nan_to_num(values[0], nan=0.0)
        present = ~np.isnan(values)
        x = np.where(present, values - shift, 0.0)
        n += w @ present
        sums += w @ x
        squares += w @ x**2
        cubes += w @ x**3
        low = np.fmin(low, np.fmin.reduce(values, axis=0))
        high = np.fmax(high, np.fmax.reduce(values, axis=0))
    assert shift is not None
    mean = sums / n
    spread = np.maximum(squares - n * mean**2, 0.0)
    third = cubes - 3.0 * mean * squares + 2.0 * n * mean**3
    return tuple(
        RaterMarks(
            rater,
            int(n[r]),
            float(mean[r] + shift[r]),
            math.sqrt(spread[r] / (n[r] - 1.0)) if n[r] > 1 else math.nan,
            float(low[r]),
            float(high[r]),
            float(third[r] / n[r] / (spread[r] / n[r]) ** 1.5) if spread[r] > 0 else math.nan,
        )
        for r, rater in enumerate(data.raters)
    )
