"""Agreement taken apart: by category, item and rater; prevalence, bias, the largest value."""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from consilience.coefficients._cohen_kappa import cohen_kappa
from consilience.coefficients._krippendorff_alpha import krippendorff_alpha
from consilience.coefficients._scott_pi import ScottPi, scott_pi
from consilience.coefficients.coefficient import registry
from consilience.coefficients.estimates import Estimate, checked_population, estimate, need_raters
from consilience.coefficients.uncertainty import drawn_rows
from consilience.core.arrays import Floats, dense
from consilience.core.interval import Interval, check_confidence_level
from consilience.core.labels import LabelSet, is_number
from consilience.core.result import Result, Unremarked
from consilience.core.words import interval_head, shortened
from consilience.distances import Distance, get_distance
from consilience.document import Document, Range, Table
from consilience.document.records import plain
from consilience.exceptions import ConsilienceError, InputError, UnsupportedDesignError
from consilience.inference.intervals import DrawnValue
from consilience.ratings import Ratings, as_ratings
from consilience.ratings.stores import CodedMatrix, as_long
from consilience.rows import reduce_to_rows
from consilience.rows.distinct_rows import all_rows
from consilience.rows.reduce import item_rows, label_space

# ---- Indices that take a kappa of two raters apart: prevalence, bias, and the largest kappa.


def prevalence_index(*ratings: Any) -> float:
    """Return Byrt's prevalence index (a - d) / n: how unequal the two labels are.

    Parameters
    ----------
    ratings : Ratings of two raters and two labels, or one sequence of labels per rater

    Returns
    -------
    float
        From -1 to 1; 0 where both labels are equally common.

    Examples
    --------
    >>> prevalence_index(Ratings.from_table([[90, 5], [5, 0]]))  # Di Eugenio & Glass 2004
    0.9
    """
    table = _binary_table("the prevalence index", *ratings)
    return float((table[0, 0] - table[1, 1]) / table.sum())


def bias_index(*ratings: Any) -> float:
    """Return Byrt's bias index (b - c) / n: how differently the two raters use the labels.

    The sign is positive when the first rater uses the first label more often.

    Parameters
    ----------
    ratings : Ratings of two raters and two labels, or one sequence of labels per rater

    Returns
    -------
    float
        From -1 to 1; 0 where both raters use the labels equally often.

    References
    ----------
    .. [1] Byrt, T., Bishop, J. & Carlin, J. B. (1993). Bias, prevalence and kappa. Journal of
       Clinical Epidemiology 46, 423-429. doi:10.1016/0895-4356(93)90018-V

    Examples
    --------
    >>> round(bias_index(Ratings.from_table([[70, 25], [0, 55]])), 3)
    0.167
    """
    table = _binary_table("the bias index", *ratings)
    return float((table[0, 1] - table[1, 0]) / table.sum())


def pabak(*ratings: Any) -> float:
    """Return prevalence-adjusted bias-adjusted kappa, 2 P_o - 1, for two labels.

    For more labels the same idea is `bennett_s`.

    Parameters
    ----------
    ratings : Ratings of two raters and two labels, or one sequence of labels per rater

    Returns
    -------
    float
        From -1 to 1.

    Examples
    --------
    >>> round(pabak(Ratings.from_table([[24, 8], [14, 24]])), 3)  # SIGIL unit 9
    0.371
    """
    return _twice_agreement("PABAK", *ratings)


def maxwell_re(*ratings: Any) -> float:
    """Return Maxwell's random error coefficient, 2 P_o - 1, for two labels.

    Parameters
    ----------
    ratings : Ratings of two raters and two labels, or one sequence of labels per rater

    Returns
    -------
    float
        From -1 to 1.

    Examples
    --------
    >>> round(maxwell_re(Ratings.from_table([[24, 8], [14, 24]])), 3)
    0.371
    """
    return _twice_agreement("Maxwell's RE", *ratings)


def _twice_agreement(name: str, *ratings: Any) -> float:
    """Return 2 P_o - 1, which two papers named; `name` is for messages."""
    table = _binary_table(name, *ratings)
    return float(2.0 * np.trace(table) / table.sum() - 1.0)


