"""Populations of ratings: samples of any size, and the exact value of every coefficient."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from benchmarks.coverage._designs import Design, label_shares

Floats = NDArray[np.float64]
_TRAITS = 200  # places of the normal trait
_SPREAD = 1.0  # of logarithms, for lognormal values


# ------------------------------------------------------------------------------ labels


@dataclass(frozen=True)
class Labelled:
    """Kinds of items with their shares, and what each rater says of each kind."""

    shares: Floats  # kinds
    given: Floats  # raters x kinds x labels

    @property
    def margins(self) -> Floats:
        """How often each rater gives each label (raters x labels)."""
        return np.asarray(np.einsum("t,rtk->rk", self.shares, self.given))

    @property
    def pairs(self) -> Floats:
        """Two ratings of an item by different raters (labels x labels)."""
        total = self.given.sum(axis=0)
        both = np.einsum("t,tk,tl->kl", self.shares, total, total)
        same = np.einsum("t,rtk,rtl->kl", self.shares, self.given, self.given)
        n = len(self.given)
        return np.asarray((both - same) / (n * (n - 1)))

    def draw(self, rng: Any, design: Design) -> tuple[NDArray[np.int64], NDArray[np.int64] | None]:
        """Return labels (items x raters, -1 where missing) and the items' clusters."""
        sizes = _cluster_sizes(rng, design)
        clusters = None if sizes is None else np.repeat(np.arange(sizes.size), sizes)
        kinds = self._kinds(rng, design, clusters)
        return self._labels(rng, design, kinds, clusters), clusters

    def draw_rounds(self, rng: Any, design: Design) -> list[NDArray[np.int64]]:
        """Return labels of the same items in two rounds."""
        kinds = self._kinds(rng, design, None)
        return [self._labels(rng, design, kinds, None) for _ in range(2)]

    def _kinds(self, rng: Any, design: Design, clusters: Any) -> NDArray[np.int64]:
        n = design.items if clusters is None else clusters.size
        kinds = np.searchsorted(np.cumsum(self.shares), _chances(rng, n, 1, clusters, design.icc))
        return np.asarray(np.minimum(kinds[:, 0], self.shares.size - 1))

    def _labels(self, rng: Any, design: Design, kinds: Any, clusters: Any) -> NDArray[np.int64]:
        chances = _chances(rng, kinds.size, len(self.given), clusters, design.icc)
        steps = np.cumsum(self.given, axis=2)[:, kinds, :-1]
        labels = (chances.T[:, :, None] > steps).sum(axis=2).T
        labels[rng.random(labels.shape) < design.missing] = -1
        return np.asarray(labels)


def _cluster_sizes(rng: Any, design: Design) -> NDArray[np.int64] | None:
    """Return sizes that scatter about their mean, two items or more in each."""
    if not design.units:
        return None
    mean = design.items / design.units
    drawn = rng.integers(max(2, round(mean / 2)), round(1.5 * mean) + 1, design.units)
    return np.asarray(drawn)


def _chances(rng: Any, n: int, columns: int, clusters: Any, icc: float) -> Floats:
    """Return even numbers in (0, 1) whose normal scores share a part within a cluster."""
    if clusters is None:
        return np.asarray(rng.random((n, columns)))
    common = rng.standard_normal((int(clusters.max()) + 1, columns))[clusters]
    own = rng.standard_normal((n, columns))
    return np.asarray(ndtr(np.sqrt(icc) * common + np.sqrt(1.0 - icc) * own))


def labelled(design: Design) -> Labelled:
    """Return the population of a design of labels; its raters are drawn once."""
    rng = np.random.default_rng([7, *design.seed])
    shares = label_shares(design.labels, design.rarest)
    k, n_raters = design.labels, design.raters
    lean = design.bias * rng.standard_normal((n_raters, k))
    guess = shares * np.exp(lean)
    guess = guess / guess.sum(axis=1, keepdims=True)
    if design.model == "shared":
        plain = np.broadcast_to(np.eye(k), (n_raters, k, k))
        kinds = np.append(design.agreement * shares, 1.0 - design.agreement)
        return Labelled(kinds, np.concatenate([plain, guess[:, None, :]], axis=1))
    if design.model == "own":
        known = design.agreement**0.5 + design.bias * rng.uniform(-0.15, 0.15, n_raters)
        known = np.clip(known, 0.0, 0.99)[:, None, None] * (design.agreement > 0.0)
        return Labelled(shares, known * np.eye(k) + (1.0 - known) * guess[:, None, :])
    trait = ndtri((np.arange(_TRAITS) + 0.5) / _TRAITS)
    cuts = ndtri(np.cumsum(shares)[:-1])[None, None, :] + 0.5 * lean[:, :1, None]
    root, rest = design.agreement**0.5, (1.0 - design.agreement) ** 0.5
    below = ndtr((cuts - root * trait[None, :, None]) / rest)
    ends = np.zeros((n_raters, _TRAITS, 1))
    given = np.diff(np.concatenate([ends, below, ends + 1.0], axis=2), axis=2)
    return Labelled(np.full(_TRAITS, 1.0 / _TRAITS), given)


def distances(name: str, p: Floats) -> Floats:
    """Return how far labels lie apart."""
    points = np.arange(p.size, dtype=np.float64)
    if name == "nominal":
        return 1.0 - np.eye(p.size)
    if name == "ordinal":
        points = np.cumsum(p) - p / 2.0
    apart = np.abs(points[:, None] - points)
    return np.asarray(apart if name == "linear" else apart**2)


