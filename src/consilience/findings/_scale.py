"""Numbers and ranks: correlation taken for agreement, and order that is thrown away."""

from __future__ import annotations

import numpy as np

from consilience.coefficients.unsettled_scale import undecided_scale
from consilience.core.arrays import Floats
from consilience.core.labels import LabelSet
from consilience.document import Finding
from consilience.exceptions import ConsilienceError
from consilience.findings._study import Study, register, scale_free
from consilience.ratings.stores import NumberMatrix

_HIGH_CORRELATION = 0.8
_GAP = 0.2
_FEWEST_ITEMS = 5
_FEW_LABELS = 20
_HARDLY_REPEAT = 0.6  # labels per rating; two raters who always agree on new ones have 0.5
_MOST_ITEMS = 100_000  # enough to know a high correlation to 0.002


@register
def correlation_without_agreement(study: Study) -> Finding | None:
    """Say when raters order the items alike and still give them different numbers.

    Examples
    --------
    >>> from consilience import Ratings
    >>> marks = [[x, x + 4] for x in (1, 2, 3, 4, 5, 6, 7, 8)]
    >>> r = Ratings.from_wide(marks, scale="interval")
    >>> print(correlation_without_agreement(Study(r)).message)
    The raters' numbers correlate highly (Pearson 1.000 on average) and agree little: interval
    alpha is 0.189. One gives higher numbers than another, or spreads them more widely.
    """
    if study.ratings.scale == "nominal" or not study.is_panel:
        return None
    correlation = _mean_correlation(study)
    if correlation is None or correlation < _HIGH_CORRELATION:
        return None
    try:
        alpha = study.measured("krippendorff_alpha", distance="interval")
    except ConsilienceError:
        return None
    if alpha.status != "ok" or correlation - alpha.value < _GAP:
        return None
    return Finding(
        "correlation_without_agreement",
        "caution",
        f"The raters' numbers correlate highly (Pearson {correlation:.3f} on average) and agree "
        f"little: interval alpha is {alpha.value:.3f}. One gives higher numbers than another, or "
        "spreads them more widely.",
        "Report the agreement, not the correlation; show each rater's mean and spread.",
        {"pearson": correlation, "interval_alpha": alpha.value},
    )


def _mean_correlation(study: Study) -> float | None:
    """Return Pearson's correlation, averaged over pairs with enough common items."""
    values, times = _numbers(study)
    if values is None:
        return None
    given = ~np.isnan(values)
    n_g = times @ given
    middle = times @ np.where(given, values, 0.0) / np.maximum(n_g, 1.0)
    x, m = np.where(given, values - middle, 0.0), given.astype(np.float64)
    w = times[:, None]
    # Sums over the items that both of two raters rated, for all pairs at once.
    n, sums, squares, products = m.T @ (w * m), x.T @ (w * m), (x**2).T @ (w * m), x.T @ (w * x)
    with np.errstate(divide="ignore", invalid="ignore"):
        variance = squares / n - (sums / n) ** 2
        covariance = products / n - sums * sums.T / n**2
        pearson = covariance / np.sqrt(variance * variance.T)
    spread = np.where(n > 0, squares / np.maximum(n, 1.0), 0.0)
    real = (n >= _FEWEST_ITEMS) & (variance > 1e-12 * spread) & (variance.T > 1e-12 * spread.T)
    found = pearson[np.triu(real, 1)]
    return float(found.mean()) if found.size else None


def _numbers(study: Study) -> tuple[Floats | None, Floats]:
    """Return numbers of distinct items x raters and how often each occurs."""
    store = study.ratings.store
    if isinstance(store, NumberMatrix):
        step = -(-store.n_items // _MOST_ITEMS)  # evenly spread over the file
        values = store.values[::step].astype(np.float64, copy=False)
        return values, np.ones(len(values))
    if study.patterns is None or study.ratings.numbers is None:
        return None, np.empty(0)
    table = np.append(study.ratings.numbers, np.nan)  # code -1 looks up NaN
    return table[study.patterns.codes], study.patterns.multiplicity.astype(np.float64)


@register
@scale_free
def scale_undecided(study: Study) -> Finding | None:
    """Say both agreements when many different numbers may be names or numbers.

    Examples
    --------
    >>> from consilience import Ratings
    >>> marks = [[x, x + 1] for x in range(0, 100, 7)]
    >>> print(scale_undecided(Study(Ratings.from_wide(marks))).message)
    The labels are 30 different numbers (0 to 99), and nobody said whether they are names or
    numbers. Krippendorff's alpha is 0.00 if labels are names, 1.00 if they are numbers. Until
    somebody does, nothing is concluded about raters.
    """
    found = undecided_scale(study.ratings)
    if found is None:
        return None
    return Finding(
        "scale_undecided",
        "problem",
        f"{found.sentence} Until somebody does, nothing is concluded about raters.",
        found.advice,
        found.to_dict(),
    )


@register
@scale_free
def labels_hardly_repeat(study: Study) -> Finding | None:
    """Say when nearly every rating has a label of its own, as in free text or a column of ids.

    Examples
    --------
    >>> from consilience import Ratings
    >>> texts = [[f"she said {k}", f"he said {k}"] for k in range(30)]
    >>> print(labels_hardly_repeat(Study(Ratings.from_wide(texts))).message)
    60 ratings have 60 different labels, such as 'he said 0': this looks like free text,
    or like an id.
    """
    ratings = study.ratings
    if (
        ratings.scale != "nominal"
        or ratings.has_sums_only
        or isinstance(ratings.store, NumberMatrix)
    ):
        return None
    n_labels, n_ratings = len(ratings.categories), ratings.n_ratings
    if n_labels <= _FEW_LABELS or n_labels < _HARDLY_REPEAT * n_ratings:
        return None
    if ratings.numbers is not None or isinstance(ratings.categories[0], LabelSet):
        return None
    return Finding(
        "labels_hardly_repeat",
        "problem",
        f"{n_ratings:,} ratings have {n_labels:,} different labels, such as {study.label(0)}: this "
        "looks like free text, or like an id.",
        "Name the column that holds the labels (--label), or sort the texts into categories "
        "first; texts that differ in one letter are different labels here.",
        {"labels": n_labels, "ratings": n_ratings},
    )


@register
@scale_free
def several_labels(study: Study) -> Finding | None:
    """Say that sets were compared as equal or not, where a number was computed in that way.

    Examples
    --------
    >>> from consilience import Ratings, krippendorff_alpha
    >>> r = Ratings.from_wide([[{"a"}, {"a", "b"}], [{"b"}, {"b"}], [{"c"}, {"c"}]])
    >>> several_labels(Study(r, (krippendorff_alpha(r),))).code
    'several_labels'
    >>> several_labels(Study(r, (krippendorff_alpha(r, distance="masi"),))) is None
    True
    """
    as_names = [one for one in study.estimates if one.distance == "nominal"]
    if not as_names or not any(isinstance(label, LabelSet) for label in study.ratings.categories):
        return None
    return Finding(
        "several_labels",
        "caution",
        "The labels are sets; two sets were compared as equal or not.",
        'To give credit for overlap pass distance="masi" or "jaccard" (--distance masi).',
        {"estimates": len(as_names)},
    )
