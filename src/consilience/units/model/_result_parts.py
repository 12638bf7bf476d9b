"""What results about units share: a value with its reason, parts found by label, an interval."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol, TypeVar

from consilience.document import Reasoned
from consilience.exceptions import InputError
from consilience.inference import Interval


class ByKappa(Reasoned):
    """A result whose value is its kappa, undefined where a reason is given."""

    __slots__ = ()
    kappa: float

    @property
    def value(self) -> float:
        """Kappa."""
        return self.kappa


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

    def __float__(self) -> float:
        return self.value


class IntervalKept:
    """A result that was given its interval when it was made."""

    __slots__ = ()
    interval: Interval

    def confidence_interval(self) -> Interval:
        """Interval from resampling sessions; without limits if there are fewer than 8."""
        return self.interval


class Labelled(Protocol):
    """A part of a result that speaks of one label."""

    @property
    def label(self) -> Any: ...


Part = TypeVar("Part", bound=Labelled)


def part_about(parts: Iterable[Part], label: Any) -> Part:
    """Return the part about one label."""
    listed = list(parts)
    for part in listed:
        if part.label == label:
            return part
    raise InputError.unknown_word("a label", label, [str(part.label) for part in listed])


def dropped_records(dropped: Iterable[tuple[str, str]]) -> list[dict[str, str]]:
    """Return the sessions that were left out, and why, for a record."""
    return [{"session": name, "reason": why} for name, why in dropped]
