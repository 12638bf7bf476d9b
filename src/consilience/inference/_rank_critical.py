"""How large Spearman's and Kendall's correlations get when two rankings have nothing in common."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from consilience.core.arrays import Floats
from consilience.core.draws import RandomStream
from consilience.core.resample import Seed, is_whole, seed_sequence
from consilience.exceptions import InputError
from consilience.inference._null import (
    ChanceDistribution,
    CriticalValue,
    critical_value,
    upper_tails,
)
from consilience.inference.intervals import check_confidence_level

STATISTICS = ("spearman", "kendall")
_EXACT_SPEARMAN = 12  # items up to which all rankings are counted
_MOST_KENDALL = 500  # items; the number of different values grows with their square
_CELLS = 4_000_000  # numbers held at a time


@dataclass(frozen=True, slots=True)
class RankNull(ChanceDistribution):
    """A rank correlation when every ranking is as likely as any other.

    Attributes
    ----------
    statistic : {"spearman", "kendall"}
    critical_values : tuple of CriticalValue
        One for each level; the value is NaN where even full agreement is reached too often.
    method : {"exact", "monte-carlo"}
    """

    statistic: str
    n_items: int
    method: Literal["exact", "monte-carlo"]
    n_resamples: int | None
    critical_values: tuple[CriticalValue, ...]
    _values: Floats = field(repr=False, compare=False)
    _tails: Floats = field(repr=False, compare=False)


def rank_critical_values(
    *,
    n_items: int,
    statistic: str = "spearman",
    levels: Sequence[float] = (0.90, 0.95, 0.99),
    n_resamples: int = 100_000,
    rng: Seed = 0,
) -> RankNull:
    """Critical values of Spearman's rho or Kendall's tau for rankings without ties.

    Use it to read a rank correlation of few items, as from the tables of textbooks. Prefer the test
    of `magnitudes.spearman` or `magnitudes.kendall_tau` with many items or with ties.

    Parameters
    ----------
    n_items : int
        At least 3; for Kendall's tau at most 500.
    statistic : {"spearman", "kendall"}
    levels : sequence of float
        For each, the critical value is the smallest correlation that chance reaches with a
        probability of at most 1 - level: 0.95 is the one-sided level of 5 %, 0.975 the two-sided.
    n_resamples : int
        Simulated rankings; rho is counted exactly up to 12 items, tau always.
    rng : int or Generator

    Returns
    -------
    RankNull

    Raises
    ------
    InputError
        Too few or too many items, an unknown statistic, or a level outside 0 to 1.

    Notes
    -----
    rho = 1 - 6 sum d^2 / (n (n^2 - 1)); tau = (n_c - n_d) / (n (n - 1) / 2), so that a critical
    difference n_c - n_d, as some tables print it, is tau times n (n - 1) / 2.

    References
    ----------
    .. [1] Kendall, M. G. (1938). A new measure of rank correlation. Biometrika 30, 81-93.
       doi:10.1093/biomet/30.1-2.81
    .. [2] Stegmann, J. & Lücking, A. (2005). Assessing reliability on annotations (1): theoretical
       considerations. SFB 360 report 2, Bielefeld University.

    Examples
    --------
    >>> round(rank_critical_values(n_items=10)[0.95], 3)  # as tabled: 0.564
    0.564
    >>> tau = rank_critical_values(n_items=10, statistic="kendall")
    >>> round(tau[0.95] * 45)  # concordant less discordant pairs
    21
    """
    _check_items(n_items, statistic)
    if not is_whole(n_resamples) or n_resamples < 100:
        raise InputError.expected(
            "n_resamples", "a whole number of 100 or more", n_resamples, "check what was passed"
        )
    wanted = [check_confidence_level(level) for level in levels]
    exact = statistic == "kendall" or n_items <= _EXACT_SPEARMAN
    if statistic == "kendall":
        values, chances = _kendall(n_items)
    elif exact:
        values, chances = _spearman(n_items)
    else:
        values = _simulated(n_items, n_resamples, RandomStream.of(seed_sequence(rng)))
        chances = np.full(values.size, 1.0 / values.size)
    distinct, tails = upper_tails(values, chances)
    return RankNull(
        statistic,
        n_items,
        "exact" if exact else "monte-carlo",
        None if exact else n_resamples,
        tuple(critical_value(level, distinct, tails) for level in wanted),
        distinct,
        tails,
    )


def _check_items(n_items: int, statistic: str) -> None:
    if statistic not in STATISTICS:
        raise InputError.unknown_word("statistic", statistic, STATISTICS)
    if not is_whole(n_items) or n_items < 3:
        raise InputError.expected(
            "n_items", "a whole number of 3 or more", n_items, "check what was passed"
        )
    if statistic == "kendall" and n_items > _MOST_KENDALL:
        hint = "with so many items use the test of magnitudes.kendall_tau"
        raise InputError.expected("n_items", f"at most {_MOST_KENDALL:,}", n_items, hint)


def _kendall(n: int) -> tuple[Floats, Floats]:
    """Return tau and its chances: the k-th item lies above 0 to k - 1 of those before it."""
    chances: Floats = np.ones(1)
    for k in range(2, n + 1):
        longer = np.concatenate([chances, np.zeros(k - 1)])
        summed = np.cumsum(longer)
        summed[k:] -= summed[:-k].copy()
        chances = np.maximum(summed, 0.0) / k
    pairs = n * (n - 1) / 2
    discordant = np.arange(chances.size, dtype=np.float64)
    return 1.0 - 2.0 * discordant / pairs, chances


def _spearman(n: int) -> tuple[Floats, Floats]:
    """Return rho and its chances, by the sums of squared differences of partial rankings.

    After k items a partial ranking is the set of ranks given away; sets of equal size follow from
    those with one rank less.
    """
    most = n * (n * n - 1) // 3  # sum of d^2 of the reversed ranking
    layer = {0: np.concatenate([[1.0], np.zeros(most)])}
    for k in range(n):
        following: dict[int, Floats] = {}
        for taken, ways in layer.items():
            for rank in range(n):
                if taken >> rank & 1:
                    continue
                more = (k - rank) ** 2
                target = following.setdefault(taken | 1 << rank, np.zeros(most + 1))
                target[more:] += ways[: most + 1 - more]
        layer = following
    ways = layer[(1 << n) - 1]
    possible = ways > 0
    squares = np.arange(most + 1, dtype=np.float64)[possible]
    return 1.0 - 6.0 * squares / (n * (n * n - 1)), ways[possible] / ways.sum()


def _simulated(n: int, n_resamples: int, rng: RandomStream) -> Floats:
    ranks = np.arange(n, dtype=np.float64)
    parts = []
    for start in range(0, n_resamples, max(1, _CELLS // n)):
        size = min(max(1, _CELLS // n), n_resamples - start)
        drawn = rng.permutations(n, size)
        parts.append(1.0 - 6.0 * ((drawn - ranks) ** 2).sum(axis=1) / (n * (n * n - 1.0)))
    return np.concatenate(parts)
