"""How agreement depends on the overlap asked for: EasyDIAG at many thresholds."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from consilience.core.arrays import Floats
from consilience.core.resample import Seed
from consilience.core.result import Several
from consilience.core.words import interval_head
from consilience.document import Block, Document, Finding, Paragraph, Range, Table
from consilience.exceptions import InputError
from consilience.inference import Interval
from consilience.units.linking._link_tally import overall, per_label, tally
from consilience.units.linking._overlap_linking import check_threshold, link
from consilience.units.linking.diag_results import shown_label
from consilience.units.model._sessions import Draws
from consilience.units.model._unit_findings import dropped_findings, note_findings
from consilience.units.model._unit_results import Accounted, said_units, unit_counts
from consilience.units.model.asked import who_counts
from consilience.units.model.unit_checks import check_two, check_units
from consilience.units.model.units import Units

_MOST_LABELS = 30


@dataclass(frozen=True, kw_only=True)
class ThresholdCurve(Several, Accounted):
    """EasyDIAG's values at each threshold.

    Attributes
    ----------
    thresholds, n_linked, linked_share, raw, kappa, kappa_linked : tuple
        One number for each threshold.
    category_kappa : array (thresholds, labels)
    n_units : tuple
        Units of both raters with each label.
    low, high : tuple or None
        Limits of the intervals of kappa over sessions; None with fewer than 8 sessions.
    """

    raters: tuple[str, str]
    labels: tuple[Any, ...]
    thresholds: tuple[float, ...]
    n_linked: tuple[int, ...] = field(repr=False)
    linked_share: tuple[float, ...] = field(repr=False)
    raw: tuple[float, ...] = field(repr=False)
    kappa: tuple[float, ...] = field(repr=False)
    kappa_linked: tuple[float, ...] = field(repr=False)
    category_kappa: Floats = field(repr=False)
    n_units: tuple[int, ...] = field(repr=False)
    low: tuple[float, ...] | None = field(default=None, repr=False)
    high: tuple[float, ...] | None = field(default=None, repr=False)
    confidence_level: float = field(default=0.95, repr=False)
    linking: str = "symmetric"
    dropped: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    findings: tuple[Finding, ...] = ()

    def document(self) -> Document:
        """Return the curve as a table."""

        def at(name: str) -> Callable[[int], Any]:
            return lambda k: getattr(self, name)[k]

        low, high = self.low or (), self.high or ()
        level = f"{interval_head(self.confidence_level)} of kappa"
        table = Table.of(
            range(len(self.thresholds)),
            ("percent", at("thresholds"), "g"),
            ("pairs", at("n_linked")),
            ("linked", at("linked_share")),
            ("raw", at("raw")),
            ("kappa", at("kappa")),
            ("kappa, linked only", at("kappa_linked")),
            (level, lambda k: Range(low[k], high[k])) if low else None,
        )
        title = f"EasyDIAG by threshold: {self.raters[0]} and {self.raters[1]}"
        said = said_units(self.units_by_session)
        said += f" Partners chosen by the rule {self.linking!r}."
        blocks: list[Block] = [Paragraph(said.strip()), table]
        blocks += self._by_label()
        return Document(title=title, blocks=tuple(blocks), findings=self.findings)

    def numbers(self) -> Table:
        """Return everything in one table, as it stands behind a figure: overall, then by label."""
        first, *others = (one for one in self.document().blocks if isinstance(one, Table))
        if not others:
            return first
        rows = [[*a, *b[1:]] for a, b in zip(first.rows, others[0].rows, strict=True)]
        return Table(heads=(*first.heads, *others[0].heads[1:]), rows=rows)

    def _by_label(self) -> list[Table]:
        if not 1 < len(self.labels) <= _MOST_LABELS:
            return []
        rows: list[list[Any]] = [
            [f"{t:g}", *map(float, values)]
            for t, values in zip(self.thresholds, self.category_kappa, strict=True)
        ]
        heads = ("percent", *map(shown_label, self.labels))
        return [Table(heads=heads, rows=rows, caption="Kappa of each label against all others")]


def threshold_curve(
    units: Units,
    *,
    thresholds: Iterable[float] = range(51, 91),
    linking: str = "symmetric",
    raters: Sequence[str] | None = None,
    labels: Iterable[Any] | None = None,
    point_tolerance: float | None = None,
    absent: str = "asked",
    confidence_level: float = 0.95,
    n_resamples: int = 1_999,
    rng: Seed = 0,
) -> ThresholdCurve:
    """EasyDIAG at many thresholds: does the conclusion depend on the overlap asked for?

    Units are linked once, at the lowest threshold: pairs are taken from the largest overlap
    downwards, so the links at a higher threshold are among those at a lower one. Only
    ``linking="optimal"`` links anew at each threshold.

    Parameters
    ----------
    units : Units
    thresholds : percentages, default 51 to 90
    linking, raters, labels, point_tolerance, absent
        As in `easydiag`, for two raters.
    confidence_level, n_resamples, rng
        Of the intervals of kappa at each threshold, from resampling sessions.

    Returns
    -------
    ThresholdCurve

    References
    ----------
    .. [1] Holle, H. & Rein, R. (2015). EasyDIAg: A tool for easy determination of interrater
       agreement. Behavior Research Methods 47, 837-847, Figure 5.

    Examples
    --------
    >>> units = Units.from_records([
    ...     ("R1", "A", 0, 10), ("R1", "B", 10, 20), ("R2", "A", 1, 11), ("R2", "B", 11, 19)])
    >>> threshold_curve(units, thresholds=[60, 80, 85, 95]).n_linked
    (2, 2, 1, 0)
    """
    listed = _thresholds(thresholds)
    known = check_units(units, "EasyDIAG", labels)
    names = check_two(known, raters, "a threshold curve", hint="name them: raters=['A', 'B']")
    draws = Draws(confidence_level=confidence_level, n_resamples=n_resamples, rng=rng)
    exact = [check_threshold(t) for t in listed]
    who = who_counts(known, names, "EasyDIAG", absent=absent, silent=False)
    size = {"n_labels": len(known.labels), "n_sessions": len(who.sessions)}
    blocks = who.blocks()
    rule: dict[str, Any] = {"rule": linking, "point_tolerance": point_tolerance}
    links = link(blocks, threshold=min(exact), **rule)
    limits: list[Interval] = []
    totals, pairs = [], []
    for threshold in exact:
        if linking == "optimal" and threshold != min(exact):
            links = link(blocks, threshold=threshold, **rule)
        tallies = tally(blocks, links, threshold=threshold, **size)
        limits.append(draws.interval(tallies.parts(), lambda sums: overall(sums).kappa))
        totals.append(tallies.totals())
        pairs.append(int(np.count_nonzero(links.at_least(threshold))))
    stacked = np.stack(totals)
    whole = overall(stacked)
    return ThresholdCurve(
        raters=(names[0], names[1]),
        labels=known.labels,
        thresholds=tuple(listed),
        n_linked=tuple(pairs),
        linked_share=tuple(whole.linked_share.tolist()),
        raw=tuple(whole.raw.tolist()),
        kappa=tuple(whole.kappa.tolist()),
        kappa_linked=tuple(whole.kappa_linked.tolist()),
        category_kappa=per_label(stacked).kappa,
        n_units=tuple(np.bincount(blocks.label, minlength=len(known.labels)).tolist()),
        low=_known(one.low for one in limits),
        high=_known(one.high for one in limits),
        confidence_level=draws.confidence_level,
        linking=linking,
        dropped=who.dropped,
        findings=(*note_findings(known), *dropped_findings(who.dropped)),
        units_by_session=unit_counts(known, names, who.dropped),
    )


def _known(limits: Iterable[float]) -> tuple[float, ...] | None:
    """Return limits if there are any."""
    listed = tuple(limits)
    return listed if any(map(math.isfinite, listed)) else None


def _thresholds(thresholds: Any) -> list[float]:
    if isinstance(thresholds, str) or not isinstance(thresholds, Iterable):
        raise InputError.expected(
            "thresholds", "a list of percentages", thresholds, "for example range(51, 91)"
        )
    listed = list(thresholds)
    if not listed:
        raise InputError.expected("thresholds", "at least one percentage", listed, "leave it out")
    for threshold in listed:
        check_threshold(threshold)
    return listed