def positive_agreement(*ratings: Any) -> float:
    """Return 2 a / (2 a + b + c): agreement on the first label, for two raters and two labels.

    Parameters
    ----------
    ratings : Ratings of two raters and two labels, or one sequence of labels per rater

    Returns
    -------
    float
        NaN where nobody gave the first label.

    Examples
    --------
    >>> round(positive_agreement(Ratings.from_table([[90, 5], [5, 0]])), 3)
    0.947
    """
    return _agreement_on("positive agreement", 0, *ratings)


def negative_agreement(*ratings: Any) -> float:
    """Return 2 d / (2 d + b + c): agreement on the second label.

    Parameters
    ----------
    ratings : Ratings of two raters and two labels, or one sequence of labels per rater

    Returns
    -------
    float
        NaN where nobody gave the second label.

    Examples
    --------
    >>> negative_agreement(Ratings.from_table([[90, 5], [5, 0]]))
    0.0
    """
    return _agreement_on("negative agreement", 1, *ratings)


def kappa_max(*ratings: Any, distance: Any = None) -> float:
    """Return the largest kappa that two raters could reach with the labels they handed out.

    With a distance it is the largest weighted kappa: the best way to pair the two raters' labels
    is found by linear programming, not taken from the unweighted case.

    Parameters
    ----------
    ratings : Ratings of two raters, or one sequence of labels per rater
    distance : str, Distance or callable, default the one that fits the scale

    Returns
    -------
    float
        NaN where both raters give one and the same label throughout.

    Examples
    --------
    >>> round(kappa_max(Ratings.from_table([[70, 25], [0, 55]])), 3)  # equals kappa here
    0.672
    """
    data = as_ratings(*ratings)
    table = _table("kappa_max", data)
    row, column = table.sum(axis=1) / table.sum(), table.sum(axis=0) / table.sum()
    measure = get_distance(distance, scale=data.scale)
    counts = table.sum(axis=0) + table.sum(axis=1)
    d_kl = measure.matrix(label_space(data), counts)
    expected = float(row @ d_kl @ column)
    if expected == 0.0:
        return float("nan")
    if measure.name == "nominal":
        least = 1.0 - float(np.minimum(row, column).sum())
    else:
        least = _cheapest_transport(row, column, d_kl)
    return 1.0 - least / expected


def artstein_poesio_bias(*ratings: Any, distance: Any = None, missing: str = "gwet") -> float:
    """Return Artstein & Poesio's bias: how much the raters' own habits lower chance agreement.

    B = D_e(beta) - D_e(alpha'). For nominal labels it is the variance of the raters' shares,
    never negative, and the reason why kappa exceeds pi. The sign is turned with respect to the
    paper's appendix B, so that the weighted form equals B for the nominal distance; for distances
    that are not of negative type it can be negative.

    Parameters
    ----------
    ratings : Ratings, a table of items × raters, or one sequence of labels per rater
    distance : str, Distance or callable, default the one that fits the scale
    missing : {"gwet", "ap", "listwise"}, as in `cohen_kappa`

    Returns
    -------
    float

    References
    ----------
    .. [1] Artstein, R. & Poesio, M. (2005). Kappa3 = alpha (or beta). CSM-437, University of Essex.

    Examples
    --------
    >>> round(artstein_poesio_bias(Ratings.from_table([[46, 6, 0], [0, 32, 0], [0, 6, 10]])), 4)
    0.0054
    """
    data = as_ratings(*ratings)
    own = cohen_kappa(data, distance=distance, missing=missing, on_undefined="ignore")
    shared = scott_pi(data, distance=distance, missing=missing, on_undefined="ignore")
    assert own.expected_disagreement is not None
    assert shared.expected_disagreement is not None
    return own.expected_disagreement - shared.expected_disagreement


