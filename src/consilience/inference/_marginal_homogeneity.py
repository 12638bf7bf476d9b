"""Do all raters use the labels equally often? Cochran's Q, Mantel and Haenszel generalised."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from consilience.core.arrays import Codes, Floats, dense
from consilience.core.tails import chi_square_tail
from consilience.distances import get_distance
from consilience.exceptions import InputError, UnsupportedDesignError
from consilience.inference._two_raters import as_ratings_or_table
from consilience.inference.clustered import quadratic_form
from consilience.inference.homogeneity_test import (
    NO_DISAGREEMENT,
    HomogeneityTest,
    clustered_result,
    undefined_test,
)
from consilience.ratings import Ratings
from consilience.ratings.duplicates import need_one_occasion
from consilience.ratings.stores import CodedMatrix, Patterns, as_long
from consilience.rows import reduce_to_rows

_LARGEST = 2_000  # raters times categories, the side of the covariance matrix
_CHUNK = 4_096  # rows at a time
_MOST_GROUPS = 4_096  # of items that the same raters rated


def cochran_q(*ratings: Any, category: object = None) -> HomogeneityTest:
    """Cochran's Q: do all raters use one label equally often?

    Use it to find the label behind a small p of `marginal_homogeneity`; adjust the p-values for
    the number of labels, for example with `holm`.

    Parameters
    ----------
    ratings : Ratings, or one sequence of labels per rater
    category : label
        Tested against all others; may be left out where there are just two.

    Returns
    -------
    HomogeneityTest

    Raises
    ------
    UnsupportedDesignError
        Counts that do not say who rated, or fewer than two raters.

    Notes
    -----
    The test of `marginal_homogeneity` for the label and the rest; see there for missing ratings.
    With two raters it is McNemar's chi-square.

    References
    ----------
    .. [1] Cochran, W. G. (1950). The comparison of percentages in matched samples. Biometrika 37,
       256-266. doi:10.1093/biomet/37.3-4.256

    Examples
    --------
    >>> wide = [["y", "y", "n"], ["y", "n", "n"], ["y", "y", "y"], ["y", "n", "n"]]
    >>> round(cochran_q(Ratings.from_wide(wide), category="y").statistic, 3)
    4.667
    """
    data = as_ratings_or_table(*ratings)
    known = data.categories
    if category is None and len(known) == 2:
        category = known[0]
    if category not in known:
        if category is None:
            raise InputError.expected(
                "category", "one of the labels", category, f"choose among {list(known[:8])!r}"
            )
        raise InputError.unknown_word("category", category, [str(label) for label in known])
    # Scales with an order take numbers, and no truth values.
    yes, no = (True, False) if data.scale == "nominal" else (1, 0)
    one = data.collapse({category: yes}, rest=no)
    hypothesis = f"all raters use the label {category!r} equally often"
    return _many_raters(one, "cochran-q", hypothesis)


def marginal_homogeneity(*ratings: Any) -> HomogeneityTest:
    """Test whether all raters use every label equally often, for any number of raters.

    Use it before blaming low agreement on the items: raters with different habits cannot agree
    fully. Which label it is tells `cochran_q`; which rater, the `shares`.

    Parameters
    ----------
    ratings : Ratings, square table of counts, or one sequence of labels per rater

    Returns
    -------
    HomogeneityTest

    Raises
    ------
    UnsupportedDesignError
        Counts that do not say who rated, fewer than two raters, or more than 2,000 raters times
        categories.

    Notes
    -----
    The generalised Mantel-Haenszel statistic with items as strata: given the labels that an item
    received, each of its raters is equally likely to have given any of them. For item i with r_i
    ratings, c_ik of label k, and a_ig = 1 for those who rated it,

    expected  E x_igk = a_ig c_ik / r_i
    covariance  a_ig (r_i 1[g=h] - a_ih) c_ik (r_i 1[k=l] - c_il) / (r_i^2 (r_i - 1))

    summed over items; the degrees of freedom are the rank of the covariance, (raters - 1) ×
    (labels - 1) at most. Missing ratings need no imputation: an item counts for those who rated
    it. With two raters it is the Stuart-Maxwell test, with two labels Cochran's Q; complete data
    give the number of mh_test in R's coin.

    Where items go together (`Ratings.with_clusters`) the covariance is the sum of u u' over
    clusters, u what the items of a cluster add to the differences, and p is that of Hotelling's F
    with as many clusters.

    References
    ----------
    .. [1] Landis, J. R., Heyman, E. R. & Koch, G. G. (1978). Average partial association in
       three-way contingency tables. International Statistical Review 46, 237-254.
       doi:10.2307/1402373

    Examples
    --------
    >>> wide = [["a", "a", "b"], ["a", "b", "c"], ["a", "a", "a"], ["a", "b", "b"]]
    >>> test = marginal_homogeneity(Ratings.from_wide(wide, raters=["Ann", "Bob", "Cid"]))
    >>> round(test.statistic, 3), test.degrees_of_freedom, test.shares["a"]
    (5.818, 4.0, (1.0, 0.5, 0.25))
    """
    data = as_ratings_or_table(*ratings)
    return _many_raters(data, "mantel-haenszel", "all raters use every label equally often")


def _many_raters(data: Ratings, method: str, hypothesis: str) -> HomogeneityTest:
    _check_raters(data, method)
    need_one_occasion(f"the {method} test", data)
    sums = margins(data)
    if sums.n_items == 0:
        raise UnsupportedDesignError.needs(
            f"the {method} test", "items with at least two ratings", "none", "check the data"
        )
    given = sums.used.sum(axis=1, keepdims=True)
    share_gk = sums.used / np.where(given > 0, given, np.nan)
    shares = {label: tuple(share_gk[:, k].tolist()) for k, label in enumerate(data.categories)}
    contrast = None
    if data.clusters is None:
        statistic, freedom = quadratic_form(sums.difference, sums.covariance)
    else:
        from consilience.inference.clustered import ClusteredContrast

        contrast = ClusteredContrast.of(_sums_of_clusters(data))
        statistic, freedom = contrast.score, contrast.rank
    known: dict[str, Any] = {"hypothesis": hypothesis, "n_items": sums.n_items, "shares": shares}
    if freedom == 0:
        return undefined_test(method, reason=NO_DISAGREEMENT, **known)
    if contrast is not None:
        return clustered_result(method, contrast, **known)
    p_value = chi_square_tail(statistic, freedom)
    return HomogeneityTest(statistic, p_value, 0.0, "two-sided", method, freedom, **known)


def _sums_of_clusters(data: Ratings) -> Floats:
    """Add x_igk - a_ig c_ik / r_i up by cluster (clusters x raters times labels)."""
    from consilience.inference.clustered import sums_by_cluster

    clusters, n_labels = data.clusters, len(data.categories)
    assert clusters is not None
    listed = as_long(data._coded_store())
    item, rater, label = (
        np.asarray(codes, dtype=np.int64) for codes in (listed.item, listed.rater, listed.label)
    )
    shape = (clusters.n_clusters, len(data.raters) * n_labels)
    r_i = np.bincount(item, minlength=data.n_items)
    used = r_i[item] >= 2
    item, rater, label = item[used], rater[used], label[used]
    place = clusters.codes[item] * shape[1] + rater * n_labels
    sums = sums_by_cluster(place + label, np.ones(item.size), shape)
    for k in range(n_labels):
        c_i = np.bincount(item, weights=label == k, minlength=data.n_items)
        sums -= sums_by_cluster(place + k, c_i[item] / r_i[item], shape)
    return sums


def _check_raters(data: Ratings, method: str) -> None:
    if len(data.raters) < 2:
        raise UnsupportedDesignError.needs(
            f"the {method} test",
            "at least two raters with names or places",
            f"{len(data.raters)} raters" if data.raters else "counts per item",
            "bring the ratings in long or wide form",
        )
    size = len(data.raters) * len(data.categories)
    if size > _LARGEST:
        raise UnsupportedDesignError.needs(
            f"the {method} test",
            f"at most {_LARGEST:,} raters times categories",
            f"{len(data.raters):,} raters × {len(data.categories):,} categories",
            "select raters with ratings.select, or merge labels with ratings.collapse",
        )


@dataclass(frozen=True, slots=True)
class Margins:
    """What the raters' use of labels adds up to over items."""

    difference: Floats  # (raters * labels,): observed less expected
    covariance: Floats
    used: Floats  # (raters, labels): ratings of items that can be compared
    n_items: int


