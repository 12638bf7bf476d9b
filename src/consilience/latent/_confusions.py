"""Which labels are taken for each other, by whom, and what merging them would change."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from consilience.coefficients import Estimate, estimate, registry
from consilience.core.result import Defined, Unremarked
from consilience.core.words import shortened
from consilience.document import Document, Table
from consilience.document.records import Recorded
from consilience.exceptions import InputError
from consilience.latent.votes import Entries, entries_of
from consilience.ratings import Ratings

_MOST_LABELS = 3_000  # a table of all pairs of more labels would not fit


@dataclass(frozen=True, slots=True, kw_only=True)
class Confuser(Recorded):
    """One rater's part in a confusion.

    `first` counts how often she said the first label where another said the second, `second` the
    reverse; `expected` is what her number of comparisons would give at everybody's rate.
    """

    rater: object
    first: int
    second: int
    expected: float

    @property
    def total(self) -> int:
        """Both directions together."""
        return self.first + self.second

    def told(self) -> str:
        """Name the rater and how often."""
        return f"{shortened(str(self.rater), 12)} ×{self.total}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Confusion(Recorded):
    """Two labels that raters take for each other.

    Attributes
    ----------
    labels : the two labels
    pairs, items : int
        Pairs of ratings, and items, in which one rater gave the first label and another the second.
    expected : float
        Pairs expected if every rating were drawn at random from all.
    merged : float or None
        The coefficient with the two labels made one; None where they cannot be merged, because
        they are numbers or not neighbours on an ordinal scale.
    change : float or None
        What merging adds to the coefficient.
    raters : the raters with the largest part, largest first
    """

    labels: tuple[object, object]
    pairs: int
    items: int
    expected: float
    merged: float | None
    change: float | None
    raters: tuple[Confuser, ...]

    @property
    def ratio(self) -> float:
        """Pairs found per pair expected: 1 means that the labels are not told apart at all."""
        return self.pairs / self.expected if self.expected > 0.0 else math.nan


@dataclass(frozen=True, slots=True, kw_only=True)
class Confusions(Recorded, Unremarked, Defined):
    """The confusions of a set of ratings, most pairs first; made by `confusions`."""

    renamed: ClassVar[Mapping[str, str]] = {"n_pairs": "pairs", "found": "confusions"}

    coefficient: str
    value: float
    n_pairs: int
    found: tuple[Confusion, ...]

    def __iter__(self) -> Any:
        return iter(self.found)

    def __len__(self) -> int:
        return len(self.found)

    def __getitem__(self, place: int) -> Confusion:
        return self.found[place]

    def table(self) -> Table:
        """Return the confusions as a table."""
        name = self.coefficient.rpartition("_")[2]
        return Table.of(
            self.found,
            ("labels", lambda one: " / ".join(shortened(str(label), 16) for label in one.labels)),
            "pairs",
            "items",
            "by chance: expected",
            (f"{name} merged", "merged"),
            ("most by", lambda one: ", ".join(who.told() for who in one.raters[:2])),
            caption="Labels most often confused",
            note=f"{name} is {self.value:.3f} now." if math.isfinite(self.value) else "",
        )

    def document(self) -> Document:
        """Return the confusions as something to read."""
        if not self.found:
            return Document.of("No two raters gave different labels.")
        return Document.of(self.table(), title="Confusions")


def confusions(
    ratings: Ratings,
    *,
    top: int = 10,
    coefficient: str = "krippendorff_alpha",
    distance: Any = None,
) -> Confusions:
    """Find the labels that raters take for each other, and who does.

    Use it to see where guidelines have to be clearer. The coefficient with two labels merged says
    how much of the disagreement lies between them; it is no licence to merge them after the fact.

    Parameters
    ----------
    ratings : Ratings
        Counts without raters will do; then nobody is named.
    top : int, default 10
        How many pairs of labels to look at closely.
    coefficient, distance : what to compute before and after merging

    Returns
    -------
    Confusions

    Examples
    --------
    >>> wide = [["cat", "cat"], ["cat", "lynx"], ["lynx", "cat"], ["dog", "dog"], ["dog", "dog"]]
    >>> found = confusions(Ratings.from_wide(wide, raters=["Ann", "Bob"]))
    >>> found[0].labels, found[0].pairs, found[0].merged
    (('cat', 'lynx'), 2, 1.0)
    """
    entries = entries_of("confusions", ratings, need_raters=False)
    return confusions_of(entries, ratings, check_top(top), coefficient, distance)


def check_top(top: object) -> int:
    """Return a number of things to show."""
    if isinstance(top, bool) or not isinstance(top, int | np.integer) or top < 1:
        raise InputError.expected("top", "a whole number above 0", top, "for example top=10")
    return int(top)


def confusions_of(
    entries: Entries, ratings: Ratings, top: int, coefficient: str, distance: Any
) -> Confusions:
    """Find the confusions in ratings that are listed already."""
    chosen = registry[coefficient]
    before = _value(chosen, ratings, distance)
    if entries.n_labels > _MOST_LABELS:
        raise InputError.expected(
            "the number of labels",
            f"at most {_MOST_LABELS:,} to compare every pair",
            entries.n_labels,
            "round numbers, or collapse the labels",
        )
    together = (entries.counts.T @ entries.counts).toarray()  # Σ_i n_ik n_il
    n_pairs = float((entries.per_item * (entries.per_item - 1.0)).sum() / 2.0)
    used = entries.counts.copy()
    used.data = np.ones_like(used.data)
    on_items = (used.T @ used).toarray()
    first, second = np.triu_indices(entries.n_labels, 1)
    pairs = together[first, second]
    order = np.lexsort((second, first, -pairs))
    order = order[pairs[order] > 0][:top]
    # A rating takes part in as many pairs as its item has other ratings.
    margin = np.asarray(entries.counts.T @ (entries.per_item - 1.0)) / max(2.0 * n_pairs, 1.0)
    found = []
    for place in order.tolist():
        k, m = int(first[place]), int(second[place])
        merged = _merged(ratings, k, m, chosen, distance)
        found.append(
            Confusion(
                labels=(ratings.categories[k], ratings.categories[m]),
                pairs=round(float(pairs[place])),
                items=round(float(on_items[k, m])),
                expected=float(2.0 * n_pairs * margin[k] * margin[m]),
                merged=merged,
                change=None if merged is None else merged - before,
                raters=_confusers(entries, ratings, k, m, float(pairs[place]) / n_pairs),
            )
        )
    return Confusions(
        coefficient=chosen.name, value=before, n_pairs=round(n_pairs), found=tuple(found)
    )


def _value(chosen: Any, ratings: Ratings, distance: Any) -> float:
    one: Estimate = estimate(chosen, (ratings,), distance=distance, on_undefined="ignore")
    return one.value


def _merged(ratings: Ratings, k: int, m: int, chosen: Any, distance: Any) -> float | None:
    """Return the coefficient with two labels made one, where that makes sense."""
    if ratings.scale in ("interval", "ratio") or (ratings.scale == "ordinal" and m - k != 1):
        return None
    labels = ratings.categories
    value = _value(chosen, ratings.collapse({labels[m]: labels[k]}), distance)
    return value if math.isfinite(value) else None


def _confusers(
    entries: Entries, ratings: Ratings, k: int, m: int, rate: float
) -> tuple[Confuser, ...]:
    """Say who takes part in a confusion, and how often the rater's comparisons would make her."""
    if not entries.n_raters:
        return ()
    parts = []
    for own, other in ((k, m), (m, k)):
        mine = np.flatnonzero(entries.label == own)
        column = entries.counts[:, [other]].toarray().reshape(-1)
        weights = column[entries.item[mine]]
        parts.append(np.bincount(entries.rater[mine], weights, minlength=entries.n_raters))
    comparisons = np.bincount(
        entries.rater, entries.per_item[entries.item] - 1.0, minlength=entries.n_raters
    )
    total = parts[0] + parts[1]
    order = np.argsort(-total, kind="stable")[:10]
    return tuple(
        Confuser(
            rater=ratings.raters[int(g)],
            first=round(float(parts[0][g])),
            second=round(float(parts[1][g])),
            expected=float(comparisons[g] * rate),
        )
        for g in order
        if total[g] > 0
    )
