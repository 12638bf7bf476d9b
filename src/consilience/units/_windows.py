"""Comparing segmentations through a sliding window: Pk, WindowDiff, WindowPR, and of all pairs."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from consilience.core.arguments import check_word, whole_number
from consilience.core.arrays import Ints
from consilience.core.result import Result, Several, Unremarked
from consilience.core.words import sentence
from consilience.document import Document, Finding, Paragraph, Table
from consilience.document.records import Recorded
from consilience.exceptions import InputError
from consilience.units._boundaries import Boundaries, cuts_of, pair_of
from consilience.units._unit_results import PAIR, Accounted, said_units
from consilience.units.model import Units

# ---- two segmentations

CORRECTIONS = ("none", "lamprier")
_TOO_SHORT = "the text is no longer than the window, so there is no window to compare"


class OfWindows(Recorded, Unremarked, Result):
    """What was counted in windows."""

    __slots__ = ()
    interval_needs: ClassVar[str] = "windows that are independent, and these overlap"

    def _page(self, title: str, *columns: str) -> Document:
        said = sentence(self.reason) if self.reason else None
        return Document.of(Table.of([self], *columns, "k"), said, title=title)


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowScore(OfWindows):
    """A share of windows in which two segmentations differ; a penalty, 0 is best."""

    measure: str
    value: float
    errors: int
    windows: int
    k: int
    status: str
    reason: str | None

    def document(self) -> Document:
        """Return the result as something to read."""
        columns = (f"{self.measure}: value", "windows that differ: errors", "windows")
        return self._page(self.measure, *columns)


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowPR(OfWindows):
    """Precision and recall of boundaries, counted in windows; see `window_pr`."""

    precision: float
    recall: float
    f1: float
    true_positives: int
    false_positives: int
    false_negatives: int
    true_negatives: int
    k: int
    status: str
    reason: str | None

    @property
    def value(self) -> float:
        """The F-measure."""
        return self.f1

    def document(self) -> Document:
        """Return the result as something to read."""
        return self._page("WindowPR", "precision", "recall", "F: f1")


def window_size(n_atoms: int, n_segments: int) -> int:
    """Return half the mean length of segments, rounded half to even, and at least 2.

    Examples
    --------
    >>> window_size(21, 7), window_size(10, 2), window_size(14, 2)
    (2, 2, 4)
    """
    return max(2, round(Fraction(n_atoms, 2 * n_segments)))


def pk(
    reference: Any,
    hypothesis: Any,
    *,
    k: int | None = None,
    form: str = "masses",
    length: int | None = None,
) -> WindowScore:
    """Pk: how often two places k apart are in one segment for one side only.

    Use it to compare with published values. Prefer `boundary_similarity`, which is symmetric and
    does not depend on a window.

    Parameters
    ----------
    reference, hypothesis : segmentations
        As in `boundary_similarity`.
    k : int, optional
        Size of the window. If left out, half the mean segment length of the reference, rounded
        half to even, at least 2.
    form : {"masses", "positions", "sets"}
    length : int
        Number of atomic units, with positions.

    Returns
    -------
    WindowScore
        Undefined if the text is no longer than the window.

    References
    ----------
    .. [1] Beeferman, D., Berger, A., & Lafferty, J. (1999). Statistical models for text
       segmentation. Machine Learning 34, 177-210.

    Examples
    --------
    >>> round(pk([5, 5, 5], [5, 4, 6]).value, 4), pk([5, 5, 5], [5, 4, 6]).k
    (0.1538, 2)
    """
    r, h, _ = pair_of(reference, hypothesis, form=form, length=length, types=None)
    return score("Pk", r, h, size_of(k, r), pad=False)


def window_diff(
    reference: Any,
    hypothesis: Any,
    *,
    k: int | None = None,
    correction: Literal["none", "lamprier"] = "none",
    form: str = "masses",
    length: int | None = None,
) -> WindowScore:
    """WindowDiff: how often the number of boundaries inside a window differs.

    Use it to compare with published values. Prefer `boundary_similarity`, which is symmetric and
    does not depend on a window.

    Parameters
    ----------
    reference, hypothesis, k, form, length
        As in `pk`.
    correction : {"none", "lamprier"}
        "lamprier" pads both ends with k atomic units, so that boundaries near the ends lie in as
        many windows as the others; there are then N + k windows.

    Returns
    -------
    WindowScore

    Notes
    -----
    segeval 2.0.11 divides the padded count by N + k + 1.

    References
    ----------
    .. [1] Pevzner, L., & Hearst, M. A. (2002). A critique and improvement of an evaluation metric
       for text segmentation. Computational Linguistics 28, 19-36.
    .. [2] Lamprier, S., Amghar, T., Levrat, B., & Saubion, F. (2007). On evaluation methodologies
       for text segmentation algorithms. ICTAI 2007, 19-26.

    Examples
    --------
    >>> round(window_diff([5, 5, 5], [5, 4, 6]).value, 4)
    0.1538
    >>> round(window_diff([5, 5, 5], [5, 4, 6], correction="lamprier").value, 4)
    0.1176
    """
    check_word("correction", correction, CORRECTIONS)
    r, h, _ = pair_of(reference, hypothesis, form=form, length=length, types=None)
    return score("WindowDiff", r, h, size_of(k, r), pad=correction == "lamprier")


def window_pr(
    reference: Any,
    hypothesis: Any,
    *,
    k: int | None = None,
    form: str = "masses",
    length: int | None = None,
) -> WindowPR:
    """WindowPR: precision and recall of boundaries, near misses counted in part.

    Use it to see whether a side has too many or too few boundaries, which a penalty hides. Prefer
    `boundary_similarity` for one symmetric number.

    Parameters
    ----------
    reference, hypothesis, k, form, length
        As in `pk`.

    Returns
    -------
    WindowPR
        Precision is undefined if the hypothesis has no boundary, recall if the reference has none.

    Notes
    -----
    Windows i = 1 - k … N over the padded text, with r_i and h_i boundaries:
    TP = sum min(r, h), FP = sum max(0, h - r), FN = sum max(0, r - h),
    TN = -k (k - 1) + sum (k - max(r, h)). Each boundary counts k times.

    References
    ----------
    .. [1] Scaiano, M., & Inkpen, D. (2012). Getting more from segmentation evaluation. NAACL HLT
       2012, 362-366.

    Examples
    --------
    >>> found = window_pr([5, 5, 5], [5, 4, 6])
    >>> found.precision, found.recall, found.true_positives
    (0.75, 0.75, 3)
    """
    r, h, _ = pair_of(reference, hypothesis, form=form, length=length, types=None)
    return precision_recall(r, h, size_of(k, r))


_USUAL_SIZE = "leave it out for half the mean length of segments"


def check_k(k: Any) -> int | None:
    """Return the size of the window, None for the usual one."""
    return None if k is None else whole_number("k", k, least=1, hint=_USUAL_SIZE)


def size_of(k: Any, reference: Boundaries) -> int:
    """Return the size asked for, or the usual one; no window is longer than the text."""
    size = check_k(k) or window_size(reference.length, reference.n_segments)
    if k is not None and size > max(2, reference.length):
        most = f"no more than the text has ({reference.length})"
        raise InputError.expected("k", most, k, _USUAL_SIZE)
    return size


def counts_in_windows(boundaries: Boundaries, k: int, *, pad: bool) -> Ints:
    """Return the number of boundaries between places i and i + k, for every window."""
    before = k if pad else 0
    n_gaps = boundaries.length - 1 + 2 * before
    if n_gaps < k:
        return np.empty(0, dtype=np.int64)
    so_far = np.zeros(n_gaps + 1, dtype=np.int64)
    so_far[np.unique(boundaries.place) + before] = 1
    np.cumsum(so_far, out=so_far)
    return so_far[k:] - so_far[:-k]


def score(measure: str, r: Boundaries, h: Boundaries, k: int, *, pad: bool) -> WindowScore:
    """Pk (Beeferman et al. 1999) asks for any, WindowDiff (Pevzner & Hearst 2002) for all."""
    one, other = (counts_in_windows(x, k, pad=pad) for x in (r, h))
    if measure == "Pk":
        one, other = np.minimum(one, 1), np.minimum(other, 1)
    errors, windows = int(np.count_nonzero(one != other)), len(one)
    return WindowScore(
        measure=measure,
        value=errors / windows if windows else math.nan,
        errors=errors,
        windows=windows,
        k=k,
        status="ok" if windows else "undefined",
        reason=None if windows else _TOO_SHORT,
    )


def precision_recall(r: Boundaries, h: Boundaries, k: int) -> WindowPR:
    """Count boundaries that both sides or one have in each window (Scaiano & Inkpen 2012)."""
    one, other = (counts_in_windows(x, k, pad=True) for x in (r, h))
    hit = int(np.minimum(one, other).sum())
    extra = int(np.maximum(0, other - one).sum())
    missed = int(np.maximum(0, one - other).sum())
    reason = None
    if not hit + extra + missed:
        reason = "neither side has a boundary"
    elif not hit + extra or not hit + missed:
        reason = f"the {'reference' if hit + extra else 'hypothesis'} has no boundary"
    return WindowPR(
        precision=hit / (hit + extra) if hit + extra else math.nan,
        recall=hit / (hit + missed) if hit + missed else math.nan,
        f1=2 * hit / (2 * hit + extra + missed) if hit + extra + missed else math.nan,
        true_positives=hit,
        false_positives=extra,
        false_negatives=missed,
        true_negatives=int((k - np.maximum(one, other)).sum()) - k * (k - 1),
        k=k,
        status="ok" if reason is None else "undefined",
        reason=reason,
    )


# ---- every pair of raters


@dataclass(frozen=True, kw_only=True)
class WindowAgreement(Several, Accounted):
    """Window measures of every pair of raters; see `window_agreement`."""

    pairs: tuple[Mapping[str, Any], ...]
    pk: float
    window_diff: float
    f1: float
    parameters: Mapping[str, Any]
    n_texts: int
    n_raters: int
    dropped: tuple[tuple[str, str], ...]
    findings: tuple[Finding, ...]

    def document(self) -> Document:
        """Return the result as something to read."""
        said = (
            f"{self._settings()} Pk and WindowDiff are penalties: 0 is best. None of these numbers "
            "is corrected for chance."
        )
        mean: list[Any] = ["mean", self.pk, self.window_diff, self.f1]
        columns = (PAIR, "Pk: pk", "WindowDiff: window_diff", "WindowPR F: f1")
        table = Table.of(self.pairs, *columns, below=[mean])
        blocks = (Paragraph(said), table)
        return Document(title="Windows over segmentations", blocks=blocks, findings=self.findings)

    def _settings(self) -> str:
        k = self.parameters["k"]
        window = {
            "reference": "Windows of half the mean segment of each rater in turn",
            "pooled": "Windows of half the mean segment of all raters",
        }.get(k, f"Windows of {k}")
        padded = ", both ends padded" if self.parameters["correction"] == "lamprier" else ""
        return f"{said_units(self.units_by_session)} {window}{padded}."


def window_agreement(
    units: Units,
    *,
    k: int | Literal["reference", "pooled"] = "reference",
    correction: Literal["none", "lamprier"] = "none",
    atom: float = 1,
) -> WindowAgreement:
    """Pk, WindowDiff and WindowPR of every pair of raters.

    Use it where a study reports windows. Prefer `segmentation`, which is corrected for chance.

    Parameters
    ----------
    units : Units
        Segments, as from `Units.from_masses` or `Units.from_boundaries`.
    k : {"reference", "pooled"} or int
        Each rater of a pair is the reference once, and the two values are averaged; or one window
        for all, from the segments of all raters in the text; or a size of your own.
    correction : {"none", "lamprier"}
        As in `window_diff`.
    atom : number, default 1
        Length of an atomic unit.

    Returns
    -------
    WindowAgreement
        Means over texts and directions for each pair, and over pairs; all symmetric.

    Examples
    --------
    >>> units = Units.from_masses({"a": [5, 5, 5], "b": [5, 4, 6], "c": [15]})
    >>> found = window_agreement(units, k="pooled")
    >>> [round(pair["window_diff"], 3) for pair in found.pairs]
    [0.167, 0.5, 0.5]
    """
    check_word("correction", correction, CORRECTIONS)
    if isinstance(k, str) and k not in ("reference", "pooled"):
        raise InputError.unknown_word("k", k, ("reference", "pooled"))
    fixed = None if isinstance(k, str) else check_k(k)
    if k is None:
        raise InputError.expected("k", "a word or a number", k, 'use k="reference"')
    cuts = cuts_of(units, "a window measure", types=None, atom=atom, gap=1)
    found: list[dict[str, Any]] = []
    for first, second in combinations(range(units.n_raters), 2):
        values = []
        for text in np.flatnonzero(cuts.took_part[:, first] & cuts.took_part[:, second]).tolist():
            pair = cuts.of(text, first), cuts.of(text, second)
            sizes = [size_of(fixed, x) for x in pair]
            if k == "pooled":
                present = np.flatnonzero(cuts.took_part[text]).tolist()
                segments = sum(cuts.of(text, r).n_segments for r in present)
                sizes = [window_size(len(present) * pair[0].length, segments)] * 2
            values.append(_both_ways(pair, sizes, pad=correction == "lamprier"))
        names = (cuts.raters[first], cuts.raters[second])
        found.append({"first": names[0], "second": names[1], **_means(values)})
    whole = _means([[x[name] for name in ("pk", "window_diff", "f1")] for x in found])
    return cuts.compared.result(
        WindowAgreement,
        pairs=tuple(found),
        pk=whole["pk"],
        window_diff=whole["window_diff"],
        f1=whole["f1"],
        parameters={"k": k, "correction": correction, "atom": atom},
        n_texts=cuts.n_texts,
        findings=cuts.findings,
    )


def _both_ways(pair: tuple[Boundaries, Boundaries], sizes: list[int], *, pad: bool) -> list[float]:
    """Return Pk, WindowDiff and F, each rater as the reference once."""
    out = []
    for (r, h), k in zip((pair, pair[::-1]), sizes, strict=True):
        scores = score("Pk", r, h, k, pad=False), score("WindowDiff", r, h, k, pad=pad)
        out.append([scores[0].value, scores[1].value, precision_recall(r, h, k).f1])
    return [_mean(np.array(column)) for column in zip(*out, strict=True)]


def _means(values: list[list[float]]) -> dict[str, float]:
    table = np.array(values, dtype=np.float64).reshape(-1, 3)
    return {name: _mean(table[:, c]) for c, name in enumerate(("pk", "window_diff", "f1"))}


def _mean(values: NDArray[np.float64]) -> float:
    """Return the mean of the defined values, NaN if there are none."""
    defined = values[np.isfinite(values)]
    return float(defined.mean()) if defined.size else math.nan
