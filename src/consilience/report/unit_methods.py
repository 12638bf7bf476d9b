"""The methods for units by one name each, and which settings each of them takes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from consilience.core.registry import Registry

if TYPE_CHECKING:
    from consilience.units import Units

Results = dict[str, Any]
Wishes = Mapping[str, Any]  # settings that were given; those left out are not in it


@dataclass(frozen=True)
class UnitMethod:
    """A method: what it is, the settings it takes, and how it runs.

    `heeds` names which of "confidence_level", "n_resamples" and "asked" its numbers depend on:
    intervals leave sessions out and are not drawn; some methods compare sessions of both only.
    """

    name: str
    title: str
    takes: tuple[str, ...]
    run: Callable[[Units, Wishes], Results]
    heeds: tuple[str, ...] = ("confidence_level", "asked")


_NAMES = (
    "easydiag", "gseq", "sequences", "time", "gamma", "alpha-u", "unitizing-alpha", "spans",
    "boundaries", "sets", "staccato", "observer", "boris", "elan", "interact", "haccou-meelis",
    "jansen",
)  # fmt: skip
UNIT_METHODS: Registry[UnitMethod] = Registry(
    "method",
    group="unit_methods",
    homes=dict.fromkeys(_NAMES, "consilience.report.units"),
)