def specific_agreement(*ratings: Any) -> dict[object, float]:
    """Return for each category how often a second rating agrees, given that one rating is in it.

    p_k = sum_i r_ik (r_ik - 1) / sum_i r_ik (r_i - 1), for any number of raters; NaN for a
    category that was never used. For two labels these are positive and negative agreement.

    Parameters
    ----------
    ratings : Ratings, a table of items × raters, or one sequence of labels per rater

    Returns
    -------
    dict
        Category to share.

    Examples
    --------
    >>> specific_agreement(Ratings.from_table([[45, 5], [5, 45]]))
    {1: 0.9, 2: 0.9}
    """
    data = as_ratings(*ratings)
    source = reduce_to_rows(data, get_distance("nominal", scale="nominal"))
    agree = np.zeros(len(data.categories))
    possible = np.zeros(len(data.categories))
    for rows in source.chunks():
        counts = rows.vectors
        squares = counts.multiply(counts) if hasattr(counts, "multiply") else counts**2
        agree += np.asarray((squares - counts) @ rows.multiplicity)
        possible += np.asarray(counts @ (rows.multiplicity * (rows.ratings - 1.0)))
    share = agree / np.where(possible > 0, possible, np.nan)
    return dict(zip(data.categories, share.tolist(), strict=True))


def _table(what: str, data: Ratings) -> NDArray[np.float64]:
    if len(data.raters) != 2:
        got = f"{data.n_raters} ({', '.join(map(str, data.raters[:6]))})"
        raise UnsupportedDesignError.needs(
            what,
            "exactly two raters",
            got,
            f"choose two with ratings.select(raters={list(data.raters[:2])!r})",
        )
    table = data.table(*data.raters).astype(np.float64)
    if table.sum() == 0:
        raise UnsupportedDesignError.needs(
            what, "items that both raters rated", "none", "check for missing ratings"
        )
    return table


def _binary_table(what: str, *ratings: Any) -> NDArray[np.float64]:
    data = as_ratings(*ratings)
    if len(data.categories) != 2:
        raise UnsupportedDesignError.needs(
            what,
            "exactly two categories",
            f"{len(data.categories)}",
            "use bennett_s or specific_agreement, which take any number",
        )
    return _table(what, data)


def _agreement_on(what: str, label: int, *ratings: Any) -> float:
    table = _binary_table(what, *ratings)
    both, split = table[label, label], table[0, 1] + table[1, 0]
    return float(2 * both / (2 * both + split)) if both or split else float("nan")


def _cheapest_transport(
    row: NDArray[np.float64], column: NDArray[np.float64], d_kl: NDArray[np.float64]
) -> float:
    """Return the least mean distance between two distributions with the given margins."""
    from scipy.optimize import linprog

    q = len(row)
    constraints = np.concatenate(
        [np.kron(np.eye(q), np.ones((1, q))), np.kron(np.ones((1, q)), np.eye(q))]
    )
    solution = linprog(d_kl.ravel(), A_eq=constraints, b_eq=np.concatenate([row, column]))
    return float(solution.fun)


# ---- Agreement taken apart: by category, by item, by rater.


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
            draws = DrawnValue.of(self.specific, *(both / used for both, used in totals))
        low, high = draws.limits(level)
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


# ---- Bias of Artstein & Poesio: what raters' own habits take from chance agreement, by distance.

_MOST_LABELS = 20


@dataclass(frozen=True, kw_only=True)
class DistanceBias:
    """Chance and agreement by one distance.

    Attributes
    ----------
    distance : str
    alpha, shared, own : Estimate
        Krippendorff's alpha; pi or alpha prime, whose chance is one distribution for all raters;
        kappa or beta, whose chance is each rater's own.
    bias : float
        B = D_e(own) - D_e(shared), which is A_e(pi) - A_e(kappa) for mere names.
    """

    distance: str
    alpha: Estimate
    shared: Estimate
    own: Estimate
    bias: float

    def to_dict(self) -> dict[str, Any]:
        """Return plain data with stable keys."""
        return {
            "distance": self.distance,
            "bias": self.bias,
            "observed_disagreement": self.own.observed_disagreement,
            "expected_disagreement_alpha": self.alpha.expected_disagreement,
            "expected_disagreement_shared": self.shared.expected_disagreement,
            "expected_disagreement_own": self.own.expected_disagreement,
            "difference": self.own.value - self.shared.value,
        }


