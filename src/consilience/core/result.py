"""What every result can do, whatever it measures.

A result has a `value` (or several `values`), says whether it is defined (`status`, `reason`), what
to know before it is believed (`findings`) and how sure it is (`confidence_interval`). It is handed
on as plain data (`to_dict`), as a dataframe (`to_frame`) and as something to read (`document`).
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from numbers import Real
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from consilience.core.frames import native_frame
from consilience.core.interval import Interval, check_confidence_level
from consilience.core.verdict import Verdict
from consilience.exceptions import InputError, UnsupportedDesignError

_SIZES = ("n_items", "n_units", "n_raters", "n_sessions")
_PARTS = ("raters", "sessions")
_LONGEST_REASON = 60


class Readable(Protocol):
    """Something to read, in the form that is asked for."""

    def text(self, width: int = 80) -> str:
        """Render plain text."""

    def markdown(self) -> str:
        """Render Markdown."""

    def latex(self) -> str:
        """Render LaTeX."""

    def notebook(self, value: float = ..., interval: Interval | None = None) -> str:
        """Render HTML with a bar for each interval."""

    def records(self) -> list[dict[str, Any]]:
        """Return the first table as flat records."""


class Result:
    """The contract of all results, and what they share of it.

    A result that has an interval overrides `_interval`; one that has none says in
    `interval_needs` what that would take.
    """

    __slots__ = ()

    interval_methods: ClassVar[tuple[str, ...]] = ("auto",)
    interval_needs: ClassVar[str] = "one value with an error"

    if TYPE_CHECKING:  # most results have them as fields, which must not stand here

        @property
        def status(self) -> str:
            """Whether the value is defined: "ok" or "undefined"."""

        @property
        def reason(self) -> str | None:
            """Why the value is undefined, if it is."""

        @property
        def findings(self) -> Sequence[Any]:
            """What to know before the value is believed."""

    @property
    def verdict(self) -> Verdict | None:
        """What the result comes to in a sentence, and what to do next; None: nothing to judge."""
        return None

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        cls.__repr__ = cls.__repr__  # type: ignore[method-assign]  # not that of dataclasses

    # ------------------------------------------------------------ how sure

    def confidence_interval(self, confidence_level: float = 0.95, method: str = "auto") -> Interval:
        """Return the confidence interval of the value.

        Parameters
        ----------
        confidence_level : float, default 0.95
        method : str, default "auto"
            "auto" is the method that fits; some results offer others by name.

        Raises
        ------
        UnsupportedDesignError
            There is no interval for such a result; the message says why.
        """
        return self._interval(self._level(confidence_level, method))

    def _interval(self, level: float) -> Interval:
        raise UnsupportedDesignError.needs(
            "a confidence interval",
            self.interval_needs,
            type(self).__name__,
            "look at the values themselves, or resample the study as a whole",
        )

    def _level(self, confidence_level: float, method: str) -> float:
        """Return the level, if it and the method can be."""
        level = check_confidence_level(confidence_level)
        if method not in (*self.interval_methods, getattr(self, "interval_method", "auto")):
            raise InputError.unknown_word("method", method, self.interval_methods)
        return level

    def interval_shown(self, confidence_level: float = 0.95) -> Interval | None:
        """Return the interval if there is one to show."""
        if getattr(self, "value", None) is None or self.status != "ok":
            return None
        try:
            interval = self.confidence_interval(confidence_level)
        except UnsupportedDesignError:
            return None
        return interval if interval.has_limits else None

    # ------------------------------------------------------------ handed on

    def to_dict(self) -> dict[str, Any]:
        """Return plain data with stable keys."""
        raise NotImplementedError

    def records(self) -> list[dict[str, Any]]:
        """Return flat records, one for each number: the columns of `to_frame`."""
        record = self.to_dict()
        estimates = record.get("estimates") or ([record] if "value" in record else [])
        return [flat(one) for one in estimates] or self.document().records()

    def to_frame(self, backend: str | None = None) -> Any:
        """Return the numbers as a dataframe, one row for each.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}, optional
            Default: whichever is already in use, else whichever is installed.

        Raises
        ------
        MissingDependencyError
            No dataframe library is installed.
        """
        rows = self.records()
        names = dict.fromkeys(name for row in rows for name in row)
        columns = {name: _column(row.get(name) for row in rows) for name in names}
        return native_frame(columns, backend)

    # ------------------------------------------------------------ shown

    def document(self) -> Readable:
        """Return the result as something to read."""
        raise NotImplementedError

    def __str__(self) -> str:
        return self.document().text()

    def _repr_html_(self) -> str:
        value = getattr(self, "value", math.nan)
        return self.document().notebook(value, self.interval_shown())

    def _repr_markdown_(self) -> str:
        return self.document().markdown()

    def _repr_latex_(self) -> str:
        return self.document().latex()

    def __repr__(self) -> str:
        told = [told for told in (self._told_value(), *self._told_sizes()) if told]
        return f"{type(self).__name__}({', '.join(told)})"

    def _told_value(self) -> str:
        value = getattr(self, "value", None)
        if value is None:
            return ""
        if self.status != "ok":
            why = " ".join(str(self.reason or "").split())
            return f"undefined: {why[:_LONGEST_REASON]}" if why else "undefined"
        return f"{value:.3f}"

    def _told_sizes(self) -> list[str]:
        sizes = {name: getattr(self, name, None) for name in _SIZES}
        told = [f"{name}={n}" for name, n in sizes.items() if isinstance(n, int)]
        for name in _PARTS:
            part = getattr(self, name, None)
            if isinstance(part, tuple) and sizes.get(f"n_{name}") is None:
                told.append(f"n_{name}={len(part)}")
        return told

    # ------------------------------------------------------------ as a number

    def __float__(self) -> float:
        value = getattr(self, "value", None)
        if value is None:
            raise TypeError(f"{type(self).__name__} has no single value")
        return float(value)

    def __round__(self, digits: int | None = None) -> float:
        return round(float(self), digits)

    def __format__(self, spec: str) -> str:
        return format(float(self), spec) if spec else str(self)

    def __lt__(self, other: object) -> Any:
        return self._compared(operator.lt, other)

    def __le__(self, other: object) -> Any:
        return self._compared(operator.le, other)

    def __gt__(self, other: object) -> Any:
        return self._compared(operator.gt, other)

    def __ge__(self, other: object) -> Any:
        return self._compared(operator.ge, other)

    def _compared(self, holds: Callable[[float, float], bool], other: object) -> Any:
        """Compare the value with a number or another value; what is undefined is on no side."""
        if not isinstance(other, (Real, Result)):
            return NotImplemented
        return holds(float(self), float(other))


class Defined(Result):
    """A result that is defined wherever it is a number, and has no more to say about it."""

    __slots__ = ()

    @property
    def status(self) -> str:
        """Whether there is a value: "ok" or "undefined"."""
        return "undefined" if math.isnan(getattr(self, "value", 0.0)) else "ok"

    @property
    def reason(self) -> str | None:
        """Why there is no value, if there is none."""
        return None if self.status == "ok" else "there is no value for such data"


class Several(Defined):
    """A result of several numbers, none of which stands for the others."""

    __slots__ = ()
    interval_needs: ClassVar[str] = "one value, and here are several"

    @property
    def values(self) -> tuple[Mapping[str, Any], ...] | Mapping[Any, float]:
        """The numbers, as flat records."""
        return tuple(self.records())


class Unremarked:
    """A result with nothing to know beside its numbers."""

    __slots__ = ()

    @property
    def findings(self) -> tuple[()]:
        """What to know before the numbers are believed: nothing."""
        return ()


def flat(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return the single entries of a record; an interval becomes low, high and its level.

    Examples
    --------
    >>> flat({"value": 0.5, "interval": {"low": 0.4, "high": 0.6, "confidence_level": 0.95},
    ...       "labels": ["a", "b"]})
    {'value': 0.5, 'low': 0.4, 'high': 0.6, 'confidence_level': 0.95}
    """
    row: dict[str, Any] = {}
    for name, entry in record.items():
        if name == "interval":
            limits = entry.to_dict() if isinstance(entry, Interval) else entry or {}
            row |= {key: limits.get(key) for key in ("low", "high", "confidence_level")}
        elif entry is None or isinstance(entry, (str, int, float)):
            row[name] = entry
    return row


def _column(entries: Iterable[Any]) -> list[Any]:
    """Return entries that a column can hold: of one kind, be it numbers or text."""
    column = list(entries)
    kinds = {type(entry) for entry in column if entry is not None}
    if len(kinds) < 2:
        return column
    one = float if kinds <= {int, float} else str
    return [None if entry is None else one(entry) for entry in column]
