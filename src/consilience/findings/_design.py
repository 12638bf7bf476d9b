"""How the ratings came about: copies, crowds, unused labels, shared clusters, ratings missing."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from consilience.core.arrays import Codes, Floats
from consilience.core.tails import chi_square_tail
from consilience.core.words import enumerated, p_text
from consilience.diagnosis.sentences import shown
from consilience.document import Finding
from consilience.findings._study import (
    CHUNK,
    MOST_RATERS,
    Study,
    register,
    scale_free,
)
from consilience.ratings.stores import NumberMatrix, Patterns

# ---- Ratings that were not made independently: raters or items that are copies of each other.

_FEWEST_ITEMS = 20
_SHARE_OF_COPIES = 0.01
_MORE_THAN_CHANCE = 4.0
_MOST_ITEMS = 500_000  # looked at for copies, about
_BLOCK = 16_384  # items whose first numbers fit into the processor's cache
_ODD = np.uint64(0x9E3779B97F4A7C15)  # 2**64 over the golden ratio spreads the bits of numbers


@register
def copied_items(study: Study) -> Finding | None:
    """Say when many items carry exactly the same measured numbers from all raters.

    Only numbers that hardly repeat can show this; the same labels on two items mean nothing.

    Examples
    --------
    >>> import numpy as np
    >>> from consilience import Ratings
    >>> x = np.random.default_rng(1).normal(size=(100, 3))
    >>> twice = np.concatenate([x, x[:20]])
    >>> print(copied_items(Study(Ratings.from_wide(twice, scale="interval"))).message)
    20 of 120 items carry exactly the numbers of another item, from every rater.
    """
    store = study.ratings.store
    if not isinstance(store, NumberMatrix) or store.values.shape[1] < 2:
        return None
    rows, share = _looked_at(store.values)
    if len(rows) < _FEWEST_ITEMS:
        return None
    n_copies = _copies(rows)
    if n_copies < max(2, _SHARE_OF_COPIES * len(rows)):
        return None
    if n_copies < _MORE_THAN_CHANCE * _by_chance(rows[:, 0], share):
        return None
    return Finding(
        "copied_items",
        "caution",
        f"{n_copies:,} of {len(rows):,} items carry exactly the numbers of another item, from "
        "every rater.",
        "Check whether items were entered twice; copies make intervals too short.",
        {"copies": n_copies, "items": len(rows)},
    )


def _looked_at(values: Floats) -> tuple[Floats, float]:
    """Return the complete items, of very many a part that holds copies together, and its share.

    The first number of an item decides by its bits whether the item is looked at, so an item and
    its copy, wherever it stands, are both in the part or both not.
    """
    parts = len(values) // _MOST_ITEMS + 1
    share = 1.0
    if parts > 1:
        limit, share = np.uint64(2**64 // parts), 1.0 / parts
        blocks = (values[at : at + _BLOCK] for at in range(0, len(values), _BLOCK))
        values = np.concatenate([block[_bits(block[:, 0]) * _ODD < limit] for block in blocks])
    return values[~np.isnan(values).any(axis=1)], share


def _bits(values: Floats) -> NDArray[np.uint64]:
    return (values.astype(np.float64, copy=False) + 0.0).view(np.uint64)  # minus zero is zero


def _mixed(values: Floats) -> NDArray[np.uint64]:
    """Spread the bits of numbers evenly; equal numbers stay equal."""
    bits = _bits(values)
    bits ^= bits >> np.uint64(32)
    bits *= _ODD
    bits ^= bits >> np.uint64(29)
    bits *= _ODD
    return bits


def _copies(rows: Floats) -> int:
    """Count rows that repeat another, all numbers alike."""
    mixed = np.zeros(len(rows), dtype=np.uint64)
    for column in rows.T:
        mixed = (mixed * _ODD) ^ _mixed(column)
    mixed.sort()
    return int(np.count_nonzero(mixed[1:] == mixed[:-1]))


def _by_chance(values: Floats, share: float = 1.0) -> float:
    """Return how many repeats numbers as coarse as these show by themselves.

    Numbers that lie at least `step` apart have about range / step possible values, of which
    `share` could be among these.
    """
    distinct = np.unique(values)
    if len(distinct) < 2:
        return float(len(values))
    possible = 1.0 + (distinct[-1] - distinct[0]) / np.diff(distinct).min()
    return float(len(values) ** 2 / (2.0 * possible * share))


# ---- What the design says: crowds, unused labels, shared clusters, ratings missing for a reason.

_FEW_IN_COMMON = 5.0
_ONE_CLASS = 0.2  # the width of a class of Landis and Koch
_CLASSES_APART = 2
_RISE = 0.02  # of S, by labels that nobody used


@register
def kappa_without_shared_items(study: Study) -> Finding | None:
    """Say when kappa, which lives on each rater's own habits, is computed for a crowd.

    Examples
    --------
    >>> from consilience import Ratings, cohen_kappa
    >>> crowd = {"item": [], "rater": [], "label": []}
    >>> for i in range(60):
    ...     for j in range(2):
    ...         crowd["item"].append(i); crowd["rater"].append((i * 2 + j) % 40)
    ...         crowd["label"].append("ab"[(i + i * j) % 2])
    >>> r = Ratings.from_long(crowd)
    >>> print(kappa_without_shared_items(Study(r, (cohen_kappa(r),))).message)
    40 raters gave 3 ratings each on average: too few to know each rater's habits, which Conger's
    kappa is corrected for.
    """
    kappa = study.given("cohen_kappa")
    n_raters = len(study.ratings.raters)
    if kappa is None or kappa.status != "ok" or n_raters <= MOST_RATERS:
        return None
    per_rater = study.ratings.n_ratings / n_raters
    n_labels = max(2, len(study.ratings.categories)) if study.has_categories else 2
    if per_rater >= _FEW_IN_COMMON * n_labels:
        return None
    return Finding(
        "kappa_without_shared_items",
        "caution",
        f"{n_raters:,} raters gave {per_rater:.0f} ratings each on average: too few to know each "
        f"rater's habits, which {kappa.name} is corrected for.",
        "Report Krippendorff's alpha or Fleiss' kappa, which ask only how often each label was "
        "used.",
        {"raters": n_raters, "ratings_per_rater": per_rater},
    )


@register
def words_do_not_transfer(study: Study) -> Finding | None:
    """Say when a scale of words made for kappa would praise AC1 or S far more than kappa.

    Examples
    --------
    >>> from consilience import Ratings, gwet_ac
    >>> r = Ratings.from_table([[118, 5], [2, 0]])  # agreement on the common label only
    >>> print(words_do_not_transfer(Study(r, (gwet_ac(r),))).message)
    Landis and Koch's words were made for kappa. They would call this Gwet's AC1 (0.941) almost
    perfect and the Scott's pi of the same ratings (-0.029) poor.
    """
    if not (study.has_categories and study.nominal):
        return None
    lenient = next((e for e in study.estimates if e.coefficient in ("gwet_ac", "bennett_s")), None)
    if lenient is None or lenient.status != "ok":
        return None
    pi = study.measured("scott_pi", distance=study.distance)
    if pi.status != "ok" or lenient.value - pi.value <= _ONE_CLASS:
        return None
    from consilience.inference import SCALES  # few studies come so far

    scale = SCALES["landis-koch"]
    places = [scale.labels.index(scale.label(one.value)) for one in (pi, lenient)]
    if places[1] - places[0] < _CLASSES_APART:
        return None
    return Finding(
        "words_do_not_transfer",
        "info",
        f"Landis and Koch's words were made for kappa. They would call this {lenient.name} "
        f"({lenient.value:.3f}) {scale.label(lenient.value)} and the {pi.name} of the same ratings "
        f"({pi.value:.3f}) {scale.label(pi.value)}.",
        "Quote the numbers with their intervals instead of the words.",
        {"coefficient": lenient.coefficient, "value": lenient.value, "scott_pi": pi.value},
    )


@register
@scale_free
def unused_labels(study: Study) -> Finding | None:
    """Say when labels that nobody used raise S and AC1, which count every declared label.

    Examples
    --------
    >>> from consilience import Ratings
    >>> rows = [["a", "a"], ["b", "b"], ["a", "b"], ["b", "b"]]
    >>> found = unused_labels(Study(Ratings.from_wide(rows, categories=["a", "b", "c", "d"])))
    >>> print(found.message)
    'c' and 'd' were declared and never used. S and AC1 count them: S is 0.667 with them and 0.500
    without; kappa, pi and alpha do not change.
    """
    if not study.ratings.categories_declared or not study.has_categories:
        return None
    used = study.used > 0
    if used.all() or used.sum() < 2:
        return None
    categories = study.ratings.categories
    unused = [categories[int(k)] for k in np.flatnonzero(~used)]
    some_used = categories[int(np.flatnonzero(used)[0])]
    fewer = study.ratings.collapse(dict.fromkeys(unused, some_used))
    declared, without = study.measured("bennett_s"), study.measured("bennett_s", fewer)
    if not declared.value - without.value > _RISE:
        return None
    verb, them = ("was", "it") if len(unused) == 1 else ("were", "them")
    return Finding(
        "unused_labels",
        "caution",
        f"{enumerated([shown(label) for label in unused])} {verb} declared and never used. S and "
        f"AC1 count {them}: S is {declared.value:.3f} with {them} and {without.value:.3f} without; "
        "kappa, pi and alpha do not change.",
        "Declare the labels that raters could really have chosen, and say how many there were.",
        {"labels": unused, "bennett_s": declared.value, "bennett_s_without": without.value},
    )


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
    >>> from consilience.ratings.clusters import Clusters
    >>> patients = Clusters.of([k // 6 for k in range(72)], r.items, "patient")
    >>> r = r.read_as(SimpleNamespace(beside=(patients,)))
    >>> print(items_share_a_cluster(Study(r, (cohen_kappa(r),))).message)
    72 items share 12 values of 'patient', and those that do are alike: with that, the standard
    error of Cohen's kappa is 0.205, not 0.080. The verdict allows for it; the other intervals are
    too narrow.
    """
    together = study.together
    if together is None or study.judged is None:
        return None
    clusters, plain, wider = together.clusters, study.judged, together.estimate
    advice = f"If items of one {clusters.name} are not independent, name that column as the cluster"
    if together.begins:
        advice = (
            f"If items whose names begin alike (as {together.begins!r}) are not independent, put "
            "that beginning in a column of its own and name it as the cluster"
        )
    return Finding(
        "items_share_a_cluster",
        "caution",
        f"{study.ratings.n_items:,} items share {clusters.n_clusters:,} values of "
        f"{clusters.name!r}, and those that do are alike: with that, the standard error of "
        f"{plain.name} is {wider.standard_error:.3f}, not {plain.standard_error:.3f}. The verdict "
        "allows for it; the other intervals are too narrow.",
        f"{advice}.",
        {
            "column": clusters.name,
            "clusters": clusters.n_clusters,
            "standard_error": wider.standard_error,
        },
    )


