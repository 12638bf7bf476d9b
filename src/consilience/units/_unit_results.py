"""What results about units share: a value with its reason, parts found by label, an interval."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

import numpy as np

from consilience.core.result import Result
from consilience.core.words import counted, interval_head, sentence
from consilience.document import Block, Document, Finding, Paragraph, Reasoned, Recorded, envelope
from consilience.exceptions import InputError
from consilience.inference import Interval
from consilience.units._sessions import METHODS

if TYPE_CHECKING:
    from consilience.units._sessions import Draws
    from consilience.units.model import Units

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
