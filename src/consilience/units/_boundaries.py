"""Segmentations as boundaries, of one rater or of all; in time, how many have a partner."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations
from numbers import Real
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from consilience.core.arguments import check_word, number_where, whole_number
from consilience.core.arrays import Ints
from consilience.core.draws import Seed
from consilience.document import Document, Finding, Paragraph, Table
from consilience.document.blocks import found
from consilience.exceptions import InputError
from consilience.inference import Interval
from consilience.units._columns import LARGEST
from consilience.units._linking import exact_times
from consilience.units._unit_results import (
    PAIR,
    SHARE,
    Accounted,
    Draws,
    SessionsDrawn,
    f1_numbers,
    mean_f1,
    said_interval,
    said_units,
)
from consilience.units.checks import (
    ComparedBlocks,
    check_data,
    check_time,
    compared_blocks,
    dropped_findings,
    no_session,
)
from consilience.units.model import Units, refuse_own_overlaps

# ---- segmentations as boundaries

FORMS = ("masses", "positions", "sets")
_LONGEST = 10**9  # atomic units of a text that a window walks through
_WHOLE = 1e-9  # how far from a whole number of atomic units a position may lie


@dataclass(frozen=True, slots=True)
class Boundaries:
    """The boundaries of one segmentation: after which atomic unit, and of which type."""

    place: Ints  # 1 … length - 1, sorted; a place once for each type it carries
    kind: Ints  # place of the type in the list of types
    length: int  # atomic units

    @property
    def n_segments(self) -> int:
        """Number of segments, whatever the types of the boundaries."""
        return len(np.unique(self.place)) + 1


@dataclass(frozen=True, slots=True)
class Kinds:
    """Types of boundaries, with the numbers that say how far apart two of them are."""

    names: tuple[Any, ...]
    values: tuple[float, ...]

    @property
    def reach(self) -> float:
        """Largest minus smallest type plus one: what a substitution is measured against."""
        return self.values[-1] - self.values[0] + 1 if self.values else 1.0


def kinds_of(types: Iterable[Any] | None, used: Iterable[Any] = ()) -> Kinds:
    """Return the types in order; those used if none are given."""
    if types is not None and (isinstance(types, (str, bytes)) or not isinstance(types, Iterable)):
        hint = 'for example types=["minor", "major"]'
        raise InputError.expected("types", "the types of boundaries in order", types, hint)
    try:
        names = tuple(dict.fromkeys(used if types is None else types))
    except TypeError:
        hint = "use words or numbers"
        raise InputError.expected("types", "hashable types", types, hint) from None
    if types is not None and not names:
        raise InputError.expected("types", "one type at least", types, "leave it out for one kind")
    numbers = all(isinstance(x, Real) and not isinstance(x, bool) for x in names)
    if numbers:
        names = tuple(sorted(names))
        return Kinds(names, tuple(float(x) for x in names))
    if types is None and len(names) > 1:
        raise InputError.expected(
            "boundary types",
            "numbers, or listed in order with types=",
            names,
            'how far apart two types are follows from their order: types=["minor", "major"]',
        )
    return Kinds(names, tuple(float(k + 1) for k in range(len(names))))


# ---- one pair of segmentations


def pair_of(
    first: Any, second: Any, *, form: str, length: Any, types: Any
) -> tuple[Boundaries, Boundaries, Kinds]:
    """Return two segmentations of the same text."""
    check_word("form", form, FORMS)
    read = [_read(x, form, length, name) for x, name in ((first, "first"), (second, "second"))]
    if read[0][2] != read[1][2]:
        raise InputError.expected(
            "the two segmentations",
            "of one text: equally many atomic units",
            (read[0][2], read[1][2]),
            "check that both divide the same text",
        )
    used = [kind for _, found, _ in read for kinds in found or () for kind in kinds]
    if any(found is None and len(place) for place, found, _ in read):
        used.append(1)  # boundaries without a type are of type 1
    kinds = kinds_of(types, used)
    code = {name: k for k, name in enumerate(kinds.names)}
    unknown = [kind for kind in used if kind not in code]
    if unknown:
        raise InputError.unknown_word("a boundary type", unknown[0], map(str, kinds.names))
    made = []
    for place, kinds_at, size in read:
        if kinds_at is None:
            made.append(Boundaries(place, np.full(len(place), code.get(1, 0)), size))
            continue
        pairs = sorted(
            (at, code[x]) for at, xs in zip(place.tolist(), kinds_at, strict=True) for x in xs
        )
        table = np.array(pairs, dtype=np.int64).reshape(-1, 2)
        made.append(Boundaries(table[:, 0], table[:, 1], size))
    return made[0], made[1], kinds


def _read(
    given: Any, form: str, length: Any, name: str
) -> tuple[Ints, list[frozenset[Any]] | None, int]:
    """Return places, the types at each (None: untyped), and the number of atomic units."""
    if form == "sets":
        return _from_sets(given, name)
    if form == "masses":
        what = f"the {name} segmentation's lengths"
        masses = _whole_numbers(given, what)
        if not len(masses) or masses.min() < 1:
            hint = "give the number of atomic units in each segment, such as [2, 3, 6]"
            raise InputError.expected(what, "whole numbers of 1 or more", given, hint)
        edges = np.cumsum(masses)
        return edges[:-1], None, int(edges[-1])
    what = f"the {name} segmentation's positions"
    size = _one_length(length)
    cuts = _whole_numbers(given, what)
    outside = cuts[(cuts < 1) | (cuts >= size)]
    if outside.size:
        hint = "a boundary at p lies behind the p-th atomic unit"
        raise InputError.expected(what, f"between 1 and {size - 1}", int(outside[0]), hint)
    if len(np.unique(cuts)) < len(cuts):
        raise InputError.expected(what, "given once each", given, "leave out repeated positions")
    if isinstance(given, Mapping):
        return cuts, [_kind_set(x) for x in given.values()], size
    return np.sort(cuts), None, size


def _from_sets(given: Any, name: str) -> tuple[Ints, list[frozenset[Any]], int]:
    hint = "one set for each place between two atomic units, empty where there is no boundary"
    sets = isinstance(given, Sequence) and not isinstance(given, (str, bytes))
    if not sets or not all(isinstance(x, (set, frozenset)) for x in given):
        raise InputError.expected(f"the {name} segmentation", "a list of sets", given, hint)
    place = np.array([k + 1 for k, x in enumerate(given) if x], dtype=np.int64)
    return place, [frozenset(x) for x in given if x], len(given) + 1


def _kind_set(kind: Any) -> frozenset[Any]:
    try:
        found = frozenset(kind if isinstance(kind, (set, frozenset, list, tuple)) else [kind])
    except TypeError:
        found = frozenset()
    if not found or None in found:
        raise InputError.expected(
            "the type of a boundary", "a number, a word or a set of them", kind, "{3: 1, 7: 2}"
        )
    return found


def _whole_numbers(given: Any, what: str) -> Ints:
    if isinstance(given, (str, bytes)) or not isinstance(given, Iterable):
        raise InputError.expected(what, "a list of whole numbers", given, "for example [2, 3, 6]")
    listed = given if isinstance(given, np.ndarray) else list(given)
    try:
        array = np.asarray(listed) if len(listed) else np.empty(0, dtype=np.int64)
    except ValueError:
        array = np.empty((0, 0))
    fine = array.ndim == 1 and array.dtype.kind in "iuf"
    if fine and array.dtype.kind == "f":
        fine = bool(np.isfinite(array).all() and (array == np.rint(array)).all())
    # Numpy takes True for 1 in a list of numbers.
    if not fine or (isinstance(listed, list) and any(x is True or x is False for x in listed)):
        raise InputError.expected(what, "whole numbers", given, "count atomic units")
    return array.astype(np.int64)


def _one_length(length: Any) -> int:
    if length is None:
        raise InputError.expected(
            "length", "given with positions", None, "say how many atomic units the text has"
        )
    hint = "say how many atomic units the text has"
    return whole_number("length", length, least=1, most=_LONGEST, hint=hint)


# ---- all raters, all sessions


@dataclass(frozen=True)
class Cuts:
    """The boundaries of every rater in every text, on one axis on which texts lie apart."""

    raters: tuple[str, ...]
    session: Ints  # of each text (one tier of one session)
    tier: Ints
    length: Ints  # atomic units of each text
    offset: Ints  # where each text begins on the axis
    took_part: NDArray[np.bool_]  # texts x raters
    place: tuple[Ints, ...]  # of each rater, sorted, on the axis
    kind: tuple[Ints, ...]
    kinds: Kinds
    compared: ComparedBlocks
    findings: tuple[Finding, ...]

    @property
    def n_texts(self) -> int:
        """Number of texts."""
        return len(self.length)

    def text(self, place: Ints) -> Ints:
        """Return the text in which each place lies."""
        return np.searchsorted(self.offset, place, side="right") - 1

    def of(self, text: int, rater: int) -> Boundaries:
        """Return one rater's boundaries in one text."""
        low = int(self.offset[text])
        part = slice(*np.searchsorted(self.place[rater], [low, low + int(self.length[text])]))
        return Boundaries(
            self.place[rater][part] - low, self.kind[rater][part], int(self.length[text])
        )


