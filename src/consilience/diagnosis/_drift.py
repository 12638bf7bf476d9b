"""A rater who changes from some item on."""

from __future__ import annotations

import numpy as np

from consilience.core.arrays import Floats, Ints, Mask, first_largest
from consilience.diagnosis._cause import LEAST_GAIN, Candidate, register
from consilience.diagnosis._table import FEWEST_ITEMS, RatingTable, alpha_of

_PARTS = 8  # seven cuts
_FLOOR = 0.005
_BEYOND = 0.2  # of the gain
_MOST_RATERS = 60


@register
class Drift:
    """What a rater gave before, or from, an item is left out; numbers are moved to the others'."""

    name = "drift"
    place = 4
    share = 0.6

    def find(self, table: RatingTable) -> Candidate | None:
        """Look for the rater and the cut that gain most, beyond the rater's own in other orders."""
        if (
            not table.in_order_of_work
            or table.n_items < _PARTS * 3
            or table.n_raters > _MOST_RATERS
            or (table.columns < 0).any()
        ):
            return None
        sums = _Sums(table)
        part = np.minimum(np.arange(table.n_items) * _PARTS // table.n_items, _PARTS - 1)
        every = sums.gains(part)
        if every.max() < LEAST_GAIN:
            return None
        drawn = np.array([sums.gains(part[order]) for order in table.orders])
        # A rater who is bad throughout gains as much in any order: each cut has its own null.
        usual, deviation = drawn.mean(axis=0), np.maximum(drawn.std(axis=0), _FLOOR)
        beyond = every - usual
        fine = (every >= LEAST_GAIN) & (beyond >= _BEYOND * every)
        t = np.where(fine, beyond / deviation, -np.inf)
        limit = table.limit(((drawn - usual) / deviation).max(axis=(1, 2, 3)))
        t = np.where(t > limit, t, -np.inf)
        if not np.isfinite(t).any():
            return None
        place = first_largest(np.where(np.isfinite(t), beyond, -np.inf))
        g, cut, side = (int(x) for x in np.unravel_index(place, every.shape))
        levelled, late = side >= 2, side % 2 == 1
        cells = np.zeros(table.given.shape, dtype=np.bool_)
        cells[:, g] = table.given[:, g] & ((part > cut) if late else (part <= cut))
        if cells.sum() < FEWEST_ITEMS:
            return None
        # The place of the change, finer than the seven cuts.
        first = int(np.flatnonzero(part > cut)[0])
        shift = sums.shift(cells, g)

        def remedied() -> RatingTable:
            if levelled:
                return table.of_values(table.values - shift * cells)
            return table.emptied(cells)

        return Candidate(
            code=self.name,
            gain=float(every[g, cut, side]),
            raters=(g,),
            items=tuple(int(i) for i in np.flatnonzero(cells[:, g])),
            remedied=remedied,
            score=float(t[g, cut, side]),
            facts={
                "from": int(table.rows[first]),
                "late": late,
                "shift": shift if levelled else None,
            },
        )


class _Sums:
    """Gains of leaving out, or levelling, what a rater gave before or from each of seven cuts."""

    def __init__(self, table: RatingTable) -> None:
        self.table, self.removals = table, table.removals
        item, rater = self.removals.item, self.removals.rater
        self.signed: Floats | None = None
        if not table.has_names:
            x, m_i = table.values[item, rater], table.per_item[item]
            sums = np.bincount(item, x, minlength=table.n_items)[item]
            self.signed, self.x = (m_i * x - sums) / np.maximum(m_i - 1.0, 1.0), x

    def shift(self, cells: Mask, g: int) -> float:
        """Return how much higher a rater's numbers are than the others', in some cells."""
        if self.signed is None:
            return 0.0
        mine = cells[self.removals.item, g] & (self.removals.rater == g)
        return float(self.signed[mine].sum() / max(mine.sum(), 1))

    def gains(self, part: Ints) -> Floats:
        """Return gains (raters × cuts × ways): left out early, late; levelled early, late."""
        m, own = self.table.n_raters, self.removals
        cell = part[own.item] * m + own.rater
        a, n, v, q = own.totals

        def sides(x: Floats) -> Floats:
            upto = np.cumsum(x.reshape(_PARTS, m, *x.shape[1:]), axis=0)
            return np.stack([upto[:-1], upto[-1] - upto[:-1]])

        rated = sides(np.bincount(cell, minlength=_PARTS * m).astype(np.float64))
        d_a, d_n, d_v, d_q = (sides(x) for x in own.parts(cell, _PARTS * m))
        ways = list(alpha_of(a + d_a, n + d_n, v + d_v, q + d_q, n + d_n))
        if m == 2:  # items that one of two raters leaves are gone: that is a section
            ways = [np.full_like(one, -1.0) for one in ways]
        if self.signed is not None:
            s, x = (
                sides(np.bincount(cell, y, minlength=_PARTS * m).astype(np.float64))
                for y in (self.signed, self.x)
            )
            d = s / np.maximum(rated, 1.0)
            level = alpha_of(
                a - 2.0 * d**2 * rated, n, v - (d * rated)[..., None],
                q - 2.0 * d * x + d**2 * rated, n,
            )  # fmt: skip
            ways += list(level)
        # A stretch of fewer than six of the rater's items shows nothing.
        few = (rated < FEWEST_ITEMS) | (rated.sum(axis=0) - rated < FEWEST_ITEMS)
        found = np.stack(ways, axis=-1) - self.table.alpha  # cuts × raters × ways
        few_ways = np.stack([few[k % 2] for k in range(len(ways))], axis=-1)
        return np.asarray(np.where(few_ways, -1.0, found).transpose(1, 0, 2))
