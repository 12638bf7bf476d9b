"""Any coefficient of the cube over time, for any number of raters: durations in place of counts."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from consilience.coefficients import registry
from consilience.coefficients.coefficient import Coefficient, Design
from consilience.core.arguments import check_word
from consilience.core.arrays import Floats
from consilience.core.draws import Seed
from consilience.core.words import counted, interval_head
from consilience.distances import get_distance
from consilience.document import Document, Finding, Reasoned, Table
from consilience.exceptions import InputError, UnsupportedDesignError
from consilience.inference import Evaluation, Interval
from consilience.inference.resampling import Replicator
from consilience.ratings import Ratings
from consilience.rows import Rows, RowTable
from consilience.rows.reduce import count_codes, form_of
from consilience.units._sessions import KAPPA, SHARE
from consilience.units._timeline import NIL, Prepared, TimeSettings, prepare
from consilience.units._unit_results import Accounted, SessionsDrawn, no_limits, not_defined
from consilience.units.checks import check_label_count
from consilience.units.model import Units

# A duration is no count: what counts are few or many for (alpha's draw without replacement) must
# not depend on the unit of time, so all time together counts as so many moments.
_MOMENTS = 2.0**40


@dataclass(frozen=True, kw_only=True)
class TimeAgreement(Reasoned, SessionsDrawn, Accounted):
    """One coefficient over time.

    Attributes
    ----------
    value, observed, expected : float
    coefficient, name, distance : str
    total : float
        Time (or units of the grid) in which at least two raters can be compared.
    """

    unrecorded: ClassVar[tuple[str, ...]] = ("replicator", "parts")
    recorded: ClassVar[tuple[str, ...]] = ("status", "interval")

    coefficient: str
    name: str
    distance: str
    raters: tuple[str, ...]
    categories: tuple[Any, ...] = field(repr=False)
    value: float
    observed: float
    expected: float | None
    reason: str | None
    total: float
    sessions: tuple[str, ...] = field(repr=False)
    dropped: tuple[tuple[str, str], ...] = field(repr=False)
    n_units: Mapping[str, int] = field(repr=False)
    settings: TimeSettings
    findings: tuple[Finding, ...] = field(repr=False)
    replicator: Replicator = field(repr=False)
    parts: Floats = field(repr=False)  # (sessions, patterns)

    @cached_property
    def interval(self) -> Interval:
        """Interval from resampling sessions; without limits if there are fewer than 8."""
        ends = SHARE if self.expected is None else KAPPA
        return self.settings.interval(self.parts, lambda sums: self.replicator.values(sums.T), ends)

    def by_session(self) -> dict[str, float]:
        """Return the value of each session; NaN where it is not defined."""
        values = self.replicator.values(self.parts.T)
        return dict(zip(self.sessions, map(float, values), strict=True))

    def _beside(self) -> Mapping[str, Any]:
        return {**super()._beside(), "sessions": self.by_session()}

    def document(self) -> Document:
        """Return the result as something to read."""
        counts = ", ".join(f"{n_units:,} by {name}" for name, n_units in self.n_units.items())
        seen = counted(len(self.sessions), "session")
        said = f"{counts}; {seen}. {self.settings.sentence()}"
        unit = "units of time" if self.settings.unit is None else "units of the grid"
        caption = f"{self.total:,.10g} {unit}, {self.distance} distance"
        table = Table.of(
            [self],
            "coefficient: name",
            "value",
            f"{interval_head(self.settings.confidence_level)}: interval",
            "observed",
            "by chance: expected",
            caption=caption,
        )
        return Document.of(
            said,
            table,
            not_defined(self),
            no_limits(self.interval),
            title=f"Agreement over time: {', '.join(self.raters)}",
            findings=self.findings,
        )


def time_agreement(
    units: Units,
    *,
    coefficient: str = "cohen_kappa",
    distance: Any = None,
    raters: Sequence[str] | None = None,
    unit: float | None = None,
    instant: Literal["start", "middle", "longest"] = "start",
    nil: Literal["category", "exclude"] = "category",
    together: Literal["refuse", "sets"] = "refuse",
    labels: Iterable[Any] | None = None,
    absent: Literal["asked", "drop", "count"] = "asked",
    confidence_level: float = 0.95,
    n_resamples: int = 9_999,
    rng: Seed = 0,
) -> TimeAgreement:
    """Any coefficient over time, for any number of raters.

    Each moment is an item that every rater labels; items are weighed by their duration.

    Parameters
    ----------
    units : Units
    coefficient : str
        A name or alias of the registry: "cohen_kappa" (Conger's for more than two raters),
        "scott_pi" (Fleiss' kappa), "krippendorff_alpha", "gwet_ac", "bennett_s",
        "percent_agreement".
    distance : optional
        How different two labels are, as in `krippendorff_alpha`; with ``together="sets"`` also
        "jaccard", "dice", "masi".
    raters : names, optional
    unit, instant, nil, together, labels, absent
        As in `time_kappa`. A rater who did not mark anything in a session did not see it, unless
        ``absent="count"``; the others are compared.
    confidence_level, n_resamples, rng
        Of the intervals, from resampling sessions.

    Returns
    -------
    TimeAgreement

    Raises
    ------
    InputError
        An unknown word, name or distance.
    UnsupportedDesignError
        Fewer than two raters, labels that are on together, or a coefficient that is no ratio of
        disagreements.

    Notes
    -----
    Durations are no counts, so with exact durations alpha is the limit for ever finer moments,
    which is Scott's pi (Fleiss' kappa) when nothing is missing.

    Examples
    --------
    >>> units = Units.from_records([
    ...     ("a", "x", 0, 6), ("a", "y", 6, 10), ("b", "x", 0, 5), ("b", "y", 5, 10),
    ...     ("c", "x", 0, 6), ("c", "y", 7, 10)])
    >>> round(time_agreement(units, coefficient="fleiss_kappa").value, 4)
    0.7425
    """
    chosen = _coefficient(coefficient)
    check_word("together", together, ("refuse", "sets"))
    settings = TimeSettings(
        unit=unit,
        instant=instant,
        tolerance=0,
        nil=nil,
        together=together,
        absent=absent,
        confidence_level=confidence_level,
        n_resamples=n_resamples,
        rng=rng,
    )
    data = prepare(units, "agreement over time", settings, raters=raters, labels=labels)
    if chosen.two_raters_only and len(data.who.raters) != 2:
        raise UnsupportedDesignError.needs(
            chosen.name, "two raters", f"{len(data.who.raters)}", "name two with raters="
        )
    declared = labels is not None and together == "refuse"
    return _measured(data, chosen, distance, declared=declared)


def _coefficient(name: Any) -> Coefficient:
    found = registry[str(name)]
    if not found.ratio_of_disagreements:
        known = [x.name for x in registry.values() if x.ratio_of_disagreements]
        raise InputError.unknown_word("coefficient (over time)", name, known)
    return found


def _patterns(data: Prepared) -> tuple[NDArray[np.int64], Floats]:
    """Return the distinct patterns of categories, and how long each lasts in each session."""
    cut = data.moments
    codes = np.where(cut.state >= 0, data.place[cut.state], -1)
    if data.settings.nil == "exclude":
        codes = np.where(codes == data.nil, -1, codes)
    inverse = np.zeros(len(codes), dtype=np.int64)
    for column in codes.T:  # number the patterns one rater after the other
        key = inverse * (len(data.categories) + 1) + column + 1
        _, first, inverse = np.unique(key, return_index=True, return_inverse=True)
    rows = codes[first]
    n = len(data.who.sessions)
    cell = cut.session * len(rows) + inverse
    length = (cut.end - cut.start) * data.scale
    time = np.bincount(cell, weights=length, minlength=n * len(rows))
    parts = time.astype(np.float64).reshape(n, len(rows))
    rated = (rows >= 0).any(axis=1)
    return rows[rated], parts[:, rated]


def _measured(
    data: Prepared, coefficient: Coefficient, distance: Any, *, declared: bool
) -> TimeAgreement:
    rows, parts = _patterns(data)
    pairable = (rows >= 0).sum(axis=1) >= 2
    total = float(parts[:, pairable].sum())
    if not total:
        raise UnsupportedDesignError.needs(
            "agreement over time",
            "moments that two raters labelled",
            "none",
            'leave nil="category", or check the times',
        )
    used = np.unique(rows[rows >= 0]).tolist()
    if declared:  # a label that nobody used still counts for coefficients that ask how many
        used = sorted({*used, *range(len(data.atoms))})
    place = np.full(len(data.categories), -1)
    place[used] = np.arange(len(used))
    codes = np.where(rows >= 0, place[rows], -1)
    categories = tuple(data.categories[k] for k in used)
    item, rater = np.nonzero(codes >= 0)
    few = Ratings.from_codes(
        item=item,
        rater=rater,
        label=codes[item, rater],
        items=[str(k) for k in range(len(codes))],
        raters=list(data.who.raters),
        categories=list(categories),
    )
    measure = get_distance("nominal" if distance is None else distance, scale=few.scale)
    if coefficient.nominal_only and measure.name != "nominal":
        raise UnsupportedDesignError.needs(
            coefficient.name, "the nominal distance", repr(measure.name), "leave out distance="
        )
    _check_labels(data, measure.name, categories)
    if measure.name != "nominal":
        check_label_count(categories, f"the {measure.name!r} distance")
    scale = 1.0 if data.settings.unit is not None else _MOMENTS / float(parts.sum())
    counted = count_codes(codes, parts.sum(axis=0) * scale, len(categories), by_rater=True)
    form, metric = form_of(few, measure, counted)
    table = Rows(form, counted.vectors, counted.ratings, counted.multiplicity, counted.by_rater)
    fitted = coefficient.fitted(few, coefficient.missing_rules[0])
    evaluation = Evaluation(fitted.terms(form), RowTable(table, len(data.who.raters), metric))
    known = {
        "categories": categories,
        "distance": measure.name,
        "total": total,
        "replicator": Replicator(fitted, table, metric),
        "parts": parts * scale,
    }
    return _summed_up(data, fitted, evaluation, known)


def _check_labels(data: Prepared, distance: str, categories: Sequence[Any]) -> None:
    if distance != "nominal" and NIL in categories and data.settings.together == "refuse":
        raise UnsupportedDesignError.needs(
            f"the {distance!r} distance",
            "a label at every moment",
            "moments without one",
            'pass nil="exclude", or together="sets" with a distance of sets',
        )


def _summed_up(
    data: Prepared, coefficient: Coefficient, evaluation: Evaluation, known: dict[str, Any]
) -> TimeAgreement:
    form = evaluation.source.form
    numbers = evaluation.numbers
    widest = form.maximum or 1.0
    seen = float(coefficient.observed(numbers, form))
    chance = float(coefficient.expected(numbers, form)) if coefficient.corrects_for_chance else None
    reason = None
    if chance is not None and not chance > 1e-14 * widest:
        reason = "chance agreement is 1: all raters show one and the same state all the time"
    nominal = known["distance"] == "nominal"
    design = Design(len(data.who.raters), form.size, nominal)
    return data.who.result(
        TimeAgreement,
        coefficient=coefficient.name,
        name=coefficient.title(design),
        value=math.nan if reason else float(coefficient.value(numbers, form)),
        observed=1.0 - seen / widest,
        expected=None if chance is None else 1.0 - chance / widest,
        reason=reason,
        settings=data.settings,
        findings=data.findings,
        **known,
    )
