"""What tests of how raters use the labels return, and how it is made."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from consilience.core.tails import chi_square_tail
from consilience.inference._two_raters import TwoRaters
from consilience.inference.intervals import Test

if TYPE_CHECKING:
    from consilience.inference.clustered import ClusteredContrast

_FEW_CLUSTERS = (
    "too_few_clusters: there are as many labels to compare as there are clusters, or more. Merge "
    "labels, or test one of them with cochran_q"
)
NO_DISAGREEMENT = (
    "no_disagreement: the raters agree on every item that can be compared, so there is nothing "
    "to test"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class HomogeneityTest(Test):
    """A test of how raters use the labels.

    Attributes
    ----------
    hypothesis : str
        What would hold if the test had nothing to find.
    n_items : int
        Items that could be compared.
    shares : mapping
        For each category its share in every rater's labels: where to look if p is small.
    parts : mapping
        For Bowker's test, what each pair of labels adds to the statistic.
    reason : str or None
        Why statistic and p-value are NaN, if they are.
    n_clusters : int or None
        Number of clusters, where items go together. The p-value is then that of Hotelling's F with
        the variance of sums over clusters.
    """

    hypothesis: str
    n_items: int
    shares: Mapping[object, tuple[float, ...]] = field(repr=False)
    parts: Mapping[object, float] = field(default_factory=dict, repr=False)
    reason: str | None = None
    n_clusters: int | None = None

    def to_dict(self) -> dict[str, object]:
        """Return plain data with stable keys."""
        clusters = {} if self.n_clusters is None else {"clusters": self.n_clusters}
        return {
            "method": self.method,
            "hypothesis": self.hypothesis,
            "statistic": self.statistic if math.isfinite(self.statistic) else None,
            "degrees_of_freedom": self.degrees_of_freedom,
            "p_value": self.p_value if math.isfinite(self.p_value) else None,
            "items": self.n_items,
            "reason": self.reason,
            **clusters,
        }


def homogeneity_result(
    pair: TwoRaters,
    hypothesis: str,
    method: str,
    *,
    statistic: float,
    p_value: float,
    freedom: float | None = None,
    parts: Mapping[object, float] | None = None,
) -> HomogeneityTest:
    """Return a test of two raters."""
    return HomogeneityTest(
        float(statistic),
        p_value,
        0.0,
        "two-sided",
        method,
        freedom,
        hypothesis=hypothesis,
        n_items=pair.n_items,
        shares=pair.shares,
        parts=parts or {},
    )


def chi_square_result(
    pair: TwoRaters,
    hypothesis: str,
    method: str,
    *,
    statistic: float,
    freedom: float,
    parts: Mapping[object, float] | None = None,
) -> HomogeneityTest:
    """Return a test of two raters by chi-square."""
    return homogeneity_result(
        pair,
        hypothesis,
        method,
        statistic=statistic,
        p_value=chi_square_tail(statistic, freedom),
        freedom=freedom,
        parts=parts,
    )


def clustered_result(
    method: str,
    contrast: ClusteredContrast,
    *,
    statistic: float | None = None,
    **known: Any,
) -> HomogeneityTest:
    """Return a test of items that go together, by Hotelling's F over clusters."""
    known["n_clusters"] = contrast.n_clusters
    if contrast.rank >= contrast.n_clusters:
        return undefined_test(method, reason=_FEW_CLUSTERS, **known)
    score = contrast.score if statistic is None else statistic
    p_value, rank = contrast.p_value, contrast.rank
    return HomogeneityTest(score, p_value, 0.0, "two-sided", method, rank, **known)


def nothing_to_test(
    method: str, hypothesis: str, pair: TwoRaters, *, reason: str = NO_DISAGREEMENT
) -> HomogeneityTest:
    """Return what can be said where two raters leave nothing to test."""
    known: dict[str, Any] = {"n_items": pair.n_items, "shares": pair.shares}
    return undefined_test(method, hypothesis=hypothesis, reason=reason, **known)


def undefined_test(method: str, **known: Any) -> HomogeneityTest:
    """Return a test that cannot be made, with the reason."""
    return HomogeneityTest(math.nan, math.nan, 0.0, "two-sided", method, None, **known)
