"""Judges who err together: how many independent judges a panel of them is worth."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any, ClassVar

import numpy as np

from consilience.core.arguments import check_word
from consilience.core.arrays import Floats, Ints
from consilience.core.draws import RandomStream, Seed
from consilience.core.interval import Interval, check_confidence_level
from consilience.core.result import Result
from consilience.core.tails import quantile, student_below
from consilience.core.verdict import Gauge, Verdict
from consilience.core.words import counted, p_text
from consilience.document import Document, Finding, Table
from consilience.document.blocks import found
from consilience.document.records import Reasoned, Recorded
from consilience.exceptions import UnsupportedDesignError
from consilience.inference.influence import clustered_variance
from consilience.judges.corrected_rates import headed
from consilience.judges.verdicts import (
    Verdicts,
    first_occasion,
    verdicts_alone,
    verdicts_of,
    votes_of,
)

# ---- What is known of errors that judges share, as plain data and as something to read.


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedErrors(Recorded, Reasoned, Result):
    """How many independent judges a panel is worth.

    Attributes
    ----------
    value : float
        The effective number of judges, n / (1 + (n - 1) rho).
    correlation : float
        rho, the mean correlation of two judges' errors.
    matrix : dict
        Pair of judges to the correlation of their errors; NaN where one of them never errs.
    error_rates : dict
        Judge to the share of items on which it errs.
    without : dict
        Judge to the effective number of the others.
    against : str
        "gold" (people's labels, or a standard) or "consensus" (of the other judges).
    p_value : float
        Of errors that are independent once the right label is known; NaN against the consensus.
    majority, if_independent : float or None
        How often the majority of the judges is right, and how often it would be if the same judges
        erred independently; only against gold.
    """

    unrecorded: ClassVar[tuple[str, ...]] = (
        "matrix",
        "degrees_of_freedom",
        "drawn",
        "findings",
        "confidence_level",
    )
    renamed: ClassVar[Mapping[str, str]] = {"n_items": "items"}

    value: float
    correlation: float
    standard_error: float
    n_items: int
    judges: tuple[object, ...]
    matrix: dict[tuple[object, object], float]
    error_rates: dict[object, float]
    without: dict[object, float]
    against: str
    p_value: float
    majority: float | None = None
    if_independent: float | None = None
    best: float | None = None
    degrees_of_freedom: float | None = field(default=None, repr=False)
    drawn: Floats | None = field(default=None, repr=False, compare=False)
    reason: str | None = None
    findings: tuple[Finding, ...] = ()
    confidence_level: float = 0.95  # of the intervals that are shown

    @property
    def n_judges(self) -> int:
        """Number of judges."""
        return len(self.judges)

    def correlation_interval(self, confidence_level: float = 0.95) -> Interval:
        """Return the confidence interval of the mean correlation of errors."""
        level = check_confidence_level(confidence_level)
        low, high = self._correlation_limits(level)
        return Interval(low, high, level, self._method)

    def _correlation_limits(self, level: float) -> tuple[float, float]:
        """Limits from posterior draws; else on the scale log((1 + (n - 1) rho) / (1 - rho))."""
        n, rho = self.n_judges, self.correlation
        if self.reason is None and self.drawn is not None:
            tail = 0.5 - level / 2.0
            low, high = np.quantile(self.drawn, [tail, 1.0 - tail]).tolist()
            return low, high
        if self.reason is not None or not self.standard_error > 0.0:
            return math.nan, math.nan
        # A mean over pairs of different items may lie below -1 / (n - 1), where the scale ends.
        above, below = max(1.0 + (n - 1) * rho, 1e-9), max(1.0 - rho, 1e-9)
        at = math.log(above / below)
        slope = n / (above * below)
        reach = quantile(0.5 + level / 2.0, self.degrees_of_freedom) * slope * self.standard_error
        ends = [math.exp(max(at - reach, -700.0)), math.exp(min(at + reach, 700.0))]
        low, high = ((end - 1.0) / (end + n - 1.0) for end in ends)
        return low, high

    @property
    def _method(self) -> str:
        return "linearised" if self.drawn is None else "dirichlet"

    def _interval(self, level: float) -> Interval:
        low, high = self._correlation_limits(level)
        n = self.n_judges
        return Interval(effective_number(n, high), effective_number(n, low), level, self._method)

    @property
    def verdict(self) -> Verdict:
        """Whether the judges are worth as many as they are."""
        n = self.n_judges
        if self.reason is not None:
            return Verdict(
                code="undefined",
                message=f"There is no answer: {self.reason}.",
                next="Bring more items, or harder ones.",
                gravity="problem",
            )
        level = self.confidence_level
        interval = self.confidence_interval(level)
        gauge = Gauge.of(
            "independent judges",
            self.value,
            interval,
            axis=(1.0, float(n)),
            marks=((1.0, "one"), (float(n), "all")),
        )
        told = (
            f"{self.value:.1f} independent judges ({100 * level:g}% CI {_end(interval.low)} to "
            + (f"{_end(interval.high)})")
        )
        together = any(one.code == "judges_err_together" for one in self.findings)
        if self.against == "consensus":
            message = f"Against the verdicts of the others, {n} judges look like {told}."
            then = "Let people label some items: without them it cannot be told who errs."
        elif together:
            message = f"{n} judges are worth {told}: they err on the same items."
            then = "Do not count their votes as so many opinions."
        else:
            message = f"Nothing shows that the {n} judges err together: they are worth {told}."
            then = "Report the number beside a majority of judges."
        if self.majority is not None and self.if_independent is not None:
            message += (
                f" Their majority is right in {self.majority:.1%}; as many judges who err "
                f"independently would reach {self.if_independent:.1%}."
            )
        code = "judges_err_together" if together else "judges_independent"
        code = "judges_not_tested" if self.against == "consensus" else code
        return Verdict(
            code=code,
            message=message,
            next=then,
            gauge=gauge,
            gravity="good" if code == "judges_independent" else "caution",
        )

    def _beside(self) -> dict[str, Any]:
        return headed(
            self,
            "effective_judges",
            "effective number of judges",
            correlation_interval=self.correlation_interval(self.confidence_level),
            error_rates=[{"judge": k, "rate": x} for k, x in self.error_rates.items()],
            pairs=[{"judges": pair, "correlation": x} for pair, x in self.matrix.items()],
            without=[{"judge": k, "effective": x} for k, x in self.without.items()],
        )

    def document(self) -> Document:
        """Return the number, the judges one by one and the matrix of shared errors."""
        limits = self.correlation_interval(self.confidence_level)
        against = "people's labels" if self.against == "gold" else "the other judges"
        text = f"{counted(self.n_items, 'item')}; errors against {against}."
        if self.reason is None:
            text += (
                f" Mean correlation of two judges' errors: {self.correlation:.3f} "
                f"({limits.low:.3f} to {limits.high:.3f})."
            )
            if math.isfinite(self.p_value):  # another question than whether the correlation is 0
                text += (
                    " Judges who err independently once the right label is known would share as "
                    f"many errors with p {p_text(self.p_value)}."
                )
        names = [str(name) for name in self.judges]
        return Document.of(
            text,
            Table.of(
                self.judges,
                ("judge", str),
                ("errors", self.error_rates.__getitem__),
                ("worth without it", self.without.get),
                caption="Judges one by one",
                note="worth without it: the effective number of the other judges.",
            ),
            Table.of(
                self.judges[1:],
                ("", str),
                (names[:-1], lambda b: [self.matrix.get((a, b)) for a in self.judges[:-1]]),
                whole=True,
                caption="Correlation of errors, pair by pair",
            ),
            findings=self.findings,
            verdict=self.verdict,
        )


def _end(x: float) -> str:
    return f"{x:.1f}" if math.isfinite(x) else "any number"


def effective_number(n_judges: int, correlation: float) -> float:
    """Return the number of independent judges whose mean is as sure as that of these.

    Parameters
    ----------
    n_judges : int
    correlation : float
        Mean correlation of two judges' errors.

    Returns
    -------
    float

    Examples
    --------
    >>> round(effective_number(6, 0.42), 1)
    1.9
    """
    spread = 1.0 + (n_judges - 1) * correlation
    return n_judges / spread if spread > 0.0 else math.inf


# ---- Do judges err independently once the right label is known? An exact test by permutation.

_N_PERMUTED = 999
_MOST_GROUPS = 200  # of more, those with the fewest items are left out of the test


def independence_p(
    errors: Floats, right: Ints, *, cluster: Ints | None = None, rng: Seed = 0
) -> float:
    """Return the one-sided p-value of errors that are independent once the right label is known.

    The number of pairs of judges who err on the same item, against what permuting each judge's
    errors gives, within items of one label on which the same judges gave a verdict. With clusters,
    sums over clusters of the products of centred errors, against Student's t.

    Parameters
    ----------
    errors : array of items x judges
        1 for an error, 0 for a right verdict, NaN for none.
    right : array of int
        The right label of each item.
    cluster : array of int, optional
    rng : int or numpy.random.Generator, default 0

    Returns
    -------
    float
        NaN where nobody can err together with another.

    Examples
    --------
    >>> together = np.array([[1.0, 1, 1], [1, 1, 0], [0, 0, 0], [0, 0, 0], [0, 0, 0]] * 8)
    >>> independence_p(together, np.zeros(40, dtype=int))
    0.001
    """
    if cluster is not None:
        return _clustered_p(errors, right, cluster)
    draw = RandomStream.of(rng)
    seen, drawn, varies = 0, np.zeros(_N_PERMUTED, dtype=np.int64), False
    for group in _groups(errors, right):
        together = group.sum(axis=1).astype(np.int64)
        seen += int((together * (together - 1)).sum()) // 2
        wrong = group.sum(axis=0).astype(np.int64)
        drawn += permuted_pairs(wrong, len(group), draw)
        varies |= int(((wrong > 0) & (wrong < len(group))).sum()) > 1
    if not varies:
        return math.nan
    return float(1 + np.count_nonzero(drawn >= seen)) / (_N_PERMUTED + 1)


def _groups(errors: Floats, right: Ints) -> Iterator[Floats]:
    """Yield the errors of the judges who gave a verdict, by right label and by who they are."""
    known = ~np.isnan(errors)
    keys = np.column_stack([right, known])
    _, place, counts = np.unique(keys, axis=0, return_inverse=True, return_counts=True)
    place = place.ravel()
    for k in np.argsort(-counts, kind="stable")[:_MOST_GROUPS]:
        group = errors[place == k]
        group = group[:, ~np.isnan(group[0])]
        if len(group) > 1 and group.shape[1] > 1:
            yield group


def permuted_pairs(wrong: Ints, n: int, draw: RandomStream) -> Ints:
    """Draw how many pairs err together when each judge's errors fall on items at random.

    Judges come one after the other. Items with s errors so far are alike, so that how many of the
    next judge's errors fall on them is hypergeometric: nothing needs to be shuffled.
    """
    with_errors = np.zeros((len(wrong) + 1, _N_PERMUTED), dtype=np.int64)
    with_errors[0] = n
    pairs = np.zeros(_N_PERMUTED, dtype=np.int64)
    for judge, errors in enumerate(wrong.tolist()):
        left, rest = np.full(_N_PERMUTED, errors), np.full(_N_PERMUTED, n)
        hit = np.zeros((judge + 1, _N_PERMUTED), dtype=np.int64)
        for s in range(judge, 0, -1):
            rest = rest - with_errors[s]
            hit[s] = draw.hypergeometric(with_errors[s], rest, left)
            left = left - hit[s]
            pairs += s * hit[s]
        hit[0] = left
        with_errors[: judge + 1] -= hit
        with_errors[1 : judge + 2] += hit
    return pairs


def _clustered_p(errors: Floats, right: Ints, cluster: Ints) -> float:
    """Return the p-value where items of a cluster are alike: one sum of products per cluster."""
    centred = np.zeros_like(errors)
    for label in np.unique(right):
        own = errors[right == label]
        known = ~np.isnan(own)
        mean = np.where(known, own, 0.0).sum(axis=0) / np.maximum(known.sum(axis=0), 1)
        centred[right == label] = np.where(known, own - mean, 0.0)
    products = (centred.sum(axis=1) ** 2 - (centred**2).sum(axis=1)) / 2.0
    spread = math.sqrt(clustered_variance(products, cluster, small_sample="never"))
    n = int(np.unique(cluster).size)
    if spread <= 0.0 or n < 2:
        return math.nan
    return 1.0 - student_below(float(products.sum()) / spread, n - 1.0)


# ---- How the errors of every two judges go together, against people or the other judges.

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
    if against is None:
        against = "consensus" if people is None and gold is None else "gold"
    check_word("against", against, ("gold", "consensus"))
    more = {"judges": judges, "refusals": refusals, "clusters": clusters}
    if against == "gold":
        table = verdicts_of(ratings, people=people, gold=gold, **more)
        table = table.of_items(table.truth >= 0)
        errors = _errors(table)
    else:
        table = verdicts_alone(ratings, **more)
        if len(table.judges) < 3:
            raise UnsupportedDesignError.needs(
                "the consensus of judges",
                "at least three of them",
                f"{len(table.judges)}",
                "bring more judges, or people's labels",
            )
        votes = votes_of(table.codes, len(table.labels))
    pairs = {
        (i, j): errors[:, [i, j]] if against == "gold" else _against_others(table, votes, i, j)
        for i, j in combinations(range(len(table.judges)), 2)
    }
    found = _found(table, pairs, against, rng)
    return replace(found, confidence_level=check_confidence_level(confidence_level))


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


# ---- correlations


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
    used = np.flatnonzero(np.any([~np.isnan(e).any(axis=1) for e in pairs.values()], axis=0))
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
        columns = np.array(
            [
                np.concatenate([e[:, pair.index(k)] for pair, e in pairs.items() if k in pair])
                for k in range(n)
            ]
        )
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
    votes, rows = votes_of(codes, n_labels), np.arange(len(codes))
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