def true_value(population: Labelled, coefficient: str, distance: str) -> float:
    """Return a coefficient of all items there are, from the shares of pairs of labels."""
    margins = population.margins
    p = margins.mean(axis=0)
    k = p.size
    apart = distances(distance, p)
    observed = float((apart * population.pairs).sum())
    if coefficient == "percent_agreement":
        return 1.0 - observed / apart.max()
    alike = float((1.0 - apart / apart.max()).sum())
    if coefficient == "cohen_kappa":
        expected = np.mean([margins[r] @ apart @ margins[s] for r, s in _two_of(len(margins))])
    elif coefficient == "gwet_ac":
        expected = apart.max() * (1.0 - alike / (k * (k - 1)) * float(p @ (1.0 - p)))
    elif coefficient == "bennett_s":
        expected = apart.max() * (1.0 - alike / k**2)
    else:
        expected = p @ apart @ p
    return 1.0 - observed / float(expected)


def _two_of(n: int) -> list[tuple[int, int]]:
    return list(combinations(range(n), 2))


# ------------------------------------------------------------------------------ values


def draw_values(rng: Any, design: Design) -> Floats:
    """Return values (items x raters, NaN where missing) whose intraclass correlation is known.

    A share `bias` of what is not due to the items is due to raters, who are drawn anew.
    """
    item = rng.standard_normal((design.items, 1))
    noise = rng.standard_normal((design.items, design.raters))
    root, rest = design.agreement**0.5, (1.0 - design.agreement) ** 0.5
    if design.model == "lognormal":  # of raters' own errors too
        share = np.log1p(design.agreement * np.expm1(_SPREAD**2)) / _SPREAD**2
        values = np.exp(_SPREAD * (share**0.5 * item + (1.0 - share) ** 0.5 * noise))
    else:
        if design.model == "lognormal items":
            item = _lognormal(rng, item)
        if design.model in _ERRORS:
            noise = _ERRORS[design.model](rng, noise)
        rater = rng.standard_normal(design.raters)
        noise = design.bias**0.5 * rater + (1.0 - design.bias) ** 0.5 * noise
        values = root * item + rest * noise
    values[rng.random(values.shape) < design.missing] = np.nan
    return np.asarray(values)


def _exponential(rng: Any, noise: Floats) -> Floats:
    return np.asarray(rng.exponential(size=noise.shape) - 1.0)


def _lognormal(_: Any, noise: Floats) -> Floats:
    mean, spread = np.exp(0.5 * _SPREAD**2), np.expm1(_SPREAD**2) ** 0.5
    return np.asarray((np.exp(_SPREAD * noise) - mean) / (mean * spread))


def _slips(rng: Any, noise: Floats) -> Floats:
    """One mark in twenty is off by about four, to the same side."""
    slipped = rng.random(noise.shape) < 0.05
    spread = (0.05 * 16.0 * 0.95 + 0.05 + 0.95 * 0.36) ** 0.5
    return np.asarray((np.where(slipped, 4.0 + noise, 0.6 * noise) - 0.2) / spread)


# Errors of marks with mean 0 and variance 1, from normal ones.
_ERRORS = {"exponential errors": _exponential, "lognormal errors": _lognormal, "slips": _slips}


def true_icc(design: Design, model: str) -> float:
    """Return the intraclass correlation: agreement or consistency, of one or of all raters."""
    items, rest = design.agreement, 1.0 - design.agreement
    if model.startswith("C"):
        rest *= 1.0 - design.bias
    return items / (items + rest / (design.raters if model.endswith("k") else 1))


# ------------------------------------------------------------------------------ sessions

_OUTLYING, _LOSS = 0.1, 0.6  # the share of sessions that fail, and how much they lose


def draw_sessions(rng: Any, design: Design) -> Floats:
    """Return for each session its events: a table of labels, with those not linked behind it.

    A session's own shares of events that are linked, and of linked ones whose label is known to
    both raters, have the means that the design says.
    """
    n, k = design.units, design.labels
    mean = design.items / n
    sizes = 2 + rng.poisson(max(mean - 2.0, 0.0) * np.exp(rng.normal(-0.125, 0.5, n)))
    failed = rng.random(n) < _OUTLYING
    linked, known = (
        _session_shares(rng, design, share, failed) for share in _session_means(design)
    )
    labels = label_shares(k, design.rarest)
    apart = np.outer(labels, labels)
    cells = known[:, None, None] * np.diag(labels) + (1.0 - known)[:, None, None] * apart
    chances = np.column_stack([linked[:, None] * cells.reshape(n, -1), 1.0 - linked])
    return np.asarray(rng.multinomial(sizes, chances), dtype=np.float64)


def _session_means(design: Design) -> tuple[float, float]:
    return (1.0 + design.agreement) / 2.0, design.agreement


def _session_shares(rng: Any, design: Design, mean: float, failed: Any) -> Floats:
    if design.model == "outlying":
        return np.where(failed, *_good_and_bad(mean)[::-1])
    if design.icc == 0.0:
        return np.full(design.units, mean)
    total = 1.0 / design.icc - 1.0
    return np.asarray(rng.beta(mean * total, (1.0 - mean) * total, design.units))


def _good_and_bad(mean: float) -> tuple[float, float]:
    return min(1.0, mean / (1.0 - _OUTLYING * _LOSS)), (1.0 - _LOSS) * mean


def true_of_sessions(design: Design, what: str) -> float:
    """Return the share of linked events, or kappa of linked ones, over all sessions there are."""
    means = _session_means(design)
    weights = np.array([1.0])
    linked, known = (np.array([share]) for share in means)
    if design.model == "outlying":
        weights = np.array([1.0 - _OUTLYING, _OUTLYING])
        linked, known = (np.array(_good_and_bad(share)) for share in means)
    if what == "linked":
        return float(weights @ linked)
    return float((weights * linked) @ known / (weights @ linked))  # margins are the same in all
