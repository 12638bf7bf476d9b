"""GSEQ-like alignment of timed events: two passes of a dynamic programme, and their kappas."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from consilience.core.arrays import Ints
from consilience.core.checks import number_where
from consilience.core.resample import Seed
from consilience.document import Finding
from consilience.exceptions import InputError
from consilience.units.linking._alignment_path import BASES, Events, Rule, band_of, trace
from consilience.units.linking._diag_table import check_pair
from consilience.units.linking._gseq_table import table_numbers
from consilience.units.linking._link_tally import Tallies
from consilience.units.linking._overlap_linking import check_threshold
from consilience.units.linking._timed_results import (
    GAP,
    AlignedEvents,
    AlignmentSettings,
    TimedAlignment,
)
from consilience.units.model._ordered_units import own_overlaps, refuse_own_overlaps
from consilience.units.model._unit_results import unit_counts
from consilience.units.model.asked import who_counts
from consilience.units.model.unit_checks import check_time, check_two, check_units, check_word
from consilience.units.model.units import Units
from consilience.units.time._time_input import session_findings
from consilience.units.time._timeline import Axis, axis_of

PRESETS = {"gseq51": 2.0, "quera": 1.0}  # what linking unlike events costs


def timed_alignment(
    units: Units,
    *,
    tolerance: float = 0,
    overlap: float = 60,
    preset: Literal["gseq51", "quera"] = "gseq51",
    base: Literal["longer", "shorter", "union"] = "longer",
    substitution: float | None = None,
    fill_gaps: bool = True,
    raters: Sequence[str] | None = None,
    labels: Iterable[Any] | None = None,
    absent: Literal["asked", "drop", "count"] = "asked",
    confidence_level: float = 0.95,
    n_resamples: int = 9_999,
    rng: Seed = 0,
) -> TimedAlignment:
    """GSEQ-like alignment of two raters' timed events, and its kappas.

    Events are linked in order, at the least cost: as many as possible with one code. The
    alignment is made twice, each rater leading once, because ties may be broken differently.
    This is a reconstruction from published tables and descriptions, not GSEQ itself.

    Parameters
    ----------
    units : Units
        A rater's own units must not overlap.
    tolerance : float
        Onsets at most so far apart make two events eligible; 0 leaves this rule out.
    overlap : float, default 60
        Percent that two events must have in common to be eligible.
    preset : {"gseq51", "quera"}
        What linking events of unlike codes costs: 2 (never better than leaving both alone, so no
        such links) or 1.
    base : {"longer", "shorter", "union"}
        What the percentage refers to.
    substitution : float, optional
        Another cost of linking unlike codes.
    fill_gaps : bool, default True
        Time without an event becomes an event of the code "&", over the bounds of the session.
    raters : two names, optional
    labels : list, optional
        The code list, in order.
    absent : {"asked", "drop", "count"}
        A rater without a unit in a session counts as having marked nothing if she was asked
        there (`Units.asked`) and is left out if that is not known; is left out; or counts.
    confidence_level, n_resamples, rng
        Of the intervals, from resampling sessions.

    Returns
    -------
    TimedAlignment

    Raises
    ------
    InputError
        An unknown word, rater or label, or an impossible number.
    UnsupportedDesignError
        Not two raters, units of one rater that overlap, discontinuous units, no common session.

    Notes
    -----
    Each link of each pass is one tally; an event linked in neither pass is one tally with nil.
    Kappas are those of `gseq_table`.

    References
    ----------
    .. [1] Bakeman, R., Quera, V. & Gnisci, A. (2009). Observer agreement for timed-event
       sequential data. Behavior Research Methods 41, 137-147. doi:10.3758/BRM.41.1.137

    Examples
    --------
    >>> units = Units.from_records([
    ...     ("R1", "A", 0, 10), ("R1", "B", 10, 20), ("R1", "A", 25, 35), ("R1", "C", 40, 50),
    ...     ("R2", "A", 1, 11), ("R2", "C", 11, 19), ("R2", "A", 26, 30), ("R2", "A", 30, 36),
    ...     ("R2", "B", 60, 65)])
    >>> result = timed_alignment(units)
    >>> result.cost, round(result.kappa, 4), result.n_links
    (11.0, 0.1951, (2, 2))
    """
    known = check_units(units, "the alignment", labels)
    names = check_two(known, raters, "the alignment")
    check_word("preset", preset, PRESETS)
    check_word("base", base, BASES)
    if not isinstance(fill_gaps, bool):
        raise InputError.expected("fill_gaps", "True or False", fill_gaps, "leave it out")
    share = check_threshold(overlap)
    settings = AlignmentSettings(
        preset=preset if substitution is None else "custom",
        tolerance=check_time(tolerance, "tolerance", zero="allowed"),
        overlap=float(overlap),
        base=base,
        substitution=PRESETS[preset] if substitution is None else check_cost(substitution),
        fill_gaps=fill_gaps,
        absent=absent,
        confidence_level=confidence_level,
        n_resamples=n_resamples,
        rng=rng,
    )
    who = who_counts(known, names, "the alignment", absent=absent, long=True)
    used = np.flatnonzero(who.used).tolist()
    blocks = who.blocks()
    clash = blocks.order[own_overlaps(blocks, points=True)]
    hint = "put units that may overlap on different tiers"
    refuse_own_overlaps(known, "the alignment", hint, clash)
    axis = axis_of(known, used, unit=None, extra=settings.tolerance)
    reach = min(round(settings.tolerance * axis.factor), int(axis.offset[-1]))
    codes = known.labels
    if fill_gaps and GAP not in codes:
        codes = (*codes, GAP)
    sides = [_side(known, name, axis, codes, fill_gaps=fill_gaps) for name in names]
    passes = _passes(sides, axis, Rule(reach, share, base, settings.substitution))
    return _result(Asked(known, codes, axis, settings, used, who.dropped), sides, passes)


_HIGHEST_COST = 1_000_000


def check_cost(cost: Any, what: str = "substitution") -> float:
    """Return a cost of an alignment."""
    expectation, hint = f"a cost from 0 to {_HIGHEST_COST:,}", "the usual one is 1 or 2"
    return number_where(what, cost, expectation, hint, fits=lambda x: 0 <= x <= _HIGHEST_COST)


@dataclass(frozen=True, slots=True)
class Asked:
    """Checked input."""

    units: Units
    codes: tuple[Any, ...]
    axis: Axis
    settings: AlignmentSettings
    used: list[int]
    dropped: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Side:
    """The events of one rater on the axis, gaps among them."""

    name: str
    events: Events
    block: Ints
    row: Ints  # in the units, -1 for a gap


def _side(units: Units, name: str, axis: Axis, codes: tuple[Any, ...], *, fill_gaps: bool) -> Side:
    rows = np.flatnonzero((units.rater == units.raters.index(name)) & (axis.block >= 0))
    rows = rows[np.lexsort((axis.end[rows], axis.start[rows], axis.block[rows]))]
    start, end, block = axis.start[rows], axis.end[rows], axis.block[rows]
    code = units.label[rows].astype(np.int64)
    if fill_gaps:
        # The k-th moment at which an event or block begins to lack is followed by the k-th at
        # which one begins or a block ends.
        opens = np.sort(np.concatenate([axis.offset[:-1], end]))
        closes = np.sort(np.concatenate([axis.offset[1:], start]))
        gap = closes > opens
        opens, closes = opens[gap], closes[gap]
        start, end = np.concatenate([start, opens]), np.concatenate([end, closes])
        inside = np.searchsorted(axis.offset, opens, side="right") - 1
        block = np.concatenate([block, inside])
        rows = np.concatenate([rows, np.full(len(opens), -1)])
        code = np.concatenate([code, np.full(len(opens), codes.index(GAP))])
        order = np.lexsort((end, start, block))
        start, end = start[order], end[order]
        block, rows, code = block[order], rows[order], code[order]
    return Side(name, Events(start, end, code), block, rows)


def _passes(sides: Sequence[Side], axis: Axis, rule: Rule) -> tuple[list[Ints], float]:
    """Return the links of both passes (places in the two sides), and the cost."""
    links: list[list[Ints]] = [[], []]
    cost = 0.0
    edges = [np.searchsorted(x.block, np.arange(axis.n_blocks + 1)) for x in sides]
    for k in range(axis.n_blocks):
        parts = [slice(int(edge[k]), int(edge[k + 1])) for edge in edges]
        a, b = (
            Events(x.events.start[part], x.events.end[part], x.events.code[part])
            for x, part in zip(sides, parts, strict=True)
        )
        band = band_of(a, b, rule)
        cost += len(a.start) + len(b.start) - band.most(0, 0)
        for leader in (0, 1):
            found = np.array(trace(a, b, band, leader=leader), dtype=np.int64).reshape(-1, 2)
            links[leader].append(found + np.array([parts[0].start, parts[1].start]))
    return [np.concatenate(x) for x in links], cost


def _result(
    asked: Asked, sides: Sequence[Side], passes: tuple[list[Ints], float]
) -> TimedAlignment:
    units, settings = asked.units, asked.settings
    (first, second), cost = passes
    a, b = sides
    tallies = _tallied(sides, np.concatenate([first, second]), asked)
    size = len(b.row) + 1
    keys = [x[:, 0] * size + x[:, 1] for x in (first, second)]
    either = np.union1d(*keys)
    made = [np.isin(either, key) for key in keys]
    rows = np.stack([a.row[either // size], b.row[either % size], *made], axis=1)
    findings = session_findings(units, (a.name, b.name), asked.used, asked.dropped, points="count")
    if settings.fill_gaps and GAP in units.labels:
        message = f'The code "{GAP}" is in the data; gaps that were filled are counted with it.'
        findings.append(Finding("gap_code_in_use", "caution", message))
    findings.append(_RECONSTRUCTED)
    return TimedAlignment(
        raters=check_pair((a.name, b.name)),
        table=tallies.table(),
        findings=tuple(findings),
        settings=settings,
        cost=cost,
        n_links=(len(first), len(second)),
        n_both=int((made[0] & made[1]).sum()),
        n_units={x.name: int((x.row >= 0).sum()) for x in sides},
        units_by_session=unit_counts(units, (a.name, b.name), asked.dropped),
        n_gaps={x.name: int((x.row < 0).sum()) for x in sides},
        sessions=tuple(units.sessions[k] for k in asked.used),
        dropped=asked.dropped,
        links=rows.astype(np.int64),
        events=(_events(a, asked), _events(b, asked)),
        event_links=np.stack([either // size, either % size], axis=1),
        tallies=tallies,
        **table_numbers(tallies.totals(), asked.codes),
    )


def _events(side: Side, asked: Asked) -> AlignedEvents:
    """Return a side in the time of the units."""
    axis = asked.axis
    session = axis.session[side.block]
    begins = np.asarray(asked.units.bounds, dtype=np.float64)[np.array(asked.used)[session], 0]
    start, end = (
        (x - axis.offset[side.block]) / axis.factor + begins
        for x in (side.events.start, side.events.end)
    )
    return AlignedEvents(
        start=start, end=end, code=side.events.code, row=side.row, session=session, block=side.block
    )


_RECONSTRUCTED = Finding(
    "gseq_like",
    "info",
    "This is a reconstruction of the alignment that GSEQ describes; its exact costs and ties are "
    "not published, so tables can differ from GSEQ's in some cells.",
)


def _tallied(sides: Sequence[Side], links: Ints, asked: Asked) -> Tallies:
    """Count each link of each pass once, and once each event that no pass linked."""
    a, b = sides
    n_labels = len(asked.codes)
    alone = [np.setdiff1d(np.arange(len(x.block)), links[:, k]) for k, x in enumerate(sides)]
    code_a, code_b = a.events.code, b.events.code
    nil = [np.full(len(x), n_labels) for x in alone]
    row = np.concatenate([code_a[links[:, 0]], code_a[alone[0]], nil[1]])
    column = np.concatenate([code_b[links[:, 1]], nil[0], code_b[alone[1]]])
    block = np.concatenate([a.block[links[:, 0]], a.block[alone[0]], b.block[alone[1]]])
    session = asked.axis.session[block]
    ones = np.ones(len(row), dtype=np.int64)
    return Tallies(n_labels, len(asked.used), session, row, column, ones)
