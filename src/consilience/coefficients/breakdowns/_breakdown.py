"""Agreement taken apart: by category, by item, by rater."""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from consilience.coefficients._estimate import Estimate
from consilience.coefficients._scott_pi import ScottPi
from consilience.coefficients.coefficient import registry
from consilience.coefficients.compute import checked_population, estimate, need_raters
from consilience.coefficients.indices._indices import specific_agreement
from consilience.coefficients.sureness import drawn_rows
from consilience.core.arrays import dense
from consilience.core.interval import Interval, check_confidence_level
from consilience.core.labels import is_number
from consilience.distances import get_distance
from consilience.exceptions import ConsilienceError, InputError, UnsupportedDesignError
from consilience.inference.posterior import limits_of
from consilience.ratings import Ratings, as_ratings
from consilience.rows import item_rows, reduce_to_rows
from consilience.rows.distinct_rows import all_rows


@dataclass(frozen=True, slots=True)
class CategoryAgreement:
    """One category against all others."""

    category: object
    share: float
    specific: float
    kappa: Estimate

    def specific_interval(self, confidence_level: float = 0.95) -> Interval:
        """Return the interval of the specific agreement.

        It is the ratio sum_i r_i (r_i - 1) / (m_i - 1) over sum_i r_i of the r_i ratings out of m_i
        that an item has in the category, in draws from the posterior of the distinct rows.
        """
        level = check_confidence_level(confidence_level)
        nothing = Interval(math.nan, math.nan, level, "dirichlet", "The label was not used.")
        basis = self.kappa._basis
        drawn = drawn_rows(basis, self.kappa.seed) if len(basis.ratings.categories) == 2 else None
        if drawn is None:
            return nothing
        given = dense(drawn.rows.vectors)[basis.ratings.categories.index(self._inside)]
        many = drawn.rows.ratings
        pairable = many >= 2
        agreeing = np.where(pairable, given * (given - 1.0) / np.maximum(many - 1.0, 1.0), 0.0)
        totals = drawn.totals(np.stack([agreeing, given * pairable]))
        with np.errstate(divide="ignore", invalid="ignore"):
            low, high = limits_of(totals[0] / totals[1], level)
        high = 1.0 if self.specific == 1.0 else high
        low = 0.0 if self.specific == 0.0 else low
        return Interval(low, high, level, "dirichlet")

    @property
    def _inside(self) -> object:
        """What stands for the category among the two labels of `kappa`."""
        return next(one for one in self.kappa._basis.ratings.categories if one in (True, 1))

    def test(self) -> tuple[float, float]:
        """Return z and p of no agreement beyond chance (Fleiss, Nee & Landis 1979)."""
        null = estimate(
            ScottPi(), (self.kappa._basis.ratings,), standard_error="fleiss-nee-landis-null"
        ).test()
        return null.statistic, null.p_value


def category_agreement(*ratings: Any) -> list[CategoryAgreement]:
    """Say for each category how common it is and how far raters agree on it.

    `specific` is the chance that a second rating agrees, given one in the category; `kappa` is
    Scott's pi or Fleiss' kappa with all other categories merged.

    Parameters
    ----------
    ratings : Ratings, a table of items × raters, or one sequence of labels per rater

    Returns
    -------
    list of CategoryAgreement
        One for each category, in their order.

    Examples
    --------
    >>> from consilience import datasets
    >>> [round(c.kappa.value, 3) for c in category_agreement(datasets.load("fleiss_1971"))]
    [0.245, 0.245, 0.52, 0.471, 0.566]
    """
    data = as_ratings(*ratings)
    specific = specific_agreement(data)
    # Scales with an order take numbers, and no truth values.
    yes, no = (True, False) if data.scale == "nominal" else (1, 0)
    out = []
    for category in data.categories:
        apart = data.collapse({category: yes}, rest=no)
        kappa = estimate(ScottPi(), (apart,), distance="nominal", on_undefined="ignore")
        rows = all_rows(reduce_to_rows(apart, get_distance("nominal", scale="nominal")))
        totals = np.asarray(rows.vectors @ rows.multiplicity)
        place = apart.categories.index(yes) if yes in apart.categories else None
        share = 0.0 if place is None else float(totals[place] / totals.sum())
        out.append(CategoryAgreement(category, share, specific[category], kappa))
    return out


def item_agreement(*ratings: Any, distance: Any = None) -> NDArray[np.float64]:
    """Return the agreement on each item, 1 - mean distance / largest; NaN below two ratings.

    Parameters
    ----------
    ratings : Ratings, a table of items × raters, or one sequence of labels per rater
    distance : str, Distance or callable, default the one that fits the scale

    Returns
    -------
    array
        One number per item.

    Examples
    --------
    >>> item_agreement(Ratings.from_counts([[2, 1]])).round(2)  # Artstein & Poesio 2005, Table 5
    array([0.33])
    """
    data = as_ratings(*ratings)
    measure = get_distance(distance, scale=data.scale)
    source = reduce_to_rows(data, measure, labels_needed=False)
    chunks = item_rows(data, source.form) if source.in_memory else source.chunks()
    widest = source.form.maximum or 1.0
    parts = [
        np.where(rows.ratings >= 2, 1.0 - rows.disagreement / widest, np.nan) for rows in chunks
    ]
    return np.concatenate(parts)


