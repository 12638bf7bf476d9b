"""Raters against themselves, each other and a standard: Krippendorff's three designs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from consilience.coefficients import Estimate, estimate, registry
from consilience.core.arrays import Ints
from consilience.core.labels import is_missing, label_key
from consilience.core.labels import plain as plain_label
from consilience.core.result import Several, Unremarked
from consilience.core.words import interval_head
from consilience.document import Document, Finding, Paragraph, Table
from consilience.document.blocks import Cell, found, value_and_interval
from consilience.document.records import Recorded
from consilience.exceptions import InputError, UnsupportedDesignError
from consilience.inference.intervals import check_confidence_level
from consilience.latent._truth import of_rater
from consilience.latent.votes import (
    check_raters,
    codes_by_occasion,
    is_unstable,
    occasions_as_raters,
)
from consilience.ratings import Ratings

# ---- raters against themselves


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
        return of_rater(self.raters, rater)

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
        estimate=_measured(coefficient, alone, distance),
    )


def _measured(coefficient: str, ratings: Ratings, distance: Any) -> Estimate:
    return estimate(registry[coefficient], (ratings,), distance=distance, on_undefined="ignore")


def between_raters(ratings: Ratings, coefficient: str, distance: Any) -> Estimate | None:
    """Return the agreement between raters on the first occasion, where there is one."""
    if registry[coefficient].supports(ratings) is not None:
        return None
    try:
        return _measured(coefficient, ratings, distance)
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


# ---- three designs


@dataclass(frozen=True, slots=True, kw_only=True)
class DesignRow(Recorded):
    """One line of the table of designs; `rounds` says which occasions it rests on, from 1."""

    reliability: str
    design: str
    focus: str
    who: str
    rounds: tuple[int, ...]
    estimate: Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class ReliabilityDesigns(Recorded, Unremarked, Several):
    """Stability, reproducibility and accuracy of one study, as far as its data allow.

    Attributes
    ----------
    rows : tuple of DesignRow
        Test against retest, test against test, test against standard.
    not_tested : dict of str to str
        Designs that the data do not allow, and why.
    """

    coefficient: str
    rows: tuple[DesignRow, ...]
    not_tested: dict[str, str]

    def document(self) -> Document:
        """Return the table of designs, and their values below it."""
        tested = {row.reliability for row in self.rows}
        designs = Table.of(
            _DESIGNS.items(),
            "type of reliability: 0",
            "test design: 1.0",
            "focus of error: 1.1",
            ("tested here", "0", lambda kind: "yes" if kind in tested else "no"),
        )
        name = self.rows[0].estimate.name if self.rows else self.coefficient
        n_rounds = max((row.rounds[-1] for row in self.rows), default=1)
        values = Table.of(
            self.rows,
            "type of reliability: reliability",
            "who",
            *([("rounds", _named_rounds, "s")] if n_rounds > 1 else []),
            ((name, "95% interval"), lambda row: value_and_interval(row.estimate, 0.95)),
        )
        notes = [Paragraph(f"No {what}: {why}.") for what, why in self.not_tested.items()]
        return Document(title="Three designs of reliability", blocks=(designs, values, *notes))

    def __repr__(self) -> str:
        tested = ", ".join(dict.fromkeys(row.reliability for row in self.rows))
        return f"ReliabilityDesigns({self.coefficient}; {tested})"


def reliability_designs(
    ratings: Ratings, *, gold: Any = None, coefficient: str = "gwet_ac", distance: Any = None
) -> ReliabilityDesigns:
    """Return stability, reproducibility and accuracy side by side.

    Parameters
    ----------
    ratings : Ratings
    gold : mapping of item to label, list with one label per item, or name of a rater, optional
        The standard that accuracy is measured against.
    coefficient : str, default "gwet_ac"
    distance : default the one that fits the scale

    Returns
    -------
    ReliabilityDesigns

    References
    ----------
    .. [1] Krippendorff, K. (1980). Content analysis. Sage. Page 131.
    .. [2] Stegmann, J. & Lücking, A. (2005). Assessing reliability on annotations (1): theoretical
       considerations. SFB 360, University of Bielefeld. Table 2.1.

    Examples
    --------
    >>> r = Ratings.from_wide([["a", "a"], ["b", "b"], ["b", "a"], ["a", "a"]], raters=["A", "B"])
    >>> result = reliability_designs(r, gold=["a", "b", "b", "a"])
    >>> [(row.reliability, row.who, round(row.estimate.value, 3)) for row in result.rows]
    [('reproducibility', 'all raters', 0.529), ('accuracy', 'A', 1.0), ('accuracy', 'B', 0.529)]
    """
    data = check_raters("reliability_designs", ratings)
    measure = registry[coefficient]
    codes = codes_by_occasion("reliability_designs", data)
    rows: list[DesignRow] = []
    absent: dict[str, str] = {}
    if ((codes >= 0).sum(axis=1) >= 2).any():
        own = intra_rater(data, coefficient=coefficient, distance=distance)
        rows += [
            _row(
                "stability", str(one.rater), one.estimate, rounds=_rounds_of(codes, data, one.rater)
            )
            for one in own.raters
        ]
    else:
        absent["stability"] = "no rater rated an item more than once"
    accuracy, judge = (
        ([], None) if gold is None else _accuracy(data, codes, gold, measure.name, distance)
    )
    observers = _without(data, judge)
    between = between_raters(observers, measure.name, distance)
    if between is None:
        absent["reproducibility"] = measure.supports(observers) or "no item that two raters rated"
    else:
        who = "all raters" if observers is data else "all other raters"
        rows.append(_row("reproducibility", who, between))
    rows += accuracy
    if gold is None:
        absent["accuracy"] = "no standard was given"
    return ReliabilityDesigns(coefficient=measure.name, rows=tuple(rows), not_tested=absent)


_DESIGNS = {
    "stability": ("test vs. retest", "intra-observer"),
    "reproducibility": ("test vs. test", "inter-observer"),
    "accuracy": ("test vs. standard", "deviation from norm"),
}


def _row(reliability: str, who: str, one: Estimate, *, rounds: tuple[int, ...] = (1,)) -> DesignRow:
    design, focus = _DESIGNS[reliability]
    return DesignRow(
        reliability=reliability, design=design, focus=focus, who=who, rounds=rounds, estimate=one
    )


def _rounds_of(codes: Ints, ratings: Ratings, rater: object) -> tuple[int, ...]:
    """Return on which occasions a rater rated, counted from 1."""
    given = (codes[ratings.raters.index(rater)] >= 0).any(axis=1)
    return tuple((np.flatnonzero(given) + 1).tolist())


def _named_rounds(row: DesignRow) -> str:
    """Name the rounds that a design rests on."""
    if row.rounds == tuple(range(1, len(row.rounds) + 1)) and len(row.rounds) > 2:
        return f"1 to {row.rounds[-1]}"
    return " and ".join(map(str, row.rounds))


def _accuracy(
    ratings: Ratings, codes: Ints, gold: Any, coefficient: str, distance: Any
) -> tuple[list[DesignRow], int | None]:
    """Measure each rater, first occasion, against the standard; return who that is, too."""
    standard, categories, judge = _standard(ratings, codes, gold)
    rows = []
    for r, name in enumerate(ratings.raters):
        common = (codes[r, 0] >= 0) & (standard >= 0)
        if r == judge or not common.any():
            continue
        pair = Ratings.from_codes(
            item=np.tile(np.flatnonzero(common), 2),
            rater=np.repeat([0, 1], int(common.sum())),
            label=np.concatenate([codes[r, 0][common], standard[common]]),
            items=ratings.items,
            raters=[str(name), "standard"],
            categories=categories,
            scale=ratings.scale,
            declared=ratings.categories_declared or ratings.ordered,
        )
        rows.append(_row("accuracy", str(name), _measured(coefficient, pair, distance)))
    if not rows:
        raise InputError.expected(
            "gold", "a standard for items that raters rated", "none in common", "check item names"
        )
    return rows, judge


def _without(ratings: Ratings, judge: int | None) -> Ratings:
    """Leave out the rater who is the standard, where two others remain to be compared."""
    if judge is None or ratings.n_raters < 3:
        return ratings
    return ratings.select(
        raters=[name for place, name in enumerate(ratings.raters) if place != judge]
    )


def _standard(ratings: Ratings, codes: Ints, gold: Any) -> tuple[Ints, list[object], int | None]:
    """Return the standard as codes, the categories, and the rater who is the standard."""
    if isinstance(gold, Mapping):
        known = {label_key(plain_label(item)): label for item, label in gold.items()}
        places = {label_key(item) for item in ratings.items}
        strange = [item for item in known if item not in places]
        if strange:
            raise InputError.expected(
                "every item of gold", "an item of the ratings", strange[0], "check item names"
            )
        labels = [known.get(label_key(item)) for item in ratings.items]
    elif isinstance(gold, Sequence | np.ndarray) and not isinstance(gold, str):
        labels = list(gold)
    else:
        judge = ratings.rater_code(gold)
        return codes[judge, 0], list(ratings.categories), judge
    if len(labels) != ratings.n_items:
        raise InputError.expected(
            "gold",
            f"one label per item ({ratings.n_items:,})",
            f"{len(labels):,}",
            "give None where an item has no standard",
        )
    categories = list(ratings.categories)
    place = {label_key(label): k for k, label in enumerate(categories)}
    out = np.full(ratings.n_items, -1, dtype=np.int64)
    for i, label in enumerate(map(plain_label, labels)):
        if is_missing(label):
            continue
        key = label_key(label)
        if key not in place:
            if ratings.categories_declared or ratings.scale != "nominal":
                raise InputError.expected(
                    "every label of gold",
                    f"one of the categories {categories[:8]}",
                    label,
                    "declare the category with the ratings",
                )
            place[key] = len(categories)
            categories.append(label)
        out[i] = place[key]
    return out, categories, None
