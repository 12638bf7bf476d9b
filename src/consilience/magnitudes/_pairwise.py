"""Any measure of two raters, for every pair of many."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from consilience.core.keywords import MARKS, MarkOptions, written_out
from consilience.core.result import Several, Unremarked
from consilience.document import Document, Paragraph, PValue, Table, plain_record
from consilience.exceptions import InputError, UnsupportedDesignError
from consilience.inference import holm
from consilience.magnitudes._magnitude import MEASURES, Magnitude
from consilience.magnitudes.paired import _columns, taken


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
