"""Units: stretches of time or text that raters marked and labelled."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from consilience.core.checks import check_word
from consilience.core.frames import columns_of
from consilience.core.keywords import UNITS, UnitOptions, written_out
from consilience.exceptions import InputError, shown
from consilience.ratings import Note
from consilience.units.model._bounds import bounds_of
from consilience.units.model._columns import (
    Codes,
    Times,
    check_fragments,
    check_order,
    labels_of,
    names_of,
    spans_of,
    times_of,
    together,
)
from consilience.units.model._ordered_units import Blocks, sorted_blocks
from consilience.units.model.asked import asked_of
from consilience.units.model.units_reading import UnitReading

_ARRAYS = ("start", "end", "label", "rater", "session", "tier")
TIME_UNITS = ("ms", "s", "frame", "character", "token", "unknown")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Units:
    """Marked and labelled stretches of a continuum: immutable, columnar, in input order.

    A unit is a half-open interval ``[start, end)`` with a label, by one rater, on one tier of one
    session. A session is the block inside which units of two raters can be the same event; a
    point event has ``start == end``.

    Attributes
    ----------
    start, end : array of int64 (every time is whole) or float64
    label, rater, session, tier : array of int32
        Codes into `labels`, `raters`, `sessions`, `tiers`.
    span : array of int64 or None
        Number shared by the fragments of one discontinuous unit.
    bounds : array (sessions, 2)
        The continuum of each session.
    bounds_from : tuple of str
        "file", "given" or "fallback" (earliest onset to latest offset) for each session.
    time_unit : str
    sources, notes : tuple
    asked : array of bool (raters, sessions)
        Whether a rater is known to have been asked in a session: she has a unit, a file, a tier
        or a document there. Elsewhere it is not known, and she is left out of the comparison.
    reading : UnitReading or None
        How the files were read, and the account of what was found, used and set aside.

    Examples
    --------
    >>> units = Units.from_records([
    ...     ("R1", "A", 0, 10), ("R1", "B", 10, 20), ("R2", "A", 1, 11), ("R2", "C", 11, 19)])
    >>> units
    Units(n_units=4, raters=('R1', 'R2'), sessions=1, tiers=1, labels=('A', 'B', 'C'))
    >>> units.bounds.tolist(), units.bounds_from
    ([[0, 20]], ('fallback',))
    """

    start: Times
    end: Times
    label: Codes
    rater: Codes
    session: Codes
    tier: Codes
    labels: tuple[Any, ...]
    raters: tuple[str, ...]
    sessions: tuple[str, ...]
    tiers: tuple[str, ...]
    bounds: Times
    bounds_from: tuple[str, ...]
    span: NDArray[np.int64] | None = None
    time_unit: str = "unknown"
    sources: tuple[str, ...] = ()
    notes: tuple[Note, ...] = ()
    asked: Any = None
    reading: UnitReading | None = None

    def __post_init__(self) -> None:
        if self.asked is None:
            known = asked_of(None, self.raters, self.sessions, self.counts() > 0)
            object.__setattr__(self, "asked", known)
        for name in (*_ARRAYS, "bounds", "span", "asked"):
            array = getattr(self, name)
            if array is not None:
                array.flags.writeable = False

    # ------------------------------------------------------------ building

    @classmethod
    def from_columns(
        cls,
        *,
        start: Any,
        end: Any,
        label: Any = None,
        rater: Any,
        session: Any = None,
        tier: Any = None,
        span: Any = None,
        bounds: Any = None,
        bounds_from: str = "given",
        time_unit: str = "unknown",
        labels: Iterable[Any] | None = None,
        raters: Iterable[str] | None = None,
        sessions: Iterable[str] | None = None,
        sources: Sequence[str] = (),
        notes: Sequence[Note] = (),
        asked: Any = None,
        reading: UnitReading | None = None,
    ) -> Units:
        """Build units from columns, one entry for each unit or fragment.

        Parameters
        ----------
        start, end : sequence of numbers
        label : sequence, or None if all units are of one kind ("segment")
            Texts, numbers or sets; a missing label becomes the category ''.
        rater, session, tier : sequence of names, one name for all units, or None
        span : sequence, optional
            The same id for the fragments of one unit; None where a unit is in one piece.
        bounds : pair, mapping of session to pair, or array (sessions, 2), optional
        bounds_from : {"given", "file"}
            Units beyond bounds from a file widen them with a note; beyond given ones they are
            refused.
        time_unit : {"ms", "s", "frame", "character", "token", "unknown"}
        labels, raters, sessions : list, optional
            All that may occur, in order; also those that nobody used.
        asked : "all", mapping of session to raters, or array (raters, sessions), optional
            Who was asked where. By default whoever has a unit in a session; a rater or session
            that was declared and has no unit at all counts everywhere.

        Raises
        ------
        InputError
            A time is missing, infinite or no number, an end lies before its start, columns
            differ in length, a name is missing or not declared.
        """
        check_word("time_unit", time_unit, TIME_UNITS)
        first, last = together(times_of(start, "start"), times_of(end, "end"))
        size = len(first)
        if len(last) != size:
            raise InputError.expected(
                "start and end", "equally long", (size, len(last)), "give both for each unit"
            )
        named, found = labels_of(label, size=size, declared=labels)
        by = names_of(rater, "rater", size=size, default="rater", declared=raters)
        if sessions is None and session is None and isinstance(bounds, Mapping):
            sessions = list(bounds)
        if sessions is None and isinstance(bounds, Mapping):
            inside = names_of(session, "session", size=size, default="session").names
            sessions = sorted({*inside, *map(str, bounds)})
        at = names_of(session, "session", size=size, default="session", declared=sessions)
        on = names_of(tier, "tier", size=size, default="tier")
        check_order(first, last, (by, at, on, named))
        spans = spans_of(span, size=size, keys=(by.codes, at.codes, on.codes))
        if spans is not None:
            check_fragments(spans, first, last, named)
        limits, origins, widened = bounds_of(
            bounds, origin=bounds_from, sessions=at.names, session=at.codes, start=first, end=last
        )
        if limits.dtype != first.dtype:
            first, last, limits = (x.astype(np.float64) for x in (first, last, limits))
        made = cls(
            start=first,
            end=last,
            label=named.codes,
            rater=by.codes,
            session=at.codes,
            tier=on.codes,
            labels=named.names,
            raters=by.names,
            sessions=at.names,
            tiers=on.names,
            span=spans,
            bounds=limits,
            bounds_from=origins,
            time_unit=time_unit,
            sources=tuple(sources),
            notes=(*notes, *found, *widened),
            reading=reading,
        )
        if asked is None:
            return made
        return replace(made, asked=asked_of(asked, by.names, at.names, made.counts() > 0))

    @classmethod
    @written_out(UnitOptions, UNITS)
    def from_frame(
        cls,
        frame: Any,
        *,
        start: str = "start",
        end: str = "end",
        label: str | None = "label",
        rater: str = "rater",
        session: str | None = None,
        tier: str | None = None,
        span: str | None = None,
        **options: Unpack[UnitOptions],
    ) -> Units:
        """Build units from a dataframe of any library, or from a mapping of columns.

        ``start``, ``end``, ``label``, ``rater``, ``session``, ``tier`` and ``span`` name the
        columns; the last three, where they are not named, are the columns of just these names, if
        there are such. A note names the columns that are not used. The other options are those of
        `from_columns`.

        Examples
        --------
        >>> table = {"coder": ["a", "b"], "from": [0, 1], "to": [5, 6], "code": ["x", "x"]}
        >>> Units.from_frame(table, start="from", end="to", label="code", rater="coder").n_units
        2
        """
        columns = columns_of(frame)
        if columns is None:
            raise InputError.expected(
                "the table",
                "a dataframe or a mapping of columns",
                type(frame).__name__,
                "for rows of tuples use Units.from_records",
            )
        names = {"start": start, "end": end, "label": label, "rater": rater}
        for role, told in (("session", session), ("tier", tier), ("span", span)):
            names[role] = role if told is None and role in columns else told
        for name in names.values():
            if name is not None and name not in columns:
                raise InputError.unknown_word("the name of a column", name, map(str, columns))
        taken = {key: columns[name] for key, name in names.items() if name is not None}
        unused = [str(name) for name in columns if name not in names.values()]
        if unused:
            options["notes"] = (*options.get("notes", ()), _left_aside(unused))
        return cls.from_columns(**taken, **options)

    @classmethod
    @written_out(UnitOptions, UNITS)
    def from_records(cls, records: Iterable[Any], **options: Unpack[UnitOptions]) -> Units:
        """Build units from tuples (rater, label, start, end[, session[, tier]]) or mappings.

        Examples
        --------
        >>> Units.from_records([("a", "x", 0, 5, "film 1"), ("b", "x", 1, 6, "film 1")]).sessions
        ('film 1',)
        """
        from consilience.units.model._records import record_columns

        return cls.from_columns(**record_columns(records), **options)

    @classmethod
    @written_out(UnitOptions, UNITS)
    def from_boundaries(
        cls, boundaries: Any, *, length: Any, **options: Unpack[UnitOptions]
    ) -> Units:
        """Build segments from the places where each rater cut.

        Parameters
        ----------
        boundaries : mapping
            ``{rater: {session: [positions]}}``, or ``{rater: [positions]}`` for one session. A
            mapping of position to type in place of the positions labels the segment that begins
            there; the first segment, and every one without a type, is a "segment".
        length : number or mapping of session to number
            Where the last segment ends.

        Examples
        --------
        >>> units = Units.from_boundaries({"a": [2, 5], "b": [5]}, length=9)
        >>> units.start.tolist(), units.end.tolist()
        ([0, 2, 5, 0, 5], [2, 5, 9, 5, 9])
        """
        from consilience.units.model._records import boundary_columns

        return cls.from_columns(**boundary_columns(boundaries, length), **options)

    @classmethod
    @written_out(UnitOptions, UNITS)
    def from_masses(cls, masses: Any, **options: Unpack[UnitOptions]) -> Units:
        """Build segments from their lengths: ``{rater: {session: [lengths]}}``.

        Examples
        --------
        >>> Units.from_masses({"a": [2, 3, 4], "b": [5, 4]}).bounds.tolist()
        [[0, 9]]
        """
        from consilience.units.model._records import mass_columns

        return cls.from_columns(**mass_columns(masses), **options)

    # ------------------------------------------------------------ facts

    @property
    def n_units(self) -> int:
        """Number of units; the fragments of a discontinuous unit are one."""
        return len(self.start) if self.span is None else len(np.unique(self.span))

    @property
    def n_raters(self) -> int:
        """Number of raters."""
        return len(self.raters)

    @property
    def n_sessions(self) -> int:
        """Number of sessions."""
        return len(self.sessions)

    def __len__(self) -> int:
        """Return the number of entries: units, or fragments of units."""
        return len(self.start)

    def __repr__(self) -> str:
        """Return a short summary."""
        return (
            f"Units(n_units={self.n_units}, raters={shown(self.raters)}, "
            f"sessions={self.n_sessions}, tiers={len(self.tiers)}, labels={shown(self.labels)})"
        )

    def counts(self) -> NDArray[np.int64]:
        """Return how many entries each rater has in each session (raters x sessions)."""
        cell = self.rater.astype(np.int64) * self.n_sessions + self.session
        size = self.n_raters * self.n_sessions
        return np.bincount(cell, minlength=size).reshape(self.n_raters, self.n_sessions)

    # ------------------------------------------------------------ deriving

    def select(
        self, *, raters: Any = None, sessions: Any = None, tiers: Any = None, labels: Any = None
    ) -> Units:
        """Keep some raters, sessions, tiers or labels; bounds stay as they are.

        Raises
        ------
        InputError
            A name that does not occur.

        Examples
        --------
        >>> units = Units.from_records([("a", "x", 0, 5), ("b", "x", 1, 6), ("c", "y", 2, 3)])
        >>> units.select(raters=["b", "a"]).raters
        ('b', 'a')
        """
        from consilience.units.model._derived_units import select

        return select(self, raters=raters, sessions=sessions, tiers=tiers, labels=labels)

    def merge(self, other: Units) -> Units:
        """Put two sets of units together; sessions of the same name are the same session."""
        from consilience.units.model._derived_units import merge

        return merge(self, other)

    def relabel(self, mapping: Mapping[Any, Any] | Callable[[Any], Any]) -> Units:
        """Rename labels or put several together; units whose label becomes None are left out.

        Examples
        --------
        >>> units = Units.from_records([("a", "point", 0, 5), ("b", "rest", 1, 6)])
        >>> units.relabel({"point": "gesture"}).labels
        ('gesture', 'rest')
        """
        from consilience.units.model._derived_units import relabel

        return relabel(self, mapping)

    def to_frame(self, *, backend: str | None = None) -> Any:
        """Return one row for each entry as a pandas, polars or pyarrow table."""
        from consilience.units.model._derived_units import to_frame

        return to_frame(self, backend)

    def sorted_blocks(self, *raters: str) -> Blocks:
        """Return the units sorted by session, tier, rater, start and end, for kernels.

        Parameters
        ----------
        raters : str
            Names, in the order wanted; all raters if none is named.
        """
        for name in raters:
            if name not in self.raters:
                raise InputError.unknown_word("a rater", name, self.raters)
        if len(set(raters)) != len(raters):
            raise InputError.expected("the raters", "different", raters, "name each rater once")
        return sorted_blocks(self, raters or self.raters)


def _left_aside(columns: list[str]) -> Note:
    """Name columns that say nothing: one of them may be what makes two films of one."""
    return Note(
        "columns_unused",
        f"Columns that are not used: {shown(columns)}. Name what they are with session=, tier= or "
        "span=.",
    )
