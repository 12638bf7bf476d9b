"""Pk, WindowDiff and WindowPR of every pair of raters."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from consilience.core.result import Several
from consilience.document import Document, Finding, Paragraph, Table
from consilience.exceptions import InputError
from consilience.units.model._unit_findings import dropped_findings
from consilience.units.model._unit_results import PAIR, Accounted, said_units, unit_counts
from consilience.units.model.unit_checks import check_word
from consilience.units.model.units import Units
from consilience.units.segments._boundaries import Boundaries, cuts_of
from consilience.units.segments._windows import (
    CORRECTIONS,
    check_k,
    precision_recall,
    score,
    size_of,
    window_size,
)


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
    return WindowAgreement(
        pairs=tuple(found),
        pk=whole["pk"],
        window_diff=whole["window_diff"],
        f1=whole["f1"],
        parameters={"k": k, "correction": correction, "atom": atom},
        n_texts=cuts.n_texts,
        n_raters=units.n_raters,
        dropped=cuts.dropped,
        findings=(*cuts.findings, *dropped_findings(cuts.dropped, advice="")),
        units_by_session=unit_counts(units, dropped=cuts.dropped),
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