@dataclass(frozen=True, kw_only=True)
class RaterBias(Unremarked, Result):
    """How far raters' habits differ, and what that does to the coefficients.

    Attributes
    ----------
    raters, labels : tuple
    shares : array (raters, labels)
        Share of each label among each rater's ratings; None where there are too many labels.
    variances : array (labels)
        Variance of the shares over raters; for mere names B is their sum over c - 1.
    distances : tuple of DistanceBias
        One for each distance, the first one first.
    """

    interval_needs: ClassVar[str] = "a coefficient; that of kappa is in its own result"

    raters: tuple[object, ...]
    labels: tuple[object, ...]
    shares: Floats | None = field(repr=False)
    variances: Floats | None = field(repr=False)
    distances: tuple[DistanceBias, ...] = field(repr=False)
    confidence_level: float | None = field(default=0.95, repr=False)  # None: no intervals

    @property
    def value(self) -> float:
        """The bias by the first distance."""
        return self.distances[0].bias

    @property
    def bias(self) -> float:
        """The bias by the first distance."""
        return self.value

    @property
    def status(self) -> str:
        """Whether there is a bias: "ok" or "undefined"."""
        return "ok" if np.isfinite(self.value) else "undefined"

    @property
    def reason(self) -> str | None:
        """Why there is none, if there is none."""
        return None if self.status == "ok" else self.distances[0].own.reason

    @property
    def estimates(self) -> tuple[Estimate, ...]:
        """The coefficients of all distances."""
        return tuple(one for by in self.distances for one in (by.alpha, by.shared, by.own))

    def to_dict(self) -> dict[str, Any]:
        """Return plain data with stable keys."""
        level = self.confidence_level
        record = {
            "value": self.value,
            "status": self.status,
            "reason": self.reason,
            "raters": self.raters,
            "labels": self.labels if self.shares is not None else None,
            "shares": self.shares,
            "variances": self.variances,
            "distances": [by.to_dict() for by in self.distances],
            "estimates": [
                one.to_dict(confidence_level=level)
                if level is not None
                else {**one.to_dict(), "interval": None, "standard_error": None}
                for one in self.estimates
            ],
        }
        found: dict[str, Any] = plain(record)
        return found

    def document(self) -> Document:
        """Return the result as something to read."""
        shares = None if self.shares is None else self._share_table()
        tables = (self._chance_table(), self._value_table(), shares)
        return Document.of(*tables, title="Raters' bias and chance agreement")

    def _chance_table(self) -> Table:
        note = (
            "Disagreement in units of the distance. Shared: one distribution of labels for all "
            "raters (pi, alpha prime); own: each rater's (kappa, beta). B is the difference."
        )
        return Table.of(
            self.distances,
            "distance",
            "observed: own.observed_disagreement",
            "expected, shared: shared.expected_disagreement",
            "expected, own: own.expected_disagreement",
            "bias B: bias",
            caption="Disagreement by chance",
            note=note,
            digits=4,
        )

    def _value_table(self) -> Table:
        level = self.confidence_level
        heads: tuple[str, ...] = ("distance", "coefficient", "value")
        rows: list[list[Any]] = [
            [by.distance, one.name, one.value]
            for by in self.distances
            for one in (by.alpha, by.shared, by.own)
        ]
        if level is None:
            return Table(heads=heads, rows=rows, caption="Coefficients", digits=4)
        for row, one in zip(rows, self.estimates, strict=True):
            ok = one.status == "ok"
            row.append(Range.of(one.confidence_interval(level)) if ok else None)
        heads = (*heads, interval_head(level))
        return Table(heads=heads, rows=rows, caption="Coefficients", digits=4)

    def _share_table(self) -> Table:
        assert self.shares is not None
        assert self.variances is not None
        rows: list[list[Any]] = [
            [shortened(str(label)), *row, float(spread)]
            for label, row, spread in zip(
                self.labels, self.shares.T.tolist(), self.variances, strict=True
            )
        ]
        names = [shortened(str(rater)) for rater in self.raters]
        note = "For mere names B is the sum of the variances over the number of raters less one."
        heads = ("label", *names, "variance")
        return Table(heads=heads, rows=rows, caption="Share of each label", note=note, digits=4)


