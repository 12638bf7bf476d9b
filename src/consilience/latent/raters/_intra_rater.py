"""Raters against themselves: do they say the same when they rate again?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from consilience.coefficients import Estimate, estimate, registry
from consilience.core.arrays import Ints
from consilience.core.labels import label_key
from consilience.core.result import Several
from consilience.core.words import interval_head
from consilience.document import (
    Cell,
    Document,
    Finding,
    Recorded,
    Table,
    found,
    value_and_interval,
)
from consilience.exceptions import InputError, UnsupportedDesignError
from consilience.latent.raters._occasions import (
    check_raters,
    codes_by_occasion,
    is_unstable,
    occasions_as_raters,
)
from consilience.ratings import Ratings


@dataclass(frozen=True, slots=True, kw_only=True)
class RaterStability(Recorded):
    """One rater's agreement with herself over occasions.

    Attributes
    ----------
    n_items, n_occasions : int
        Items that she rated more than once, and on how many occasions at most.
    unstable : float
        Share of these items on which her ratings are not all equal.
    estimate : Estimate
        The coefficient with her occasions in the place of raters.
    """

    renamed: ClassVar[Mapping[str, str]] = {"n_items": "items", "n_occasions": "occasions"}

    rater: object
    n_items: int
    n_occasions: int
    unstable: float
    estimate: Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class IntraRater(Recorded, Several):
    """Each rater's agreement with herself, beside the agreement between raters."""

    unrecorded: ClassVar[tuple[str, ...]] = ("confidence_level",)

    coefficient: str
    raters: tuple[RaterStability, ...]
    between: Estimate | None
    without_retest: tuple[object, ...]
    confidence_level: float
    findings: tuple[Finding, ...] = ()

    def __getitem__(self, rater: object) -> RaterStability:
        for one in self.raters:
            if label_key(one.rater) == label_key(rater):
                return one
        raise InputError.unknown_word("rater", rater, [str(one.rater) for one in self.raters])

    def document(self) -> Document:
        """Return a table of raters, the agreement between them in its last line."""
        level = self.confidence_level
        below: list[list[Cell]] = []
        if self.between is not None:
            n = self.between.n_items_used
            below = [["between raters", n, None, None, *value_and_interval(self.between, level)]]
        table = Table.of(
            self.raters,
            "rater!s",
            "items: n_items",
            "occasions: n_occasions",
            "unstable",
            (
                (self.raters[0].estimate.name, interval_head(level)),
                lambda one: value_and_interval(one.estimate, level),
            ),
            below=below,
        )
        title = "Agreement of raters with themselves"
        return Document.of(table, title=title, findings=self.findings)

    def __repr__(self) -> str:
        values = ", ".join(f"{one.rater}: {one.estimate.value:.3f}" for one in self.raters[:8])
        return f"IntraRater({self.coefficient}; {values})"


def intra_rater(
    ratings: Ratings,
    *,
    coefficient: str = "gwet_ac",
    distance: Any = None,
    confidence_level: float = 0.95,
) -> IntraRater:
    """Return each rater's agreement with herself over occasions.

    Parameters
    ----------
    ratings : Ratings
        With occasions: ``Ratings.from_long(frame, occasion="occasion")``.
    coefficient : str, default "gwet_ac"
        Any registered coefficient; a rater's occasions take the place of raters.
    distance : default the one that fits the scale
    confidence_level : float
        For the table that is printed.

    Returns
    -------
    IntraRater

    Raises
    ------
    UnsupportedDesignError
        No rater rated any item more than once.

    Examples
    --------
    >>> twice = {
    ...     "item": [1, 1, 2, 2, 3, 3, 4, 4],
    ...     "rater": ["A"] * 8,
    ...     "occasion": [1, 2] * 4,
    ...     "label": list("xxyyxyyy"),
    ... }
    >>> result = intra_rater(Ratings.from_long(twice, occasion="occasion"))
    >>> result["A"].unstable, round(result["A"].estimate.value, 3)
    (0.25, 0.529)
    """
    from consilience.inference import check_confidence_level

    level = check_confidence_level(confidence_level)
    data = check_raters("intra_rater", ratings)
    measure = registry[coefficient]
    codes = codes_by_occasion("intra_rater", data)
    given = (codes >= 0).sum(axis=1)
    again = (given >= 2).any(axis=1)
    if not again.any():
        raise UnsupportedDesignError.needs(
            "intra_rater",
            "a rater who rated items more than once",
            f"{len(data.raters)} raters with one rating per item each",
            'name the column of occasions: Ratings.from_long(frame, occasion="...")',
        )
    raters = tuple(
        _stability(data, name, codes[r], measure.name, distance)
        for r, name in enumerate(data.raters)
        if again[r]
    )
    without = tuple(name for r, name in enumerate(data.raters) if not again[r] and given[r].any())
    between = between_raters(data, measure.name, distance)
    return IntraRater(
        coefficient=measure.name,
        raters=raters,
        between=between,
        without_retest=without,
        confidence_level=level,
        findings=_findings(raters, between, without),
    )


def _stability(
    ratings: Ratings, name: object, codes: Ints, coefficient: str, distance: Any
) -> RaterStability:
    given = (codes >= 0).sum(axis=0)
    n_items = int((given >= 2).sum())
    alone = occasions_as_raters(ratings, codes)
    return RaterStability(
        rater=name,
        n_items=n_items,
        n_occasions=int(given.max()),
        unstable=float(is_unstable(codes).sum()) / n_items,
        estimate=estimate(
            registry[coefficient], (alone,), distance=distance, on_undefined="ignore"
        ),
    )


def between_raters(ratings: Ratings, coefficient: str, distance: Any) -> Estimate | None:
    """Return the agreement between raters on the first occasion, where there is one."""
    if registry[coefficient].supports(ratings) is not None:
        return None
    try:
        return estimate(registry[coefficient], (ratings,), distance=distance, on_undefined="ignore")
    except UnsupportedDesignError:  # no item that two raters share
        return None


def _findings(
    raters: tuple[RaterStability, ...], between: Estimate | None, without: tuple[object, ...]
) -> tuple[Finding, ...]:
    low = [
        str(one.rater)
        for one in raters
        if between is not None and one.estimate.value < between.value
    ]
    return found(
        (
            without,
            "raters_without_retest",
            "info",
            f"{len(without)} raters rated nothing twice and are left out: "
            f"{', '.join(map(str, without[:6]))}.",
        ),
        (
            low,
            "less_stable_than_the_panel_agrees",
            "caution",
            "These raters agree less with themselves than the raters agree with each other: "
            f"{', '.join(low[:6])}.",
            "Let them say how they decide before more is rated.",
        ),
    )
