"""Standard errors and influence of an estimate, by the name of the method."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from consilience.exceptions import UnsupportedDesignError
from consilience.inference import linearised_variance
from consilience.ratings.clusters import need_independent_items
from consilience.rows import Rows, item_rows

if TYPE_CHECKING:
    from consilience.coefficients._estimate import Basis


MOST_LABELS_TABLED = 1_000  # a cross-table of more labels would be larger than the data


def default_method(basis: Basis) -> str:
    """Kappa of two complete raters has its classic error; all else is linearised."""
    methods = basis.coefficient.standard_errors
    if basis.ratings.clusters is not None:
        return "linearised"  # the classic errors take items to be independent
    few = basis.design.n_labels <= MOST_LABELS_TABLED
    if "fleiss-cohen-everitt" in methods and few and two_complete_raters(basis):
        return "fleiss-cohen-everitt"
    return methods[0]


def standard_error(method: str, basis: Basis) -> float:
    """Return the standard error by the named method."""
    classic = _CLASSIC.get(method)
    if classic is not None:
        need_independent_items(
            f'standard_error="{method}"',
            basis.ratings.clusters,
            instead='use standard_error="linearised"',
        )
        return classic(basis)
    slopes = _slopes(basis)
    if method == "gwet":
        form = basis.evaluation.source.form
        slopes = basis.coefficient.gwet_slopes(basis.evaluation.numbers, slopes, form)
    if basis.ratings.clusters is not None:
        return _cluster_error(basis, slopes, divisor="n" if method == "table" else "n-1")
    variance = linearised_variance(
        basis.evaluation,
        slopes,
        sample_size(basis),
        divisor="n" if method == "table" else "n-1",
        population=basis.population,
    )
    return math.sqrt(variance) if variance >= 0 else math.nan


def linearised_error(basis: Basis) -> float:
    """Return the linearised standard error, whatever else there is."""
    return standard_error("linearised", basis)


def _cluster_error(basis: Basis, slopes: dict[str, float], *, divisor: str) -> float:
    """Return the linearised error of clustered items: influences are summed by cluster.

    G / (G - 1) sum (S_g - mean)^2 with S_g the summed influence of the items of cluster g, as in
    Vanbelle (2017), *Comparing dependent kappa coefficients obtained on multilevel data*.
    """
    sums = cluster_sums(basis, item_influence(basis, slopes) / n_items(basis))
    n_clusters = sums.size
    square = float(((sums - sums.mean()) ** 2).sum())
    factor = n_clusters / (n_clusters - 1.0) if divisor == "n-1" else 1.0
    left = 1.0 - basis.ratings.n_items / basis.population if basis.population else 1.0
    return math.sqrt(factor * left * square)


def cluster_sums(basis: Basis, values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Add up what items hold by cluster."""
    clusters = basis.ratings.clusters
    assert clusters is not None
    sums = np.bincount(clusters.codes, weights=values, minlength=clusters.n_clusters)
    return sums.astype(np.float64)


def sample_size(basis: Basis) -> int:
    """Return the number of items, or of clusters, that the variance is over."""
    clusters = basis.ratings.clusters
    return n_items(basis) if clusters is None else clusters.n_clusters


def n_items(basis: Basis) -> int:
    """Return the number of items that the coefficient could use."""
    evaluation = basis.evaluation
    if basis.coefficient.pairable_items_only:
        return evaluation.n_pairable
    return evaluation.n_rated


def item_influence(basis: Basis, slopes: dict[str, float] | None = None) -> NDArray[np.float64]:
    """Return n times the influence of each single item; it sums to about zero over items."""
    source = basis.evaluation.source
    rows = source.chunks()
    if source.in_memory:
        rows = item_rows(basis.ratings, source.form, by_rater=basis.coefficient.needs_raters)
    return np.concatenate([row_influence(basis, chunk, slopes) for chunk in rows])


def row_influence(
    basis: Basis, rows: Rows, slopes: dict[str, float] | None = None
) -> NDArray[np.float64]:
    """Return n times the influence of an item of each row."""
    gradients = basis.evaluation.gradients(_slopes(basis) if slopes is None else slopes)
    return basis.evaluation.influence(rows, gradients) * n_items(basis)