def unanimous_agreement(*ratings: Any, tolerance: float = 0.0) -> float:
    """Return the share of items on which all raters agree, numbers within a tolerance.

    Items with fewer than two ratings are left out; on others, all ratings given must agree.

    Parameters
    ----------
    ratings : Ratings, a table of items × raters, or one sequence of labels per rater
    tolerance : the largest difference of numbers that counts as agreement

    Returns
    -------
    float

    Examples
    --------
    >>> unanimous_agreement([[3, 3, 3], [1, 2, 2], [4, 4, 5]], tolerance=1)
    1.0
    """
    data = as_ratings(*ratings)
    if not is_number(tolerance) or not tolerance >= 0.0:
        raise InputError.expected(
            "tolerance",
            "a number of 0 or more",
            tolerance,
            "leave it out for labels that are equal",
        )
    if tolerance and data.numbers is None:
        raise UnsupportedDesignError.needs(
            "a tolerance", "labels that are numbers", f"{data.categories[:3]}", "leave it out"
        )
    source = reduce_to_rows(data, get_distance("nominal", scale="nominal"))
    agree = total = 0.0
    for rows in source.chunks():
        counts = dense(rows.vectors)
        used = counts > 0
        if tolerance:
            assert data.numbers is not None
            c_k = data.numbers[:, None]
            spread = np.where(used, c_k, -np.inf).max(axis=0) - np.where(used, c_k, np.inf).min(
                axis=0
            )
            same = spread <= tolerance
        else:
            same = used.sum(axis=0) == 1
        weight = rows.multiplicity * rows.pairable
        agree += float(weight @ same)
        total += float(weight.sum())
    if total == 0.0:
        raise UnsupportedDesignError.needs(
            "unanimous_agreement", "at least one item with two ratings", "none", "check the data"
        )
    return agree / total


@dataclass(frozen=True, slots=True)
class RaterInfluence:
    """The coefficient without each rater in turn."""

    coefficient: str
    value: float
    without: dict[object, float]
    standard_error: float  # of the coefficient over raters, items held fixed
    whole: Estimate | None = field(default=None, repr=False)  # with all raters
    estimates: dict[object, Estimate] = field(default_factory=dict, repr=False)  # without each

    @property
    def change(self) -> dict[object, float]:
        """What leaving each rater out changes: positive when agreement rises without her."""
        return {rater: value - self.value for rater, value in self.without.items()}


def rater_influence(
    *ratings: Any,
    coefficient: str = "krippendorff_alpha",
    population: int | None = None,
    distance: Any = None,
    missing: str | None = None,
    on_undefined: str = "ignore",
) -> RaterInfluence:
    """Leave out one rater at a time.

    The standard error is the jackknife over raters, v = (1 - r/R) (r - 1)/r sum (K_(-g) - mean)^2,
    with R the number of raters that these were drawn from (``population``).

    Parameters
    ----------
    ratings : Ratings, a table of items × raters, or one sequence of labels per rater
    coefficient : name or alias
    population : number of raters that these were drawn from, optional
    distance, missing, on_undefined
        As in `krippendorff_alpha`.

    Returns
    -------
    RaterInfluence

    Examples
    --------
    >>> wide = [["a", "a", "b"], ["b", "b", "a"], ["a", "a", "a"], ["b", "b", "b"]]
    >>> r = rater_influence(Ratings.from_wide(wide, raters=["Ann", "Bob", "Cid"]))
    >>> max(r.change, key=r.change.get)
    'Cid'
    """
    data = as_ratings(*ratings)
    need_raters("rater_influence", data)
    if data.n_raters < 3:
        raise UnsupportedDesignError.needs(
            "rater_influence",
            "at least three raters",
            f"{data.n_raters}",
            "with two raters, leaving one out leaves nothing to compare",
        )
    size = checked_population(population, data.n_raters, "raters")
    chosen = registry[coefficient]

    def measured(part: Ratings) -> Estimate:
        return estimate(
            chosen, (part,), distance=distance, missing=missing, on_undefined=on_undefined
        )

    whole = measured(data)
    estimates = {}
    for rater in data.raters:
        rest = data.select(raters=[name for name in data.raters if name != rater])
        with suppress(ConsilienceError):  # nobody else rated the same items
            estimates[rater] = measured(rest)
    without = {
        rater: estimates[rater].value if rater in estimates else math.nan for rater in data.raters
    }
    values = np.array(list(without.values()))
    r = len(values)
    fraction = 0.0 if size is None else r / size
    variance = (1.0 - fraction) * (r - 1) / r * float(((values - values.mean()) ** 2).sum())
    return RaterInfluence(chosen.name, whole.value, without, math.sqrt(variance), whole, estimates)


def item_influence(
    *ratings: Any,
    coefficient: str = "krippendorff_alpha",
    distance: Any = None,
    missing: str | None = None,
    on_undefined: str = "warn",
) -> NDArray[np.float64]:
    """Return how far each item pulls the coefficient up (positive) or down, to first order.

    Parameters
    ----------
    ratings : Ratings, a table of items × raters, or one sequence of labels per rater
    coefficient : name or alias
    distance, missing, on_undefined
        As in `krippendorff_alpha`.

    Returns
    -------
    array
        One number per item; they add up to about 0.

    Examples
    --------
    >>> pull = item_influence([["a", "a"], ["b", "b"], ["a", "b"]], coefficient="scott_pi")
    >>> int(pull.argmin())
    2
    """
    chosen = registry[coefficient]
    return estimate(
        chosen, ratings, distance=distance, missing=missing, on_undefined=on_undefined
    ).item_influence()
