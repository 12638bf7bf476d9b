"""What a coefficient is: terms over rows, and how observed and expected disagreement follow.

Every coefficient of the cube is ``1 - observed / expected`` disagreement. A new one is a file with
a subclass of `Coefficient`, decorated with `register`; its value, standard error, interval and
place in every table follow from that.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, TypeVar

import numpy as np

from consilience.core.arrays import Floats
from consilience.core.registry import BY_CLASS, Registry, registered_in
from consilience.ratings import Ratings
from consilience.rows import Disagreement, Rows, Term, Total
from consilience.rows.forms import Form
from consilience.rows.terms import Maximum

MOST_MARGINS = 4_000_000  # shares of a label among a rater's ratings that are held at once
Numbers = Mapping[str, Any]  # complex numbers, or arrays with one entry per replicate
C = TypeVar("C", bound="type[Coefficient]")


@dataclass(frozen=True, slots=True)
class Design:
    """What the name and the range of a coefficient depend on."""

    n_raters: int
    n_labels: int
    nominal: bool
    ratings_per_item: int | None = None  # where all items have equally many

    @property
    def lowest_pooled(self) -> float:
        """The smallest value under one shared distribution of nominal labels."""
        if not self.nominal or self.ratings_per_item is None:
            return -1.0
        return -1.0 / max(self.ratings_per_item - 1, 1)


class Coefficient(ABC):
    """One chance model of the cube, or a coefficient beside it."""

    name: ClassVar[str]
    aliases: ClassVar[tuple[str, ...]] = ()
    summary: ClassVar[str] = ""
    needs_raters: ClassVar[bool] = False
    needs_labels: ClassVar[bool] = False
    corrects_for_chance: ClassVar[bool] = True
    pairable_items_only: ClassVar[bool] = False
    two_raters_only: ClassVar[bool] = False
    nominal_only: ClassVar[bool] = False
    has_goodness_of_fit: ClassVar[bool] = False
    chance_from_margins: ClassVar[bool] = False
    missing_rules: ClassVar[tuple[str, ...]] = ("gwet", "ap", "listwise")
    standard_errors: ClassVar[tuple[str, ...]] = ("linearised", "gwet", "table")
    in_summary: ClassVar[bool] = True
    is_iterated: ClassVar[bool] = False  # each value takes a fit of its own
    # What its idea of chance has raters say who do not know: any label alike ("uniform"), labels as
    # often as all raters use them ("pooled") or as often as each does herself ("own").
    guesses: ClassVar[str] = "pooled"
    # Whether the value is 1 - observed / expected disagreement, as everywhere in the cube.
    ratio_of_disagreements: ClassVar[bool] = True

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self)

    def __hash__(self) -> int:
        return hash(type(self))

    @abstractmethod
    def title(self, design: Design) -> str:
        """Return the name that the literature gives to this cell of the cube."""

    def terms(self, form: Form) -> dict[str, Term]:
        """Return the terms of the observed part, and of the expected part if there is one."""
        return {
            "pairs": Total(pairable),
            "disagreement": Disagreement(per_pair, form),
            "maximum": Maximum(form),
        }

    def observed(self, t: Numbers, form: Form) -> Any:
        """Return observed disagreement: the mean over items with at least two ratings."""
        return t["disagreement"] / t["pairs"]

    def expected(self, t: Numbers, form: Form) -> Any:
        """Return the disagreement expected by chance."""
        return t["maximum"]

    def value(self, t: Numbers, form: Form) -> Any:
        """Return the coefficient."""
        expected = self.expected(t, form)
        # No chance disagreement leaves nothing to correct: not a number, rather than a crash.
        return 1.0 - self.observed(t, form) / np.where(expected == 0.0, np.nan, expected)

    def lowest(self, design: Design) -> float:
        """Return the smallest value that the coefficient can take."""
        return -1.0

    def at_boundary(self, t: Numbers, form: Form) -> bool:
        """Tell whether the value lies at the edge of a model, where no standard error exists."""
        return False

    def information_error(self, t: Numbers, form: Form) -> float:
        """Return the error from the observed information; for values of maximum likelihood."""
        return math.nan

    def linear_slopes(self, t: Numbers, slopes: dict[str, float], form: Form) -> dict[str, float]:
        """Return the slopes of the linearised variance; a small-sample factor is held fixed."""
        return slopes

    def gwet_slopes(self, t: Numbers, slopes: dict[str, float], form: Form) -> dict[str, float]:
        """Change the exact slopes to those of Gwet's variance formula.

        Gwet (2014) treats the share of items with two ratings as fixed, which adds K / n' to the
        slope of that count; without single ratings the two are the same.
        """
        return {**slopes, "pairs": slopes["pairs"] + float(self.value(t, form)) / t["pairs"]}

    def fitted(self, ratings: Ratings, missing: str) -> Coefficient:
        """Return the coefficient with what it must know of the design; most need nothing."""
        return self

    def supports(self, ratings: Ratings) -> str | None:
        """Return None, or the reason why the coefficient does not exist for these ratings."""
        if ratings.n_raters < 2:
            return f"needs at least two raters, got {ratings.n_raters}"
        if ratings.has_sums_only and (self.needs_raters or self.needs_labels):
            return "needs the ratings themselves, got sums of numbers from an engine"
        if self.needs_raters and not ratings.raters:
            return "needs to know who gave which rating, got counts per item"
        cells = ratings.n_raters * len(ratings.categories) if self.needs_raters else 0
        if cells > MOST_MARGINS:
            return (
                f"needs at most {MOST_MARGINS:,} pairs of a rater and a label, got "
                f"{ratings.n_raters:,} raters and {len(ratings.categories):,} labels"
            )
        if self.two_raters_only and ratings.n_raters != 2:
            return f"needs exactly two raters, got {ratings.n_raters}"
        return None


def pairable(rows: Rows) -> Floats:
    """1 for items with at least two ratings."""
    return rows.pairable


def per_pair(rows: Rows) -> Floats:
    """Weight that turns the distance summed over an item's ordered pairs into their mean."""
    return 1.0 / np.where(rows.pairs > 0, rows.pairs, np.inf)


def rated(rows: Rows) -> Floats:
    """1 for items with at least one rating."""
    return (rows.ratings > 0).astype(np.float64)


def share_of_item(rows: Rows) -> Floats:
    """Weight that makes the ratings of an item add up to 1."""
    return 1.0 / np.where(rows.ratings > 0, rows.ratings, np.inf)


# ---- registry

_DESIGNS = ((2, True), (3, True), (2, False), (3, False))


def _titles(made: Coefficient) -> list[str]:
    """Return what results print, such as Gwet's AC1."""
    return [made.title(Design(n_raters, 2, nominal)) for n_raters, nominal in _DESIGNS]


registry: Registry[Coefficient] = Registry(
    "coefficient",
    group="coefficients",
    homes=registered_in("consilience.coefficients", name=BY_CLASS),
    titles=_titles,
)


def register(cls: C) -> C:
    """Add a coefficient to the registry.

    Parameters
    ----------
    cls : subclass of Coefficient

    Returns
    -------
    type
        The same class.

    Examples
    --------
    >>> from consilience.coefficients import scott_pi
    >>> register(type(registry["scott_pi"])).name  # the same class may come again
    'scott_pi'
    """
    registry.add(cls())
    return cls
