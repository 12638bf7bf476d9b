"""Items that share a patient, a document, a recording."""

from __future__ import annotations

import math

from consilience.coefficients import Estimate
from consilience.document import Finding
from consilience.findings._checks_registry import register, scale_free
from consilience.findings._study import Study
from consilience.ratings.clusters import Clusters

_DEVIATIONS = 1.5  # by how many errors of its own a variance must be larger


@register
@scale_free
def items_share_a_cluster(study: Study) -> Finding | None:
    """Say when a column that was not used holds items together, and the error depends on it.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> from consilience import Ratings, cohen_kappa
    >>> rows = ([[1, 1]] * 6 + [[1, 0]] * 6 + [[0, 0]] * 6) * 4
    >>> r = Ratings.from_wide(rows)
    >>> patients = Clusters.of([k // 6 for k in range(72)], r.items, "patient")
    >>> r = r._read_as(SimpleNamespace(beside=(patients,)))
    >>> print(items_share_a_cluster(Study(r, (cohen_kappa(r),))).message)
    72 items share 12 values of 'patient', and those that do are alike: with that, the standard
    error of Cohen's kappa is 0.205, not 0.080.
    """
    beside = getattr(study.ratings.reading, "beside", ())
    if study.ratings.clusters is not None or not beside:
        return None
    able = [
        e for e in study.estimates if e.status == "ok" and e._basis.coefficient.corrects_for_chance
    ]
    if not able:
        return None
    found = [(ratio, one) for one in beside if (ratio := _ratio(able[0], one)) is not None]
    if not found:
        return None
    _, clusters = max(found, key=lambda pair: pair[0])
    error = able[0].with_clusters(clusters).standard_error
    return Finding(
        "items_share_a_cluster",
        "caution",
        f"{study.ratings.n_items:,} items share {clusters.n_clusters:,} values of "
        f"{clusters.name!r}, and those that do are alike: with that, the standard error of "
        f"{able[0].name} is {error:.3f}, not {able[0].standard_error:.3f}.",
        f"If items of one {clusters.name} are not independent, name that column as the cluster.",
        {"column": clusters.name, "clusters": clusters.n_clusters, "standard_error": error},
    )


def _ratio(estimate: Estimate, clusters: Clusters) -> float | None:
    """Return by how much clusters raise the variance; None if that may be chance."""
    if clusters.codes.size != estimate._basis.ratings.n_items:
        return None
    error, plain = estimate.with_clusters(clusters).standard_error, estimate.standard_error
    if not (math.isfinite(error) and math.isfinite(plain) and plain > 0.0):
        return None
    ratio = (error / plain) ** 2
    chance = math.sqrt(2.0 / (clusters.n_clusters - 1.0))
    return ratio if ratio > 1.0 + _DEVIATIONS * chance else None
