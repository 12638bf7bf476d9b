"""What is known of errors that judges share, as plain data and as something to read."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from consilience.core.arrays import Floats
from consilience.core.interval import Interval, check_confidence_level
from consilience.core.result import Result
from consilience.core.tails import quantile
from consilience.core.verdict import Gauge, Verdict
from consilience.core.words import counted, p_text
from consilience.document import Document, Finding, Reasoned, Recorded, Table
from consilience.judges.rate_results import headed


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedErrors(Recorded, Reasoned, Result):
    """How many independent judges a panel is worth.

    Attributes
    ----------
    value : float
        The effective number of judges, n / (1 + (n - 1) rho).
    correlation : float
        rho, the mean correlation of two judges' errors.
    matrix : dict
        Pair of judges to the correlation of their errors; NaN where one of them never errs.
    error_rates : dict
        Judge to the share of items on which it errs.
    without : dict
        Judge to the effective number of the others.
    against : str
        "gold" (people's labels, or a standard) or "consensus" (of the other judges).
    p_value : float
        Of errors that are independent once the right label is known; NaN against the consensus.
    majority, if_independent : float or None
        How often the majority of the judges is right, and how often it would be if the same judges
        erred independently; only against gold.
    """

    unrecorded: ClassVar[tuple[str, ...]] = (
        "matrix",
        "degrees_of_freedom",
        "drawn",
        "findings",
        "confidence_level",
    )
    renamed: ClassVar[Mapping[str, str]] = {"n_items": "items"}

    value: float
    correlation: float
    standard_error: float
    n_items: int
    judges: tuple[object, ...]
    matrix: dict[tuple[object, object], float]
    error_rates: dict[object, float]
    without: dict[object, float]
    against: str
    p_value: float
    majority: float | None = None
    if_independent: float | None = None
    best: float | None = None
    degrees_of_freedom: float | None = field(default=None, repr=False)
    drawn: Floats | None = field(default=None, repr=False, compare=False)
    reason: str | None = None
    findings: tuple[Finding, ...] = ()
    confidence_level: float = 0.95  # of the intervals that are shown

    @property
    def n_judges(self) -> int:
        """Number of judges."""
        return len(self.judges)

    def correlation_interval(self, confidence_level: float = 0.95) -> Interval:
        """Return the confidence interval of the mean correlation of errors."""
        level = check_confidence_level(confidence_level)
        low, high = self._correlation_limits(level)
        return Interval(low, high, level, self._method)

    def _correlation_limits(self, level: float) -> tuple[float, float]:
        """Limits from posterior draws; else on the scale log((1 + (n - 1) rho) / (1 - rho))."""
        n, rho = self.n_judges, self.correlation
        if self.reason is None and self.drawn is not None:
            tail = 0.5 - level / 2.0
            low, high = np.quantile(self.drawn, [tail, 1.0 - tail]).tolist()
            return low, high
        if self.reason is not None or not self.standard_error > 0.0:
            return math.nan, math.nan
        # A mean over pairs of different items may lie below -1 / (n - 1), where the scale ends.
        above, below = max(1.0 + (n - 1) * rho, 1e-9), max(1.0 - rho, 1e-9)
        at = math.log(above / below)
        slope = n / (above * below)
        reach = quantile(0.5 + level / 2.0, self.degrees_of_freedom) * slope * self.standard_error
        ends = [math.exp(max(at - reach, -700.0)), math.exp(min(at + reach, 700.0))]
        low, high = ((end - 1.0) / (end + n - 1.0) for end in ends)
        return low, high

    @property
    def _method(self) -> str:
        return "linearised" if self.drawn is None else "dirichlet"

    def _interval(self, level: float) -> Interval:
        low, high = self._correlation_limits(level)
        n = self.n_judges
        return Interval(effective_number(n, high), effective_number(n, low), level, self._method)

    @property
    def verdict(self) -> Verdict:
        """Whether the judges are worth as many as they are."""
        n = self.n_judges
        if self.reason is not None:
            return Verdict(code="undefined", message=f"There is no answer: {self.reason}.",
                           next="Bring more items, or harder ones.", gravity="problem")  # fmt: skip
        level = self.confidence_level
        interval = self.confidence_interval(level)
        gauge = Gauge.of("independent judges", self.value, interval, axis=(1.0, float(n)),
                         marks=((1.0, "one"), (float(n), "all")))  # fmt: skip
        told = (
            f"{self.value:.1f} independent judges ({100 * level:g}% CI {_end(interval.low)} to "
            + (f"{_end(interval.high)})")
        )
        together = any(one.code == "judges_err_together" for one in self.findings)
        if self.against == "consensus":
            message = f"Against the verdicts of the others, {n} judges look like {told}."
            then = "Let people label some items: without them it cannot be told who errs."
        elif together:
            message = f"{n} judges are worth {told}: they err on the same items."
            then = "Do not count their votes as so many opinions."
        else:
            message = f"Nothing shows that the {n} judges err together: they are worth {told}."
            then = "Report the number beside a majority of judges."
        if self.majority is not None and self.if_independent is not None:
            message += (
                f" Their majority is right in {self.majority:.1%}; as many judges who err "
                f"independently would reach {self.if_independent:.1%}."
            )
        code = "judges_err_together" if together else "judges_independent"
        code = "judges_not_tested" if self.against == "consensus" else code
        return Verdict(code=code, message=message, next=then, gauge=gauge,
                       gravity="good" if code == "judges_independent" else "caution")  # fmt: skip

    def _beside(self) -> dict[str, Any]:
        return headed(
            self,
            "effective_judges",
            "effective number of judges",
            correlation_interval=self.correlation_interval(self.confidence_level),
            error_rates=[{"judge": k, "rate": x} for k, x in self.error_rates.items()],
            pairs=[{"judges": pair, "correlation": x} for pair, x in self.matrix.items()],
            without=[{"judge": k, "effective": x} for k, x in self.without.items()],
        )

    def document(self) -> Document:
        """Return the number, the judges one by one and the matrix of shared errors."""
        limits = self.correlation_interval(self.confidence_level)
        against = "people's labels" if self.against == "gold" else "the other judges"
        text = f"{counted(self.n_items, 'item')}; errors against {against}."
        if self.reason is None:
            tested = math.isfinite(self.p_value)
            p = f", p {p_text(self.p_value)} against independence" if tested else ""
            text += (
                f" Mean correlation of two judges' errors: {self.correlation:.3f} "
                f"({limits.low:.3f} to {limits.high:.3f}{p})."
            )
        names = [str(name) for name in self.judges]
        return Document.of(
            text,
            Table.of(
                self.judges,
                ("judge", str),
                ("errors", self.error_rates.__getitem__),
                ("worth without it", self.without.get),
                caption="Judges one by one",
                note="worth without it: the effective number of the other judges.",
            ),
            Table.of(
                self.judges[1:],
                ("", str),
                (names[:-1], lambda b: [self.matrix.get((a, b)) for a in self.judges[:-1]]),
                whole=True,
                caption="Correlation of errors, pair by pair",
            ),
            findings=self.findings,
            verdict=self.verdict,
        )


def _end(x: float) -> str:
    return f"{x:.1f}" if math.isfinite(x) else "any number"


def effective_number(n_judges: int, correlation: float) -> float:
    """Return the number of independent judges whose mean is as sure as that of these.

    Parameters
    ----------
    n_judges : int
    correlation : float
        Mean correlation of two judges' errors.

    Returns
    -------
    float

    Examples
    --------
    >>> round(effective_number(6, 0.42), 1)
    1.9
    """
    spread = 1.0 + (n_judges - 1) * correlation
    return n_judges / spread if spread > 0.0 else math.inf
