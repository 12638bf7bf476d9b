"""A rater who took labels for each other, or a scale from its other end."""

from __future__ import annotations

import math

import numpy as np

from consilience.core.arrays import Floats, Ints, first_largest
from consilience.diagnosis._cause import LEAST_GAIN, Candidate, register
from consilience.diagnosis._table import FEWEST_ITEMS, RatingTable, alpha_of, largest

_MOST_RATERS = 110
_NOTHING = 1e-9


@register
class ExchangedLabels:
    """The labels of one rater are put right by the best permutation."""

    name = "exchanged"
    place = 1
    share = 0.5  # a rater who exchanged labels on most items gains less by that than by leaving

    def find(self, table: RatingTable) -> Candidate | None:
        """Look for the rater and the permutation that gain most."""
        if table.n_raters > _MOST_RATERS:
            return None
        return self._permuted(table) if table.has_names else self._reversed(table)

    def _permuted(self, table: RatingTable) -> Candidate | None:
        best = _best(table)
        if best is None or best[0] < LEAST_GAIN:
            return None
        gain, g, to = best
        moved = np.isin(table.codes[:, g], np.flatnonzero(to != np.arange(to.size)))
        if moved.sum() < FEWEST_ITEMS or gain <= table.limit(
            largest(table.exchangeable_labels, lambda one: (_best(one) or (0.0,))[0])
        ):
            return None
        codes = table.codes.copy()
        codes[:, g] = np.append(to, -1)[codes[:, g]]
        cycle = tuple(int(k) for k in np.flatnonzero(to != np.arange(to.size)))
        return Candidate(
            code=self.name,
            gain=gain,
            raters=(g,),
            labels=cycle,
            remedied=lambda: table.of_codes(codes),
            facts={"to": tuple(int(to[k]) for k in cycle), "items": int(moved.sum())},
        )

    def _reversed(self, table: RatingTable) -> Candidate | None:
        found = []
        for g in range(table.n_raters):
            x = turned(table, g)
            if np.count_nonzero(table.given[:, g]) >= FEWEST_ITEMS:
                found.append((table.with_column(g, x) - table.alpha, g))
        gain, g = max(found, default=(0.0, 0))
        chance = 2.5 / math.sqrt(table.n_items) * max(2.0 / table.n_raters, 0.25)
        if gain < max(LEAST_GAIN, chance):
            return None
        values = table.values.copy()
        values[:, g] = turned(table, g)
        return Candidate(
            code=self.name,
            gain=gain,
            raters=(g,),
            remedied=lambda: table.of_values(values),
            facts={"reversed": True},
        )


def turned(table: RatingTable, g: int) -> Floats:
    """Return a rater's numbers about their own middle, turned round."""
    mine = table.given[:, g]
    middle = float(table.values[mine, g].mean()) if mine.any() else 0.0
    return np.where(mine, 2.0 * middle - table.values[:, g], 0.0)


def _best(table: RatingTable) -> tuple[float, int, Ints] | None:
    """Return the largest gain, the rater and where each of the rater's labels goes."""
    q, m = table.n_labels, table.n_raters
    met = _meetings(table)
    own = np.einsum("gkk->gk", met)
    swap = met + met.transpose(0, 2, 1) - own[:, :, None] - own[:, None, :]
    sums, best = table.pairs, None
    for g in np.flatnonzero(swap.reshape(m, -1).max(axis=1) > _NOTHING):
        to = _assigned(met[g])
        rise = float(met[g, np.arange(q), to].sum() - own[g].sum())
        v = sums.v[g].copy()
        moved = np.zeros(q)
        np.add.at(moved, to, v)
        after = alpha_of(
            sums.a.sum() - 2.0 * rise, sums.w.sum(), sums.v.sum(axis=0) - v + moved,
            sums.q.sum(), sums.n.sum(),
        )  # fmt: skip
        gain = float(after) - sums.alpha
        if best is None or gain > best[0]:
            best = (gain, int(g), to)
    return best


def _assigned(met: Floats) -> Ints:
    """Return where each label goes: two exchange their places as long as that gains most."""
    to = np.arange(len(met))
    for _ in range(len(met)):
        now = met[:, to]  # [k, m]: k goes where m goes
        own = np.diag(now)
        swap = now + now.T - own[:, None] - own[None, :]
        k, m = np.unravel_index(first_largest(swap), swap.shape)
        if swap[k, m] <= _NOTHING:
            break
        to[k], to[m] = to[m], to[k]
    return to


def _meetings(table: RatingTable) -> Floats:
    """Return Σ w_i over "g said k, another said l" (raters × labels × labels)."""
    q, m = table.n_labels, table.n_raters
    item, rater = table.entries
    code = table.codes[item, rater].astype(np.int64)
    w, out = table.weight[item], np.zeros((m * q, q))
    weighted = table.counts[item] * w[:, None]
    weighted[np.arange(item.size), code] -= w
    for label in range(q):
        out[:, label] = np.bincount(rater * q + code, weighted[:, label], minlength=m * q)
    return out.reshape(m, q, q)
