"""Each marker beside the people: severity, drift, its differences, and where they are largest."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any, ClassVar

import numpy as np

from consilience.core.arrays import Floats, Indices
from consilience.core.draws import is_whole
from consilience.core.labels import places_in_order
from consilience.core.result import Several, Unremarked
from consilience.document import Document, Table
from consilience.document.records import Recorded
from consilience.exceptions import InputError
from consilience.inference import holm
from consilience.inference.influence import linearised_error
from consilience.panel._measures import Resampling, Value, known_mean, p_of_nothing
from consilience.panel._panel import Panel
from consilience.ratings.rating_tables import per_item

# ---- Each marker beside the people on the same items: severity, and drift over the run.

_BATCHES = 5
_FEWEST = 3  # a line through two points has no spread


@dataclass(frozen=True, slots=True, kw_only=True)
class Marker(Recorded):
    """One rater against the mean of the people (herself left out) on the items both have.

    Attributes
    ----------
    severity : Value
        Mean difference: above 0 gives higher marks than the people.
    drift : Value
        Change of that difference from the start of the run to its end; with documents, its error
        comes from leaving out each document in turn.
    drift_p_value, drift_p_adjusted : float
        Of no drift; the second after Holm over all markers.
    batches : tuple of float
        Mean difference in consecutive parts of the run.
    """

    rater: object
    kind: str
    n_items: int
    severity: Value
    drift: Value
    drift_p_value: float
    drift_p_adjusted: float
    batches: tuple[float, ...]


def markers_of(panel: Panel, plan: Resampling, order: Any) -> tuple[Marker, ...]:
    """Measure severity and drift of every rater; nothing where labels are mere names."""
    if panel.points is None:
        return ()
    marks = panel.marks()
    place, batch = _positions(panel, order)
    n_people = len(panel.people)
    known = np.isfinite(marks[:, :n_people])
    total = np.where(known, marks[:, :n_people], 0.0).sum(axis=1)
    count = known.sum(axis=1)
    raw = []
    for k, rater in enumerate(panel.raters):
        own = marks[:, k]
        is_person = k < n_people
        mine = known[:, k] if is_person else np.zeros(len(marks), dtype=bool)
        others = count - mine
        rest = total - np.where(mine, own, 0.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            gap = own - rest / others
        use = np.isfinite(gap)
        gap, at, batches = gap[use], place[use], batch[use]
        clusters = None if plan.clusters is None else plan.clusters[use]
        if gap.size:
            error, freedom = linearised_error(gap, clusters)
            severity = Value.by_t(float(gap.mean()), error, freedom, level=plan.level, method="t")
            drift, p_value = _drift(gap, at, clusters, plan.level)
        else:
            severity = drift = plan.nothing("no item in common with the people")
            p_value = math.nan
        in_batch = [gap[batches == b] for b in range(int(batches.max(initial=-1)) + 1)]
        raw.append(
            Marker(
                rater=rater,
                kind="person" if is_person else "system",
                n_items=int(gap.size),
                severity=severity,
                drift=drift,
                drift_p_value=p_value,
                drift_p_adjusted=math.nan,
                batches=tuple(float(one.mean()) if one.size else math.nan for one in in_batch),
            )
        )
    adjusted = holm([one.drift_p_value for one in raw])
    return tuple(
        replace(one, drift_p_adjusted=float(p)) for one, p in zip(raw, adjusted, strict=True)
    )


def _drift(gap: Floats, place: Floats, clusters: Any, level: float) -> tuple[Value, float]:
    """Return the slope of a straight line over the run, and the p-value of no slope."""

    x = place - place.mean()
    square = float(x @ x)
    n = gap.size
    if n < _FEWEST or square <= 0.0:
        return _no_drift("needs at least three items at different times", level)
    slope = float(x @ gap) / square
    if clusters is None:
        left = gap - gap.mean() - slope * x
        error, freedom = math.sqrt(float(left @ left) / (n - 2) / square), n - 2.0
    else:
        error, freedom = _error_over_documents(gap, x, clusters)
        if math.isnan(error):
            reason = "needs at least three documents at different times"
            return _no_drift(reason, level, slope)
    value = Value.by_t(slope, error, freedom, level=level, method="t")
    return value, p_of_nothing(slope, error, freedom)


def _no_drift(reason: str, level: float, slope: float = math.nan) -> tuple[Value, float]:
    return Value.of(slope, level=level, method="t", reason=reason), math.nan


def _error_over_documents(gap: Floats, x: Floats, clusters: Any) -> tuple[float, float]:
    """Return the error of a slope by leaving out each document, and its degrees of freedom.

    The jackknife over clusters (CV3): with few documents, or documents of very different size, it
    keeps the level where sums of residuals by document reject far too often. `x` is centred.
    """
    _, document = np.unique(clusters, return_inverse=True)
    n_documents = int(document.max()) + 1
    if n_documents < _FEWEST:
        return math.nan, 0.0
    own = [np.bincount(document, weights=w) for w in (np.ones_like(x), x, gap, x * x, x * gap)]
    n, sx, sy, sxx, sxy = (part.sum() - part for part in own)
    spread = sxx - sx * sx / n
    if spread.min() <= 1e-12 * float(x @ x):  # all spread in time lies in one document
        return math.nan, 0.0
    slopes = (sxy - sx * sy / n) / spread
    whole = float(x @ gap) / float(x @ x)
    share = (n_documents - 1.0) / n_documents
    return math.sqrt(share * float(((slopes - whole) ** 2).sum())), n_documents - 1.0


def _positions(panel: Panel, order: Any) -> tuple[Floats, Any]:
    """Return the place of each item in the run from 0 to 1, and the batch it belongs to."""
    n = panel.ratings.n_items
    if order is None:
        rank = np.arange(n, dtype=np.float64)
    else:
        rank = _ranks(per_item(panel.ratings, order, "order"))
    place = rank / max(float(np.nanmax(rank)), 1.0)
    steps = np.unique(rank)
    if order is not None and steps.size <= 12:  # batches that were named
        return place, np.searchsorted(steps, rank)
    return place, np.minimum((place * _BATCHES).astype(np.int64), _BATCHES - 1)


def _ranks(values: list[object]) -> Floats:
    """Rank times or batches: numbers as numbers, all else as text (ISO dates sort rightly)."""
    if any(value is None for value in values):
        raise InputError.expected(
            "order",
            "given for every item",
            f"none for {sum(value is None for value in values):,} items",
            "name the time or batch of each item",
        )
    try:
        keys: Any = np.array([float(value) for value in values])  # type: ignore[arg-type]
    except (TypeError, ValueError):
        keys = np.array([str(value) for value in values])
    return np.unique(keys, return_inverse=True)[1].astype(np.float64)


# ---- The whole distribution of differences between two markers, and what is read off it.


@dataclass(frozen=True, slots=True)
class Differences(Recorded, Unremarked, Several):
    """How often two markers differ by how much.

    The share that is identical hides the rest: 80 % identical and 20 % off by four points is worse
    marking than 75 % identical and 25 % off by one.

    Attributes
    ----------
    counts : dict
        Difference (system minus person, or its size) to how often it occurs.

    Examples
    --------
    >>> a = differences({0: 80, 3: 5, 4: 15})  # Haley et al. 2008, Table 1-1
    >>> b = differences({0: 75, 1: 25})
    >>> a.identical, b.identical, a.within(1), b.within(1)
    (0.8, 0.75, 0.8, 1.0)
    """

    recorded: ClassVar[tuple[str, ...]] = (
        "n_items",
        "identical",
        "mean",
        "mean_absolute",
        "root_mean_square",
        "manhattan",
        "euclidean",
    )
    renamed: ClassVar[Mapping[str, str]] = {"n_items": "items"}

    counts: dict[float, float]

    @property
    def n_items(self) -> float:
        """Number of items, or the total of the shares that were given."""
        return float(sum(self.counts.values()))

    @property
    def identical(self) -> float:
        """Share of identical marks (exact agreement; the "simple metric")."""
        return self.within(0)

    def within(self, points: float) -> float:
        """Return the share of marks that differ by at most so many points."""
        hits = sum(n for gap, n in self.counts.items() if abs(gap) <= points + 1e-9)
        return float(hits) / self.n_items if self.n_items else math.nan

    @property
    def mean(self) -> float:
        """Mean difference: severity, where differences have a sign."""
        return self._mean(self._gaps)

    @property
    def mean_absolute(self) -> float:
        """Mean absolute difference."""
        return self._mean(np.abs(self._gaps))

    @property
    def root_mean_square(self) -> float:
        """Root of the mean squared difference."""
        return math.sqrt(self._mean(self._gaps**2))

    @property
    def manhattan(self) -> float:
        """Sum of absolute differences (L1)."""
        return float(np.abs(self._gaps) @ self._times)

    @property
    def sum_of_squares(self) -> float:
        """Sum of squared differences."""
        return float(self._gaps**2 @ self._times)

    @property
    def euclidean(self) -> float:
        """Root of the sum of squared differences (L2)."""
        return math.sqrt(self.sum_of_squares)

    @property
    def _gaps(self) -> Floats:
        return np.array(list(self.counts), dtype=np.float64)

    @property
    def _times(self) -> Floats:
        return np.array(list(self.counts.values()), dtype=np.float64)

    def _mean(self, of: Floats) -> float:
        return float(of @ self._times) / self.n_items if self.n_items else math.nan

    def _beside(self) -> dict[str, Any]:
        return {
            "counts": {f"{gap:g}": n for gap, n in self.counts.items()},
            "within_1": self.within(1),
            "within_2": self.within(2),
        }

    def document(self) -> Document:
        """Return the distribution as a table."""
        table = Table.of(
            self.counts.items(),
            ("difference", lambda pair: f"{pair[0]:+g}" if pair[0] else "0"),
            ("items", "1", lambda n: int(n) if float(n).is_integer() else n),
            ("share", lambda pair: pair[1] / self.n_items),
        )
        return Document.of(table, title="Differences")


def differences(counts: Mapping[float, float]) -> Differences:
    """Make a distribution of differences from counts, or from percentages that a paper prints.

    Parameters
    ----------
    counts : mapping
        Difference, with or without its sign, to how often it occurs.

    Returns
    -------
    Differences

    Examples
    --------
    >>> differences({-1: 2, 0: 6, 1: 2}).mean_absolute
    0.4
    """
    given: Any = counts
    if not isinstance(given, Mapping) or not given:
        raise InputError.expected(
            "counts", "a mapping from difference to how often", counts, "as in {0: 80, 1: 20}"
        )
    clean: dict[float, float] = {}
    for gap, n in given.items():
        if not (_is_number(gap) and _is_number(n) and n >= 0):
            raise InputError.expected(
                "counts", "numbers, none of the counts below 0", {gap: n}, "as in {0: 80, 1: 20}"
            )
        clean[float(gap)] = float(n)
    if not sum(clean.values()):
        raise InputError.expected("counts", "more than 0 in all", counts, "count some items")
    return Differences(dict(sorted(clean.items())))


def _is_number(part: object) -> bool:
    return isinstance(part, Real) and math.isfinite(part)


def differences_of(first: Floats, second: Floats) -> Differences | None:
    """Count second minus first where both have a mark; None where they share no item."""
    gap = second - first
    values, counts = np.unique(np.round(gap[np.isfinite(gap)], 9), return_counts=True)
    if not values.size:
        return None
    return Differences(dict(zip(values.tolist(), counts.astype(float).tolist(), strict=True)))


# ---- The items on which a system differs most from the people: what to read first.


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
            distance = np.abs(
                marks[:, panel.column(system)] - known_mean(marks[:, : codes.shape[1]].T)
            )
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


def _spread(panel: Panel, marks: Floats | None) -> Floats:
    n_people = len(panel.people)
    if marks is not None:
        own = marks[:, :n_people]
        return np.sqrt(np.maximum(known_mean((own.T - known_mean(own.T)) ** 2), 0.0))
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
