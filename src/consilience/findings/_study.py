"""What the checks look at: ratings, estimates, and facts that several checks share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from consilience.coefficients import Estimate, estimate, registry, undecided_scale
from consilience.coefficients.interval_methods import verdict_of
from consilience.core.arrays import Floats, dense
from consilience.core.labels import LabelSet
from consilience.core.verdict import Verdict
from consilience.core.words import shortened
from consilience.distances import get_distance
from consilience.document import Finding
from consilience.exceptions import ConsilienceError
from consilience.ratings import Ratings
from consilience.ratings.stores import CodedMatrix, NumberMatrix, Patterns
from consilience.rows import reduce_to_rows

CHUNK = 65_536  # rows at a time
_LONGEST_LABEL = 48
MOST_LABELS = 50  # more labels are numbers or free text, not categories
MOST_RATERS = 20  # more raters are a crowd, not a panel


@dataclass(frozen=True)
class Study:
    """Ratings and their estimates, with facts computed once and only when a check asks."""

    ratings: Ratings
    estimates: tuple[Estimate, ...] = ()
    confidence_level: float = 0.95
    distance: Any = None  # the one that was asked for

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
    def by_rater(self) -> Floats | None:
        """How often each rater gave each label (raters x labels); None where that is not known."""
        if self.patterns is None or not self.has_categories:
            return None
        codes, times, q = self.patterns.codes, self.patterns.multiplicity, self.ratings.categories
        return np.array(
            [np.bincount(c[c >= 0], times[c >= 0], minlength=len(q)) for c in codes.T],
            dtype=np.float64,
        )

    @property
    def coincidences(self) -> Floats:
        """Krippendorff's coincidences: how often label k met label l on an item."""
        return self._label_totals[0]

    @property
    def uses(self) -> Floats:
        """How often each label was given on items with at least two ratings."""
        return self._label_totals[1]

    @property
    def used(self) -> Floats:
        """How often each label was given at all."""
        return self._label_totals[2]

    @cached_property
    def _label_totals(self) -> tuple[Floats, Floats, Floats]:
        size = len(self.ratings.categories)
        together, uses, used = np.zeros((size, size)), np.zeros(size), np.zeros(size)
        source = reduce_to_rows(self.ratings, get_distance("nominal", scale="nominal"))
        for rows in source.chunks():
            pairable = rows.ratings >= 2
            weight = np.where(pairable, rows.multiplicity / np.maximum(rows.ratings - 1.0, 1.0), 0)
            for start in range(0, weight.size, CHUNK):
                part = slice(start, start + CHUNK)
                n_ki, w_i = dense(rows.vectors[:, part]), weight[part]
                together += (n_ki * w_i) @ n_ki.T - np.diag(n_ki @ w_i)
                uses += n_ki @ (rows.multiplicity[part] * pairable[part])
                used += n_ki @ rows.multiplicity[part]
        return together, uses, used

    @cached_property
    def coincidences_by_chance(self) -> Floats:
        """What the coincidences would be on average if labels had nothing to do with items."""
        used = self.coincidences.sum(axis=1)
        total = used.sum()
        by_chance = np.outer(used, used) - np.diag(used)
        return np.asarray(by_chance / max(total - 1.0, 1.0))

    @cached_property
    def shares(self) -> Floats:
        """Share of each label among the ratings on items with at least two."""
        used = self.coincidences.sum(axis=1)
        return np.asarray(used / max(used.sum(), 1.0))

    @cached_property
    def headline(self) -> Estimate | None:
        """The estimate that stands for the others: of the coefficient that fits the design."""
        if not self.estimates:
            return None
        from consilience.findings._recommend import coefficient_for

        try:
            fitting = self.given(coefficient_for(self))
        except ConsilienceError:  # sums only, or a design of which nothing is known
            fitting = self.given("krippendorff_alpha")
        return fitting or self._corrected or self.estimates[0]

    @property
    def _corrected(self) -> Estimate | None:
        """The first estimate that corrects for chance, if possible in the way of kappa."""
        every = [one for one in self.estimates if one._basis.coefficient.corrects_for_chance]
        usual = [one for one in every if one._basis.coefficient.chance_from_margins]
        return next(iter([*usual, *every]), None)

    @cached_property
    def verdict(self) -> Verdict | None:
        """What the interval of the headline says; None where nothing was measured."""
        one = self.headline
        if one is None:
            return None
        if self.ratings.scale_undecided and one.distance == "nominal":
            undecided = undecided_scale(self.ratings)
            if undecided is not None:
                return Verdict(
                    code="scale_undecided", message=undecided.both, next=undecided.advice
                )
        if not one._basis.coefficient.corrects_for_chance:
            one = self._corrected or one
        return verdict_of(one, self.confidence_level)

    def given(self, name: str) -> Estimate | None:
        """Return an estimate that was made, or None."""
        wanted = registry[name].name
        return next((one for one in self.estimates if one.coefficient == wanted), None)

    def measured(
        self, name: str, ratings: Ratings | None = None, *, distance: Any = None
    ) -> Estimate:
        """Measure with a coefficient by name, quietly."""
        data = self.ratings if ratings is None else ratings
        return estimate(registry[name], (data,), distance=distance, on_undefined="ignore")

    @property
    def has_names(self) -> bool:
        """Whether labels are mere names: categories without order, and no sets that overlap."""
        if not (self.has_categories and self.nominal):
            return False
        return not any(isinstance(label, frozenset) for label in self.ratings.categories)

    @property
    def has_order(self) -> bool:
        """Whether labels are categories in an order."""
        return self.has_categories and self.ratings.scale == "ordinal"

    @property
    def nominal(self) -> bool:
        """Whether labels are the same or different and nothing in between."""
        return self.ratings.scale == "nominal"

    def label(self, code: int) -> str:
        """Return a label as it is shown in a sentence."""
        return shown(self.ratings.categories[code])


_BECAUSE = {  # findings that explain a low value, and what to do about that first
    "order_ignored": "First say whether the numbers have an order: as mere names, near misses "
    "count as full disagreement.",
    "prevalence_paradox": "One label is so common that hardly anything beyond chance can be shown: "
    "have more items with the rarer labels rated before you judge the raters.",
}


def explained(verdict: Verdict | None, findings: Sequence[Finding]) -> Verdict | None:
    """Return a verdict with what to do next, where a finding explains why the value is low.

    Parameters
    ----------
    verdict : Verdict or None
    findings : sequence of Finding

    Returns
    -------
    Verdict or None

    Examples
    --------
    >>> low = Verdict(code="clearly_low", message="Clearly too low.", next="Train the raters.")
    >>> explained(low, [Finding("order_ignored", "caution", "Numbers are names.")]).next
    'First say whether the numbers have an order: as mere names, near misses count as full ...'
    """
    if verdict is None or verdict.code not in ("clearly_low", "no_better_than_chance"):
        return verdict
    codes = {one.code for one in findings}
    then = next((then for code, then in _BECAUSE.items() if code in codes), verdict.next)
    return replace(verdict, next=then)


def shown(label: object) -> str:
    """Write a label in a sentence."""
    if isinstance(label, LabelSet):
        return shortened(str(label), _LONGEST_LABEL)
    return f"'{shortened(str(label), _LONGEST_LABEL)}'"


def named(rater: object) -> str:
    """Write a rater in a sentence; one without a name is a number."""
    text = shortened(str(rater), _LONGEST_LABEL)
    return f"rater {text}" if text.isdecimal() else text


def upper_first(sentence: str) -> str:
    """Begin a sentence with a capital."""
    return sentence[:1].upper() + sentence[1:] if sentence.startswith("rater ") else sentence
