"""The items on which a system differs most from the people: what to read first."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from consilience.core.arrays import Floats, Indices
from consilience.core.labels import places_in_order
from consilience.core.resample import is_whole
from consilience.document import Recorded
from consilience.exceptions import InputError
from consilience.panel.panel_data import Panel


@dataclass(frozen=True, slots=True, kw_only=True)
class Disagreement(Recorded):
    """One item on which a system differs from people.

    Attributes
    ----------
    label
        What the system gave.
    people : dict
        Person to what she gave; people who did not rate the item are left out.
    distance : float
        Of marks, how far the system's lies from the mean of the people's; of mere names, the share
        of the people who gave another label.
    spread : float
        How far the people differ among themselves: the standard deviation of their marks, or the
        share of them who did not give their commonest label.
    """

    system: object
    item: object
    label: object
    people: dict[object, object]
    distance: float
    spread: float


def check_top(top: int) -> None:
    """Refuse a number of items that is none."""
    if not is_whole(top) or top < 0:
        raise InputError.expected("top", "a whole number of 0 or more", top, "for example 5")


def disagreements_of(panel: Panel, top: int) -> tuple[Disagreement, ...]:
    """List for each system where it is farthest from the people; people who agree come first."""
    if not top:
        return ()
    codes = panel.codes[:, : len(panel.people)]
    rated = codes >= 0
    marks = None if panel.points is None else panel.marks()
    spread = _spread(panel, marks)
    found: list[Disagreement] = []
    for system in panel.systems:
        own = panel.codes[:, panel.column(system)]
        if marks is None:
            other = (rated & (codes != own[:, None])).sum(axis=1)
            distance = other / np.maximum(rated.sum(axis=1), 1)
        else:
            distance = np.abs(marks[:, panel.column(system)] - _mean(marks[:, : codes.shape[1]]))
        usable = np.flatnonzero((own >= 0) & rated.any(axis=1) & (distance > 1e-12))
        found += [
            _one(panel, system, int(i), float(distance[i]), float(spread[i]))
            for i in _first(panel, usable, distance, spread, top)
        ]
    return tuple(found)


def _first(panel: Panel, usable: Indices, distance: Floats, spread: Floats, top: int) -> Indices:
    """Return the items to show; of two that are alike, the first by name."""
    far, apart = -np.round(distance[usable], 12), np.round(spread[usable], 12)
    order = np.lexsort((apart, far))
    if order.size > top:
        last = order[top - 1]
        order = order[(far[order] < far[last]) | (apart[order] <= apart[last])]
        order = order[far[order] <= far[last]]
    names = places_in_order([panel.ratings.items[i] for i in usable[order]])
    order = order[names]
    return usable[order[np.lexsort((apart[order], far[order]))][:top]]


def _mean(marks: Floats) -> Floats:
    known = np.isfinite(marks)
    total = np.where(known, marks, 0.0).sum(axis=1)
    return np.asarray(total / np.maximum(known.sum(axis=1), 1))


def _spread(panel: Panel, marks: Floats | None) -> Floats:
    n_people = len(panel.people)
    if marks is not None:
        own = marks[:, :n_people]
        return np.sqrt(np.maximum(_mean((own - _mean(own)[:, None]) ** 2), 0.0))
    codes = np.sort(panel.codes[:, :n_people], axis=1)
    rated = codes >= 0
    run, longest = np.zeros(len(codes), np.int64), np.zeros(len(codes), np.int64)
    for k in range(n_people):  # equal labels stand together, so the longest run is the commonest
        same = codes[:, k] == codes[:, k - 1] if k else np.zeros(len(codes), dtype=bool)
        run = np.where(rated[:, k], np.where(same, run + 1, 1), 0)
        longest = np.maximum(longest, run)
    n_rated = rated.sum(axis=1)
    return np.asarray(1.0 - longest / np.maximum(n_rated, 1))


def _one(panel: Panel, system: object, place: int, distance: float, spread: float) -> Disagreement:
    labels = panel.ratings.categories
    row = panel.codes[place]
    given = zip(panel.people, row, strict=False)  # the systems come after the people
    return Disagreement(
        system=system,
        item=panel.ratings.items[place],
        label=labels[row[panel.column(system)]],
        people={person: labels[code] for person, code in given if code >= 0},
        distance=distance,
        spread=spread,
    )