def with_form(rows: Rows, basis: Basis) -> Rows:
    """Give rows the distance of an estimate, for several estimates on the same rows."""
    form = basis.evaluation.source.form
    if rows.form is form:
        return rows
    return Rows(form, rows.vectors, rows.ratings, rows.multiplicity, rows.by_rater)


def binary_table(basis: Basis) -> tuple[int, int, int] | None:
    """Return (both first label, different, both second label) for two raters and two labels."""
    if basis.design.n_labels != 2 or not two_complete_raters(basis):
        return None
    table = _table(basis)
    if 0 in table.sum(axis=0) + table.sum(axis=1):  # a label that nobody used leaves one label
        return None
    return int(table[0, 0]), int(table[0, 1] + table[1, 0]), int(table[1, 1])


def _slopes(basis: Basis) -> dict[str, float]:
    form, coefficient = basis.evaluation.source.form, basis.coefficient
    slopes = basis.evaluation.slopes(lambda numbers: coefficient.value(numbers, form))
    return coefficient.linear_slopes(basis.evaluation.numbers, slopes, form)


def two_complete_raters(basis: Basis) -> bool:
    """Tell whether there are just two raters and both rated every item that was rated."""
    ratings = basis.ratings
    if len(ratings.raters) != 2 or basis.design.n_labels == 0:
        return False
    # An item that nobody rated takes nothing away from the others.
    return ratings.n_missing == 0 or ratings.complete().n_ratings == ratings.n_ratings


def _table(basis: Basis) -> NDArray[np.float64]:
    first, second = basis.ratings.raters
    return basis.ratings.table(first, second).astype(np.float64)


def _weights(basis: Basis) -> NDArray[np.float64]:
    form = basis.evaluation.source.form
    return 1.0 - form.apply(np.eye(form.size)) / (form.maximum or 1.0)


def _fleiss_cohen_everitt(basis: Basis, *, null: bool) -> float:
    if not two_complete_raters(basis):
        raise UnsupportedDesignError.needs(
            "the standard error of Fleiss, Cohen & Everitt",
            "two raters who both rated every item",
            f"{basis.ratings.n_raters} raters, {basis.ratings.n_missing} missing ratings",
            'use standard_error="linearised", or missing="listwise"',
        )
    table = _table(basis)
    if table.sum() < 2:
        return math.nan
    from consilience.inference import fleiss_cohen_everitt

    error = fleiss_cohen_everitt(table, _weights(basis), null=null)
    if basis.population and not null:
        error *= math.sqrt(1.0 - table.sum() / basis.population)
    return error


def _perreault_leigh(basis: Basis) -> float:
    """Large-sample error sqrt(I (1 - I) / n) of Perreault & Leigh (1989)."""
    if basis.evaluation.n_pairable < 2:
        return math.nan
    value = float(basis.coefficient.value(basis.evaluation.numbers, basis.evaluation.source.form))
    return math.sqrt(value * (1.0 - value) / basis.evaluation.n_pairable)


def _observed_information(basis: Basis) -> float:
    numbers, form = basis.evaluation.numbers, basis.evaluation.source.form
    error = basis.coefficient.information_error(numbers, form)
    if basis.population:
        error *= math.sqrt(1.0 - sample_size(basis) / basis.population)
    return error


def _fleiss_nee_landis(basis: Basis) -> float:
    from consilience.rows.distinct_rows import all_rows

    rows = all_rows(basis.evaluation.source)
    per_item = np.unique(rows.ratings)
    if per_item.size != 1 or not basis.design.nominal:
        raise UnsupportedDesignError.needs(
            "the standard error of Fleiss, Nee & Landis",
            "nominal labels and equally many ratings for every item",
            f"{per_item.min():g} to {per_item.max():g} ratings per item",
            'use standard_error="linearised"',
        )
    totals = np.asarray(rows.vectors @ rows.multiplicity)
    from consilience.inference import fleiss_nee_landis

    return fleiss_nee_landis(totals / totals.sum(), basis.evaluation.n_rated, int(per_item[0]))


_CLASSIC: dict[str, Callable[[Basis], float]] = {
    "fleiss-cohen-everitt": lambda basis: _fleiss_cohen_everitt(basis, null=False),
    "fleiss-cohen-everitt-null": lambda basis: _fleiss_cohen_everitt(basis, null=True),
    "fleiss-nee-landis-null": _fleiss_nee_landis,
    "observed-information": _observed_information,
    "perreault-leigh": _perreault_leigh,
}
