"""Which units a result took for the same event, as pairs of rows, and where raters differ."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from consilience.core.arrays import Ints
from consilience.core.draws import RandomStream
from consilience.exceptions import InputError, UnsupportedDesignError
from consilience.units import Alignment, EasyDiag, EasyDiagPairs, Gamma, Units, easydiag
from consilience.units.programs import MultipleLinks


def links_of(
    units: Units, result: Any, session: str | None, lanes: tuple[str, ...], threshold: Any
) -> Ints | None:
    """Return pairs of rows (n x 2) of one session, each between two lanes; None: not compared.

    Without a session, those of all sessions that the result has.
    """
    if result is None:
        if threshold is None or len(lanes) < 2 or session is None:
            return None
        found = [_by_overlap(units, session, pair, threshold) for pair in pairwise(lanes)]
    elif isinstance(result, EasyDiag):
        found = [_checked(units, result.linked_rows, result.raters)]
    elif isinstance(result, MultipleLinks):
        found = [_checked(units, result.links, result.raters)]
    elif isinstance(result, EasyDiagPairs):
        known = {frozenset(one.raters): one for one in result.pairs}
        near = [known[frozenset(pair)] for pair in pairwise(lanes) if frozenset(pair) in known]
        found = [_checked(units, one.linked_rows, one.raters) for one in near]
    elif isinstance(result, Gamma | Alignment):
        found = _aligned(units, result, lanes)
    else:
        raise InputError.expected(
            "result",
            "an EasyDiag, EasyDiagPairs, TimedAlignment, MultipleLinks, Gamma or Alignment",
            type(result).__name__,
            "leave it out to link units by their overlap",
        )
    rows: Ints = np.concatenate([np.empty((0, 2), dtype=np.int64), *found])
    if session is None:
        return rows
    here: Ints = rows[units.session[rows[:, 0]] == units.sessions.index(session)]
    return here


def _checked(units: Units, rows: Ints, raters: tuple[str, ...]) -> Ints:
    """Refuse links of other units, as far as that can be told."""
    fits = set(raters) <= set(units.raters)
    if fits and len(rows):
        fits = int(rows.max()) < len(units)
    if fits:
        codes = np.array([units.raters.index(name) for name in raters[:2]])
        fits = bool((units.rater[rows] == codes).all())
        fits &= bool((units.session[rows[:, 0]] == units.session[rows[:, 1]]).all())
    if not fits:
        raise InputError.expected(
            "result", "one of these units", "one of other units", "pass the units that it is of"
        )
    return rows


def _by_overlap(units: Units, session: str, pair: tuple[str, str], threshold: Any) -> Ints:
    if units.n_units < len(units):
        raise UnsupportedDesignError.needs(
            "linking by overlap",
            "units in one piece",
            f"{len(units) - units.n_units} further fragments",
            "pass threshold=None to draw no links",
        )
    place = units.sessions.index(session)
    mine = (units.session == place) & np.isin(
        units.rater, [units.raters.index(name) for name in pair]
    )
    rows = np.flatnonzero(mine)
    if len(np.unique(units.rater[rows])) < 2:
        return np.empty((0, 2), dtype=np.int64)
    some = units.select(sessions=[session], raters=list(pair))
    found = easydiag(some, threshold=threshold, point_tolerance=0, n_resamples=1)
    assert isinstance(found, EasyDiag)
    return np.asarray(rows[found.linked_rows])


def _aligned(units: Units, result: Gamma | Alignment, lanes: tuple[str, ...]) -> list[Ints]:
    """Chain the members of each unitary alignment from lane to lane."""
    alignment = result.alignment if isinstance(result, Gamma) else result
    columns = [alignment.raters.index(name) for name in lanes if name in alignment.raters]
    members = alignment.units[:, columns]
    if members.size and int(members.max()) >= len(units):
        return [_checked(units, members, ())]
    found = []
    last = np.full(len(members), -1, dtype=np.int64)
    for column in members.T:
        both = (last >= 0) & (column >= 0)
        found.append(np.stack([last[both], column[both]], axis=1))
        last = np.where(column >= 0, column, last)
    return found


def differing(
    units: Units, session: str, raters: Sequence[str]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return where raters differ: cuts of the session, and the share of pairs that differ between.

    Two raters differ at a moment if they have other labels there, on any tier, or if one of them
    has none. Between two cuts nothing changes; point events take no time.

    Examples
    --------
    >>> units = Units.from_records([("A", "x", 0, 9), ("B", "x", 0, 6), ("C", "y", 0, 6)])
    >>> cuts, share = differing(units, "session", ["A", "B", "C"])
    >>> cuts.tolist(), share.round(2).tolist()
    ([0.0, 6.0, 9.0], [0.67, 0.67])
    """
    here = units.session == units.sessions.index(session)
    codes = [units.raters.index(name) for name in raters]
    rows = np.flatnonzero(here & np.isin(units.rater, codes))
    cuts = np.unique(np.concatenate([units.start[rows], units.end[rows]]).astype(np.float64))
    first, last = (np.searchsorted(cuts, column[rows]) for column in (units.start, units.end))
    # What a rater has at a moment is a set of labels; the sum of random numbers tells sets apart.
    signs = 1 + RandomStream.of(0).integers(1 << 40, (len(units.tiers), len(units.labels)))
    state = np.zeros((len(codes), max(len(cuts) - 1, 0)), dtype=np.int64)
    for row, a, b in zip(rows, first, last, strict=True):
        state[codes.index(int(units.rater[row])), a:b] += signs[units.tier[row], units.label[row]]
    m = len(codes)
    alike = sum((state == one).sum(axis=0) for one in state) - m
    return cuts, 1.0 - np.asarray(alike, dtype=np.float64) / (m * (m - 1))
