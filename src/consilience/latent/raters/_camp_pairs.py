"""Agreement of pairs of raters beyond chance, and what a single view leaves of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from consilience.core.arrays import Floats, Indices
from consilience.core.draws import RandomStream
from consilience.exceptions import UnsupportedDesignError
from consilience.latent.entries import Entries

_FEWEST_COMMON = 5  # items that a pair must share to be compared
_N_BLOCKS = 250  # sums over so many groups of items stand for the items in the bootstrap
# Mammen's multipliers: mean 0, variance 1, and third moment 1, as sums of squares are skewed.
_BELOW, _ABOVE = (1.0 - 5.0**0.5) / 2.0, (1.0 + 5.0**0.5) / 2.0
_OFTEN = _ABOVE / 5.0**0.5
_CELLS = 1_000_000  # of the matrices that are worked on together
_EQUAL = 1e-9  # what differs by less differs by rounding
_SETTLED = 1e-6  # change of a loading below which the fit ends


@dataclass(frozen=True)
class Blocks:
    """Sums over blocks of items.

    `product` (blocks × pairs) sums Σ_k (1[x_g = k] - p_gk)(1[x_h = k] - p_hk), `common` the items
    that both rated; `own` (blocks × raters × labels) sums 1[x_g = k] - p_gk. `room` is how large
    the mean product of a pair can be. For measurements, the mark stands in place of the indicators.
    """

    product: Floats
    common: Floats
    own: Floats
    rated: Floats  # items that each rater rated
    room: Floats

    @classmethod
    def of(
        cls,
        entries: Entries,
        raters: Indices,
        rng: RandomStream,
        labels: Indices,
        marks: Floats | None = None,
    ) -> Blocks:
        """Deal the items into blocks at random and sum over each.

        Items are dealt in the order of what was said of them, by these raters in these labels, so
        that the draw does not depend on the order in which they came.
        """
        codes = _matrix(entries, raters)
        place = np.empty(labels.size + 1, dtype=np.intp)
        place[labels], place[-1] = np.arange(labels.size), -1
        codes = codes[np.lexsort(place[codes].T[::-1])]
        codes = codes[rng.permutation(len(codes))]
        given = codes >= 0
        rated = np.maximum(given.sum(axis=0), 1).astype(np.float64)
        n_raters, n_blocks = raters.size, max(1, min(_N_BLOCKS, len(codes)))
        upper = np.triu_indices(n_raters, 1)
        cuts = np.linspace(0, len(codes), n_blocks + 1).astype(int)
        every = [slice(cuts[b], cuts[b + 1]) for b in range(n_blocks)]
        common = np.stack([_product(given[block].astype(np.float64))[upper] for block in every])
        product, own = np.zeros_like(common), []
        room = np.zeros((n_raters, n_raters))
        for z_ig, most in _deviations(codes, given, rated, entries, marks):
            product += np.stack([_product(z_ig[block])[upper] for block in every])
            own.append(np.stack([z_ig[block].sum(axis=0) for block in every]))
            room += most
        return cls(product, common, np.stack(own, axis=-1), rated, room)


def _product(z_ig: Floats) -> Floats:
    out: Floats = z_ig.T @ z_ig
    return out


def _deviations(
    codes: Indices, given: NDArray[np.bool_], rated: Floats, entries: Entries, marks: Floats | None
) -> Iterator[tuple[Floats, Floats]]:
    """Yield what is multiplied, label by label or once for marks, and the room it adds."""
    if marks is not None:
        value = np.where(given, marks[np.maximum(codes, 0)], 0.0)
        z_ig = np.where(given, value - value.sum(axis=0) / rated, 0.0)
        spread = np.sqrt((z_ig**2).sum(axis=0) / rated)
        yield z_ig, spread[:, None] * spread
        return
    for k in np.flatnonzero(entries.per_label > 0):
        is_k = codes == k
        share = is_k.sum(axis=0) / rated
        # 1 - Σ_k p_gk p_hk, in halves that add up: Σ_k (p_gk + p_hk) / 2 = 1.
        yield (is_k - share) * given, (share[:, None] + share) / 2.0 - share[:, None] * share


def _matrix(entries: Entries, raters: Indices) -> Indices:
    """Lay out the items with at least two ratings (items × raters; -1 for none)."""
    column = np.full(entries.n_raters, -1)
    column[raters] = np.arange(raters.size)
    codes = np.full((entries.n_items, raters.size), -1, dtype=np.int32)
    codes[entries.item, column[entries.rater]] = entries.label
    return np.asarray(codes[(codes >= 0).sum(axis=1) >= 2], dtype=np.intp)


@dataclass(frozen=True)
class Pairs:
    """Agreement beyond chance of every pair, M_gh, and the single view a_g a_h fitted to it."""

    blocks: Blocks
    first: Indices
    second: Indices
    weight: Floats  # items in common (raters × raters); 0 for pairs that are left out
    m_gh: Floats
    view: Floats

    @classmethod
    def of(cls, blocks: Blocks) -> Pairs:
        """Sum up and fit; refuse a design with hardly any comparisons."""
        n_raters = blocks.rated.size
        first, second = np.triu_indices(n_raters, 1)
        n_gh = blocks.common.sum(axis=0)
        n_gh = np.where(n_gh >= _FEWEST_COMMON, n_gh, 0.0)
        if np.count_nonzero(n_gh) < n_raters + 1:
            raise UnsupportedDesignError.needs(
                "rater_camps",
                f"more pairs of raters with {_FEWEST_COMMON} items in common than raters",
                f"{np.count_nonzero(n_gh)} pairs, {n_raters} raters",
                "let raters share more items, or select those who do",
            )
        mean = _per_item(blocks.product.sum(axis=0), n_gh)
        weight, m_gh = (_symmetric(x, first, second, n_raters) for x in (n_gh, mean))
        return cls(blocks, first, second, weight, m_gh, _start(m_gh, weight))

    def statistic(self) -> tuple[float, Floats]:
        """Largest eigenvalue of what the single view leaves, and its direction.

        An eigenvector has no sign, and equal eigenvalues leave it open: the direction is the one
        in which the first rater with a part in it stands out most, on the positive side.
        """
        values, vectors = np.linalg.eigh(_left(self.m_gh[None], self.weight, self.view)[0])
        equal = vectors[:, values >= values[-1] - _EQUAL * max(abs(float(values[-1])), _EQUAL)]
        first = int(np.argmax((equal**2).sum(axis=1) > _EQUAL))
        direction = equal @ equal[first]
        return float(values[-1]), np.where(np.abs(direction) > _EQUAL, direction, 0.0)

    def drawn(self, n_resamples: int, rng: RandomStream) -> Floats:
        """Draw the statistic under one camp: the single view, with the noise of the items.

        Blocks of items get random multipliers, and the view is fitted anew to each draw: with many
        raters, what the fit takes along is not small.
        """
        blocks, n_gh = self.blocks, self.weight[self.first, self.second]
        n_blocks = len(blocks.product)
        rise = np.sqrt(n_blocks / max(n_blocks - 1.0, 1.0))
        centred = rise * (blocks.product - blocks.common * self.m_gh[self.first, self.second])
        own = rise * blocks.own / blocks.rated[:, None]
        n_raters = blocks.rated.size
        alone = self.view[:, None] * self.view
        step = max(1, _CELLS // n_raters**2)
        out = []
        for start in range(0, n_resamples, step):
            shape = (min(step, n_resamples - start), n_blocks)
            times = np.where(rng.random(shape) < _OFTEN, _BELOW, _ABOVE)
            noise = _symmetric(_per_item(times @ centred, n_gh), self.first, self.second, n_raters)
            # Shares of labels were estimated, too: M is a covariance, not a product.
            shift = np.tensordot(times, own, axes=1)
            noise -= shift @ shift.transpose(0, 2, 1)
            left = _left(alone + noise, self.weight, self.view)
            out.append(np.linalg.eigvalsh(left)[:, -1])
        return np.concatenate(out)


def _per_item(sums: Floats, n_gh: Floats) -> Floats:
    out: Floats = np.zeros_like(sums)
    np.divide(sums, n_gh, out=out, where=n_gh > 0)
    return out


def _symmetric(values: Floats, first: Indices, second: Indices, size: int) -> Floats:
    """Lay pairs out as symmetric matrices with an empty diagonal."""
    out = np.zeros((*values.shape[:-1], size, size))
    out[..., first, second] = out[..., second, first] = values
    return out


def _start(m_gh: Floats, weight: Floats) -> Floats:
    """Fit M_gh = a_g a_h off the diagonal with no a_g below 0, by alternating least squares."""
    strength = (weight * m_gh).sum(axis=1) / np.maximum(weight.sum(axis=1), 1.0)
    a_g: Floats = np.sqrt(np.maximum(strength, 1e-6))
    for _ in range(500):
        before = a_g.copy()
        for g in range(a_g.size):
            below = float(weight[g] @ a_g**2)
            a_g[g] = max(float((weight[g] * m_gh[g]) @ a_g) / below, 0.0) if below > 0 else 0.0
        if float(np.abs(a_g - before).max()) < 1e-9:
            break
    return a_g


def _left(m_bgh: Floats, weight: Floats, start: Floats) -> Floats:
    """Fit a single view to each matrix by Gauss and Newton's steps; return what is left.

    Each pair is multiplied by the root of its number of items, so that all are as noisy.
    """
    a_bg = np.broadcast_to(start, m_bgh.shape[:-1]).copy()
    diagonal = np.arange(start.size)
    for _ in range(8):
        outer = a_bg[:, :, None] * a_bg[:, None, :]
        slope = ((weight * (m_bgh - outer)) @ a_bg[:, :, None])[..., 0]
        outer *= weight  # from here on the matrix of the normal equations
        curve = (a_bg**2) @ weight
        # A rater who follows nothing leaves the step undetermined; a ridge holds it.
        outer[:, diagonal, diagonal] = curve + 1e-6 * np.maximum(curve.mean(axis=1), 1e-9)[:, None]
        moved = np.maximum(a_bg + np.linalg.solve(outer, slope[..., None])[..., 0], 0.0)
        done = float(np.abs(moved - a_bg).max(initial=0.0)) < _SETTLED
        a_bg = moved
        if done:
            break
    left: Floats = np.sqrt(weight) * (m_bgh - a_bg[:, :, None] * a_bg[:, None, :])
    return left