def cuts_of(units: Units, what: str, *, types: Any, atom: Any, gap: int) -> Cuts:
    """Return all boundaries; texts lie ``gap`` or more apart on the axis."""
    compared = compared_blocks(units, what, "drop")
    blocks, dropped = compared.blocks, compared.dropped
    kinds = Kinds(("boundary",), (1.0,)) if types is None else kinds_of(types)
    if types is None:
        hint = "put each level on a tier of its own, or name the levels in order with types="
        refuse_own_overlaps(units, blocks, what, hint)
    low = units.bounds[blocks.session, 0]
    length = in_atoms(units.bounds[blocks.session, 1] - low, atom, "the length of a session")
    begin = in_atoms(blocks.start - low[blocks.block], atom, "the start of a segment")
    end = in_atoms(blocks.end - low[blocks.block], atom, "the end of a segment")
    took_part = np.diff(blocks.offsets, axis=1) > 0
    kept = np.zeros(blocks.n_blocks, dtype=bool)
    for b, _ in compared.each:
        kept[b] = length[b] > 1
        if not kept[b]:
            name = units.sessions[blocks.session[b]]
            dropped += ((name, "one atomic unit, so there is no place for a boundary"),)
    if not kept.any():
        raise no_session(what, units.raters, long=True)
    number = np.where(kept, np.cumsum(kept) - 1, -1)
    gap = min(gap, int(length[kept].max()))
    offset = np.cumsum(length[kept] + gap) - (length[kept] + gap)
    place, kind = [], []
    for r in range(units.n_raters):
        rows = (blocks.rater == r) & kept[blocks.block]
        text = number[blocks.block[rows]]
        at = (begin[rows], end[rows], offset[text], length[kept][text])
        cut = _untyped(*at) if types is None else _with_kinds(units, blocks, rows, at, kinds)
        place.append(cut[0])
        kind.append(cut[1])
    return Cuts(
        raters=units.raters,
        session=blocks.session[kept].astype(np.int64),
        tier=blocks.tier[kept].astype(np.int64),
        length=length[kept],
        offset=offset,
        took_part=took_part[kept],
        place=tuple(place),
        kind=tuple(kind),
        kinds=kinds,
        compared=replace(compared, dropped=dropped),
        findings=(*_findings(units, took_part[kept]), *dropped_findings(dropped, advice="")),
    )


