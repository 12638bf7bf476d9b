"""What results about units share: a value with its reason, parts found by label, an interval."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

import numpy as np

from consilience.core.arrays import Floats, dense
from consilience.core.draws import RandomStream, Seed, check_resamples, is_whole, seed_sequence
from consilience.core.interval import Interval, check_confidence_level
from consilience.core.result import Result
from consilience.core.words import counted, interval_head, sentence
from consilience.document import Document, Finding, Paragraph, envelope
from consilience.document.blocks import Block
from consilience.document.records import Reasoned, Recorded
from consilience.exceptions import InputError
from consilience.inference.intervals import SkewedT, bounded_limits

if TYPE_CHECKING:
    from consilience.units.model import Units

# ---- how sure a number is when whole sessions were sampled

FEWEST_SESSIONS = 8  # that at least two raters have; with fewer an interval says little
JACKKNIFE, BOOTSTRAP = "session-jackknife", "session-bootstrap"
METHODS = ("auto", JACKKNIFE, BOOTSTRAP)
KAPPA, SHARE = (-1.0, 1.0), (0.0, 1.0)  # between which values lie
_CELLS_AT_ONCE = 4_000_000

Combined = Callable[[Any], Any]  # (B, …) sums of the sessions' parts -> (B,) or (B, m) values
Ends = tuple[float, float] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Draws(Recorded):
    """How sure a number over sessions is to be said to be, checked before any work is done.

    A generator is asked for a seed once, so that every bootstrap of a result sees the same draws,
    whenever it is asked for.
    """

    confidence_level: float = 0.95
    n_resamples: int = 9_999
    rng: Seed = 0

    def __post_init__(self) -> None:
        check_resamples(self.n_resamples)
        whole = is_whole(self.rng) and int(self.rng) >= 0
        seed = int(self.rng) if whole else seed_sequence(self.rng)  # type: ignore[arg-type]
        object.__setattr__(self, "rng", seed)
        object.__setattr__(self, "confidence_level", check_confidence_level(self.confidence_level))

    @property
    def seed(self) -> int | None:
        """The seed from which a result can be had again, if it is one."""
        return self.rng if isinstance(self.rng, int) else None

    def _beside(self) -> dict[str, Any]:
        return {"rng": self.seed}

    def sampled(self, parts: Any, statistic: Combined) -> SampledSessions:
        """Return the sessions as a sample, from which every value of the statistic has limits."""
        return SampledSessions(self, parts, statistic)

    def interval(self, parts: Any, statistic: Combined, ends: Ends = KAPPA) -> Interval:
        """Return the interval of a statistic."""
        return self.sampled(parts, statistic).interval(self.confidence_level, ends=ends)

    def intervals(
        self, parts: Floats, statistic: Combined, n_values: int, ends: Ends = KAPPA
    ) -> list[Interval]:
        """Return an interval for each of the values of a statistic."""
        sample = self.sampled(parts, statistic)
        return [
            sample.interval(self.confidence_level, column=k, ends=ends) for k in range(n_values)
        ]


@dataclass(frozen=True)
class SampledSessions:
    """What each session adds, and what is computed of the sums.

    Attributes
    ----------
    draws : Draws
    parts : array (sessions, …), or a sparse one (sessions, columns)
        What each session adds: its table, or any statistics that sum over sessions. A session
        that adds nothing, as one that only one of the raters has, does not count.
    statistic : callable
        Takes sums of shape ``(B, …)`` and returns ``(B,)`` or ``(B, m)`` values; NaN where
        undefined. Twice as many sessions of the same kind leave its values as they are.
    """

    draws: Draws
    parts: Any
    statistic: Combined

    @cached_property
    def _compared(self) -> Any:
        """The parts of sessions that add something."""
        if hasattr(self.parts, "tocsr"):
            some = np.asarray(abs(self.parts).sum(axis=1)).ravel() > 0
            return self.parts[np.flatnonzero(some)]
        array = np.asarray(self.parts, dtype=np.float64)
        return array[array.reshape(len(array), -1).any(axis=1)] if array.size else array[:0]

    @property
    def n_sessions(self) -> int:
        """Number of sessions that say something."""
        return int(self._compared.shape[0])

    @property
    def is_enough(self) -> bool:
        """Whether there are sessions enough for an interval."""
        return self.n_sessions >= FEWEST_SESSIONS

    @cached_property
    def _values(self) -> Floats:
        """The statistic of all sessions, then without each of them (1 + sessions, m)."""
        found = [evaluated(self.statistic, sums) for sums in _left_out_sums(self._compared)]
        values = np.concatenate(found)
        return values.reshape(len(values), -1)

    @cached_property
    def _replicates(self) -> Floats:
        draws = self.draws
        found = session_replicates(
            self.parts, self.statistic, n_resamples=draws.n_resamples, rng=draws.rng
        )
        return found.reshape(len(found), -1)

    def interval(
        self, level: float, method: str = "auto", *, column: int = 0, ends: Ends = KAPPA
    ) -> Interval:
        """Return the interval of one of the values; without limits if sessions are few.

        Parameters
        ----------
        level : float
        method : {"auto", "session-jackknife", "session-bootstrap"}
            "auto" is the first: the limits of a share of so many trials as the error of leaving out
            each session is worth, with Student's tails and a part of a session that fails; or the
            percentiles of sessions drawn anew, which are too narrow for fewer than about 40
            sessions.
        column : int
            Which of the values of the statistic.
        ends : pair of numbers, optional
            The least and the largest that the value can be; without them the limits are symmetric.
        """
        if not self.is_enough:
            return no_interval(self.n_sessions, level)
        if method == BOOTSTRAP:
            found = percentile_interval(self._replicates[:, column], level)
        else:
            found = self._jackknife(level, column, ends)
        again = partial(self.interval, column=column, ends=ends)
        return Interval(found.low, found.high, level, found.method, found.note, again)

    def _jackknife(self, level: float, column: int, ends: Ends) -> Interval:
        value, left_out = float(self._values[0, column]), self._values[1:, column]
        if not math.isfinite(value):
            note = "no interval: the value is undefined"
            return Interval(math.nan, math.nan, level, JACKKNIFE, note=note)
        if not np.isfinite(left_out).all():
            note = "no interval: without one of the sessions the value is undefined"
            return Interval(math.nan, math.nan, level, JACKKNIFE, note=note)
        if ends is None:
            low, high = SkewedT.of(value, left_out, np.ones(left_out.size)).limits(level)
        else:
            low, high = bounded_limits(value, left_out, level, ends)
        return Interval(low, high, level, JACKKNIFE)


def evaluated(statistic: Combined, sums: Floats) -> Floats:
    """Return the statistic of sums, quiet about those it is undefined for."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(statistic(sums), dtype=np.float64)