_SMALLEST_ASSOCIATION = 0.1  # (chi-square / items)^1/2 below which a difference does not matter
_FEWEST_INCOMPLETE = 10


@register
def missing_not_at_random(study: Study) -> Finding | None:
    """Say when items that some raters skipped carry other labels than items that all rated.

    An item's ratings, each less how often its rater gives that label anyway, are averaged, so that
    an item counts once and raters' own habits do not pass for a difference between items. The means
    of the two kinds of items are compared by chi-square.

    Examples
    --------
    >>> from consilience import Ratings
    >>> rows = [["easy", "easy"]] * 40 + [["hard", "hard"]] * 10 + [["hard", None]] * 15
    >>> print(missing_not_at_random(Study(Ratings.from_wide(rows))).message)
    Ratings are missing for a reason: 'hard' makes up 100% of the ratings of items that not
    everybody rated, and 20% of those that all rated (chi-square 29.14, p < 0.001).
    """
    patterns = study.patterns
    n_gk = study.by_rater
    if patterns is None or n_gk is None or not (study.is_panel and study.ratings.n_missing):
        return None
    groups = _Groups.of(patterns, n_gk)
    if groups.n.min() < _FEWEST_INCOMPLETE or np.count_nonzero(groups.used.sum(axis=0)) < 2:
        return None
    statistic, p_value, association = groups.test()
    if not p_value < study.level or association < _SMALLEST_ASSOCIATION:
        return None
    shares = groups.used / groups.used.sum(axis=1, keepdims=True)
    label = int((shares[0] - shares[1]).argmax())
    return Finding(
        "missing_not_at_random",
        "caution",
        f"Ratings are missing for a reason: {study.label(label)} makes up {shares[0, label]:.0%} "
        f"of the ratings of items that not everybody rated, and {shares[1, label]:.0%} of those "
        f"that all rated (chi-square {statistic:.2f}, p {p_text(p_value)}).",
        "Find out why these items were skipped; agreement on what is left does not speak for them.",
        {
            "label": study.ratings.categories[label],
            "share_incomplete": float(shares[0, label]),
            "share_complete": float(shares[1, label]),
            "statistic": statistic,
            "p_value": p_value,
            "effect": association,
        },
    )