def _untyped(begin: Ints, end: Ints, offset: Ints, length: Ints) -> tuple[Ints, Ints]:
    """Return every start and end inside the text, once."""
    inside = [x[(x > 0) & (x < length)] + offset[(x > 0) & (x < length)] for x in (begin, end)]
    place = np.sort(np.concatenate(inside))
    place = place[np.append(True, place[1:] != place[:-1])[: len(place)]]
    return place, np.zeros(len(place), dtype=np.int64)


def _with_kinds(
    units: Units, blocks: Any, rows: Any, at: tuple[Ints, Ints, Ints, Ints], kinds: Kinds
) -> tuple[Ints, Ints]:
    """Return starts with the label of the segment that begins there as the type."""
    begin, end, offset, length = at
    code = np.array(
        [kinds.names.index(x) if x in kinds.names else -1 for x in units.labels] or [-1]
    )[blocks.label[rows]]
    inside = (begin > 0) & (begin < length)
    bad = np.flatnonzero(inside & (code < 0))
    if bad.size:
        label = units.labels[blocks.label[rows][bad[0]]]
        raise InputError.unknown_word("a boundary type", label, map(str, kinds.names))
    stops = np.unique((end + offset)[(end > 0) & (end < length)])
    starts = np.unique((begin + offset)[inside])
    loose = stops[~np.isin(stops, starts)]
    if loose.size:
        place = int(loose[0])
        row = np.flatnonzero((end + offset) == place)[0]
        raise InputError.expected(
            "every segment, with types=,",
            "followed by another one, whose label is the type of the boundary",
            f"a gap at {end[row]}",
            "leave types out, or fill the gap with a segment",
        )
    key = np.unique((begin + offset)[inside] * len(kinds.names) + code[inside])
    return key // len(kinds.names), key % len(kinds.names)