def margins(data: Ratings) -> Margins:
    """Add up over items, by who rated them where these groups are few."""
    n_raters, n_labels = len(data.raters), len(data.categories)
    store = data._store
    if isinstance(store, CodedMatrix) and store.patterns.codes.shape[1] == n_raters:
        groups = _rated_alike(store.patterns)
        if groups is not None:
            return _grouped_margins(store.patterns, groups, n_labels)
    size = n_raters * n_labels
    difference, covariance = np.zeros(size), np.zeros((size, size))
    used, n_items = np.zeros((n_raters, n_labels)), 0.0
    for x_gki, weight in _blocks(data, n_raters, n_labels):
        a_gi, c_ki = x_gki.sum(axis=1), x_gki.sum(axis=0)
        r_i = a_gi.sum(axis=0)
        used += np.tensordot(x_gki, weight, axes=1)
        n_items += float(weight.sum())
        crossed = (a_gi[:, None, :] * c_ki[None, :, :]).reshape(size, -1)
        difference += _less_expected(x_gki.reshape(size, -1), crossed, r_i, weight)
        covariance += _covariance(a_gi, c_ki, crossed, r_i, weight)
    return Margins(difference, covariance, used, round(n_items))


def _less_expected(observed: Floats, crossed: Floats, r_i: Floats, weight: Floats) -> Floats:
    """Sum x_igk - a_ig c_ik / r_i over items."""
    return np.asarray(observed @ weight - crossed @ (weight / r_i))


