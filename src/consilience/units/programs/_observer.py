"""How often and how long two raters use each label, session by session."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

import numpy as np

from consilience.core.arrays import Floats
from consilience.core.resample import Seed
from consilience.core.words import counted
from consilience.document import Document, Finding, Paragraph, Reasoned, Table
from consilience.exceptions import InputError
from consilience.inference import Interval
from consilience.ratings import Ratings
from consilience.units.linking._diag_table import check_pair
from consilience.units.linking._link_tally import quotient
from consilience.units.linking._overlap_linking import exact_times
from consilience.units.linking.diag_results import shown_label
from consilience.units.model._sessions import SHARE, Draws
from consilience.units.model._unit_findings import dropped_findings, note_findings
from consilience.units.model._unit_results import (
    Accounted,
    SessionsDrawn,
    page_of_raters,
    unit_counts,
)
from consilience.units.model.asked import who_counts
from consilience.units.model.unit_checks import check_two, check_units, check_word
from consilience.units.model.units import Units

KINDS = ("frequency", "duration")


@dataclass(frozen=True, kw_only=True)
class SessionTotals(Reasoned, SessionsDrawn, Accounted):
    """Totals of each label compared session by session, as The Observer does.

    Attributes
    ----------
    kind : {"frequency", "duration"}
    value : float
        Agreements over agreements and disagreements.
    agreements, disagreements : array (labels,)
        The smaller of two totals, and their difference, summed over sessions.
    totals : array (raters, sessions, labels)
    """

    recorded: ClassVar[tuple[str, ...]] = ("status",)

    kind: str
    raters: tuple[str, str]
    labels: tuple[Any, ...]
    sessions: tuple[str, ...] = field(repr=False)
    value: float
    reason: str | None
    agreements: Floats = field(repr=False)
    disagreements: Floats = field(repr=False)
    totals: Floats = field(repr=False)
    dropped: tuple[tuple[str, str], ...] = field(repr=False)
    interval: Interval = field(repr=False)
    findings: tuple[Finding, ...] = field(repr=False)

    def by_label(self) -> Mapping[Any, float]:
        """Return the agreement about each label; NaN for one that nobody used."""
        return dict(zip(self.labels, self._shares(), strict=True))

    def _shares(self) -> list[float]:
        shares: list[float] = quotient(
            self.agreements, self.agreements + self.disagreements
        ).tolist()
        return shares

    def ratings(self, label: Any) -> Ratings:
        """Return the totals of one label as ratings of sessions, for an intraclass correlation."""
        if label not in self.labels:
            raise InputError.unknown_word("a label", label, map(str, self.labels))
        column = self.totals[:, :, self.labels.index(label)]
        return Ratings.from_wide(
            column.T.tolist(), raters=list(self.raters), items=list(self.sessions), scale="ratio"
        )

    def _beside(self) -> Mapping[str, Any]:
        more = {"coefficient": f"{self.kind}_totals", "by_label": list(self.by_label().values())}
        return {**super()._beside(), **more}

    def document(self) -> Document:
        """Return the result as something to read."""
        sums = self.totals.sum(axis=1)
        rows: list[list[Any]] = [
            [label, *(f"{x:,.10g}" for x in total), value]
            for label, total, value in zip(
                [*map(shown_label, self.labels), "all labels"],
                [*sums.T, sums.sum(axis=1)],
                [*self._shares(), self.value],
                strict=True,
            )
        ]
        what = "How often" if self.kind == "frequency" else "How long"
        said = (
            f"{what} each label occurs in {counted(len(self.sessions), 'session')}: the smaller "
            "total agrees, the rest does not. Order and place do not count."
        )
        table = Table(heads=("label", *self.raters, "agreement"), rows=rows)
        title = f"{self.kind.capitalize()} of labels"
        return page_of_raters(self, title, Paragraph(said), table)


def session_totals(
    units: Units,
    *,
    kind: Literal["frequency", "duration"] = "frequency",
    raters: Sequence[str] | None = None,
    labels: Iterable[Any] | None = None,
    absent: Literal["asked", "drop", "count"] = "asked",
    confidence_level: float = 0.95,
    n_resamples: int = 9_999,
    rng: Seed = 0,
) -> SessionTotals:
    """Compare how often, or how long, two raters use each label in each session.

    These are the comparisons "frequency" and "duration" of The Observer. They ignore where an
    event lies, so they are a first look and no measure of agreement about events; `ratings` hands
    the totals to an intraclass correlation.

    Parameters
    ----------
    units : Units
    kind : {"frequency", "duration"}
    raters : two names, optional
    labels : list, optional
        The code list, in order.
    absent : {"asked", "drop", "count"}
        A rater without a unit in a session counts as having marked nothing if she was asked
        there (`Units.asked`) and is left out if that is not known; is left out; or counts.
    confidence_level, n_resamples, rng
        Of the interval, from resampling sessions.

    Returns
    -------
    SessionTotals

    Raises
    ------
    InputError
        An unknown word, rater or label.
    UnsupportedDesignError
        Not two raters, discontinuous units, no session to compare.

    References
    ----------
    .. [1] Jansen, R. G., Wiertz, L. F., Meyer, E. S. & Noldus, L. P. J. J. (2003). Reliability
       analysis of observational data: Problems, solutions, and software implementation. Behavior
       Research Methods 35, 391-399. doi:10.3758/BF03195516

    Examples
    --------
    >>> units = Units.from_records([
    ...     ("a", "x", 0, 5), ("a", "y", 6, 9), ("b", "x", 1, 5), ("b", "x", 7, 8)])
    >>> session_totals(units).value  # x: 1 of 2, y: 0 of 1
    0.3333333333333333
    >>> session_totals(units, kind="duration").value  # x: 5 and 5, y: 3 and 0
    0.625
    """
    check_word("kind", kind, KINDS)
    known = check_units(units, "the comparison of totals", labels)
    names = check_two(known, raters, "the comparison of totals")
    draws = Draws(confidence_level=confidence_level, n_resamples=n_resamples, rng=rng)
    who = who_counts(known, names, "the comparison of totals", absent=absent)
    totals = _totals(known, names, kind)[:, who.used]
    least, most = totals.min(axis=0), totals.max(axis=0)
    parts = np.stack([least.sum(axis=1), most.sum(axis=1)], axis=1)
    interval = draws.interval(parts, lambda sums: quotient(sums[:, 0], sums[:, 1]), SHARE)
    value = float(quotient(*parts.sum(axis=0)))
    return SessionTotals(
        kind=kind,
        raters=check_pair(names),
        labels=known.labels,
        sessions=who.sessions,
        value=value,
        reason=None if math.isfinite(value) else "nothing was counted",
        agreements=least.sum(axis=0),
        disagreements=(most - least).sum(axis=0),
        totals=totals,
        dropped=who.dropped,
        interval=interval,
        findings=(*note_findings(known), *dropped_findings(who.dropped), _NOT_EVENTS),
        units_by_session=unit_counts(known, names, who.dropped),
    )


_NOT_EVENTS = Finding(
    "totals_only",
    "info",
    "Totals can agree although the raters marked different events, and are not corrected for "
    "chance.",
    "Use easydiag or time_kappa to judge agreement about events.",
)


def _totals(units: Units, names: Sequence[str], kind: str) -> Floats:
    """Return how often or how long (raters, sessions, labels), as Jansen et al. 2003 compare."""
    place = np.full(units.n_raters, -1, dtype=np.int64)
    place[[units.raters.index(name) for name in names]] = (0, 1)
    who = place[units.rater]
    rows = np.flatnonzero(who >= 0)
    shape = (2, units.n_sessions, len(units.labels))
    cell = (who[rows] * shape[1] + units.session[rows]) * shape[2] + units.label[rows]
    start, end, factor = exact_times(units.start, units.end)
    weight = (end - start)[rows].astype(np.float64) if kind == "duration" else np.ones(len(rows))
    total = np.bincount(cell, weights=weight, minlength=math.prod(shape))
    return (total / (factor if kind == "duration" else 1.0)).reshape(shape)