def _left_out_sums(parts: Any) -> Iterator[Floats]:
    """Yield the sums of all sessions, then without each of them, some at a time."""
    n_sessions, shape = parts.shape[0], tuple(parts.shape[1:])
    total = np.asarray(parts.sum(axis=0), dtype=np.float64).reshape(shape)
    yield total[None]
    size = max(1, _CELLS_AT_ONCE // max(1, math.prod(shape)))
    for first in range(0, n_sessions, size):
        some = parts[first : first + size]
        yield total[None] - dense(some)


def session_replicates(
    parts: Any, statistic: Combined, *, n_resamples: int = 9_999, rng: Seed = 0
) -> Floats:
    """Return the statistic of ``n_resamples`` draws of sessions, with replacement.

    Parameters
    ----------
    parts, statistic
        As in `SampledSessions`.
    """
    check_resamples(n_resamples)
    is_sparse = hasattr(parts, "tocsr")
    array = parts if is_sparse else np.asarray(parts, dtype=np.float64)
    n_sessions = array.shape[0]
    if not n_sessions:
        raise InputError.expected("parts", "those of at least one session", 0, "check the data")
    flat = array if is_sparse else array.reshape(n_sessions, -1)
    size = max(1, min(n_resamples, _CELLS_AT_ONCE // max(n_sessions, flat.shape[1])))
    random = RandomStream.of(seed_sequence(rng))
    out = []
    for first in range(0, n_resamples, size):
        draws = min(size, n_resamples - first)
        drawn = random.integers(n_sessions, (draws, n_sessions))
        drawn += n_sessions * np.arange(draws)[:, None]
        weights = np.bincount(drawn.ravel(), minlength=draws * n_sessions)
        sums = (weights.reshape(draws, n_sessions).astype(np.float64) @ flat).reshape(
            draws, *array.shape[1:]
        )
        out.append(evaluated(statistic, sums))
    return np.concatenate(out)


def session_interval(
    parts: Any,
    statistic: Combined,
    *,
    ends: tuple[float, float] | None = None,
    method: str = "auto",
    n_resamples: int = 9_999,
    rng: Seed = 0,
    confidence_level: float = 0.95,
) -> Interval:
    """Interval of a statistic of sessions that were sampled whole.

    With fewer than 8 sessions the limits are NaN and the interval's note says why.

    Parameters
    ----------
    parts : array (sessions, …)
        What each session adds. One that adds nothing but zeros does not count.
    statistic : callable
        Takes sums of shape ``(B, …)`` and returns ``(B,)`` values, NaN where undefined; a quotient,
        which twice as many sessions of the same kind leave as it is.
    ends : pair of numbers, optional
        The least and the largest that the value can be, such as ``(0, 1)``.
    method : {"auto", "session-jackknife", "session-bootstrap"}
        By the values without each session (the default), or percentiles of sessions drawn anew.
    n_resamples, rng
        For "session-bootstrap".
    confidence_level : float, default 0.95

    Returns
    -------
    Interval

    Examples
    --------
    >>> import numpy as np
    >>> parts = np.column_stack([np.arange(10.0) + 20, np.full(10, 30.0)])  # hits, trials
    >>> interval = session_interval(parts, lambda s: s[:, 0] / s[:, 1], ends=(0, 1))
    >>> round(interval.low, 2), round(interval.high, 2)
    (0.71, 0.88)
    """
    if method not in METHODS:
        raise InputError.unknown_word("method", method, METHODS)
    draws = Draws(confidence_level=confidence_level, n_resamples=n_resamples, rng=rng)
    if np.asarray(parts).dtype.kind not in "biuf":
        raise InputError.expected(
            "parts",
            "an array of numbers, a row for each session, with a statistic of their sums",
            parts,
            "for example np.array([[3, 4], [5, 5]]) with lambda s: s[:, 0] / s[:, 1]",
        )
    sample = draws.sampled(np.asarray(parts), statistic)
    return sample.interval(draws.confidence_level, method, ends=ends)


def no_interval(n_sessions: int, confidence_level: float) -> Interval:
    """Return an interval without limits that says how many sessions it would take."""
    counted = "one session" if n_sessions == 1 else f"{n_sessions} sessions"
    note = f"no interval: {counted}, and resampling needs at least {FEWEST_SESSIONS}"
    return Interval(math.nan, math.nan, confidence_level, JACKKNIFE, note=note)


def percentile_interval(draws: Floats, confidence_level: float) -> Interval:
    """Return the percentile interval of draws; undefined ones are left out and noted."""
    defined = draws[np.isfinite(draws)]
    if defined.size < 0.5 * draws.size or not defined.size:
        note = "no interval: the value is undefined in most resamples"
        return Interval(math.nan, math.nan, confidence_level, BOOTSTRAP, note=note)
    tail = (1.0 - confidence_level) / 2.0
    low, high = np.quantile(defined, [tail, 1.0 - tail])
    lost = draws.size - defined.size
    note = f"{lost} of {draws.size} resamples were undefined and left out" if lost else ""
    return Interval(float(low), float(high), confidence_level, BOOTSTRAP, note)


Counts = Mapping[str, Mapping[str, int]]


@dataclass(frozen=True, kw_only=True)
class Accounted(Recorded, Result):
    """A result that says how many units of each rater it used in each session."""

    units_by_session: Counts = field(default_factory=dict, repr=False)

    def _beside(self) -> Mapping[str, Any]:
        dropped = getattr(self, "dropped", None)
        return {} if dropped is None else {"dropped": dropped_records(dropped)}


def unit_counts(
    units: Units, raters: Sequence[str] | None = None, dropped: Iterable[tuple[str, str]] = ()
) -> dict[str, dict[str, int]]:
    """Return how many units each rater has in each session that counts."""
    whole = units
    if units.span is not None:  # the fragments of a unit are counted once
        first = np.unique(units.span, return_index=True)[1]
        columns = ("start", "end", "label", "rater", "session", "tier")
        some = {name: getattr(units, name)[first] for name in columns}
        whole = replace(units, span=None, **some)
    names = list(units.raters if raters is None else raters)
    table = whole.counts()[[units.raters.index(name) for name in names]].T.tolist()
    away = {name for name, _ in dropped}
    return {
        session: dict(zip(names, row, strict=True))
        for session, row in zip(units.sessions, table, strict=True)
        if session not in away
    }


def unit_totals(counts: Counts) -> dict[str, int]:
    """Return how many units each rater has in all sessions."""
    names = next(iter(counts.values()), ())
    return {name: sum(row[name] for row in counts.values()) for name in names}


def said_units(counts: Counts) -> str:
    """Return a phrase: 18 units by Ann and 17 by Bob in 3 sessions."""
    if not counts:
        return ""
    parts = [f"{n:,} by {name}" for name, n in unit_totals(counts).items()]
    listed = ", ".join(parts[:-1]) + (" and " if len(parts) > 1 else "") + parts[-1]
    return f"Units: {listed}, in {counted(len(counts), 'session')}."


def said_interval(interval: Interval) -> str:
    """Return the interval as a sentence, or why there is none."""
    if math.isfinite(interval.low):
        head = interval_head(interval.confidence_level)
        return f"{head} over sessions: {interval.low:.3f} to {interval.high:.3f}."
    return sentence(interval.note)


def _two(pair: Any) -> tuple[str, str]:
    if isinstance(pair, Mapping):
        return pair["first"], pair["second"]
    return pair.raters if hasattr(pair, "raters") else (pair.first, pair.second)


PAIR = ("raters", lambda x: " and ".join(_two(x)))  # the column of a table by pairs of raters
MOST_SHOWN = 100  # labels; records hold all of them


class ByKappa(Reasoned):
    """A result whose value is its kappa, undefined where a reason is given."""

    __slots__ = ()
    kappa: float

    @property
    def value(self) -> float:
        """Kappa."""
        return self.kappa


@dataclass(frozen=True, kw_only=True)
class TwoRaterKappa(ByKappa, Accounted):
    """Kappa of two raters, with what every such result says.

    Attributes
    ----------
    observed, expected, kappa : float
    reason : str or None
        Why kappa is undefined, if it is.
    """

    unrecorded: ClassVar[tuple[str, ...]] = ("kappa",)
    recorded: ClassVar[tuple[str, ...]] = ("coefficient", "value", "status")

    raters: tuple[str, str]
    observed: float
    expected: float
    kappa: float
    reason: str | None
    findings: tuple[Finding, ...] = field(repr=False, default=())


def page_of_raters(result: Any, title: str, *blocks: Block | str) -> Document:
    """Return the page of a result about some raters: why it is undefined and its interval last."""
    drawn = isinstance(result, SessionsDrawn)
    told = said_interval(result.interval) if drawn else None
    return about_raters(result, title, *blocks, not_defined(result), told)


def about_raters(result: Any, title: str, *blocks: Block | str | None) -> Document:
    """Return a page with the raters in its title."""
    who = (" and " if len(result.raters) == 2 else ", ").join(result.raters)
    told = [Paragraph(one) if isinstance(one, str) else one for one in blocks if one]
    return Document(title=f"{title}: {who}", blocks=tuple(told), findings=result.findings)


def not_defined(result: Any) -> str:
    """Say why a result is undefined, if it is."""
    return f"Not defined: {result.reason}." if result.reason else ""


def no_limits(interval: Interval) -> str:
    """Say why there is no interval, if there is none."""
    return "" if math.isfinite(interval.low) else sentence(interval.note)


class Led:
    """A result that speaks for its leading part: the value, whether it is defined, why not."""

    __slots__ = ()

    @property
    def _leading(self) -> Any:
        raise NotImplementedError

    @property
    def value(self) -> float:
        """The value of the leading part."""
        return float(self._leading.value)

    @property
    def status(self) -> str:
        """Whether the value is defined: "ok" or "undefined"."""
        return str(self._leading.status)

    @property
    def reason(self) -> str | None:
        """Why the value is undefined, if it is."""
        why: str | None = self._leading.reason
        return why


class SessionsDrawn:
    """A result whose `interval` comes from resampling sessions; without limits below 8 of them."""

    __slots__ = ()
    interval_methods: ClassVar[tuple[str, ...]] = METHODS
    if TYPE_CHECKING:

        @property
        def interval(self) -> Interval:
            """The interval at the level that was asked for first."""

        def _level(self, confidence_level: float, method: str) -> float: ...

    def confidence_interval(self, confidence_level: float = 0.95, method: str = "auto") -> Interval:
        """Return the interval over sessions; without limits if two raters have fewer than 8.

        Parameters
        ----------
        confidence_level : float, default 0.95
        method : {"auto", "session-jackknife", "session-bootstrap"}
            Student's t for the values without each session (the default), or percentiles of
            sessions drawn anew, which are too narrow for fewer than about 40 sessions.
        """
        return self.interval.at(self._level(confidence_level, method), method)


class DrawnOnRequest(SessionsDrawn):
    """A result with many intervals, each made when it is asked for."""

    __slots__ = ()
    if TYPE_CHECKING:

        @property
        def settings(self) -> Draws:
            """How sessions are drawn anew."""

    @property
    def interval(self) -> Interval:
        """The interval of the value at the level that was asked for first."""
        return self.confidence_interval(self.settings.confidence_level)


class LedBySessions(Led, SessionsDrawn):
    """A result that speaks for its leading part, whose interval comes from resampling sessions."""

    __slots__ = ()

    @property
    def interval(self) -> Interval:
        """Confidence interval over sessions."""
        found: Interval = self._leading.interval
        return found


@dataclass(frozen=True, kw_only=True)
class DisagreementRatio(Recorded):
    """One minus observed over expected disagreement, about one label or about all."""

    value: float
    observed: float
    expected: float
    status: str
    reason: str | None

    def __float__(self) -> float:
        return self.value


@dataclass(frozen=True, kw_only=True)
class Enveloped(Accounted):
    """A result of several estimates, whose record is the envelope that commands share."""

    parameters: Mapping[str, Any]
    findings: tuple[Finding, ...] = field(repr=False)

    def _estimates(self) -> Iterable[Any]:
        raise NotImplementedError

    def _sizes(self) -> dict[str, Any]:
        """What was compared, in numbers."""
        raise NotImplementedError

    def to_dict(self) -> dict[str, Any]:
        """Return the record with the estimates, the parameters and what is recorded beside them."""
        data = self._sizes() | {"units_by_session": dict(self.units_by_session), **self._beside()}
        more = {self.renamed.get(name, name): getattr(self, name) for name in self.recorded}
        return envelope(
            data=data,
            estimates=self._estimates(),
            findings=self.findings,
            seed=getattr(getattr(self, "draws", self), "seed", None),
            parameters=self.parameters,
            **more,
        )


@dataclass(frozen=True, kw_only=True)
class OfContinua(Led, Enveloped):
    """Coefficients of whole continua: of all that was marked, and of each category."""

    dropped: tuple[tuple[str, str], ...]  # session, why
    by_category: Mapping[Any, Any]
    n_units: int
    n_raters: int

    def _named(self) -> list[tuple[str, Any, Any]]:
        """Name each coefficient, with the category it is about."""
        raise NotImplementedError

    @property
    def _n_continua(self) -> int:
        return len(getattr(self, "sessions", ()))

    def _estimates(self) -> Iterable[Any]:
        for name, label, part in self._named():
            yield {"coefficient": name, "category": label, **part.to_dict()}

    def _sizes(self) -> dict[str, Any]:
        return {"units": self.n_units, "raters": self.n_raters, "sessions": self._n_continua}

    def _said_sizes(self) -> str:
        n = self._n_continua
        continua = "1 continuum" if n == 1 else f"{n} continua"
        return f"{self.n_units:,} units of {self.n_raters} raters in {continua}"


Part = TypeVar("Part", bound=Any)


def part_about(parts: Iterable[Part], label: Any) -> Part:
    """Return the part about one label."""
    listed = list(parts)
    for part in listed:
        if part.label == label:
            return part
    raise InputError.unknown_word("a label", label, [str(part.label) for part in listed])


def part_of_pair(parts: Sequence[Part], first: str, second: str) -> Part:
    """Return the part about two raters, in either order."""
    for part in parts:
        if set(_two(part)) == {first, second}:
            return part
    known = [" and ".join(_two(part)) for part in parts]
    raise InputError.unknown_word("a pair of raters", f"{first} and {second}", known)


def records_of(kind: type[Part], **columns: Any) -> tuple[Part, ...]:
    """Return a record for each place of some columns, which are lists or arrays."""
    listed = [x.tolist() if isinstance(x, np.ndarray) else x for x in columns.values()]
    return tuple(kind(**dict(zip(columns, row, strict=True))) for row in zip(*listed, strict=True))


def f1_of(totals: Floats) -> Floats:
    """Return 2 matched / (spans of both), as Hripcsak & Rothschild 2005 have it."""
    size = totals[..., 1] + totals[..., 2]
    known = size > 0
    return np.where(known, 2 * totals[..., 0] / np.where(known, size, 1.0), np.nan)


def mean_f1(sums: Any) -> Any:
    """Return the mean over pairs of raters that marked a span."""
    f1 = f1_of(sums)
    known = np.isfinite(f1)
    n = known.sum(axis=-1)
    return np.where(n > 0, np.where(known, f1, 0.0).sum(axis=-1) / np.maximum(n, 1), np.nan)


def f1_numbers(both: float, first: float, second: float) -> dict[str, Any]:
    """Return sizes, precision, recall and F1 of two raters, of whom the first is the reference."""
    return {
        "n_first": int(first),
        "n_second": int(second),
        "precision": both / second if second else math.nan,
        "recall": both / first if first else math.nan,
        "f1": 2 * both / (first + second) if first + second else math.nan,
    }


def dropped_records(dropped: Iterable[tuple[str, str]]) -> list[dict[str, str]]:
    """Return the sessions that were left out, and why, for a record."""
    return [{"session": name, "reason": why} for name, why in dropped]


def most_used(parts: Sequence[Any], amount: Callable[[Any], float]) -> tuple[list[Any], str]:
    """Return the parts about the labels that are used most, in their order, and a note.

    Examples
    --------
    >>> shown, note = most_used(range(250), amount=lambda k: k)
    >>> shown[0], len(shown), note
    (150, 100, 'The 100 labels that are used most, of 250.')
    """
    if len(parts) <= MOST_SHOWN:
        return list(parts), ""
    order = sorted(range(len(parts)), key=lambda k: (-amount(parts[k]), k))
    shown = [parts[k] for k in sorted(order[:MOST_SHOWN])]
    return shown, f"The {MOST_SHOWN} labels that are used most, of {len(parts):,}."