def in_atoms(times: Any, atom: Any, what: str) -> Ints:
    """Return times as whole numbers of atomic units."""
    hint = "the length of an atomic unit"
    number_where("atom", atom, "a positive number", hint, fits=lambda x: x > 0)
    if times.dtype.kind == "i" and atom == 1:
        return np.asarray(times, dtype=np.int64)
    counted = np.asarray(times, dtype=np.float64) / float(atom)
    nearest = np.rint(counted)
    off = np.flatnonzero(np.abs(counted - nearest) > _WHOLE * np.maximum(1.0, np.abs(counted)))
    if off.size:
        raise InputError.expected(
            what,
            f"a whole number of atomic units of {atom:g}",
            times[off[0]].item(),
            "give the length of the smallest unit as atom=, or use boundary_hits for times",
        )
    if nearest.size and float(np.abs(nearest).max()) >= LARGEST:
        raise InputError.expected(
            what,
            f"fewer than {LARGEST:,} atomic units from 0",
            times[int(np.abs(nearest).argmax())].item(),
            "give the length of the smallest unit as atom=",
        )
    return nearest.astype(np.int64)


def _findings(units: Units, took_part: NDArray[np.bool_]) -> tuple[Finding, ...]:
    silent = int(np.count_nonzero(~took_part.all(axis=1)))
    return found(
        (
            silent,
            "rater_without_units",
            "caution",
            f"In {silent} of {len(took_part)} texts a rater has no segment; the pairs with that "
            "rater leave those texts out.",
        ),
        (
            "fallback" in units.bounds_from,
            "bounds_from_units",
            "caution",
            "The length of a session is not known and was taken from its first onset and last "
            "offset. Give bounds if it is longer.",
        ),
    )


# ---- boundaries in time, paired one to one

EDGES = ("leave_out", "include")
_NO_BOUNDARY = "no pair of raters has a boundary to compare"
_SLACK = 1e-9  # of the tolerance, for times that are no decimals


@dataclass(frozen=True, kw_only=True)
class BoundaryHits(SessionsDrawn, Accounted):
    """Boundaries that two raters share within a tolerance; see `boundary_hits`.

    `pairs` holds hits, boundaries of both raters, precision (hits / second rater's), recall
    (hits / first rater's) and their F; `value` is the mean F over pairs.
    """

    unrecorded: ClassVar[tuple[str, ...]] = ("draws", "_parts")
    recorded: ClassVar[tuple[str, ...]] = ("interval",)

    value: float
    pairs: tuple[Mapping[str, Any], ...]
    status: str
    reason: str | None
    n_sessions: int
    parameters: Mapping[str, Any]
    dropped: tuple[tuple[str, str], ...] = ()
    findings: tuple[Finding, ...] = ()
    draws: Draws = field(repr=False)
    _parts: NDArray[np.float64] = field(repr=False)

    @cached_property
    def interval(self) -> Interval:
        """Interval of the mean F from resampling sessions."""
        return self.draws.interval(self._parts, mean_f1, SHARE)

    def document(self) -> Document:
        """Return the result as something to read."""
        table = Table.of(
            self.pairs,
            PAIR,
            "hits",
            "first: n_first",
            "second: n_second",
            "precision",
            "recall",
            "F: f1",
        )
        low, high = self.interval.low, self.interval.high
        said = said_units(self.units_by_session)
        said += f" Boundaries at most {self.parameters['tolerance']:g} apart count as one. Mean F "
        said += f"{self.value:.3f}" if math.isfinite(self.value) else f"undefined: {self.reason}"
        said += f" ({low:.3f} to {high:.3f})." if math.isfinite(low) else "."
        if not math.isfinite(low):
            said += f" {said_interval(self.interval)}"
        blocks = (Paragraph(said), table)
        return Document(title="Boundaries hit", blocks=blocks, findings=self.findings)


