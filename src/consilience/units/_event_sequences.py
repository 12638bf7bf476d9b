"""Agreement on the order of events without times: alignment of code strings."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from consilience.core.arrays import Floats, Ints
from consilience.core.draws import Seed
from consilience.document import Document
from consilience.exceptions import InputError
from consilience.inference import Interval
from consilience.units._alignment import AlignmentTable, check_cost, global_path, table_numbers
from consilience.units._columns import labels_of
from consilience.units._sessions import Draws, no_interval
from consilience.units._unit_results import SessionsDrawn, about_raters, said_interval, said_units
from consilience.units.checks import compared
from consilience.units.link_tables import Tallies, check_pair, overall
from consilience.units.model import Units


@dataclass(frozen=True, kw_only=True)
class SequenceAlignment(SessionsDrawn, AlignmentTable):
    """Two raters' sequences of codes, aligned.

    Attributes
    ----------
    substitution, gap : float
        What linking unlike codes and leaving a code alone cost.
    costs : array (K, K)
        What linking each two codes costs.
    cost : float
        Of the alignment, over all sessions.
    n_columns, n_linked : int
        Columns of the alignment, and those with a code of both raters.
    columns : tuple of pairs
        The aligned codes of the first session, None for a gap; empty for more sessions.
    """

    coefficient: ClassVar[str] = "event_alignment"
    name: ClassVar[str] = "Alignment kappa"
    ties: ClassVar[str] = "agreement, substitution, deletion, insertion"
    unrecorded: ClassVar[tuple[str, ...]] = ("kappa", "columns", "tallies")
    recorded: ClassVar[tuple[str, ...]] = (
        *AlignmentTable.recorded, "coefficient", "name", "ties", "interval",
    )  # fmt: skip

    substitution: float
    gap: float
    costs: Floats = field(repr=False)
    cost: float
    n_columns: int
    n_linked: int
    columns: tuple[tuple[Any, Any], ...] = field(repr=False)
    sessions: tuple[str, ...] = field(repr=False)
    dropped: tuple[tuple[str, str], ...] = field(repr=False)
    tallies: Tallies = field(repr=False)
    interval: Interval = field(repr=False)

    def document(self) -> Document:
        """Return the result as something to read."""
        said = (
            f"{self.n_columns:,} columns, {self.n_linked:,} with a code of both raters; cost "
            f"{self.cost:g}. Costs: agreement 0, unlike codes {self._unlike()}, a code alone "
            f"{self.gap:g}; on ties agreement before substitution, deletion, insertion."
        )
        drawn = None
        if self.units_by_session:  # two bare sequences have no interval to speak of
            said = f"{said_units(self.units_by_session)} {said}"
            drawn = said_interval(self.interval)
        blocks = super().document().blocks
        return about_raters(self, "Alignment of event sequences", said, *blocks, drawn)

    def _unlike(self) -> str:
        off = self.costs[~np.eye(len(self.costs), dtype=bool)]
        low, high = (float(off.min()), float(off.max())) if off.size else (self.substitution,) * 2
        return f"{low:g}" if low == high else f"{low:g} to {high:g}"


def align_sequences(
    first: Sequence[Any],
    second: Sequence[Any],
    *,
    substitution: float = 1,
    gap: float = 1,
    costs: Any = None,
    labels: Iterable[Any] | None = None,
    raters: tuple[str, str] = ("rater 1", "rater 2"),
) -> SequenceAlignment:
    """Align two sequences of codes that have an order but no times, and give its kappa.

    Parameters
    ----------
    first, second : sequences of codes
        A text is a sequence of one-letter codes.
    substitution, gap : float
        What linking unlike codes, and leaving a code alone, costs; agreement costs 0.
    costs : K x K table, optional
        What linking each two codes costs, in the order of `labels` (given, or sorted).
    labels : list, optional
        The code list, in order.
    raters : pair of names

    Returns
    -------
    SequenceAlignment

    Raises
    ------
    InputError
        A missing code, a code that is not in `labels`, or an impossible cost.

    Notes
    -----
    Needleman and Wunsch's alignment at the least cost; every column is one tally, and kappa is
    that of quasi-independence with the cell of nil and nil empty ("alignment kappa"). The costs
    recommended by the authors are not known here, so they are parameters and part of the result.

    References
    ----------
    .. [1] Quera, V., Bakeman, R. & Gnisci, A. (2007). Observer agreement for event sequences:
       Methods and software for sequence alignment and reliability estimates. Behavior Research
       Methods 39, 39-49. doi:10.3758/BF03192842

    Examples
    --------
    >>> result = align_sequences("abbcab", "abcaab")
    >>> result.cost, result.n_columns, round(result.kappa, 4)
    (2.0, 6, 0.4783)
    """
    words = [_sequence(x, name) for x, name in ((first, "first"), (second, "second"))]
    both = [*words[0], *words[1]]
    named, notes = labels_of(both, size=len(both), declared=labels)
    if any(note.code == "empty_label" for note in notes):
        raise InputError.expected("the sequences", "codes without gaps", None, "name every event")
    codes, n = named.codes.astype(np.int64), len(words[0])
    found = _aligned(
        [(codes[:n], codes[n:])],
        [0],
        named.names,
        _costs(costs, substitution, gap, len(named.names)),
    )
    return SequenceAlignment(
        raters=check_pair(raters),
        sessions=("sequence",),
        dropped=(),
        interval=no_interval(1, 0.95),
        **found,
    )


def event_alignment(
    units: Units,
    *,
    substitution: float = 1,
    gap: float = 1,
    costs: Any = None,
    labels: Iterable[Any] | None = None,
    raters: Sequence[str] | None = None,
    confidence_level: float = 0.95,
    n_resamples: int = 9_999,
    rng: Seed = 0,
) -> SequenceAlignment:
    """Align the codes of two raters' units in their order, without regard to their times.

    Sessions in which one of them has no units are left out; tiers are aligned each by itself and
    tallies are summed. Everything else is as in `align_sequences`.

    Parameters
    ----------
    units : Units
    substitution, gap, costs, labels
        As in `align_sequences`.
    raters : two names, optional
    confidence_level, n_resamples, rng
        Of the interval, from resampling sessions.

    Returns
    -------
    SequenceAlignment

    Raises
    ------
    InputError
        An unknown rater or label, or an impossible cost.
    UnsupportedDesignError
        Not two raters, no common session, discontinuous units.

    Examples
    --------
    >>> units = Units.from_records([("a", "x", 0, 5), ("a", "y", 6, 7), ("b", "x", 80, 90)])
    >>> event_alignment(units).table.tolist()  # rows x, y, nil
    [[1, 0, 0], [0, 0, 1], [0, 0, 0]]
    """
    draws = Draws(confidence_level=confidence_level, n_resamples=n_resamples, rng=rng)
    who = compared(units, "the alignment", raters, labels)
    blocks = who.blocks()
    known = who.units.labels
    strings = [
        tuple(blocks.label[blocks.of(k, r)].astype(np.int64) for r in (0, 1))
        for k in range(blocks.n_blocks)
    ]
    found = _aligned(strings, blocks.session, known, _costs(costs, substitution, gap, len(known)))
    parts = found["tallies"].parts()
    interval = draws.interval(parts, lambda sums: overall(sums)["kappa"])
    return who.result(SequenceAlignment, interval=interval, **found)


def _sequence(given: Any, what: str) -> list[Any]:
    if isinstance(given, (bytes, dict)) or not isinstance(given, Iterable):
        raise InputError.expected(
            f"the {what} sequence", "a sequence of codes", given, "such as ['a', 'b', 'a']"
        )
    return list(given)


Costs = tuple[float, float, Floats]  # of unlike codes, of a code alone, of each two codes


def _costs(costs: Any, substitution: Any, gap: Any, size: int) -> Costs:
    one, alone = check_cost(substitution), check_cost(gap, "gap")
    table = np.full((size, size), one)
    np.fill_diagonal(table, 0.0)
    if costs is not None:
        hint = "one row and column for each code, in the order of labels"
        try:
            table = np.array(costs, dtype=np.float64)
        except (TypeError, ValueError):
            raise InputError.expected("costs", "a table of numbers", costs, hint) from None
        good = table.shape == (size, size) and ((table >= 0) & (table <= 1_000_000)).all()
        if not good or np.diag(table).any():
            raise InputError.expected(
                "costs", f"a {size} x {size} table of 0 or more with a diagonal of 0", costs, hint
            )
    return one, alone, table


def _aligned(
    strings: Sequence[tuple[Ints, ...]], session: Any, labels: tuple[Any, ...], costs: Costs
) -> dict[str, Any]:
    """Align each pair of code strings and count the columns; return fields of the result."""
    substitution, gap, table = costs
    paths = [global_path(a, b, table, gap) for a, b in strings]
    nil = len(labels)
    row, column = (
        np.concatenate(
            [
                np.append(pair[k], nil)[(path.first, path.second)[k]]
                for pair, path in zip(strings, paths, strict=True)
            ]
        ).astype(np.int64)
        for k in (0, 1)
    )
    at = np.repeat(np.asarray(session, dtype=np.int64), [len(path.first) for path in paths])
    n_sessions = int(max(session)) + 1
    tallies = Tallies(nil, n_sessions, at, row, column, np.ones(len(row), dtype=np.int64))
    names = [*labels, None]
    shown = tuple((names[a], names[b]) for a, b in zip(row, column, strict=True))
    return {
        "table": tallies.table(),
        "substitution": substitution,
        "gap": gap,
        "costs": table,
        "cost": float(sum(path.cost for path in paths)),
        "n_columns": len(row),
        "n_linked": int(((row < nil) & (column < nil)).sum()),
        "columns": shown if len(paths) == 1 else (),
        "tallies": tallies,
        **table_numbers(tallies.totals(), labels),
    }
