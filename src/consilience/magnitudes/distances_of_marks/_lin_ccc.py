"""Lin's concordance correlation coefficient."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from consilience.core.arrays import Floats
from consilience.inference import Interval
from consilience.magnitudes._magnitude import Magnitude, register
from consilience.magnitudes.correlations._correlation import pearson_of
from consilience.magnitudes.paired import Paired, paired


@dataclass(frozen=True, kw_only=True, repr=False)
class ConcordanceCorrelation(Magnitude):
    """Lin's coefficient and its parts: precision r times accuracy `bias_correction`.

    Attributes
    ----------
    pearson_r : float
        How closely the marks follow a straight line.
    bias_correction : float
        How close that line is to equality, 1 when it is.
    location_shift, scale_shift : float
        (mean of second - mean of first) / sqrt(s1 s2), and s2 / s1.
    """

    pearson_r: float = math.nan
    bias_correction: float = math.nan
    location_shift: float = math.nan
    scale_shift: float = math.nan
    interval_method: ClassVar[str] = "fisher"
    lowest: ClassVar[float] = -1.0
    highest: ClassVar[float] = 1.0

    @property
    def details(self) -> dict[str, Any]:
        """The parts of the coefficient."""
        return {
            "pearson_r": self.pearson_r,
            "bias_correction": self.bias_correction,
            "location_shift": self.location_shift,
            "scale_shift": self.scale_shift,
        }

    def _interval(self, level: float) -> Interval:
        if not 0.0 < self.standard_error < math.inf or abs(self.value) >= 1.0:
            return self._no_interval(level)
        return self._fisher_interval(level, self.standard_error / (1.0 - self.value**2))


@register(
    title="Lin's concordance correlation",
    caution=(
        "It depends on how much the items differ: the same errors give a lower value when the "
        "items are alike; look at the limits of agreement for the size of the errors."
    ),
    raters="two",
    labels="numbers",
    aliases=("ccc", "concordance_correlation"),
)
def lin_ccc(*ratings: Any, pair: Sequence[object] | None = None) -> ConcordanceCorrelation:
    """Lin's concordance correlation: how close two raters' marks are to being equal.

    Use it for two raters whose marks should be the same. Prefer `icc` for more raters, and
    `bland_altman` for the size of the differences in marks.

    Parameters
    ----------
    ratings : Ratings, or one sequence of marks per rater
    pair : names of two raters, when there are more

    Returns
    -------
    ConcordanceCorrelation
        `value` in [-1, 1]; 1 only when all marks are equal.

    Raises
    ------
    UnsupportedDesignError
        Not two raters, no common item, or labels that are not numbers.

    Notes
    -----
    rho_c = 2 s_xy / (s_x^2 + s_y^2 + (mean x - mean y)^2), moments with 1/n [1]_: the same as
    quadratic-weighted kappa. With u the location shift and r Pearson's,

    Var = [(1 - r^2) rho_c^2 (1 - rho_c^2) / r^2 + 2 rho_c^3 (1 - rho_c) u^2 / r
    - rho_c^4 u^4 / (2 r^2)] / (n - 2)                              (corrected in 2000 [2]_)

    and the interval is taken on Fisher's scale. Where items go together the error is that of the
    influence of whole clusters, with one degree of freedom less than there are clusters. One rater
    constant gives 0; both constant is undefined. Agrees with epiR and DescTools.

    References
    ----------
    .. [1] Lin, L. I. (1989). A concordance correlation coefficient to evaluate reproducibility.
       Biometrics 45, 255-268.
    .. [2] Lin, L. I. (2000). A note on the concordance correlation coefficient. Biometrics 56,
       324-325.

    Examples
    --------
    >>> round(lin_ccc([1, 2, 3, 4, 5], [2, 4, 6, 8, 10]).value, 3)  # where Pearson's r is 1
    0.421
    """
    marks = paired("lin_ccc", ratings, pair)
    facts = marks.facts("lin_ccc")
    reason = marks.why_not(vary="one")
    if reason:
        return ConcordanceCorrelation.undefined(reason, facts)
    n = marks.n
    gap = marks.mean_y - marks.mean_x
    value = 2.0 * marks.ss_xy / (marks.ss_x + marks.ss_y + n * gap**2)
    if marks.ss_x == 0.0 or marks.ss_y == 0.0:
        facts["flags"] += ("one_constant_rater",)
        return ConcordanceCorrelation(value=0.0, **facts)
    if abs(value) >= 1.0 - 1e-15:
        facts["flags"] += ("boundary",)
    if n <= 2:
        facts["flags"] += ("too_few_for_error",)
    r = pearson_of(marks)
    s_xs_y = math.sqrt(marks.ss_x / n) * math.sqrt(marks.ss_y / n)
    spread = marks.ss_x / n + marks.ss_y / n
    return ConcordanceCorrelation(
        value=min(max(value, -1.0), 1.0),
        standard_error=_error(marks, value, gap**2 / s_xs_y),
        standard_error_method="lin-2000" if marks.clusters is None else "linearised",
        pearson_r=r,
        bias_correction=2.0 * s_xs_y / (spread + gap**2),
        location_shift=gap / math.sqrt(s_xs_y),
        scale_shift=math.sqrt(marks.ss_y / marks.ss_x),
        **facts,
    )


def _error(marks: Paired, value: float, u2: float) -> float:
    """Return Lin's error; written with C_b = rho_c / r, so that r = 0 divides nothing."""
    if marks.n <= 2:
        return math.nan
    if marks.clusters is not None:
        return marks.error(_influence(marks, value))
    r = pearson_of(marks)
    s_xs_y = math.sqrt(marks.ss_x) * math.sqrt(marks.ss_y)
    c_b = 2.0 * s_xs_y / (marks.ss_x + marks.ss_y + marks.n * (marks.mean_x - marks.mean_y) ** 2)
    variance = (1.0 - r**2) * c_b**2 * (1.0 - value**2)
    variance += 2.0 * value**2 * c_b * (1.0 - value) * u2
    variance -= value**2 * c_b**2 * u2**2 / 2.0
    return math.sqrt(max(variance, 0.0) / (marks.n - 2.0))


def _influence(marks: Paired, value: float) -> Floats:
    """Return what each pair of marks does to 2 s_xy / (s_xx + s_yy + gap^2)."""
    n, gap = marks.n, marks.mean_y - marks.mean_x
    whole = (marks.ss_x + marks.ss_y) / n + gap**2
    apart = marks.dx**2 + marks.dy**2 + 2.0 * gap * (marks.dy - marks.dx)
    together = 2.0 * (marks.dx * marks.dy - marks.ss_xy / n)
    return np.asarray((together - value * (apart - (marks.ss_x + marks.ss_y) / n)) / whole)