def rater_bias(
    *ratings: Any,
    distance: Any = None,
    missing: str = "gwet",
    confidence_level: float | None = 0.95,
) -> RaterBias:
    """Say how far raters' habits differ, and what that does to chance agreement.

    Use it to choose between pi and kappa, or alpha and beta: where the bias is small, the choice
    does not matter. It falls as raters are added.

    Parameters
    ----------
    ratings : Ratings, a table of items × raters, or one sequence of labels per rater
    distance : str, Distance or callable, or a list of them; default the one that fits the scale
    missing : {"gwet", "ap", "listwise"}, as in `cohen_kappa`
    confidence_level : float or None, default 0.95
        Of the intervals that are shown; None for none, as where all items are of one text.

    Returns
    -------
    RaterBias

    Raises
    ------
    UnsupportedDesignError
        It is not known who rated, or there are fewer than two raters.

    Notes
    -----
    B = A_e(pi) - A_e(kappa) = 1/(c - 1) sum over k of Var P(k|c)             (section 3)
    kappa - pi = B (1 - A_o) / ((1 - A_e(pi)) (1 - A_e(kappa)))
    B = D_e(beta) - D_e(alpha prime)                                          (appendix B)

    The paper prints (1 - A_e(pi)) twice in the second line, and the third with the opposite sign;
    as printed it would be negative where the first is positive.

    References
    ----------
    .. [1] Artstein, R., & Poesio, M. (2005). Kappa³ = Alpha (or Beta). Technical report CSM-437,
       University of Essex, section 3 and appendices.

    Examples
    --------
    >>> from consilience import datasets
    >>> found = rater_bias(datasets.load("artstein_poesio_2005_table6"))
    >>> round(found.bias, 4), found.variances.round(4).tolist()
    (0.0054, [0.0009, 0.0036, 0.0009])
    """
    data = as_ratings(*ratings)
    if len(data.raters) < 2:
        raise UnsupportedDesignError.needs(
            "the bias of raters",
            "at least two raters, each known",
            len(data.raters),
            "give ratings in which it is known who rated",
        )
    found = tuple(_by_distance(data, one, missing) for one in _distances(distance, data))
    listed = len(data.categories) <= _MOST_LABELS
    sets = any(isinstance(label, LabelSet) for label in data.categories)
    shares = _label_shares(data) if listed and not sets else None
    return RaterBias(
        raters=data.raters,
        labels=data.categories,
        shares=shares,
        variances=None if shares is None else shares.var(axis=0),
        distances=found,
        confidence_level=confidence_level,
    )


def _distances(given: Any, data: Ratings) -> list[Distance]:
    several = given if isinstance(given, (list, tuple)) else [given]
    if not several:
        raise InputError.expected("distance", "a distance or a list of them", given, "leave it out")
    return [get_distance(one, scale=data.scale) for one in several]


def _by_distance(data: Ratings, distance: Distance, missing: str) -> DistanceBias:
    own = cohen_kappa(data, distance=distance, missing=missing, on_undefined="ignore")
    shared = scott_pi(data, distance=distance, missing=missing, on_undefined="ignore")
    alpha = krippendorff_alpha(data, distance=distance, on_undefined="ignore")
    assert own.expected_disagreement is not None
    assert shared.expected_disagreement is not None
    # Artstein & Poesio (2005), appendix B, with the sign of appendix A.
    bias = own.expected_disagreement - shared.expected_disagreement
    return DistanceBias(distance=distance.name, alpha=alpha, shared=shared, own=own, bias=bias)


def _label_shares(data: Ratings) -> Floats:
    """Return P(k|c), the share of each label among each rater's ratings (raters x labels)."""
    q, store = len(data.categories), data.coded_store()
    counts = np.zeros((len(data.raters), q))
    if isinstance(store, CodedMatrix):
        codes, times = store.patterns.codes, store.patterns.multiplicity
        for c, column in enumerate(codes.T):
            counts[c] = np.bincount(column[column >= 0], times[column >= 0], minlength=q)
    else:
        table = as_long(store)
        np.add.at(counts, (table.rater, table.label), 1.0)
    shares: Floats = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1.0)
    return shares