def _covariance(a_gi: Floats, c_ki: Floats, crossed: Floats, r_i: Floats, weight: Floats) -> Floats:
    """Sum a_g (r 1[g=h] - a_h) c_k (r 1[k=l] - c_l) / (r^2 (r - 1)) over items."""
    n_raters, n_labels = len(a_gi), len(c_ki)
    scale = weight / (r_i**2 * (r_i - 1.0))
    out = np.asarray((crossed * scale) @ crossed.T).reshape(n_raters, n_labels, n_raters, n_labels)
    both = (a_gi * scale * r_i**2) @ c_ki.T
    for g in range(n_raters):
        out[g, :, g, :] += np.diag(both[g]) - (c_ki * (a_gi[g] * scale * r_i)) @ c_ki.T
    for k in range(n_labels):
        out[:, k, :, k] -= (a_gi * (c_ki[k] * scale * r_i)) @ a_gi.T
    return out.reshape(n_raters * n_labels, n_raters * n_labels)


def _blocks(data: Ratings, n_raters: int, n_labels: int) -> Iterator[tuple[Floats, Floats]]:
    """Yield 1[rater g gave label k] for some rows with at least two ratings, and how many each."""
    source = reduce_to_rows(data, get_distance("nominal", scale="nominal"), by_rater=True)
    for rows in source.chunks():
        assert rows.by_rater is not None
        keep = np.flatnonzero(rows.ratings >= 2)
        for start in range(0, keep.size, _CHUNK):
            part = keep[start : start + _CHUNK]
            block = rows.by_rater[:, part]
            whole = dense(block)
            yield whole.reshape(n_raters, n_labels, part.size), rows.multiplicity[part]


def _rated_alike(patterns: Patterns) -> list[Codes] | None:
    """Return the rows that the same raters rated, group by group; None where groups abound."""
    given = patterns.codes >= 0
    if given.all():
        return [np.arange(len(given))]
    _, group = np.unique(np.packbits(given, axis=1), axis=0, return_inverse=True)
    group = group.ravel()
    if group.max() >= min(_MOST_GROUPS, max(64, group.size // 16)):
        return None
    ends = np.bincount(group).cumsum()[:-1]
    return np.split(group.argsort(kind="stable"), ends)


def _grouped_margins(patterns: Patterns, groups: list[Codes], n_labels: int) -> Margins:
    """Add up by groups of items with the same raters, in which the covariance is a product.

    With r raters it is (r 1[g=h] - 1) times sum_i c_ik (r 1[k=l] - c_il) / (r^2 (r - 1)).
    """
    n_raters = patterns.codes.shape[1]
    used = np.zeros((n_raters, n_labels))
    difference, n_items = np.zeros((n_raters, n_labels)), 0.0
    covariance, labels_k = np.zeros((n_raters, n_labels) * 2), np.arange(n_labels)
    for rows in groups:
        who = np.flatnonzero(patterns.codes[rows[0]] >= 0)
        r = len(who)
        if r < 2:
            continue
        n_gk, together, weight = _group_totals(patterns, rows, who, n_labels)
        n_items += weight
        used[who] += n_gk
        difference[who] += n_gk - n_gk.mean(axis=0)
        labels = (r * np.diag(n_gk.sum(axis=0)) - together) / (r**2 * (r - 1.0))
        raters = r * np.eye(r) - 1.0
        covariance[np.ix_(who, labels_k, who, labels_k)] += (
            raters[:, None, :, None] * labels[None, :, None, :]
        )
    size = n_raters * n_labels
    return Margins(difference.ravel(), covariance.reshape(size, size), used, round(n_items))


def _group_totals(
    patterns: Patterns, rows: Codes, who: Codes, n_labels: int
) -> tuple[Floats, Floats, float]:
    """Return rater x label totals, sums of c_ik c_il over items, and how many items there are."""
    n_gk, together = np.zeros((len(who), n_labels)), np.zeros((n_labels, n_labels))
    total = 0.0
    for start in range(0, rows.size, _CHUNK):
        part = rows[start : start + _CHUNK]
        codes = patterns.codes[np.ix_(part, who)].astype(np.intp)
        weight = patterns.multiplicity[part].astype(np.float64)
        place = (np.arange(len(part))[:, None] * n_labels + codes).ravel()
        c_ik = np.bincount(place, minlength=len(part) * n_labels).reshape(-1, n_labels)
        together += (c_ik * weight[:, None]).T @ c_ik
        for g, column in enumerate(codes.T):
            n_gk[g] += np.bincount(column, weight, minlength=n_labels)
        total += float(weight.sum())
    return n_gk, together, total
