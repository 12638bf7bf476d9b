"""A null value of any coefficient as a model that studies can be drawn from.

Raters know some of the items, on which they all give the true label, and guess the others, each on
her own. How many they know is chosen such that the coefficient has the null value in a very large
study; everything else stays as it was observed: who rated what, and as far as possible how often
each label was used. Null values of Gwet's AC1 are drawn with guesses that favour no label, as in
his own tables of critical values; those of kappa, pi and alpha with guesses that follow the labels.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from consilience.core.arrays import Floats, Ints, dense
from consilience.core.draws import RandomStream
from consilience.core.resample import Progress
from consilience.exceptions import UnsupportedDesignError
from consilience.inference.replicates import Replicator, Statistic
from consilience.rows import Form, MovingMetric, Rows

GUESSES = ("uniform", "pooled", "own")
_MOST_ROWS = 3_000  # different items that are listed; where there are more, items are drawn
_MANY = 1e9  # items of a study that is as good as infinite
_CELLS = 4_000_000  # numbers held at a time
_HALVINGS = 60


@dataclass(frozen=True)
class Presence:
    """Who rated together: `n_items` items have ratings of these raters."""

    raters: tuple[int, ...]
    n_items: int


def presences(rows: Rows, n_raters: int, *, named: bool) -> list[Presence]:
    """Return who rated together and how often; where nobody is named, how many did."""
    times = rows.multiplicity
    if named and rows.by_rater is not None:
        cells = dense(rows.by_rater).reshape(n_raters, rows.form.size, -1)
        keys = [tuple(np.flatnonzero(column).tolist()) for column in cells.sum(axis=1).T]
    else:
        keys = [tuple(range(round(m))) for m in rows.ratings]
    found: dict[tuple[int, ...], float] = {}
    for key, n in zip(keys, times, strict=True):
        found[key] = found.get(key, 0.0) + float(n)
    return [Presence(key, round(n)) for key, n in found.items() if key]


@dataclass(frozen=True)
class NullModel:
    """Studies in which a coefficient has a given value.

    Attributes
    ----------
    shares_rk : how often each rater used each label, one line per rater
    guesses : {"uniform", "pooled", "own"}
        What a rater says who does not know: any label alike, a label as often as all raters used
        it, or as often as she did.
    """

    statistic: Statistic
    form: Form
    metric: MovingMetric | None
    who: list[Presence]
    n_raters: int
    shares_rk: Floats
    guesses: str
    by_rater: bool

    def distributions(self, known: float) -> tuple[Floats, Floats]:
        """Return the labels of known items, and of each rater's guesses.

        Both are chosen such that together they give the labels that were observed, as far as a
        share of known items allows that.
        """
        p_k = self.shares_rk.mean(axis=0)
        if self.guesses == "uniform":
            g_k = np.full(p_k.size, 1.0 / p_k.size)
            plain = p_k if known == 0.0 else _positive((p_k - (1.0 - known) * g_k) / known)
            return plain, np.tile(g_k, (self.n_raters, 1))
        if self.guesses == "pooled" or known == 1.0:
            return p_k, np.tile(p_k, (self.n_raters, 1))
        own = (self.shares_rk - known * p_k) / (1.0 - known)
        return p_k, np.array([_positive(one) for one in own])

    @property
    def _alike(self) -> bool:
        """Whether it does not matter who gave which rating."""
        return not self.by_rater and self.guesses != "own"

    @cached_property
    def _listed(self) -> list[tuple[Presence, Ints]] | None:
        """Every item that can occur: label codes by rater, or None where there are too many."""
        q, total = self.form.size, 0
        for one in self.who:
            m = len(one.raters)
            total += math.comb(m + q - 1, q - 1) if self._alike else q**m
            if total > _MOST_ROWS:
                return None
        return [(one, self._items_of(len(one.raters))) for one in self.who]

    def _items_of(self, m: int) -> Ints:
        q = self.form.size
        ways = (
            itertools.combinations_with_replacement(range(q), m)
            if self._alike
            else itertools.product(range(q), repeat=m)
        )
        return np.array(list(ways), dtype=np.int64).reshape(-1, m)

    def _chances(self, raters: tuple[int, ...], items: Ints, known: float) -> Floats:
        """Return how likely each listed item is."""
        plain, guesses = self.distributions(known)
        by_luck = np.ones(len(items))
        for place, rater in enumerate(raters):
            by_luck *= guesses[rater][items[:, place]]
        if self._alike:
            by_luck *= _orders(items, self.form.size)
        same = (items == items[:, :1]).all(axis=1)
        chances = (1.0 - known) * by_luck + known * np.where(same, plain[items[:, 0]], 0.0)
        return np.asarray(chances / chances.sum())

    def _rows(self, parts: list[tuple[Presence, Ints]]) -> Rows:
        q, width = self.form.size, sum(len(items) for _, items in parts)
        who = np.zeros((self.n_raters, q, width))
        ratings, start = np.empty(width), 0
        for one, items in parts:
            place = start + np.arange(len(items))
            for column, rater in enumerate(one.raters):
                who[rater, items[:, column], place] = 1.0
            ratings[place] = len(one.raters)
            start += len(items)
        named = who.reshape(self.n_raters * q, width) if self.by_rater else None
        return Rows(self.form, who.sum(axis=0), ratings, np.ones(width), named)

    def large_sample_value(self, known: float) -> float:
        """Return the coefficient in a very large study with a share of known items."""
        parts, replicator = self._large
        weights = np.concatenate(
            [one.n_items * self._chances(one.raters, items, known) for one, items in parts]
        )
        scale = _MANY / weights.sum()
        return float(replicator.values(scale * weights[:, None])[0])

    @cached_property
    def _large(self) -> tuple[list[tuple[Presence, Ints]], Replicator]:
        """What a very large study consists of; pairs of raters where items cannot be listed."""
        parts = self._listed
        if parts is None:
            items = np.indices((self.form.size,) * 2).reshape(2, -1).T
            chosen = itertools.combinations(range(self.n_raters), 2) if self.by_rater else [(0, 1)]
            if self._alike:
                items = self._items_of(2)
            parts = [(Presence(pair, 1), items) for pair in chosen]
        return parts, Replicator(self.statistic, self._rows(parts), self.metric)

    def share_known(self, null: float) -> float:
        """Return the share of known items that gives the coefficient the null value."""
        lowest = self.large_sample_value(0.0)
        if math.isclose(lowest, null, abs_tol=1e-7):
            return 0.0
        if not lowest < null < 1.0:
            raise UnsupportedDesignError.needs(
                f"a null value of {null:g}",
                f"a value that such raters can have: {lowest:.3f} if they only guess, below 1 if "
                "they know",
                f"{null:g}",
                "choose another null value",
            )
        low, high = 0.0, 1.0
        for _ in range(_HALVINGS):
            middle = (low + high) / 2.0
            low, high = (middle, high) if self.large_sample_value(middle) < null else (low, middle)
        return (low + high) / 2.0

    @property
    def is_listed(self) -> bool:
        """Whether all items that can occur are listed, so that studies cost next to nothing."""
        return self._listed is not None

    def draw(
        self,
        known: float,
        n_resamples: int,
        rng: RandomStream,
        progress: Progress | None = None,
    ) -> Floats:
        """Return the coefficient in many studies with a share of known items."""
        parts = self._listed
        blocks = self._by_item(known, n_resamples, rng)
        if parts is not None:
            blocks = self._by_pattern(parts, known, n_resamples, rng)
        values = np.empty(n_resamples)
        done = 0
        for block in blocks:
            values[done : done + block.size] = block
            done += block.size
            if progress is not None:
                progress(done, n_resamples)
        return values

    def _by_pattern(
        self,
        parts: list[tuple[Presence, Ints]],
        known: float,
        n_resamples: int,
        rng: RandomStream,
    ) -> Iterator[Floats]:
        """Draw how many items show each pattern of labels."""
        replicator = Replicator(self.statistic, self._rows(parts), self.metric)
        chances = [self._chances(one.raters, items, known) for one, items in parts]
        at_once = max(1, _CELLS // sum(map(len, chances)))
        for start in range(0, n_resamples, at_once):
            size = min(at_once, n_resamples - start)
            drawn = [
                rng.multinomial(one.n_items, share, size=size)
                for (one, _), share in zip(parts, chances, strict=True)
            ]
            yield replicator.values(np.concatenate(drawn, axis=1).T.astype(np.float64))

    def _by_item(self, known: float, n_resamples: int, rng: RandomStream) -> Iterator[Floats]:
        """Draw the labels of each item, where there are too many patterns to list."""
        plain, guesses = (np.cumsum(p, axis=-1) for p in self.distributions(known))
        raters = np.concatenate([np.tile(one.raters, one.n_items) for one in self.who])
        sizes = np.concatenate([np.full(one.n_items, len(one.raters)) for one in self.who])
        item = np.repeat(np.arange(sizes.size), sizes)
        everyone = np.ones((sizes.size, 1))
        for _ in range(n_resamples):
            truth = np.searchsorted(plain[:-1], rng.random(sizes.size))
            is_known = rng.random(sizes.size) < known
            luck = (rng.random(raters.size)[:, None] > guesses[raters, :-1]).sum(axis=1)
            label = np.where(is_known[item], truth[item], luck)
            rows = self._study(item, raters, label, sizes)
            yield Replicator(self.statistic, rows, self.metric).values(everyone)

    def _study(self, item: Ints, rater: Ints, label: Ints, sizes: Ints) -> Rows:
        n, q = sizes.size, self.form.size
        vectors = np.bincount(label * n + item, minlength=q * n).reshape(q, n)
        who = None
        if self.by_rater:
            key = (rater * q + label) * n + item
            times = np.bincount(key, minlength=self.n_raters * q * n)
            who = times.reshape(self.n_raters * q, n).astype(np.float64)
        return Rows(
            self.form, vectors.astype(np.float64), sizes.astype(np.float64), np.ones(n), who
        )


def _positive(shares: Floats) -> Floats:
    """Return shares that are not below 0 and add up to 1, as near as that goes."""
    clipped = np.clip(shares, 0.0, None)
    total = clipped.sum()
    return np.asarray(clipped / total) if total > 0.0 else np.full(shares.size, 1.0 / shares.size)


def _orders(items: Ints, n_labels: int) -> Floats:
    """Return in how many orders raters can give the labels of each item."""
    from scipy.special import gammaln

    counts = np.stack([(items == k).sum(axis=1) for k in range(n_labels)])
    return np.asarray(np.exp(gammaln(items.shape[1] + 1) - gammaln(counts + 1).sum(axis=0)))
