"""What omega is computed from: totals over distinct items, chance ratings, what can be asked."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from consilience.core.arguments import number_where
from consilience.core.arrays import Floats, Ints, dense
from consilience.exceptions import InputError, UnsupportedDesignError
from consilience.latent.votes import is_unstable, modal_share
from consilience.ratings import Ratings
from consilience.ratings.patterns import distinct_rows
from consilience.rows.distinct_rows import incidence

# ---- how raters label when they guess

_MOST_STEPS = 100


def looks_stable(p: Floats, times: int, threshold: float | None) -> Floats:
    """Return the probability that `times` random ratings look stable; labels lie along axis 0.

    Without a threshold that is sum_k p_k^T: all are equal. With one, it is the probability that
    the most frequent label reaches that share of them.
    """
    least = times if threshold is None else math.ceil(threshold * times - 1e-9)
    if least >= times:
        return np.asarray((p**times).sum(axis=0))
    # No label reaches `least`: T! times the coefficient of x^T in prod_k sum_{j<least} (p_k x)^j/j!
    series = np.zeros((times + 1, *p.shape[1:]))
    series[0] = 1.0
    for p_k in p:
        grown = np.zeros_like(series)
        for j in range(min(least, times + 1)):
            grown[j:] += series[: times + 1 - j] * p_k**j / math.factorial(j)
        series = grown
    return np.asarray(np.clip(1.0 - math.factorial(times) * series[times], 0.0, 1.0))


def from_unstable_sets(
    counts: Floats, sets: Floats, times: tuple[int, ...]
) -> tuple[Floats, NDArray[np.bool_]]:
    """Estimate the distribution of chance ratings from sets of ratings that are not all equal.

    Maximises sum_k C_k log p_k - sum_T N_T log(1 - sum_k p_k^T) for each row: `counts` C (rows ×
    labels) counts the ratings in unstable sets, `sets` N (rows × times) the sets of each size.
    Plain shares C_k / sum C would pull p towards even: sets of one label were thrown away.

    Returns
    -------
    p, identified
        Where one label fills all sets but for one rating each, as any two labels do when items
        are rated twice, the likelihood has no single maximum, and p is the plain share.
    """
    total = counts.sum(axis=1, keepdims=True)
    p = counts / np.where(total > 0.0, total, 1.0)
    room = sets @ (np.array(times, dtype=np.float64) - 1.0)
    identified = (counts.max(axis=1) < room) & (total[:, 0] > 0.0)
    if identified.any():
        p[identified] = _climb(p[identified], counts[identified], sets[identified], times)
    return p, identified


def _climb(p: Floats, counts: Floats, sets: Floats, times: tuple[int, ...]) -> Floats:
    """Newton's method in log p, where the log-likelihood is concave."""
    for _ in range(_MOST_STEPS):
        score, information = _derivatives(p, counts, sets, times)
        if np.all(np.abs(score).max(axis=1) <= 1e-12 * counts.sum(axis=1)):
            break
        step = np.linalg.solve(information, score[..., None])[..., 0]
        before = _log_likelihood(p, counts, sets, times)
        share = np.ones(len(p))
        for _ in range(40):
            tried = _moved(p, step * share[:, None])
            falls = ~(_log_likelihood(tried, counts, sets, times) >= before - 1e-13 * abs(before))
            if not falls.any():
                break
            share = np.where(falls, share / 2.0, share)
        p = _moved(p, step * share[:, None])
    return p


def _moved(p: Floats, step: Floats) -> Floats:
    grown = p * np.exp(np.clip(step, -30.0, 30.0))
    return np.asarray(grown / grown.sum(axis=1, keepdims=True))


def _log_likelihood(p: Floats, counts: Floats, sets: Floats, times: tuple[int, ...]) -> Floats:
    seen = np.where(counts > 0.0, counts * np.log(np.where(p > 0.0, p, 1.0)), 0.0).sum(axis=1)
    kept = np.stack([1.0 - (p**t).sum(axis=1) for t in times], axis=1)
    lost = np.where(sets > 0.0, sets * np.log(np.maximum(kept, 1e-300)), 0.0).sum(axis=1)
    return np.asarray(seen - lost)


