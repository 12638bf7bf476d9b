"""Units in the order kernels walk them: session, tier, rater, start, end."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from consilience.exceptions import UnsupportedDesignError
from consilience.units.model._columns import Codes, Times

if TYPE_CHECKING:
    from consilience.units.model.units import Units

Pairs = NDArray[np.int64]  # (n, 2)
_APART = "units of one rater that do not overlap"


@dataclass(frozen=True, slots=True)
class Blocks:
    """The units of some raters, sorted, with the place of each block.

    A block is one tier of one session. The units of the ``j``-th chosen rater in block ``i`` are
    rows ``offsets[i, j]`` to ``offsets[i, j + 1]`` of the sorted columns.
    """

    raters: tuple[str, ...]
    session: Codes  # of each block
    tier: Codes  # of each block
    offsets: NDArray[np.int64]  # (n_blocks, n_raters + 1)
    order: NDArray[np.int64]  # row of each sorted unit in the Units
    start: Times
    end: Times
    label: Codes
    rater: Codes  # place in `raters`, of each sorted unit
    block: NDArray[np.int64]  # of each sorted unit

    @property
    def n_blocks(self) -> int:
        """Number of tiers of sessions that hold at least one unit."""
        return len(self.session)

    def only(self, sessions: NDArray[np.bool_]) -> Blocks:
        """Return the blocks of some sessions; codes and rows stay those of the units."""
        kept = sessions[self.session]
        rows = kept[self.block]
        sizes = np.diff(self.offsets, axis=1)[kept]
        ends = np.cumsum(sizes).reshape(sizes.shape)
        offsets = np.concatenate([ends[:, :1] - sizes[:, :1], ends], axis=1)
        columns = ("order", "start", "end", "label", "rater")
        return replace(
            self,
            session=self.session[kept],
            tier=self.tier[kept],
            offsets=offsets,
            block=(np.cumsum(kept) - 1)[self.block[rows]],
            **{name: getattr(self, name)[rows] for name in columns},
        )

    def of(self, block: int, rater: int) -> slice:
        """Return the rows of one rater in one block."""
        return slice(int(self.offsets[block, rater]), int(self.offsets[block, rater + 1]))


def sorted_blocks(units: Units, raters: tuple[str, ...]) -> Blocks:
    """Sort the units of some raters by session, tier, rater, start, end; ties by input order."""
    place = np.full(units.n_raters, -1, dtype=np.int32)
    place[[units.raters.index(name) for name in raters]] = np.arange(len(raters), dtype=np.int32)
    chosen = place[units.rater]
    rows = np.flatnonzero(chosen >= 0) if (chosen < 0).any() else np.arange(len(chosen))
    n_tiers = max(len(units.tiers), 1)
    at = units.session[rows].astype(np.int64) * n_tiers + units.tier[rows]
    key = at * len(raters) + chosen[rows]
    sort = _order(key, units.start[rows], units.end[rows])
    rows, at = rows[sort], at[sort]
    begins = np.append(True, at[1:] != at[:-1])[: len(at)]
    found, block = at[begins], np.cumsum(begins) - 1
    cells = np.bincount(
        block * len(raters) + chosen[rows], minlength=len(found) * len(raters)
    ).reshape(len(found), len(raters))
    offsets = np.zeros((len(found), len(raters) + 1), dtype=np.int64)
    offsets[:, 1:] = np.cumsum(cells, axis=1)
    offsets += (
        np.concatenate([[0], np.cumsum(cells.sum(axis=1))[:-1]])[:, None] if len(found) else 0
    )
    return Blocks(
        raters=raters,
        session=(found // n_tiers).astype(np.int32),
        tier=(found % n_tiers).astype(np.int32),
        offsets=offsets,
        order=rows.astype(np.int64),
        start=units.start[rows],
        end=units.end[rows],
        label=units.label[rows],
        rater=chosen[rows],
        block=block.astype(np.int64),
    )


def _order(key: NDArray[np.int64], start: Times, end: Times) -> NDArray[np.int64]:
    """Sort by key, start, end; whole times with few keys are sorted as one number."""
    if not key.size:
        return key
    if start.dtype.kind == "i":
        low, reach = int(start.min()), int(start.max()) - int(start.min()) + 1
        if (int(key.max()) + 1) * reach < 2**62:
            joint = key * reach + (start - low)
            order = np.argsort(joint, kind="stable")
            same = np.diff(joint[order]) == 0
            if not (same & (np.diff(end[order]) < 0)).any():
                return order
            return np.lexsort((end, joint))
    return np.lexsort((end, start, key))


def own_overlaps(blocks: Blocks, *, within_label: bool = False, points: bool = False) -> Pairs:
    """Return pairs of sorted units of one rater: one, and the next that begins before it ends.

    Point events share no time with anything and are passed over, unless `points` is true: one that
    lies within another unit then counts. `within_label` looks at the units of each label apart.
    """
    rows = np.arange(len(blocks.start))
    if not points:
        rows = np.flatnonzero(blocks.end > blocks.start)
    group = (blocks.block * len(blocks.raters) + blocks.rater)[rows]
    if within_label:
        order = np.lexsort((blocks.start[rows], blocks.label[rows], group))
        rows, group = rows[order], group[order]
    one, other = rows[:-1], rows[1:]
    clash = (group[1:] == group[:-1]) & (blocks.start[other] < blocks.end[one])
    if within_label:
        clash &= blocks.label[one] == blocks.label[other]
    return np.stack([one[clash], other[clash]], axis=1)


def refuse_own_overlaps(
    units: Units, what: str, hint: str, found: Pairs, *, need: str = _APART
) -> None:
    """Refuse units of one rater that overlap each other: rows of the units, in pairs."""
    if not len(found):
        return
    first, second = (
        f"{units.labels[units.label[k]]!r} {units.start[k]:g}-{units.end[k]:g}" for k in found[0]
    )
    row = found[0, 1]
    who, where = units.raters[units.rater[row]], units.sessions[units.session[row]]
    got = f"{first} and {second} of {who!r} (session {where!r})"
    raise UnsupportedDesignError.needs(what, need, got, hint)
