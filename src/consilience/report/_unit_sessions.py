"""Sessions, the worst first, and the stretch of each in which raters differ most."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from consilience.document import Block, Cell, Paragraph, Table
from consilience.plot.links import differing
from consilience.report._page import PageBlock, Tabular, Text
from consilience.report._unit_summary import UnitSummary
from consilience.units import EasyDiag, Units

_MOST_SESSIONS = 60  # in the table by session
_UNITS_SHOWN = 20  # of the busiest rater in a picture, so that labels can be read


def sessions(summary: UnitSummary) -> list[PageBlock]:
    """List the sessions, the worst first, by what the method knows of each."""
    main, units = summary.main, summary.units
    if units.n_sessions < 2:
        return []
    if isinstance(main, EasyDiag):
        return [_by_kappa(main)] if len(main.sessions) > 1 else []
    told = [block for block in summary.document().blocks if is_by_session(block)]
    if told:
        return [Text(one.text) if isinstance(one, Paragraph) else Tabular(one) for one in told]
    counts = units.counts().sum(axis=0)
    rows: list[list[Cell]] = [
        [name, int(counts[units.sessions.index(name)]), share_apart(units, name)]
        for name in worst_first(summary)[:_MOST_SESSIONS]
    ]
    said = "Raters differ: share of what anybody marked on which a pair of raters differs."
    note = f"{said} {_left_out(units.n_sessions - len(rows))}".rstrip()
    heads = ("session", "units", "raters differ")
    return [Tabular(Table(heads=heads, rows=rows, note=note))]


def _by_kappa(main: EasyDiag) -> Tabular:
    parts = sorted(main.by_session, key=lambda x: (math.isfinite(x.kappa), x.kappa))
    rows: list[list[Cell]] = [
        [x.session, x.n_tallies, x.linked_share, x.raw, x.kappa] for x in parts[:_MOST_SESSIONS]
    ]
    note = f"Lowest kappa first. {_left_out(len(parts) - len(rows))}".rstrip()
    heads = ("session", "units", "share linked", "raw agreement", "kappa")
    return Tabular(Table(heads=heads, rows=rows, note=note))


def _left_out(more: int) -> str:
    return f"{more:,} more sessions are left out." if more else ""


def is_by_session(block: Block) -> bool:
    """Tell whether a block is a table of sessions."""
    return isinstance(block, Table) and tuple(block.heads[:1]) == ("session",)


def worst_first(summary: UnitSummary) -> list[str]:
    """Return the sessions by their value, or by the time on which raters differ, worst first."""
    units, parts = summary.units, getattr(summary.main, "by_session", ())
    known: dict[str, float] = {}
    if isinstance(parts, tuple):
        known = {one.session: one.kappa for one in parts if hasattr(one, "kappa")}
    elif isinstance(parts, Mapping) and all(isinstance(one, float) for one in parts.values()):
        known = dict(parts)
    if not known:
        known = {name: -share_apart(units, name) for name in units.sessions}

    def rank(name: str) -> tuple[bool, float]:
        value = known.get(name, math.nan)
        return not math.isfinite(value), value

    return sorted(units.sessions, key=rank)


def share_apart(units: Units, session: str) -> float:
    """Return the share of the time that anybody marked on which pairs of raters differ.

    Examples
    --------
    >>> share_apart(Units.from_records([("A", "x", 0, 8), ("B", "x", 0, 6)]), "session")
    0.25
    """
    at = units.sessions.index(session)
    asked = [name for name, there in zip(units.raters, units.asked[:, at], strict=True) if there]
    if len(asked) < 2:
        return math.nan
    cuts, share = differing(units, session, asked)
    rows = units.session == at
    first, last = (np.searchsorted(cuts, column[rows]) for column in (units.start, units.end))
    covered = np.cumsum(np.bincount(first, minlength=len(cuts) + 1)
                        - np.bincount(last, minlength=len(cuts) + 1))[: len(share)]  # fmt: skip
    length = np.diff(cuts)
    marked = float(length[covered > 0].sum())
    return float((share * length).sum()) / marked if marked else math.nan


def shown_stretch(units: Units, session: str) -> tuple[float | None, float | None]:
    """Return the stretch of a long session in which raters differ most; None if all can be shown.

    Examples
    --------
    >>> rows = [("A", "x", k, k + 0.5) for k in range(60)]
    >>> rows += [("B", "y" if 30 <= k < 40 else "x", k, k + 0.5) for k in range(60)]
    >>> shown_stretch(Units.from_records(rows), "session")
    (20.0, 40.0)
    """
    mine = np.flatnonzero(units.session == units.sessions.index(session))
    lanes = [
        np.sort(units.start[mine][(units.tier[mine] == tier) & (units.rater[mine] == rater)])
        for tier in np.unique(units.tier[mine])
        for rater in np.unique(units.rater[mine])
    ]
    if max(map(len, lanes), default=0) <= _UNITS_SHOWN:
        return None, None
    starts = np.unique(units.start[mine]).astype(np.float64)
    most = float(units.end[mine].max())
    ends = np.full(len(starts), most)
    for lane in lanes:  # until the next unit would be one too many
        place = np.searchsorted(lane, starts) + _UNITS_SHOWN
        full = place < len(lane)
        ends[full] = np.minimum(ends[full], lane[place[full]])
    cuts, share = differing(units, session, units.raters)
    apart = np.concatenate([[0.0], np.cumsum(share * np.diff(cuts))])  # until each cut
    within = np.interp(ends, cuts, apart) - np.interp(starts, cuts, apart)
    whole = ends < most  # of those that reach the end, the first is the longest
    whole[int(np.argmax(~whole))] = True
    worst = int(np.argmax(np.where(whole, within, -1.0)))
    return float(starts[worst]), float(ends[worst])
