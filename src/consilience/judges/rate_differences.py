"""Two systems whose answers one judge has judged: which is ahead by people's standard."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from consilience.core.checks import check_word
from consilience.core.interval import check_confidence_level
from consilience.core.labels import is_missing
from consilience.exceptions import InputError
from consilience.judges.rate_results import RateDifference
from consilience.judges.rates import corrected_of, fitted
from consilience.judges.two_phase import Fitted, Limits, TwoPhase, degrees_of_freedom, t_limits
from consilience.judges.verdicts import verdicts_of
from consilience.ratings.item_codes import per_item

_NORMAL = {"ppi", "ppi++"}  # methods with normal limits


def rate_difference(
    ratings: Any,
    label: object,
    *,
    system: Any,
    judge: Any = None,
    people: Any = None,
    gold: Any = None,
    method: Literal["auto", "double-sampling", "ppi", "ppi++", "people"] = "auto",
    weights: Any = None,
    clusters: Any = None,
    refusals: Any = (),
    confidence_level: float = 0.95,
) -> RateDifference:
    """Compare two systems whose answers one judge has judged, and people some of them.

    Use it to ask which system is ahead by people's standard. A judge that flatters one of them
    moves its own difference, not this one.

    Parameters
    ----------
    ratings : Ratings
        Items are answers.
    label : object
        The label whose rate is compared, such as "pass".
    system : one entry per item
        Who gave the answer; two different ones.
    judge, people, gold, method, weights, refusals
        As for `corrected_rate`.
    clusters : one entry per item, optional
        The prompt of each answer, where both systems answered the same ones.
    confidence_level : float, default 0.95

    Returns
    -------
    RateDifference
        The first system, in the order of the items, minus the second.

    Examples
    --------
    >>> from consilience import Ratings
    >>> verdicts = ["pass"] * 90 + ["fail"] * 30 + ["pass"] * 60 + ["fail"] * 60
    >>> labels = [v if k % 3 == 0 else None for k, v in enumerate(verdicts)]
    >>> both = Ratings.from_wide({"gpt-4o": verdicts, "Ann": labels})
    >>> found = rate_difference(both, "pass", system=["new"] * 120 + ["old"] * 120, judge="gpt-4o")
    >>> found.systems, round(found.value, 2)
    (('new', 'old'), 0.25)
    """
    check_confidence_level(confidence_level)
    check_word("method", method, ("auto", "double-sampling", "ppi", "ppi++", "people"))
    table = verdicts_of(
        ratings, judges=judge, people=people, gold=gold, refusals=refusals, clusters=clusters
    )
    whole = table.of_label(label, weight=weights)
    given = per_item(table.ratings, system, "system")
    if any(one is None or is_missing(one) for one in given):
        raise InputError.expected("system", "known for every item", "a gap", "fill it in")
    who = np.array([str(one) for one in given], dtype=object)[table.asked(0)]
    names = list(dict.fromkeys(who.tolist()))
    if len(names) != 2:
        raise InputError.expected(
            "system", "two different ones", f"{len(names)}: {', '.join(names[:4])}",
            "compare two at a time",
        )  # fmt: skip
    parts = [whole.of_items(who == name) for name in names]
    found = difference_of(parts, method)
    name = table.labels[table.label(label)]
    rates = [
        corrected_of(table, part, name, method=one.method, level=confidence_level)
        for part, one in zip(parts, found.fits, strict=True)
    ]
    return RateDifference(
        value=found.value,
        standard_error=found.standard_error,
        systems=(names[0], names[1]),
        rates=(rates[0], rates[1]),
        apparent=parts[0].apparent - parts[1].apparent,
        correlation=found.correlation,
        method=found.fits[0].method,
        confidence_level=confidence_level,
        _limits=found.limits,
    )


@dataclass(frozen=True)
class Difference:
    """The first rate minus the second, with its error and limits; `fits` are both rates."""

    fits: tuple[Fitted, Fitted]
    value: float
    standard_error: float
    correlation: float
    limits: Limits


def difference_of(parts: Sequence[TwoPhase], method: str) -> Difference:
    """Correct both rates and take their difference; rates that share clusters are correlated."""
    first, second = (fitted(part, method) for part in parts)
    rho = _correlation(parts, (first, second))
    variance = first.standard_error**2 + second.standard_error**2
    variance -= 2.0 * rho * first.standard_error * second.standard_error
    error = math.sqrt(max(variance, 0.0))
    value = first.value - second.value
    limits = difference_limits(first, second, rho)
    if {first.method, second.method} <= _NORMAL:
        # Both are normal, so the difference is; limits of the rates are cut at 0 and 1, these not.
        df = None
        if parts[0].cluster is not None:
            df = min(degrees_of_freedom(part) for part in parts)
        limits = _within_one(t_limits(value, error, df, is_rate=False))
    return Difference((first, second), value, error, rho, limits)


def _within_one(limits: Limits) -> Limits:
    def cut(level: float) -> tuple[float, float]:
        low, high = limits(level)
        return max(low, -1.0), min(high, 1.0)

    return cut


def _correlation(parts: Sequence[TwoPhase], fits: Sequence[Fitted]) -> float:
    """Return the correlation of two rates that share clusters."""
    a, b = parts
    if a.cluster is None or b.cluster is None:
        return 0.0
    n = int(max(a.cluster.max(), b.cluster.max())) + 1
    sums = [np.bincount(cluster, weights=one.influence, minlength=n)
            for cluster, one in zip((a.cluster, b.cluster), fits, strict=True)]  # fmt: skip
    own = math.sqrt(float(sums[0] @ sums[0]) * float(sums[1] @ sums[1]))
    return float(sums[0] @ sums[1]) / own if own > 0.0 else 0.0


def difference_limits(first: Fitted, second: Fitted, rho: float) -> Limits:
    """Recover variances from the limits of both: Zou and Donner (2008), with their correlation."""

    def limits(level: float) -> tuple[float, float]:
        (l1, u1), (l2, u2) = first.limits(level), second.limits(level)
        d = first.value - second.value
        down, up = first.value - l1, u2 - second.value
        low = d - math.sqrt(max(down**2 - 2.0 * rho * down * up + up**2, 0.0))
        down, up = second.value - l2, u1 - first.value
        return low, d + math.sqrt(max(down**2 - 2.0 * rho * down * up + up**2, 0.0))

    return limits
