"""Judges who err together: how many independent judges a panel of them is worth."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np

from consilience.core.arrays import Floats, Ints
from consilience.core.draws import RandomStream
from consilience.core.interval import check_confidence_level
from consilience.core.resample import Seed
from consilience.document import Finding, found
from consilience.exceptions import InputError, UnsupportedDesignError
from consilience.inference.clustered import clustered_variance
from consilience.judges.error_independence import independence_p
from consilience.judges.shared_error_results import SharedErrors, effective_number
from consilience.judges.verdicts import Verdicts, first_occasion, verdicts_of, votes_of
from consilience.ratings import as_ratings

LEVEL = 0.04  # of the finding: a little below 5%, so that in no design more are accused falsely
_N_DRAWS = 2_000
_MOST_PATTERNS = 2_000
_ALL_WRONG = 0.25  # prior mass on items that all judges get wrong
_N_INDEPENDENT = 20  # draws of what independent judges would reach together


def effective_judges(
    ratings: Any,
    *,
    judges: Any = None,
    people: Any = None,
    gold: Any = None,
    against: str | None = None,
    refusals: Any = (),
    clusters: Any = None,
    confidence_level: float = 0.95,
    rng: Seed = 0,
) -> SharedErrors:
    """Say how many independent judges a panel of judges is worth.

    Use it before a majority of models is taken for many opinions. Without people's labels or a gold
    standard the errors are counted against the consensus of the other judges. That hides every
    error that most of them share and takes those who are right for wrong where most err: the number
    is then a rough guide, and nothing is tested.

    Parameters
    ----------
    ratings : Ratings
        Of the judges and, for some of the items, of people.
    judges, people : names of raters, or patterns such as "gpt*"
    gold : name of a rater, or one label per item
        The right labels, instead of people's.
    against : {"gold", "consensus"}, optional
        What an error is counted against; default "gold" where people or a standard are there.
    refusals : labels that mean refused or unparsable
        Neither right nor wrong.
    clusters : one entry per item, optional
        Items that belong together.
    confidence_level : float, default 0.95
        Of the intervals that are shown.
    rng : int or numpy.random.Generator, default 0

    Returns
    -------
    SharedErrors

    Examples
    --------
    >>> from consilience import Ratings
    >>> rows = [["a", "a", "a", "a"], ["b", "a", "a", "b"], ["b", "b", "b", "b"],
    ...         ["a", "a", "b", "a"], ["b", "a", "a", "a"], ["a", "a", "a", "a"]] * 10
    >>> both = Ratings.from_wide(rows, raters=["Ann", "gpt-1", "gpt-2", "gpt-3"])
    >>> found = effective_judges(both, people="Ann")
    >>> found.n_judges, round(found.value, 2)
    (3, 1.37)
    """
    given = people is not None or gold is not None
    if against not in (None, "gold", "consensus"):
        raise InputError.unknown_word("against", against, ("gold", "consensus"))
    if against == "gold" or (against is None and given):
        table = verdicts_of(ratings, judges=judges, people=people, gold=gold, refusals=refusals,
                            clusters=clusters)  # fmt: skip
        table = table.of_items(table.truth >= 0)
        errors = _errors(table)
        pairs = {(i, j): errors[:, [i, j]] for i, j in combinations(range(len(table.judges)), 2)}
        found = _found(table, pairs, "gold", rng)
        return replace(found, confidence_level=check_confidence_level(confidence_level))
    table = _judges_only(ratings, judges, refusals, clusters)
    votes = votes_of(table.codes, len(table.labels))
    pairs = {
        (i, j): _against_others(table, votes, i, j)
        for i, j in combinations(range(len(table.judges)), 2)
    }
    found = _found(table, pairs, "consensus", rng)
    return replace(found, confidence_level=check_confidence_level(confidence_level))


def _judges_only(ratings: Any, judges: Any, refusals: Any, clusters: Any) -> Verdicts:
    """Return verdicts without people: every rater, or those who are named, is a judge."""
    data = as_ratings(ratings)
    nobody = dict.fromkeys(map(str, data.items), data.categories[0]) if data.n_items else {}
    table = verdicts_of(data, judges=judges, gold=nobody, refusals=refusals, clusters=clusters)
    if len(table.judges) < 3:
        raise UnsupportedDesignError.needs(
            "the consensus of judges", "at least three of them", f"{len(table.judges)}",
            "bring more judges, or people's labels",
        )  # fmt: skip
    return table


def _errors(table: Verdicts) -> Floats:
    """Return 1 for an error, 0 for a right verdict, NaN where there is no verdict or no truth."""
    truth = table.truth[:, None]
    known = (table.codes >= 0) & (truth >= 0)
    return np.where(known, table.codes != truth, np.nan)


def _against_others(table: Verdicts, every: Ints, i: int, j: int) -> Floats:
    """Return the errors of two judges against the most frequent verdict of the others."""
    votes = every - votes_of(table.codes[:, [i, j]], len(table.labels))
    best = votes.max(axis=1)
    clear = (best > 0) & ((votes == best[:, None]).sum(axis=1) == 1)
    own = table.codes[:, [i, j]]
    known = clear[:, None] & (own >= 0)
    return np.where(known, own != votes.argmax(axis=1)[:, None], np.nan)


# -------------------------------------------------------------------- correlations


def _found(
    table: Verdicts, pairs: dict[tuple[int, int], Floats], against: str, rng: Seed
) -> SharedErrors:
    names, n = table.judges, len(table.judges)
    if n < 2:
        raise UnsupportedDesignError.needs(
            "errors that judges share", "at least two judges", f"{n}", "bring another judge"
        )
    rho: dict[tuple[int, int], float] = {}
    pull = np.zeros(len(table.codes))
    for pair, errors in pairs.items():
        rho[pair], own = _correlation(errors)
        if not math.isnan(rho[pair]):
            pull += own
    known = [value for value in rho.values() if not math.isnan(value)]
    used = np.unique(np.concatenate([np.flatnonzero(~np.isnan(e).any(axis=1))
                                     for e in pairs.values()]))  # fmt: skip
    rates = _rates(table, pairs, against)
    reason = None if known else "no two judges both err on some items and are right on others"
    mean = float(np.mean(known)) if known else math.nan
    error = math.sqrt(clustered_variance(pull / max(len(known), 1), table.cluster))
    units = used.size if table.cluster is None else np.unique(table.cluster[used]).size
    together = _together(table, rng) if against == "gold" else (None, None, None)
    result = SharedErrors(
        value=effective_number(n, mean) if known else math.nan,
        correlation=mean,
        standard_error=error if known else math.nan,
        n_items=int(used.size),
        judges=names,
        matrix={(names[i], names[j]): value for (i, j), value in rho.items()},
        error_rates=rates,
        without={name: _left(rho, n, k) for k, name in enumerate(names)} if n > 2 else {},
        against=against,
        p_value=independence_p(_errors(table), table.truth, cluster=table.cluster, rng=rng)
        if known and against == "gold"
        else math.nan,
        majority=together[0],
        if_independent=together[1],
        best=together[2],
        degrees_of_freedom=max(units - 1.0, 1.0),
        drawn=_drawn(table, rng) if known and against == "gold" else None,
        reason=reason,
    )
    return replace(result, findings=_findings(result, table))


def _correlation(errors: Floats) -> tuple[float, Floats]:
    """Return the correlation of two columns and each item's pull on it."""
    both = ~np.isnan(errors).any(axis=1)
    pull = np.zeros(len(errors))
    known = errors[both]
    if len(known) < 2:
        return math.nan, pull
    spread = known.std(axis=0)
    if not spread.all():
        return math.nan, pull
    z = (known - known.mean(axis=0)) / spread
    product = z[:, 0] * z[:, 1]
    rho = float(product.mean())
    pull[both] = (product - rho * (z**2).sum(axis=1) / 2.0) / len(known)
    return rho, pull