@dataclass(frozen=True)
class _Groups:
    """Items with ratings missing (0) and complete ones (1), and how ratings vary in both."""

    n: Floats  # (2,): items
    used: Floats  # (2, labels): ratings
    means: Floats  # (2, labels): of an item's average excess over the raters' habits
    error: Floats  # (labels, labels): covariance of the difference of these means

    @classmethod
    def of(cls, patterns: Patterns, n_gk: Floats) -> _Groups:
        codes, times = patterns.codes, patterns.multiplicity.astype(np.float64)
        n_labels = n_gk.shape[1]
        n_g = np.maximum(n_gk.sum(axis=1, keepdims=True), 1.0)
        n, thinned, pairs = np.zeros(2), np.zeros(2), 0.0
        used, sums = np.zeros((2, n_labels)), np.zeros((2, n_labels))
        together = np.zeros((n_labels, n_labels))
        for start in range(0, len(codes), CHUNK):
            part, w = codes[start : start + CHUNK], times[start : start + CHUNK]
            n_ik, excess, given = _excess(part, n_gk / n_g)
            together += (excess * w[:, None]).T @ excess
            pairs += float(w @ (given * (given - 1.0)))
            complete = given == part.shape[1]
            for kind, members in enumerate(((given > 0) & ~complete, complete)):
                share = w[members] / given[members]
                n[kind] += w[members].sum()
                thinned[kind] += share.sum()
                used[kind] += w[members] @ n_ik[members]
                sums[kind] += share @ excess[members]
        # Ratings of rater g have covariance diag(h_g) - h_g h_g'; two ratings of an item share
        # `between`, so the average of m ratings has between + (single - between) / m.
        alone = np.diag(n_gk.sum(axis=0)) - (n_gk / n_g).T @ n_gk
        single = alone / max(float(n_gk.sum()), 1.0)
        between = (together - alone) / max(pairs, 1.0)
        size = np.maximum(n, 1.0)
        error = (1.0 / size).sum() * between + (thinned / size**2).sum() * (single - between)
        return cls(n, used, sums / size[:, None], error)

    def test(self) -> tuple[float, float, float]:
        """Return chi-square of the difference of means, its p-value and its size."""
        values, axes = np.linalg.eigh(self.error)
        keep = values > 1e-6 * max(float(values[-1]), 1e-300)
        along = axes[:, keep].T @ (self.means[0] - self.means[1])
        statistic = float((along**2 / values[keep]).sum())
        p_value = chi_square_tail(statistic, max(int(keep.sum()), 1))
        return statistic, p_value, (statistic / float(self.n.sum())) ** 0.5


def _excess(codes: Codes, habits: Floats) -> tuple[Floats, Floats, Floats]:
    """Return counts of labels, their excess over the raters' habits, and numbers of ratings."""
    n_labels = habits.shape[1]
    item, rater = np.nonzero(codes >= 0)
    place = item * n_labels + codes[item, rater]
    n_ik = np.bincount(place, minlength=len(codes) * n_labels).reshape(len(codes), n_labels)
    usual = (codes >= 0).astype(np.float64) @ habits
    return n_ik.astype(np.float64), n_ik - usual, n_ik.sum(axis=1).astype(np.float64)
