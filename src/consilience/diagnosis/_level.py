"""Raters who are stricter or milder than others."""

from __future__ import annotations

from typing import Any

import numpy as np

from consilience.core.arrays import Floats, first_largest
from consilience.diagnosis._cause import LEAST_GAIN, Candidate, register
from consilience.diagnosis._table import FEWEST_ITEMS, PairSums, RatingTable, alpha_of, largest

_ONE_IS_ENOUGH = 0.75  # of what levelling everybody gains
_TWO_SETS_ARE_ENOUGH = 0.8


@register
class Level:
    """The mean of a rater, or of all, is moved to that of the others."""

    name = "level"
    place = 2
    share = 0.6

    def find(self, table: RatingTable) -> Candidate | None:
        """Look for one rater, two sets, or all raters whose means differ."""
        if table.has_names or table.n_labels == 2:
            return None
        sums = table.pairs
        b = levels(sums)
        gain = moved(sums, b) - sums.alpha
        if gain < LEAST_GAIN or gain <= table.limit(
            largest(
                table.exchangeable_raters,
                lambda one: moved(one.pairs, levels(one.pairs)) - one.alpha,
            )
        ):
            return None
        shift, code, who = self._who(sums, b, gain)
        values = table.values - shift
        able = [g for g in who if table.given[:, g].sum() >= FEWEST_ITEMS]
        if not able:
            return None
        facts: dict[str, Any] = {"shift": tuple(float(shift[g]) for g in who)}
        facts["levels"] = tuple(float(x) for x in b)
        return Candidate(
            code=code,
            gain=moved(sums, shift) - sums.alpha,
            raters=who,
            remedied=lambda: table.of_values(values),
            facts=facts,
        )

    def _who(self, sums: PairSums, b: Floats, gain: float) -> tuple[Floats, str, tuple[int, ...]]:
        m = b.size
        single = own_levels(sums)
        alone = np.array([moved(sums, np.where(np.arange(m) == g, single, 0.0)) for g in range(m)])
        g = first_largest(alone)
        if alone[g] - sums.alpha >= _ONE_IS_ENOUGH * gain:
            return np.where(np.arange(m) == g, single, 0.0), self.name, (g,)
        order = np.argsort(b)
        cut = int(np.diff(b[order]).argmax()) + 1
        if 2 <= cut <= m - 2:
            second = np.zeros(m, dtype=np.bool_)
            second[order[cut:]] = True
            shift = np.where(second, b[second].mean() - b[~second].mean(), 0.0)
            if moved(sums, shift) - sums.alpha >= _TWO_SETS_ARE_ENOUGH * gain:
                return shift, "groups", tuple(int(k) for k in np.flatnonzero(second))
        return b, self.name, tuple(range(m))


def own_levels(sums: PairSums) -> Floats:
    """Return how much higher each rater's numbers are than the others' on the same items."""
    return np.asarray(sums.s.sum(axis=1) / np.maximum(sums.w.sum(axis=1), 1e-12))


def levels(sums: PairSums) -> Floats:
    """Return the level of every rater, all at once: (diag(Σ W) - W) b = Σ_h S."""
    total = sums.w.sum(axis=1)
    graph = np.diag(total) - sums.w
    size = total.size
    b = np.linalg.lstsq(graph + np.ones((size, size)) * total.mean() / size, sums.s.sum(axis=1))[0]
    return np.asarray(b - b.mean())


def moved(sums: PairSums, shift: Floats) -> float:
    """Return alpha when `shift` is taken off each rater's numbers."""
    pull = shift[:, None] - shift[None, :]
    a = sums.a.sum() - 2.0 * (pull * sums.s).sum() + (pull**2 * sums.w).sum()
    v = sums.v[:, 0] - shift * sums.n
    q = sums.q - 2.0 * shift * sums.v[:, 0] + shift**2 * sums.n
    return float(alpha_of(a, sums.w.sum(), np.array([v.sum()]), q.sum(), sums.n.sum()))