def _drawn(table: Verdicts, rng: Seed) -> Floats | None:
    """Draw the mean correlation from a Dirichlet posterior over patterns of errors.

    Patterns that nobody saw get a little mass, as in the posterior of coefficients: all judges
    right, all wrong, one of them wrong. None with gaps, with clusters or with too many patterns.
    """
    errors = _errors(table)
    n = errors.shape[1]
    if table.cluster is not None or np.isnan(errors).any() or len(errors) < 2:
        return None
    patterns, counts = np.unique(errors.astype(np.int8), axis=0, return_counts=True)
    if len(patterns) > _MOST_PATTERNS:
        return None
    rows = np.vstack([patterns, np.zeros((1, n)), np.ones((1, n)), np.eye(n)]).astype(np.float64)
    shapes = np.concatenate([counts, [0.5, _ALL_WRONG], np.full(n, 0.5 / n)])
    weights = RandomStream.of(rng).gamma(shapes, _N_DRAWS)
    weights /= weights.sum(axis=0)
    mean = rows.T @ weights
    spread = np.sqrt(np.maximum(mean * (1.0 - mean), 1e-300))
    total = np.zeros(_N_DRAWS)
    pairs = list(combinations(range(n), 2))
    for i, j in pairs:
        both = (rows[:, i] * rows[:, j]) @ weights
        total += (both - mean[i] * mean[j]) / (spread[i] * spread[j])
    return np.asarray(total / len(pairs))


