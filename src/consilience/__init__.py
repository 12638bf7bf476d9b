"""Consilience measures how far independent raters agree, and says how sure that number is.

>>> import consilience as cs
>>> ratings = cs.Ratings.from_wide([["yes", "yes"], ["no", "yes"], ["no", "no"], ["no", "no"]])
>>> round(cs.cohen_kappa(ratings).value, 3)
0.5
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from consilience._version import __version__

if TYPE_CHECKING:
    from consilience import coefficients, datasets, distances, exceptions, inference
    from consilience.coefficients import (
        Estimate,
        bennett_s,
        cohen_kappa,
        gwet_ac,
        krippendorff_alpha,
        percent_agreement,
        scott_pi,
    )
    from consilience.exceptions import ConsilienceError, ConsilienceWarning
    from consilience.inference import Interval
    from consilience.io import read
    from consilience.ratings import Ratings
    from consilience.report import Summary, measure

# Nothing is loaded before it is used: the command line's --help must not wait for numpy.
_HOME = {
    "consilience.coefficients": (
        "Estimate",
        "bennett_s",
        "cohen_kappa",
        "gwet_ac",
        "krippendorff_alpha",
        "percent_agreement",
        "scott_pi",
    ),
    "consilience.exceptions": ("ConsilienceError", "ConsilienceWarning"),
    "consilience.inference": ("Interval",),
    "consilience.io": ("read",),
    "consilience.ratings": ("Ratings",),
    "consilience.report": ("Summary", "measure"),
}
_HOME_OF = {name: module for module, names in _HOME.items() for name in names}
_MODULES = ("coefficients", "datasets", "distances", "exceptions", "inference")

__all__ = [
    "ConsilienceError",
    "ConsilienceWarning",
    "Estimate",
    "Interval",
    "Ratings",
    "Summary",
    "__version__",
    "bennett_s",
    "coefficients",
    "cohen_kappa",
    "datasets",
    "distances",
    "exceptions",
    "gwet_ac",
    "inference",
    "krippendorff_alpha",
    "measure",
    "percent_agreement",
    "read",
    "scott_pi",
]


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return import_module(f"consilience.{name}")
    if name in _HOME_OF:
        value = getattr(import_module(_HOME_OF[name]), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module 'consilience' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