def _derivatives(
    p: Floats, counts: Floats, sets: Floats, times: tuple[int, ...]
) -> tuple[Floats, Floats]:
    """Return observed minus expected counts, and the covariance of counts in an unstable set."""
    score = counts.copy()
    q = p.shape[1]
    information = np.zeros((len(p), q, q))
    diagonal = np.arange(q)
    for j, t in enumerate(times):
        kept = np.maximum(1.0 - (p**t).sum(axis=1), 1e-300)[:, None]
        mean = t * (p - p**t) / kept
        square = t * (t - 1) * p[:, :, None] * p[:, None, :] / kept[..., None]
        square[:, diagonal, diagonal] = (t * (t - 1) * p**2 + t * p - t**2 * p**t) / kept
        n = sets[:, j]
        score -= n[:, None] * mean
        information += n[:, None, None] * (square - mean[:, :, None] * mean[:, None, :])
    # Labels that do not occur stay out; a common factor of all p changes nothing.
    used = counts > 0.0
    information *= used[:, :, None] & used[:, None, :]
    information += used[:, :, None] & used[:, None, :]
    information[:, diagonal, diagonal] += ~used
    # A little ridge keeps the system regular where labels hardly occur.
    information[:, diagonal, diagonal] *= 1.0 + 1e-12
    return np.where(used, score, 0.0), information


# ---- totals over distinct items

# Adds features (one column per distinct item) up: (features × items) to (features × samples).
Adder = Callable[[Any], Floats]
_CELLS_KEPT = 40_000_000


@dataclass(frozen=True)
class Pairs:
    """Agreement, chance agreement and weight of each pair of raters: (pairs × samples) each."""

    observed: Floats
    expected: Floats
    weight: Floats
    shared: Floats  # number of items that both rated

    def mean(self, part: Floats) -> Floats:
        """Return the mean over the pairs that share items."""
        there = self.shared > 0.0
        n_pairs = there.sum(axis=0)
        total = np.where(there, part, 0.0).sum(axis=0)
        return np.asarray(total / np.where(n_pairs > 0, n_pairs, np.nan))

    def omega(self) -> Floats:
        """Return (P_A - P_C) / (1 - P_C), over all pairs (Stegmann & Lücking 2005, eq. 3.1)."""
        observed, expected = self.mean(self.observed), self.mean(self.expected)
        room = 1.0 - expected
        return np.asarray((observed - expected) / np.where(room > 1e-14, room, np.nan))


@dataclass(frozen=True)
class Chance:
    """Each rater's distribution of chance ratings: (raters × labels × samples)."""

    shares: Floats
    fell_back: NDArray[np.bool_]  # (raters × samples): "unstable" gave no single answer


