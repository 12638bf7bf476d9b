"""What the checks look at, ratings with estimates and shared facts, and the registry of the
checks.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from consilience.coefficients import Estimate, estimate, registry
from consilience.coefficients.uncertainty import verdict_of
from consilience.coefficients.unsettled_scale import undecided_scale
from consilience.core.arrays import Floats, dense
from consilience.core.labels import Note
from consilience.core.registry import BY_FUNCTION, Registry, registered_in
from consilience.core.verdict import Verdict
from consilience.diagnosis import Diagnosis, diagnosis_of
from consilience.diagnosis.sentences import shown
from consilience.distances import get_distance
from consilience.document import Finding
from consilience.exceptions import ConsilienceError
from consilience.findings._unnamed_clusters import Together, items_together
from consilience.ratings import Ratings
from consilience.ratings.stores import CodedMatrix, NumberMatrix, Patterns
from consilience.rows import reduce_to_rows

# ---- What the checks look at: ratings, estimates, and facts that several checks share.

CHUNK = 65_536  # rows at a time
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
        if isinstance(self.ratings.store, NumberMatrix):
            return False
        return 2 <= len(self.ratings.categories) <= MOST_LABELS

    @property
    def is_panel(self) -> bool:
        """Whether it is known who rated, and these are few enough to look at one by one."""
        return 2 <= len(self.ratings.raters) <= MOST_RATERS

    @cached_property
    def patterns(self) -> Patterns | None:
        """Label code of each rater (-1: none) and how often it occurs; None for crowds, counts."""
        store = self.ratings.store
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
        every = [one for one in self.estimates if one.basis.coefficient.corrects_for_chance]
        usual = [one for one in every if one.basis.coefficient.chance_from_margins]
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
        judged = one if self.judged is None else self.judged
        together = self.together
        return verdict_of(judged if together is None else together.estimate, self.confidence_level)

    @property
    def judged(self) -> Estimate | None:
        """The estimate that the verdict is about."""
        one = self.headline
        if one is None or one.basis.coefficient.corrects_for_chance:
            return one
        return self._corrected or one

    @cached_property
    def together(self) -> Together | None:
        """Items that seem to belong together though nobody said so."""
        one = self.judged
        if one is None or one.status != "ok" or not one.basis.coefficient.corrects_for_chance:
            return None
        return items_together(self.ratings, one)

    @cached_property
    def diagnosis(self) -> Diagnosis | None:
        """Why the headline, or what corrects for chance beside it, is what it is."""
        one = self.judged
        return None if one is None else diagnosis_of(one, self.confidence_level)

    @property
    def diagnosed(self) -> Verdict | None:
        """The verdict, with the step that takes the largest cause away."""
        return self.verdict if self.diagnosis is None else self.diagnosis.explain(self.verdict)

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
        return self.ratings.scale == "nominal" and not self.weighs

    @cached_property
    def weighs(self) -> bool:
        """Whether a distance was asked for by which some labels are nearer than others."""
        if self.distance is None:
            return False
        return get_distance(self.distance, scale=self.ratings.scale).name != "nominal"

    def label(self, code: int) -> str:
        """Return a label as it is shown in a sentence."""
        return shown(self.ratings.categories[code])


# ---- The registry of what is looked for.

_INFO_CODES = frozenset(("repeated_ratings",))

_GRAVITY = ("problem", "caution", "info")

Check = Callable[[Study], Finding | None]
CHECKS: Registry[Check] = Registry(
    "finding",
    group="findings",
    # By file, then by name: in this order findings of one gravity are told.
    homes=dict(
        sorted(
            registered_in("consilience.findings", name=BY_FUNCTION).items(),
            key=lambda one: one[::-1],
        )
    ),
)
_SCALE_FREE: set[Check] = set()


def register(check: Check) -> Check:
    """Look for this finding whenever ratings are measured.

    Parameters
    ----------
    check : function of a Study
        Returns a Finding, or None where there is nothing to say.

    Returns
    -------
    function
        The same one.

    Examples
    --------
    >>> with CHECKS.as_before():
    ...     @register
    ...     def never(study):
    ...         return None
    ...     "never" in [check.__name__ for check in checks()]
    True
    """
    return CHECKS.add(check)


def scale_free(check: Check) -> Check:
    """Say that a finding holds whatever the scale is; the others wait until the scale is told."""
    _SCALE_FREE.add(check)
    return check


def checks() -> tuple[Check, ...]:
    """Return everything that is looked for.

    Returns
    -------
    tuple of functions of a Study

    Examples
    --------
    >>> len(checks()) > 10
    True
    """
    return tuple(CHECKS.values())


def from_note(note: Note) -> Finding:
    """Turn what the ratings noted into a finding.

    Parameters
    ----------
    note : Note

    Returns
    -------
    Finding

    Examples
    --------
    >>> from_note(Note("repeated_ratings", "Some raters rated twice.")).severity
    'info'
    """
    return Finding(note.code, "info" if note.code in _INFO_CODES else "caution", note.message)


def find(
    ratings: Ratings,
    estimates: Sequence[Estimate],
    confidence_level: float = 0.95,
    *,
    distance: Any = None,
) -> list[Finding]:
    """Return what the ratings themselves noted, then what the checks find, the gravest first.

    Parameters
    ----------
    ratings : Ratings
    estimates : sequence of Estimate
        What was measured of them.
    confidence_level : float, default 0.95
    distance : str, Distance or callable, optional
        With which they were measured; default the one that fits the scale.

    Returns
    -------
    list of Finding

    Examples
    --------
    >>> from consilience import scott_pi
    >>> ratings = Ratings.from_wide([["a", "a"], ["b", "b"], ["a", "b"]])
    >>> [one.code for one in find(ratings, [scott_pi(ratings)])]
    ['straddles_threshold', 'too_few_items']
    """
    return find_in(Study(ratings, tuple(estimates), confidence_level, distance))


def find_in(study: Study) -> list[Finding]:
    """Return what the ratings of a study noted, then what the checks find, the gravest first.

    Parameters
    ----------
    study : Study

    Returns
    -------
    list of Finding

    Examples
    --------
    >>> find_in(Study(Ratings.from_wide([["a", "a"], ["b", "b"], ["a", "b"]])))
    []
    """
    ratings = study.ratings
    looked_for = [one for one in checks() if one in _SCALE_FREE or not ratings.scale_undecided]
    found = [finding for check in looked_for if (finding := check(study)) is not None]
    found += _causes(study, {one.code for one in found})
    found.sort(key=lambda finding: _GRAVITY.index(finding.severity))
    return [from_note(note) for note in ratings.notes] + found


def _causes(study: Study, told: set[str]) -> list[Finding]:
    """Return the causes as findings; rare labels are told by the paradox where it holds."""
    causes = () if study.diagnosis is None else study.diagnosis.findings
    return [one for one in causes if one.code != "rare_labels" or "prevalence_paradox" not in told]
