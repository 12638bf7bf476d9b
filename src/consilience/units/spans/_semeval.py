"""The four ways of SemEval-2013 to compare marked spans with a reference."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from consilience.core.result import Several, Unremarked
from consilience.document import Document, Paragraph, Recorded, Table
from consilience.exceptions import InputError
from consilience.units.linking._matching import best_matching
from consilience.units.model._unit_results import Accounted, said_units, unit_counts
from consilience.units.model.asked import who_counts
from consilience.units.model.unit_checks import check_several_raters, check_word
from consilience.units.model.units import Units
from consilience.units.spans._span_sets import Spans, overlaps, spans_of

SCHEMES = ("strict", "exact", "partial", "type")
_EMPTY = "neither side marked a span"


@dataclass(frozen=True, slots=True, kw_only=True)
class SemEvalScheme(Recorded):
    """Counts and scores of one scheme."""

    recorded: ClassVar[tuple[str, ...]] = ("possible", "actual")

    correct: int
    incorrect: int
    partial: int
    missed: int
    spurious: int
    precision: float
    recall: float
    f1: float
    reason: str | None

    @property
    def possible(self) -> int:
        """Spans of the reference."""
        return self.correct + self.incorrect + self.partial + self.missed

    @property
    def actual(self) -> int:
        """Spans of the other rater."""
        return self.correct + self.incorrect + self.partial + self.spurious


@dataclass(frozen=True, kw_only=True)
class SemEval(Unremarked, Several, Accounted):
    """Spans against a reference; see `semeval`."""

    reference: str
    hypothesis: str
    schemes: Mapping[str, SemEvalScheme]

    def __getitem__(self, scheme: str) -> SemEvalScheme:
        if scheme not in self.schemes:
            raise InputError.unknown_word("scheme", scheme, self.schemes)
        return self.schemes[scheme]

    def document(self) -> Document:
        """Return the result as something to read."""
        keys = ("correct", "incorrect", "partial", "missed", "spurious", "precision", "recall")
        columns = ("scheme: 0", *(f"{key}: 1.{key}" for key in keys), "F1: 1.f1")
        table = Table.of(self.schemes.items(), *columns)
        said = Paragraph(
            f"{said_units(self.units_by_session)} {self.hypothesis} against {self.reference} as "
            "the reference."
        )
        return Document(title="SemEval-2013 schemes", blocks=(said, table))


def semeval(units: Units, *, reference: str, hypothesis: str) -> SemEval:
    """Compare one rater's spans with a reference by the four schemes of SemEval-2013.

    Use it to compare with published evaluations of systems. Prefer `span_f1` among people, where
    nobody is the reference.

    Parameters
    ----------
    units : Units
    reference, hypothesis : str
        Names of the two raters.

    Returns
    -------
    SemEval
        For "strict" (place and label), "exact" (place), "partial" (place, half a point for an
        overlap) and "type" (overlap and label): correct, incorrect, partial, missed, spurious,
        precision, recall and F1.

    Notes
    -----
    Each span has one partner at most. In each scheme the matching has as many correct pairs as
    possible, then as many other overlapping pairs as possible, so the counts do not depend on the
    order of spans; programs that walk through the spans in order can differ where spans compete.
    Precision = (correct + partial / 2) / actual, recall = (correct + partial / 2) / possible.

    References
    ----------
    .. [1] Segura-Bedmar, I., Martínez, P., & Herrero-Zazo, M. (2013). SemEval-2013 task 9:
       Extraction of drug-drug interactions from biomedical texts. SemEval 2013, 341-350.

    Examples
    --------
    >>> units = Units.from_records([
    ...     ("gold", "DRUG", 0, 10), ("gold", "BRAND", 20, 26), ("gold", "DRUG", 30, 33),
    ...     ("Ann", "DRUG", 0, 10), ("Ann", "DRUG", 20, 24), ("Ann", "GROUP", 50, 55)])
    >>> found = semeval(units, reference="gold", hypothesis="Ann")
    >>> found["strict"].correct, found["strict"].incorrect, found["partial"].partial
    (1, 1, 1)
    """
    check_several_raters(units, "the schemes of SemEval")
    for name in (reference, hypothesis):
        check_word("a rater", name, units.raters)
    if reference == hypothesis:
        raise InputError.expected("the two raters", "different", reference, "name another rater")
    who = who_counts(units, (reference, hypothesis))
    if who.dropped:
        units = units.select(sessions=who.sessions)
    spans = spans_of(units)
    i, j = units.raters.index(reference), units.raters.index(hypothesis)
    sizes = (int(np.count_nonzero(spans.rater == i)), int(np.count_nonzero(spans.rater == j)))
    a, b, _, _ = overlaps(spans, i, j)
    return SemEval(
        reference=reference,
        hypothesis=hypothesis,
        schemes={name: _scheme(name, spans, (a, b), sizes) for name in SCHEMES},
        units_by_session=unit_counts(units, (reference, hypothesis)),
    )


def _scheme(name: str, spans: Spans, pairs: tuple[Any, Any], sizes: tuple[int, int]) -> Any:
    a, b = pairs
    place, label = spans.shape[a] == spans.shape[b], spans.label[a] == spans.label[b]
    right = {"strict": place & label, "exact": place, "partial": place, "type": label}[name]
    # One more correct pair outweighs any number of others.
    chosen = best_matching(a, b, np.where(right, min(sizes) + 1.0, 1.0))
    correct = int(np.count_nonzero(right[chosen]))
    other = len(chosen) - correct
    partial = other if name == "partial" else 0
    credit = correct + partial / 2
    precision, recall = (credit / n if n else math.nan for n in (sizes[1], sizes[0]))
    return SemEvalScheme(
        correct=correct,
        incorrect=other - partial,
        partial=partial,
        missed=sizes[0] - len(chosen),
        spurious=sizes[1] - len(chosen),
        precision=precision,
        recall=recall,
        f1=2 * credit / sum(sizes) if sum(sizes) else math.nan,
        reason=None if sum(sizes) else _EMPTY,
    )