def _left(rho: dict[tuple[int, int], float], n: int, out: int) -> float:
    others = [value for pair, value in rho.items() if out not in pair and not math.isnan(value)]
    return effective_number(n - 1, float(np.mean(others))) if others else math.nan


def _rates(
    table: Verdicts, pairs: dict[tuple[int, int], Floats], against: str
) -> dict[object, float]:
    if against == "gold":
        columns = _errors(table).T
    else:  # against the others, which differ a little from pair to pair
        n = len(table.judges)
        columns = np.array([
            np.concatenate([e[:, [i, j].index(k)] for (i, j), e in pairs.items() if k in (i, j)])
            for k in range(n)
        ])  # fmt: skip
    known = [column[~np.isnan(column)] for column in columns]
    return {
        name: float(own.mean()) if own.size else math.nan
        for name, own in zip(table.judges, known, strict=True)
    }


def _together(table: Verdicts, rng: Seed) -> tuple[float | None, float | None, float | None]:
    """Return how often the majority is right, would be if errors were independent, and the best."""
    truth = table.truth
    known = (truth >= 0) & (table.codes >= 0).all(axis=1)
    if known.sum() < 2:
        return None, None, None
    codes, right = table.codes[known], truth[known]
    n_labels = len(table.labels)
    draw = RandomStream.of(rng)
    drawn = []
    for _ in range(_N_INDEPENDENT if codes.size <= 1_000_000 else 1):
        mixed = codes.copy()
        for label in np.unique(right):
            places = np.flatnonzero(right == label)
            for j in range(codes.shape[1]):
                mixed[places, j] = codes[places[draw.permutation(places.size)], j]
        drawn.append(_majority_right(mixed, right, n_labels))
    best = float((codes == right[:, None]).mean(axis=0).max())
    return _majority_right(codes, right, n_labels), float(np.mean(drawn)), best


def _majority_right(codes: Ints, right: Ints, n_labels: int) -> float:
    """Return the share of items on which the majority is right; a tie counts by its parts."""
    votes = np.zeros((len(codes), n_labels), dtype=np.int64)
    rows = np.arange(len(codes))
    for column in codes.T:
        votes[rows, column] += 1
    top = votes == votes.max(axis=1)[:, None]
    return float((top[rows, right] / top.sum(axis=1)).mean())


def _findings(result: SharedErrors, table: Verdicts) -> tuple[Finding, ...]:
    n = result.n_judges
    together = result.reason is None and result.p_value < LEVEL and result.correlation > 0.0
    return found(
        (
            together,
            "judges_err_together",
            "caution",
            f"The {n} judges err on the same items: their errors correlate by "
            f"{result.correlation:.2f}, so together they are worth {result.value:.1f} independent "
            "judges.",
            "Do not count their votes as so many opinions; take judges of other families, or spend "
            "the money on people's labels.",
            {
                "judges": n,
                "correlation": result.correlation,
                "effective": result.value,
                "p_value": result.p_value,
            },
        ),
        (
            result.against == "consensus",
            "errors_against_consensus",
            "info",
            "Errors were counted against the other judges. An error that most of them share is "
            "invisible there, and where most of them err, those who are right seem to err "
            "together: the number is a rough guide, and whether judges err together cannot be "
            "tested.",
            "Let people label some items.",
        ),
        first_occasion(table),
    )
