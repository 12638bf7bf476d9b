"""Every pair of raters as a function of how often each pattern of their labels occurs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from consilience.coefficients import Estimate, errors
from consilience.core.arrays import Floats, Ints
from consilience.inference.replicates import Replicator
from consilience.panel._measures import Measure, share_features
from consilience.panel.panel_data import Panel
from consilience.rows import Rows
from consilience.rows.reduce import count_codes


@dataclass(frozen=True)
class Pair:
    """Two raters: an estimate for each coefficient, or the reason why there is none."""

    panel: Panel
    first: object
    second: object
    measures: Sequence[Measure]

    @cached_property
    def estimates(self) -> dict[str, Estimate | str]:
        """Estimates by key."""
        two = self.panel.select([self.first, self.second])
        return {m.key: m.of(two) for m in self.measures if m.coefficient is not None}

    @cached_property
    def codes(self) -> Ints:
        """The codes of both on every item; a refusal that counts as wrong has a code of its own."""
        places = [self.panel.column(self.first), self.panel.column(self.second)]
        codes = self.panel.codes[:, places].astype(np.int64)
        codes[self.panel.refused[:, places]] = len(self.panel.ratings.categories)
        return codes

    @cached_property
    def n_items(self) -> int:
        """Number of items that both answered."""
        return int((self.codes >= 0).all(axis=1).sum())

    @cached_property
    def whole(self) -> PairPatterns:
        """The pair's patterns on all items."""
        codes, times = distinct(self.codes)
        return PairPatterns(self, codes, times)

    @cached_property
    def values(self) -> Floats:
        """Every measure on the data themselves; NaN where it does not exist."""
        out = np.full(len(self.measures), np.nan)
        shares = [k for k, one in enumerate(self.measures) if one.coefficient is None]
        out[shares] = self.whole.shares(self.whole.times[:, None])[:, 0]
        for k, one in enumerate(self.measures):
            found = self.estimates.get(one.key)
            if isinstance(found, Estimate):
                out[k] = found.value
        return out

    def influence(self) -> Floats:
        """Return n times the influence of each item on every measure (measures x items)."""
        out = np.zeros((len(self.measures), len(self.codes)))
        for k, one in enumerate(self.measures):
            found = self.estimates.get(one.key)
            if isinstance(found, Estimate) and found.status == "ok":
                out[k] = found.item_influence() * len(self.codes) / max(found._sample_size(), 1)
        shares = [k for k, one in enumerate(self.measures) if one.coefficient is None]
        features, counts = self._shares(self.codes)
        out[shares] = self._share_influence(features, counts)
        return out

    def _shares(self, codes: Ints) -> tuple[Floats, Floats]:
        plain = [one for one in self.measures if one.coefficient is None]
        return share_features(plain, codes, self.panel.points, len(self.panel.ratings.categories))

    def _share_influence(self, features: Floats, counts: Floats) -> Floats:
        known = np.isfinite(features)
        weight = np.where(known, counts, 0.0)
        total = np.maximum(weight.sum(axis=1, keepdims=True), 1.0)
        mean = np.where(known, features, 0.0).sum(axis=1, keepdims=True) / total
        out: Floats = len(counts) * weight * (np.where(known, features, 0.0) - mean) / total
        for k, one in enumerate(m for m in self.measures if m.coefficient is None):
            if one.key.startswith("root") and mean[k, 0] > 0.0:
                out[k] /= 2.0 * np.sqrt(mean[k, 0])
        return out


@dataclass(frozen=True)
class PairPatterns:
    """Distinct patterns of a pair, and every measure as a function of their multiplicities."""

    pair: Pair
    codes: Ints
    times: Floats

    @cached_property
    def _replicators(self) -> list[Replicator | None]:
        n_labels = len(self.pair.panel.ratings.categories)
        plain = np.where(self.codes >= n_labels, -1, self.codes)
        counted = count_codes(plain, self.times, n_labels, by_rater=True)
        out: list[Replicator | None] = []
        for one in self.pair.measures:
            found = self.pair.estimates.get(one.key)
            if not isinstance(found, Estimate) or found.status != "ok":
                out.append(None)
                continue
            basis = found._basis
            source = basis.evaluation.source
            rows = Rows(
                source.form,
                counted.vectors,
                counted.ratings,
                counted.multiplicity,
                counted.by_rater,
            )
            out.append(Replicator(basis.coefficient, errors.with_form(rows, basis), source.metric))
        return out

    @cached_property
    def _features(self) -> tuple[Floats, Floats]:
        return self.pair._shares(self.codes)

    def warm(self) -> None:
        """Compute what threads share before they start."""
        _ = self._features
        for one in self._replicators:
            if one is not None:
                _ = one._features

    def values(self, weights: Floats) -> Floats:
        """Return every measure (measures x resamples) for multiplicities of the patterns."""
        out = np.full((len(self.pair.measures), weights.shape[1]), np.nan)
        for k, replicator in enumerate(self._replicators):
            if replicator is not None:
                out[k] = replicator.values(weights)
        shares = [k for k, one in enumerate(self.pair.measures) if one.coefficient is None]
        out[shares] = self.shares(weights)
        return out

    def shares(self, weights: Floats) -> Floats:
        """Return the shares and errors (shares x resamples)."""
        features, counts = self._features
        known = np.isfinite(features)
        with np.errstate(divide="ignore", invalid="ignore"):
            means = (np.where(known, features, 0.0) @ weights) / (
                np.where(known, counts, 0.0) @ weights
            )
        for k, one in enumerate(m for m in self.pair.measures if m.coefficient is None):
            if one.key.startswith("root"):
                means[k] = np.sqrt(means[k])
        return np.asarray(means)


def distinct(codes: Ints) -> tuple[Ints, Floats]:
    """Return the distinct rows of codes and how often each occurs."""
    rows, times, _ = distinct_with_inverse(codes)
    return rows, times


def distinct_with_inverse(codes: Ints) -> tuple[Ints, Floats, Ints]:
    """Return distinct rows, how often each occurs, and the distinct row of each given row."""
    base = int(codes.max(initial=0)) + 2
    if base ** codes.shape[1] >= 1 << 62:
        rows, inverse, times = np.unique(codes, axis=0, return_inverse=True, return_counts=True)
        return rows, times.astype(np.float64), inverse.ravel()
    key = np.zeros(len(codes), dtype=np.int64)
    for column in codes.T:
        key = key * base + column + 1
    distinct_keys, inverse, times = np.unique(key, return_inverse=True, return_counts=True)
    rows = np.empty((distinct_keys.size, codes.shape[1]), dtype=np.int64)
    left = distinct_keys
    for j in range(codes.shape[1] - 1, -1, -1):
        left, rows[:, j] = np.divmod(left, base)
    return rows - 1, times.astype(np.float64), inverse


def gathered(inverse: Ints, unit: Ints, shape: tuple[int, int]) -> Any:
    """Return the sparse matrix that turns how often units are drawn into patterns' counts."""
    from scipy.sparse import csr_array

    return csr_array((np.ones(inverse.size), (inverse, unit)), shape=shape)