def boundary_hits(
    units: Units,
    *,
    tolerance: float,
    edges: Literal["leave_out", "include"] = "leave_out",
    confidence_level: float = 0.95,
    n_resamples: int = 9_999,
    rng: Seed = 0,
) -> BoundaryHits:
    """How many boundaries two raters share within a tolerance, matched one to one.

    Use it for boundaries in time, such as sections of music or phases of a film. Prefer
    `segmentation` for texts, where places can be counted and chance can be allowed for.

    Parameters
    ----------
    units : Units
        Every start and end of a unit is a boundary; those at one place are one.
    tolerance : number
        In the time unit of the data; a boundary so far away still is a hit.
    edges : {"leave_out", "include"}
        Whether the beginning and the end of a session count as boundaries. They are no decision
        of the rater, and including them raises every value.
    confidence_level, n_resamples, rng
        Of the interval, from resampling sessions.

    Returns
    -------
    BoundaryHits
        F = 2 hits / (boundaries of both); symmetric; not corrected for chance.

    Raises
    ------
    InputError
        A negative tolerance or an unknown word.
    UnsupportedDesignError
        Fewer than two raters.

    Examples
    --------
    >>> units = Units.from_boundaries({"a": [10.0, 20.4, 31.0], "b": [10.4, 20.9]}, length=40)
    >>> found = boundary_hits(units, tolerance=0.5)
    >>> found.pairs[0]["hits"], found.value
    (2, 0.8)
    """
    check_data(units)
    reach = check_time(tolerance, "tolerance", zero="allowed")
    check_word("edges", edges, EDGES)
    draws = Draws(confidence_level=confidence_level, n_resamples=n_resamples, rng=rng)
    combos = list(combinations(range(units.n_raters), 2))
    compared = compared_blocks(units, "the comparison of boundaries", "drop")
    parts = _counted(compared, combos, reach, edges)
    value = float(mean_f1(parts.sum(axis=0)))
    defined = math.isfinite(value)
    return compared.result(
        BoundaryHits,
        value=value,
        pairs=_pairs(units.raters, combos, parts.sum(axis=0)),
        status="ok" if defined else "undefined",
        reason=None if defined else _NO_BOUNDARY,
        n_sessions=len(parts),
        parameters={"tolerance": reach, "edges": edges},
        findings=dropped_findings(compared.dropped, advice=""),
        draws=draws,
        _parts=parts,
    )


def _counted(
    compared: ComparedBlocks, combos: list[tuple[int, int]], tolerance: float, edges: str
) -> NDArray[np.float64]:
    """Return hits and boundaries of both raters (sessions, pairs, 3)."""
    units = compared.units
    blocks = compared.blocks
    sessions = np.unique([blocks.session[b] for b, _ in compared.each]).tolist()
    used = {session: k for k, session in enumerate(sessions)}
    start, end, factor = exact_times(blocks.start, blocks.end)
    limits = units.bounds if factor == 1 else np.rint(units.bounds * factor)
    reach = tolerance * factor * (1 + _SLACK)
    parts = np.zeros((len(used), len(combos), 3))
    for b, present in compared.each:
        session = int(blocks.session[b])
        low, high = limits[session]
        found = []
        for r in range(units.n_raters):
            rows = blocks.of(b, r)
            at = np.unique(np.concatenate([start[rows], end[rows]]))
            found.append(at if edges == "include" else at[(at > low) & (at < high)])
        for c, (i, j) in enumerate(combos):
            if i in present and j in present:
                counts = (n_hits(found[i], found[j], reach), len(found[i]), len(found[j]))
                parts[used[session], c] += counts
    return parts


def n_hits(a: NDArray[Any], b: NDArray[Any], tolerance: float) -> int:
    """Return the largest number of one-to-one pairs no further apart than the tolerance.

    On a line, pairing the earliest boundaries that can be paired loses nothing.

    Examples
    --------
    >>> n_hits(np.array([1.0, 2.0]), np.array([1.5, 9.0]), 0.5)
    1
    """
    hits = i = j = 0
    one, other = a.tolist(), b.tolist()
    while i < len(one) and j < len(other):
        apart = one[i] - other[j]
        if abs(apart) <= tolerance:
            hits, i, j = hits + 1, i + 1, j + 1
        elif apart < 0:
            i += 1
        else:
            j += 1
    return hits


def _pairs(
    raters: tuple[str, ...], combos: list[tuple[int, int]], totals: NDArray[np.float64]
) -> tuple[Mapping[str, Any], ...]:
    return tuple(
        {"first": raters[i], "second": raters[j], "hits": int(counts[0]), **f1_numbers(*counts)}
        for (i, j), counts in zip(combos, totals.tolist(), strict=True)
    )
