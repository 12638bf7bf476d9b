"""What the checks look at: ratings, estimates, and facts that several checks share."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from consilience.coefficients import Estimate, estimate, registry
from consilience.distances import get_distance
from consilience.ratings import Ratings
from consilience.ratings._stores import CodedMatrix, NumberMatrix, Patterns
from consilience.rows import reduce_to_rows

FloatArray = NDArray[np.float64]

MOST_LABELS = 50  # more labels are numbers or free text, not categories
MOST_RATERS = 20  # more raters are a crowd, not a panel


@dataclass(frozen=True)
class Study:
    """Ratings and their estimates, with facts computed once and only when a check asks."""

    ratings: Ratings
    estimates: tuple[Estimate, ...] = ()
    confidence_level: float = 0.95

    @property
    def level(self) -> float:
        """The significance level that goes with the confidence level."""
        return 1.0 - self.confidence_level

    @property
    def has_categories(self) -> bool:
        """Whether the labels are categories: at least two, and not too many to list."""
        if isinstance(self.ratings._store, NumberMatrix):
            return False
        return 2 <= len(self.ratings.categories) <= MOST_LABELS

    @property
    def is_panel(self) -> bool:
        """Whether it is known who rated, and these are few enough to look at one by one."""
        return 2 <= len(self.ratings.raters) <= MOST_RATERS

    @cached_property
    def patterns(self) -> Patterns | None:
        """Label code of each rater (-1: none) and how often it occurs; None for crowds, counts."""
        store = self.ratings._store
        return store.patterns if isinstance(store, CodedMatrix) else None

    @cached_property
    def counts(self) -> tuple[FloatArray, FloatArray]:
        """Distinct items as counts per label (items x labels), and how often each occurs."""
        source = reduce_to_rows(self.ratings, get_distance("nominal", scale="nominal"))
        parts = [(_dense(rows.vectors).T, rows.multiplicity) for rows in source.chunks()]
        counts, times = zip(*parts, strict=True)
        return np.concatenate(counts), np.concatenate(times)

    @cached_property
    def coincidences(self) -> FloatArray:
        """Krippendorff's coincidences: how often label k met label l on an item."""
        counts, times = self.counts
        ratings = counts.sum(axis=1)
        weight = times / np.where(ratings >= 2, ratings - 1.0, np.inf)
        together = (counts * weight[:, None]).T @ counts
        return np.asarray(together - np.diag(weight @ counts))

    @cached_property
    def coincidences_by_chance(self) -> FloatArray:
        """What the coincidences would be on average if labels had nothing to do with items."""
        used = self.coincidences.sum(axis=1)
        total = used.sum()
        by_chance = np.outer(used, used) - np.diag(used)
        return np.asarray(by_chance / max(total - 1.0, 1.0))

    @cached_property
    def shares(self) -> FloatArray:
        """Share of each label among the ratings on items with at least two."""
        used = self.coincidences.sum(axis=1)
        return np.asarray(used / max(used.sum(), 1.0))

    def given(self, name: str) -> Estimate | None:
        """Return an estimate that was made, or None."""
        wanted = registry[name].name
        return next((one for one in self.estimates if one.coefficient == wanted), None)

    def measured(self, name: str, ratings: Ratings | None = None, **options: Any) -> Estimate:
        """Measure with a coefficient by name, quietly."""
        data = self.ratings if ratings is None else ratings
        return estimate(registry[name], (data,), **{"on_undefined": "ignore", **options})

    @property
    def nominal(self) -> bool:
        """Whether labels are the same or different and nothing in between."""
        return self.ratings.scale == "nominal"

    def label(self, code: int) -> str:
        """Return a label as it is shown in a sentence."""
        return shown(self.ratings.categories[code])


def shown(label: object) -> str:
    """Write a label in a sentence."""
    if isinstance(label, frozenset):
        return "{" + ", ".join(sorted(map(str, label))) + "}"
    return f"'{label}'"


def _dense(vectors: Any) -> FloatArray:
    dense: FloatArray = vectors.toarray() if hasattr(vectors, "toarray") else vectors
    return dense