@dataclass(frozen=True)
class Study:
    """Distinct items of a study with occasions, and how omega is to be computed.

    ``codes`` are (raters × occasions × distinct items), ``first`` the codes of the first occasion,
    ``certainty`` what raters stated (raters × items), if that is where the weight comes from.
    """

    codes: Ints
    first: Ints
    multiplicity: Floats
    n_labels: int
    similarity: Floats | None  # labels × labels; None: equal or not
    chance: str
    weight: str | float
    threshold: float | None
    occasions: str
    certainty: Floats | None = None

    @classmethod
    def of(cls, codes: Ints, **options: Any) -> Study:
        """Bring equal items together; the order of the occasions after the first is no matter."""
        n_raters, n_times, n_items = codes.shape
        ordered, first = np.sort(codes, axis=1), codes[:, 0]
        if options.get("certainty") is not None:
            return cls(ordered, first, np.ones(n_items), **options)
        columns = ordered.reshape(-1, n_items)
        if options["occasions"] == "first":
            columns = np.concatenate([columns, first])
        rows, times = distinct_rows(np.ascontiguousarray(columns.T), -1, max(int(columns.max()), 0))
        few = rows.T.astype(np.int64) - 1
        cut = n_raters * n_times
        first = few[cut:] if options["occasions"] == "first" else few[:n_raters]
        return cls(
            few[:cut].reshape(n_raters, n_times, -1), first, times.astype(np.float64), **options
        )

    # ---------------------------------------------------------------- features of items

    @property
    def n_raters(self) -> int:
        """Number of raters."""
        return len(self.codes)

    @cached_property
    def given(self) -> NDArray[np.int64]:
        """Number of ratings that each rater gave each item (raters × items)."""
        return np.asarray((self.codes >= 0).sum(axis=1))

    @cached_property
    def differs(self) -> NDArray[np.bool_]:
        """Where a rater's ratings of an item are not all equal."""
        return np.stack([is_unstable(codes) for codes in self.codes])

    @cached_property
    def unstable(self) -> NDArray[np.bool_]:
        """Where a rater counts as unstable on an item."""
        if self.threshold is None:
            return self.differs
        share = np.stack([modal_share(codes) for codes in self.codes])
        return np.asarray((share < self.threshold - 1e-12) & (self.given >= 2))

    @cached_property
    def times(self) -> tuple[int, ...]:
        """How often items were rated, where more than once."""
        return tuple(int(t) for t in np.unique(self.given[self.given >= 2]))

    def _labels(self, kept: NDArray[np.bool_] | None = None) -> Any:
        """Count labels: (raters * labels × items)."""
        rater, occasion, item = np.nonzero(self.codes >= 0)
        if kept is not None:
            mine = kept[rater, item]
            rater, occasion, item = rater[mine], occasion[mine], item[mine]
        row = rater * self.n_labels + self.codes[rater, occasion, item]
        return incidence(row, item, (self.n_raters * self.n_labels, self.multiplicity.size))

    @cached_property
    def all_labels(self) -> Any:
        """Labels of all ratings."""
        return self._labels()

    @cached_property
    def unstable_labels(self) -> Any:
        """Labels of ratings in sets that are not all equal."""
        return self._labels(self.differs)

    def _sets(self, flags: NDArray[np.bool_]) -> Floats:
        """Split flags (items) by rater and number of ratings: (raters, times, items)."""
        by_times = [(self.given == t) & flags for t in self.times]
        return np.stack(by_times, axis=1).astype(np.float64)

    def _agreement(self, g: int, h: int) -> tuple[Floats, Floats]:
        """Return the agreement of two raters on each item, and 1 where both rated it."""
        if self.occasions == "first":
            left, right = self.first[[g]], self.first[[h]]
        else:
            left, right = self.codes[g], self.codes[h]
        agree = np.zeros(self.multiplicity.size)
        for x in left:
            for y in right:
                both = (x >= 0) & (y >= 0)
                if self.similarity is None:
                    agree += both & (x == y)
                else:
                    agree += np.where(both, self.similarity[x, y], 0.0)
        pairs = (left >= 0).sum(axis=0) * (right >= 0).sum(axis=0)
        return agree / np.maximum(pairs, 1), (pairs > 0).astype(np.float64)

    def _instability(self, g: int, h: int) -> list[Floats]:
        """Return the items that both rated again, and how often which of the two is unstable."""
        again = (self.given[g] >= 2) & (self.given[h] >= 2)
        one, two = (self.unstable[r] & again for r in (g, h))
        if self.weight == "naive":
            return [again, one | two]
        of_g, of_h = ([self.given[r] == t for t in self.times] for r in (g, h))
        return [
            again,
            *(one & mine for mine in of_g),
            *(two & hers for hers in of_h),
            *(one & two & mine & hers for mine in of_g for hers in of_h),
        ]

    def _features(self, g: int, h: int) -> Floats:
        """Return what an item adds to the totals of a pair (features × items)."""
        kept = self._known.get((g, h))
        if kept is not None:
            return kept
        agree, both = self._agreement(g, h)
        parts = [agree, both]
        if self.certainty is not None:
            stated = self.certainty[g] * self.certainty[h]
            known = both * np.isfinite(stated)
            parts += [np.where(known > 0.0, stated, 0.0), known]
        elif isinstance(self.weight, str):
            parts += self._instability(g, h)
        features = np.stack(parts).astype(np.float64)
        n_pairs = self.n_raters * (self.n_raters - 1) // 2
        if features.size * n_pairs <= _CELLS_KEPT:
            self._known[g, h] = features
        return features

    @cached_property
    def _known(self) -> dict[tuple[int, int], Floats]:
        """Features of pairs that are kept, because resampling asks for them again and again."""
        return {}

    # ---------------------------------------------------------------- from totals to omega

    def evaluate(self, add: Adder) -> Pairs:
        """Return the parts of omega for the samples that `add` stands for."""
        chance = self.chances(add)
        parts = [self._pair(g, h, chance, add) for g, h in combinations(range(self.n_raters), 2)]
        observed, expected, weight, shared = (np.stack(part) for part in zip(*parts, strict=True))
        return Pairs(observed, expected, weight, shared)

    def chances(self, add: Adder) -> Chance:
        """Return each rater's distribution of chance ratings."""
        shape = (self.n_raters, self.n_labels, 1)
        none = np.zeros((self.n_raters, 1), dtype=np.bool_)
        if self.chance == "uniform":  # the same for all samples
            return Chance(np.full(shape, 1.0 / self.n_labels), none)
        counts = np.asarray(add(self.all_labels)).reshape(*shape[:2], -1)
        total = counts.sum(axis=1, keepdims=True)
        own = counts / np.where(total > 0.0, total, np.nan)
        if self.chance == "marginal":
            return Chance(own, none)
        there = total > 0.0
        n_raters = there.sum(axis=0, keepdims=True)
        pooled = np.where(there, own, 0.0).sum(axis=0, keepdims=True) / np.maximum(n_raters, 1)
        pooled = np.broadcast_to(pooled, counts.shape)
        if self.chance == "pooled" or not self.times:
            return Chance(pooled, none)
        return self._unstable_chances(add, pooled)

    def _unstable_chances(self, add: Adder, pooled: Floats) -> Chance:
        n_raters, q, n_samples = pooled.shape
        counts = np.asarray(add(self.unstable_labels)).reshape(n_raters, q, n_samples)
        flags = self._sets(self.differs).reshape(-1, self.multiplicity.size)
        sets = np.asarray(add(flags)).reshape(n_raters, -1, n_samples)
        p, identified = from_unstable_sets(
            np.moveaxis(counts, 1, 2).reshape(-1, q),
            np.moveaxis(sets, 1, 2).reshape(n_raters * n_samples, -1),
            self.times,
        )
        p = np.moveaxis(p.reshape(n_raters, n_samples, q), 2, 1)
        known = identified.reshape(n_raters, n_samples)
        nothing = counts.sum(axis=1) == 0.0
        return Chance(np.where(known[:, None], p, pooled), ~known & ~nothing)

    def _pair(
        self, g: int, h: int, chance: Chance, add: Adder
    ) -> tuple[Floats, Floats, Floats, Floats]:
        agree, shared, *rest = add(self._features(g, h))
        observed = agree / np.where(shared > 0.0, shared, np.nan)
        p, r = chance.shares[g], chance.shares[h]
        if self.similarity is None:
            met = (p * r).sum(axis=0)
        else:
            met = (p * (self.similarity @ r)).sum(axis=0)
        weight = np.broadcast_to(self._weight(g, h, chance, rest), observed.shape)
        # Stegmann & Lücking 2005, eq. 3.2: P_C = w sum of p_1k p_2k
        return observed, weight * met, weight, shared

    def _weight(self, g: int, h: int, chance: Chance, totals: list[Floats]) -> Floats:
        """Return the share of chance-infected items of two raters."""
        if self.certainty is not None:
            sure, n = totals
            return np.asarray(1.0 - sure / np.where(n > 0.0, n, np.nan))
        if not isinstance(self.weight, str):
            return np.full(1, self.weight)
        n = np.where(totals[0] > 0.0, totals[0], np.nan)
        if self.weight == "naive":
            return np.asarray(totals[1] / n)
        return self._corrected(self._seen(g, chance), self._seen(h, chance), totals[1:], n)

    def _seen(self, r: int, chance: Chance) -> list[Floats]:
        """Return the chance that a set of random ratings is seen to be unstable, by its size."""
        p = chance.shares[r]
        return [1.0 - looks_stable(p, t, self.threshold) for t in self.times]

    def _corrected(
        self, seen_g: list[Floats], seen_h: list[Floats], totals: list[Floats], n: Floats
    ) -> Floats:
        """Return c_g + c_h - c_gh, each set weighed by its chance of being seen to be unstable."""
        size = len(self.times)
        both = [a * b for a in seen_g for b in seen_h]
        c_g = _weighed(totals[:size], seen_g) / n
        c_h = _weighed(totals[size : 2 * size], seen_h) / n
        c_gh = _weighed(totals[2 * size :], both) / n
        c_g, c_h, c_gh = (np.minimum(c, 1.0) for c in (c_g, c_h, c_gh))
        return np.asarray(np.minimum(np.maximum.reduce([c_g + c_h - c_gh, c_g, c_h]), 1.0))

    def guessed(self, chance: Chance, add: Adder) -> Floats:
        """Return each rater's corrected share of chance ratings on her own repeated items."""
        out = np.full(self.n_raters, np.nan)
        for r in range(self.n_raters if self.times else 0):
            by_times = [self.unstable[r] & (self.given[r] == t) for t in self.times]
            n, *totals = add(np.stack([self.given[r] >= 2, *by_times]).astype(np.float64))
            share = _weighed(totals, self._seen(r, chance)) / np.where(n > 0.0, n, np.nan)
            out[r] = min(float(share[0]), 1.0) if n[0] > 0.0 else np.nan
        return out

    # ---------------------------------------------------------------- samples

    def whole(self) -> Adder:
        """Add up over all items."""
        return lambda features: np.asarray(features @ self.multiplicity[:, None])

    def warm_up(self) -> None:
        """Compute what all samples share, before threads ask for it."""
        _ = self.all_labels, self.unstable, self.times
        if self.chance == "unstable":
            _ = self.unstable_labels

    def weighted(self, weights: Floats) -> Adder:
        """Add up over resamples (items × samples)."""
        return lambda features: np.asarray(features @ weights)

    def without(self, block: slice) -> Adder:
        """Add up over all items but one of each kind in the block."""

        def add(features: Any) -> Floats:
            part = features[:, block]
            left_out = dense(part)
            return np.asarray(features @ self.multiplicity[:, None] - left_out)

        return add

    def left_out(self) -> Floats:
        """Return omega without one item of each kind."""
        size = self.multiplicity.size
        at_once = max(2_048, _CELLS_KEPT // (8 * self.n_raters * max(self.n_labels, 8)))
        parts = [self.evaluate(self.without(block)).omega() for block in _blocks(size, at_once)]
        return np.concatenate(parts)


def _blocks(total: int, size: int) -> Iterator[slice]:
    for start in range(0, total, size):
        yield slice(start, min(start + size, total))


def _weighed(totals: list[Floats], seen: list[Floats]) -> Floats:
    """Divide each total by its chance of being seen; nothing seen is nothing, whatever it is."""
    parts = [
        np.where(total > 0.0, total / np.where(chance > 1e-15, chance, 1e-15), 0.0)
        for total, chance in zip(totals, seen, strict=True)
    ]
    return np.asarray(np.sum(parts, axis=0))


# ---- what omega can be asked

WEIGHTS = ("corrected", "naive")
INFECTED_SHARE = "it is the share of chance-infected items"
_MOST_RATERS = 100
_MOST_LABELS = 512


def check_design(ratings: Ratings) -> None:
    """Refuse too few or too many raters or labels."""
    n_raters, n_labels = len(ratings.raters), len(ratings.categories)
    if not 2 <= n_raters <= _MOST_RATERS:
        hint = (
            "one rater's agreement with herself is latent.intra_rater"
            if n_raters < 2
            else "choose some with ratings.select(raters=...)"
        )
        need = f"between two and {_MOST_RATERS} raters"
        raise UnsupportedDesignError.needs("omega", need, f"{n_raters}", hint)
    if not 1 <= n_labels <= _MOST_LABELS:
        raise UnsupportedDesignError.needs(
            "omega",
            f"between 1 and {_MOST_LABELS} labels",
            f"{n_labels:,}",
            "collapse the labels, or round them if they are numbers",
        )


def check_threshold(threshold: Any) -> float | None:
    """Return the share of equal ratings that counts as stable."""
    if threshold is None:
        return None
    return number_where(
        "stability_threshold",
        threshold,
        "above 0 and at most 1",
        "1 asks for all ratings to be equal; leave it out for the same",
        fits=lambda x: 0.0 < x <= 1.0,
    )


def check_weight(weight: Any, ratings: Ratings) -> tuple[str | float, Floats | None]:
    """Return the weight as a word or a number, or certainties as raters × items."""
    if isinstance(weight, str):
        if weight not in WEIGHTS:
            raise InputError.unknown_word("weight", weight, WEIGHTS)
        return weight, None
    if isinstance(weight, Real) and not isinstance(weight, bool):
        share = number_where(
            "weight", weight, "between 0 and 1", INFECTED_SHARE, fits=lambda x: 0.0 <= x <= 1.0
        )
        return share, None
    if weight is None or isinstance(weight, bool):
        raise InputError.expected(
            "weight",
            "'corrected', 'naive', a number between 0 and 1, or certainties",
            weight,
            'leave it out for "corrected"',
        )
    return "certainties", _check_certainties(weight, ratings)


def _check_certainties(stated: Any, ratings: Ratings) -> Floats:
    """Return certainties as raters × items."""
    shape = (ratings.n_items, len(ratings.raters))
    expectation = f"a table of {shape[0]} items × {shape[1]} raters, or a mapping of rater to list"
    try:
        if isinstance(stated, Mapping):
            table = np.array(
                [np.asarray(stated[rater], dtype=np.float64) for rater in ratings.raters]
            )
        else:
            table = np.asarray(stated, dtype=np.float64).T
    except (KeyError, TypeError, ValueError) as error:
        got = f"no entry for {error}" if isinstance(error, KeyError) else type(stated).__name__
        raise InputError.expected(
            "certainties", expectation, got, "give one number between 0 and 1 per item and rater"
        ) from None
    if table.shape != shape[::-1]:
        raise InputError.expected(
            "certainties", expectation, f"shape {table.shape[::-1]}", "keep the order of the items"
        )
    outside = table[np.isfinite(table) & ((table < 0.0) | (table > 1.0))]
    if outside.size or np.isinf(table).any():
        raise InputError.expected(
            "every certainty",
            "between 0 and 1",
            float(outside[0]) if outside.size else math.inf,
            "divide by 100 if they are percentages",
        )
    return table


def check_retests(study: Study, ratings: Ratings, threshold: float | None) -> None:
    """Refuse raters of whom nothing is known about their stability."""
    again = study.given >= 2
    if not again.any():
        raise UnsupportedDesignError.needs(
            "omega",
            "items that raters rated more than once, or a stated weight",
            "one rating per rater and item",
            "name the column of occasions in Ratings.from_long, or state weight=",
        )
    never = [name for name, row in zip(ratings.raters, again, strict=True) if not row.any()]
    busy = [name for name, row in zip(ratings.raters, study.given, strict=True) if row.any()]
    never = [name for name in never if name in busy]
    if never:
        raise UnsupportedDesignError.needs(
            "omega",
            "items that every rater rated more than once, or a stated weight",
            f"none for {', '.join(map(str, never[:6]))}",
            "select the raters who rated again, or state weight=",
        )
    shared = again.astype(np.float64) @ again.T.astype(np.float64)
    for g in range(len(shared)):
        for h in range(g):
            meet = ((study.given[g] > 0) & (study.given[h] > 0)).any()
            if meet and shared[g, h] == 0:
                raise UnsupportedDesignError.needs(
                    "omega",
                    "items that both raters of a pair rated more than once, or a stated weight",
                    f"none for {ratings.raters[h]} and {ratings.raters[g]}",
                    "let them rate the same items again, or state weight=",
                )
    even = np.full((study.n_labels, 1), 1.0 / study.n_labels)
    if threshold is not None and study.n_labels > 1:
        blind = [t for t in study.times if looks_stable(even, t, threshold)[0] > 1.0 - 1e-12]
        if blind:
            raise InputError.expected(
                "stability_threshold",
                f"above the share that {blind[0]} ratings of {study.n_labels} labels always reach",
                threshold,
                "raise it, or leave it out",
            )
