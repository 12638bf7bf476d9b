"""Units: stretches of time or text that raters marked and labelled."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from consilience.core.arguments import check_word
from consilience.core.frames import columns_of, native_frame
from consilience.core.labels import Note, is_missing, label_key, plain
from consilience.core.options import UNITS, UnitOptions, written_out
from consilience.core.reading_account import Account
from consilience.exceptions import InputError, UnsupportedDesignError, shown
from consilience.units._columns import (
    Codes,
    Times,
    bounds_of,
    check_fragments,
    check_order,
    in_label_order,
    labels_of,
    names_of,
    spans_of,
    times_of,
    together,
)

# ---- how units were read


@dataclass(frozen=True, kw_only=True)
class UnitReading:
    """What some files were taken for.

    Attributes
    ----------
    sources : tuple of str
        The files.
    format, title : str
        Name of the format, and what it is called.
    rater, session : str
        What names the rater and the session: a rule such as "folder", or a column.
    account : Account
        What was found, used and set aside, by kind, name and reason.
    texts : mapping
        The text of each session where it is known: as it is, where units count its letters, or
        word by word, where they count words.
    """

    sources: tuple[str, ...] = ()
    format: str = ""
    title: str = ""
    rater: str = ""
    session: str = ""
    account: Account = field(default_factory=Account)
    texts: Mapping[str, str | tuple[str, ...]] = field(default_factory=dict, repr=False)

    def to_dict(self) -> dict[str, Any]:
        """Return the block `reading` of the JSON."""
        told = {"format": self.format, "rater": self.rater, "session": self.session}
        return {**self.account.to_dict(), **told}

    def __add__(self, other: UnitReading) -> UnitReading:
        def both(a: str, b: str) -> str:
            return " and ".join(dict.fromkeys(filter(None, (a, b))))

        return UnitReading(
            sources=tuple(dict.fromkeys((*self.sources, *other.sources))),
            format=both(self.format, other.format),
            title=both(self.title, other.title),
            rater=both(self.rater, other.rater),
            session=both(self.session, other.session),
            account=self.account + other.account,
            texts={**self.texts, **other.texts},
        )


# ---- units in the order kernels walk them

Pairs = NDArray[np.int64]  # (n, 2)


@dataclass(frozen=True, slots=True)
class Blocks:
    """The units of some raters, sorted, with the place of each block.

    A block is one tier of one session. The units of the ``j``-th chosen rater in block ``i`` are
    rows ``offsets[i, j]`` to ``offsets[i, j + 1]`` of the sorted columns.
    """

    raters: tuple[str, ...]
    session: Codes  # of each block
    tier: Codes  # of each block
    offsets: NDArray[np.int64]  # (n_blocks, n_raters + 1)
    order: NDArray[np.int64]  # row of each sorted unit in the Units
    start: Times
    end: Times
    label: Codes
    rater: Codes  # place in `raters`, of each sorted unit
    block: NDArray[np.int64]  # of each sorted unit

    @property
    def n_blocks(self) -> int:
        """Number of tiers of sessions that hold at least one unit."""
        return len(self.session)

    def only(self, sessions: NDArray[np.bool_]) -> Blocks:
        """Return the blocks of some sessions; codes and rows stay those of the units."""
        kept = sessions[self.session]
        rows = kept[self.block]
        sizes = np.diff(self.offsets, axis=1)[kept]
        ends = np.cumsum(sizes).reshape(sizes.shape)
        offsets = np.concatenate([ends[:, :1] - sizes[:, :1], ends], axis=1)
        columns = ("order", "start", "end", "label", "rater")
        return replace(
            self,
            session=self.session[kept],
            tier=self.tier[kept],
            offsets=offsets,
            block=(np.cumsum(kept) - 1)[self.block[rows]],
            **{name: getattr(self, name)[rows] for name in columns},
        )

    def of(self, block: int, rater: int) -> slice:
        """Return the rows of one rater in one block."""
        return slice(int(self.offsets[block, rater]), int(self.offsets[block, rater + 1]))


def sorted_blocks(units: Units, raters: tuple[str, ...]) -> Blocks:
    """Sort the units of some raters by session, tier, rater, start, end; ties by input order."""
    place = np.full(units.n_raters, -1, dtype=np.int32)
    place[[units.raters.index(name) for name in raters]] = np.arange(len(raters), dtype=np.int32)
    chosen = place[units.rater]
    rows = np.flatnonzero(chosen >= 0) if (chosen < 0).any() else np.arange(len(chosen))
    n_tiers = max(len(units.tiers), 1)
    at = units.session[rows].astype(np.int64) * n_tiers + units.tier[rows]
    key = at * len(raters) + chosen[rows]
    sort = _order(key, units.start[rows], units.end[rows])
    rows, at = rows[sort], at[sort]
    begins = np.append(True, at[1:] != at[:-1])[: len(at)]
    found, block = at[begins], np.cumsum(begins) - 1
    cells = np.bincount(
        block * len(raters) + chosen[rows], minlength=len(found) * len(raters)
    ).reshape(len(found), len(raters))
    offsets = np.zeros((len(found), len(raters) + 1), dtype=np.int64)
    offsets[:, 1:] = np.cumsum(cells, axis=1)
    offsets += (
        np.concatenate([[0], np.cumsum(cells.sum(axis=1))[:-1]])[:, None] if len(found) else 0
    )
    return Blocks(
        raters=raters,
        session=(found // n_tiers).astype(np.int32),
        tier=(found % n_tiers).astype(np.int32),
        offsets=offsets,
        order=rows.astype(np.int64),
        start=units.start[rows],
        end=units.end[rows],
        label=units.label[rows],
        rater=chosen[rows],
        block=block.astype(np.int64),
    )


def _order(key: NDArray[np.int64], start: Times, end: Times) -> NDArray[np.int64]:
    """Sort by key, start, end; whole times with few keys are sorted as one number."""
    if not key.size:
        return key
    if start.dtype.kind == "i":
        low, reach = int(start.min()), int(start.max()) - int(start.min()) + 1
        if (int(key.max()) + 1) * reach < 2**62:
            joint = key * reach + (start - low)
            order = np.argsort(joint, kind="stable")
            same = np.diff(joint[order]) == 0
            if not (same & (np.diff(end[order]) < 0)).any():
                return order
            return np.lexsort((end, joint))
    return np.lexsort((end, start, key))


def own_overlaps(blocks: Blocks, *, within_label: bool = False, points: bool = False) -> Pairs:
    """Return pairs of sorted units of one rater: one, and the next that begins before it ends.

    Point events share no time with anything and are passed over, unless `points` is true: one that
    lies within another unit then counts. `within_label` looks at the units of each label apart.
    """
    rows = np.arange(len(blocks.start))
    if not points:
        rows = np.flatnonzero(blocks.end > blocks.start)
    group = (blocks.block * len(blocks.raters) + blocks.rater)[rows]
    if within_label:
        order = np.lexsort((blocks.start[rows], blocks.label[rows], group))
        rows, group = rows[order], group[order]
    one, other = rows[:-1], rows[1:]
    clash = (group[1:] == group[:-1]) & (blocks.start[other] < blocks.end[one])
    if within_label:
        clash &= blocks.label[one] == blocks.label[other]
    return np.stack([one[clash], other[clash]], axis=1)


def refuse_own_overlaps(
    units: Units,
    blocks: Blocks,
    what: str,
    hint: str,
    *,
    among: Sequence[int] | None = None,
    within_label: bool = False,
    points: bool = False,
) -> None:
    """Refuse units of one rater that overlap each other, in some blocks or all."""
    found = own_overlaps(blocks, within_label=within_label, points=points)
    if among is not None:
        found = found[np.isin(blocks.block[found[:, 0]], among)]
    if len(found):
        need = f"units of one rater{' and label' if within_label else ''} that do not overlap"
        raise overlap_refusal(units, what, hint, blocks.order[found[0]], need)


def overlap_refusal(
    units: Units, what: str, hint: str, pair: NDArray[np.int64], need: str
) -> UnsupportedDesignError:
    """Name two units of one rater that overlap, by their rows."""
    first, second = (
        f"{units.labels[units.label[k]]!r} {units.start[k]:g}-{units.end[k]:g}" for k in pair
    )
    who, where = units.raters[units.rater[pair[1]]], units.sessions[units.session[pair[1]]]
    got = f"{first} and {second} of {who!r} (session {where!r})"
    return UnsupportedDesignError.needs(what, need, got, hint)


# ---- who was asked: without a unit a rater marked nothing, or never saw it

Flags = NDArray[np.bool_]
Dropped = tuple[tuple[str, str], ...]
ABSENT = ("asked", "drop", "count")
_HINT = "give asked='all', or which raters were asked in each session"


def asked_of(asked: Any, raters: Sequence[str], sessions: Sequence[str], present: Flags) -> Flags:
    """Return who was asked where (raters x sessions), from what the caller says or by the units.

    Said nothing, whoever has a unit in a session was asked there. A rater or a session without
    any unit is there because it was declared, so that it counts everywhere.
    """
    if asked is None:
        rater, session = (np.asarray(present.any(axis=k)) for k in (1, 0))
        return np.asarray(present | ~rater[:, None] | ~session[None, :])
    if isinstance(asked, str):
        if asked != "all":
            raise InputError.unknown_word("asked", asked, ["all"])
        return np.ones(present.shape, dtype=bool)
    if isinstance(asked, Mapping):
        return present | _from_mapping(asked, raters, sessions)
    table = np.asarray(asked)
    if table.dtype != bool or table.shape != present.shape:
        raise InputError.expected("asked", "a table of raters x sessions", asked, _HINT)
    return np.asarray(present | table)


def _from_mapping(asked: Mapping[Any, Any], raters: Sequence[str], sessions: Any) -> Flags:
    table = np.zeros((len(raters), len(sessions)), dtype=bool)
    row = {name: k for k, name in enumerate(raters)}
    column = {name: k for k, name in enumerate(sessions)}
    for session, names in asked.items():
        if str(session) not in column:
            raise InputError.unknown_word("a session in asked", session, sessions)
        if isinstance(names, str) or not isinstance(names, Iterable):
            raise InputError.expected("asked", "lists of raters by session", names, _HINT)
        for name in names:
            if str(name) not in row:
                raise InputError.unknown_word("a rater in asked", name, raters)
            table[row[str(name)], column[str(session)]] = True
    return table


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
        from consilience.units._columns import record_columns

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
        from consilience.units._columns import boundary_columns

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
        from consilience.units._columns import mass_columns

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

        keep = np.ones(len(self), dtype=bool)
        changed: dict[str, Any] = {}
        for axis, wanted in (
            ("rater", raters),
            ("session", sessions),
            ("tier", tiers),
            ("label", labels),
        ):
            if wanted is None:
                continue
            known = getattr(self, axis + "s")
            places = _places(wanted, known, axis)
            table = np.full(len(known), -1, dtype=np.int32)
            table[places] = np.arange(len(places), dtype=np.int32)
            changed[axis] = table[getattr(self, axis)]
            changed[axis + "s"] = tuple(known[k] for k in places)
            keep &= changed[axis] >= 0
            if axis in ("rater", "session"):
                asked = changed.get("asked", self.asked)
                changed["asked"] = asked[places] if axis == "rater" else asked[:, places]
            if axis == "session":
                changed["bounds"] = self.bounds[places]
                changed["bounds_from"] = tuple(self.bounds_from[k] for k in places)
        return _rows(replace(self, **changed) if changed else self, keep)

    def merge(self, other: Units) -> Units:
        """Put two sets of units together; sessions of the same name are the same session."""

        if not isinstance(other, Units):
            raise InputError.expected("other", "Units", type(other).__name__, "build Units first")
        if len({self.time_unit, other.time_unit} - {"unknown"}) > 1:
            raise InputError.expected(
                "time_unit",
                "the same in both",
                (self.time_unit, other.time_unit),
                "convert one of them",
            )
        axes: dict[str, Any] = {}
        for axis in ("rater", "session", "tier", "label"):
            codes, names = _joined(self, other, axis)
            axes[axis], axes[axis + "s"] = codes, names
        start, end, bounds, origins = _times(self, other, axes["sessions"])
        return Units(
            start=start,
            end=end,
            bounds=bounds,
            bounds_from=origins,
            span=_spans(self, other),
            time_unit=self.time_unit if self.time_unit != "unknown" else other.time_unit,
            sources=tuple(dict.fromkeys((*self.sources, *other.sources))),
            notes=tuple(dict.fromkeys((*self.notes, *other.notes))),
            asked=_asked(self, other, axes),
            reading=_reading(self, other),
            **axes,
        )

    def relabel(self, mapping: Mapping[Any, Any] | Callable[[Any], Any]) -> Units:
        """Rename labels or put several together; units whose label becomes None are left out.

        Examples
        --------
        >>> units = Units.from_records([("a", "point", 0, 5), ("b", "rest", 1, 6)])
        >>> units.relabel({"point": "gesture"}).labels
        ('gesture', 'rest')
        """

        if isinstance(mapping, Mapping):
            table = {label_key(plain(old)): new for old, new in mapping.items()}
            known = set(map(label_key, self.labels))
            for old in mapping:
                if label_key(plain(old)) not in known:
                    raise InputError.unknown_word("a label", old, map(str, self.labels))
            new = [table.get(label_key(label), label) for label in self.labels]
        elif callable(mapping):
            new = [mapping(label) for label in self.labels]
        else:
            raise InputError.expected(
                "mapping", "a mapping or a function", mapping, "{'old': 'new'}"
            )
        kept = [None if is_missing(label) else plain(label) for label in new]
        found = {label_key(label): label for label in kept if label is not None}
        names = in_label_order(list(found.values()))
        place = {label_key(label): k for k, label in enumerate(names)}
        codes = np.array(
            [-1 if label is None else place[label_key(label)] for label in kept], dtype=np.int32
        )
        label = codes[self.label] if len(codes) else self.label
        return _rows(replace(self, label=label, labels=tuple(names)), label >= 0)

    def to_frame(self, *, backend: str | None = None) -> Any:
        """Return one row for each entry as a pandas, polars or pyarrow table."""

        columns: dict[str, Any] = {
            axis: [getattr(self, axis + "s")[k] for k in getattr(self, axis).tolist()]
            for axis in ("session", "tier", "rater")
        }
        columns |= {"start": self.start.tolist(), "end": self.end.tolist()}
        labels = self.labels
        if len({type(label) for label in labels}) > 1 or any(
            isinstance(x, frozenset) for x in labels
        ):
            labels = tuple(_text(label) for label in labels)
        columns["label"] = [labels[k] for k in self.label.tolist()]
        if self.span is not None:
            columns["span"] = self.span.tolist()
        return native_frame(columns, backend)

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


# ---- other units out of units

_RANK = {"file": 2, "given": 1, "fallback": 0}


def _rows(units: Units, keep: NDArray[np.bool_]) -> Units:
    columns = ("start", "end", "label", "rater", "session", "tier")
    some: dict[str, Any] = {name: getattr(units, name)[keep] for name in columns}
    some["span"] = None if units.span is None else units.span[keep]
    return replace(units, **some)


def _places(wanted: Any, known: tuple[Any, ...], axis: str) -> list[int]:
    if isinstance(wanted, (str, frozenset)) or not isinstance(wanted, Iterable):
        wanted = [wanted]
    keys = {label_key(name): k for k, name in enumerate(known)}
    places: dict[int, None] = {}
    for name in wanted:
        key = label_key(plain(name)) if axis == "label" else str(name)
        if key not in keys:
            raise InputError.unknown_word(f"a {axis}", name, map(str, known))
        places[keys[key]] = None
    return list(places)


def _asked(one: Units, other: Units, axes: Mapping[str, Any]) -> NDArray[np.bool_]:
    """Return who was asked in either; of what neither knows nothing is known."""
    table = np.zeros((len(axes["raters"]), len(axes["sessions"])), dtype=bool)
    for units in (one, other):
        rows = [axes["raters"].index(name) for name in units.raters]
        columns = [axes["sessions"].index(name) for name in units.sessions]
        table[np.ix_(rows, columns)] |= units.asked
    return table


def _reading(one: Units, other: Units) -> UnitReading | None:
    if one.reading is None or other.reading is None:
        return one.reading or other.reading
    return one.reading + other.reading


def _joined(one: Units, other: Units, axis: str) -> tuple[Codes, tuple[Any, ...]]:
    left, right = getattr(one, axis + "s"), getattr(other, axis + "s")
    found = {label_key(name): name for name in (*left, *right)}
    names = list(found.values())
    if left != right:
        names = in_label_order(names) if axis == "label" else sorted(names)
    place = {label_key(name): k for k, name in enumerate(names)}
    parts = [
        np.array([place[label_key(x)] for x in known], dtype=np.int32)[getattr(units, axis)]
        if known
        else getattr(units, axis)
        for units, known in ((one, left), (other, right))
    ]
    return np.concatenate(parts), tuple(names)


def _times(
    one: Units, other: Units, sessions: tuple[str, ...]
) -> tuple[Times, Times, Times, tuple[str, ...]]:
    """Join the times; a session in both reaches as far as the better known bounds, or further."""
    start: Times = np.concatenate([one.start, other.start])
    end: Times = np.concatenate([one.end, other.end])
    start, end = together(start, end)
    bounds: Any = np.empty((len(sessions), 2), dtype=start.dtype)
    origins = []
    places = [
        (units, {name: at for at, name in enumerate(units.sessions)}) for units in (one, other)
    ]
    for k, name in enumerate(sessions):
        ends = [
            (units.bounds[place[name]], units.bounds_from[place[name]])
            for units, place in places
            if name in place
        ]
        bounds[k] = min(e[0][0] for e in ends), max(e[0][1] for e in ends)
        origins.append(max((e[1] for e in ends), key=_RANK.__getitem__))
    return start, end, bounds, tuple(origins)


def _spans(one: Units, other: Units) -> NDArray[np.int64] | None:
    if one.span is None and other.span is None:
        return None
    left = np.arange(len(one)) if one.span is None else one.span
    right = np.arange(len(other)) if other.span is None else other.span
    lift = int(left.max()) + 1 if len(left) else 0
    return np.concatenate([left, right + lift]).astype(np.int64)


def _text(label: Any) -> str:
    return "; ".join(sorted(map(str, label))) if isinstance(label, frozenset) else str(label)
