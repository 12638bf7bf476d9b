"""What a measure of magnitudes is, what it returns, and the registry of all of them.

A measure is a function decorated with `register`; its result is a `Magnitude`, which knows its
interval and test, what it does not tell, and how it is shown.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from numbers import Real
from types import MappingProxyType
from typing import Any, ClassVar, Literal, Self, TypeAlias, TypeVar

from consilience.core.registry import BY_FUNCTION, Registry, folded, registered_in
from consilience.core.result import Result
from consilience.core.words import interval_head
from consilience.document import Document, Finding, Paragraph, PValue, Range, Table
from consilience.document.blocks import Cell
from consilience.document.records import plain_record
from consilience.exceptions import InputError
from consilience.inference import Interval, Test
from consilience.inference.intervals import (
    Alternative,
    transformed_interval,
    wald_interval,
    wald_test,
)
from consilience.ratings.clusters import Clusters

Status = Literal["ok", "undefined"]
Labels = Literal["numbers", "order", "labels"]
F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """One entry of the registry: what a measure is called, needs and does not tell.

    Attributes
    ----------
    raters : {"two", "any"}
    labels : {"numbers", "order", "labels"}
        What the labels must be: numbers, anything in order, or any labels.
    caution : str
        What the number does not tell, in one sentence.
    meant_by : mapping
        Names that stand for the measure with certain options.
    """

    name: str
    title: str
    summary: str
    caution: str
    raters: Literal["two", "any"]
    labels: Labels
    aliases: tuple[str, ...]
    function: Callable[..., Magnitude] = field(repr=False)
    meant_by: Mapping[str, Mapping[str, Any]] = field(default_factory=dict, repr=False)

    def options_of(self, word: str) -> Mapping[str, Any]:
        """Return the options that a name stands for, such as the variant of tau_c."""
        return self.meant_by.get(folded(word), {})

    def __call__(self, *ratings: Any, **options: Any) -> Magnitude:
        """Compute the measure."""
        return self.function(*ratings, **options)


Measures: TypeAlias = Registry[Measure]
MEASURES: Measures = Registry(
    "measure",
    group="measures",
    homes=registered_in("consilience.magnitudes", name=BY_FUNCTION),
)


def register(
    *,
    title: str,
    caution: str,
    raters: Literal["two", "any"],
    labels: Labels,
    aliases: tuple[str, ...] = (),
    meant_by: Mapping[str, Mapping[str, Any]] = MappingProxyType({}),
) -> Callable[[F], F]:
    """Add a function to the registry under its own name.

    Parameters
    ----------
    title : str
        What results print.
    caution : str
        What the measure does not tell.
    raters : {"two", "any"}
    labels : str
        What it needs the labels to be.
    aliases : tuple of str
        Other names for it.
    meant_by : mapping of name to options, optional
        Which of the names stand for it with certain options.

    Returns
    -------
    callable
        A decorator.

    Examples
    --------
    >>> from consilience.magnitudes import measures
    >>> measures()["icc"].title
    'Intraclass correlation'
    """

    def add(function: F) -> F:
        MEASURES.add(
            Measure(
                name=function.__name__,
                title=title,
                summary=(function.__doc__ or "").partition("\n")[0],
                caution=caution,
                raters=raters,
                labels=labels,
                aliases=aliases,
                function=function,
                meant_by=meant_by,
            )
        )
        return function

    return add


def measures() -> Measures:
    """Return the registry: every measure by name, with what it needs and does not tell.

    Returns
    -------
    Registry

    Examples
    --------
    >>> measures()["lin_ccc"].raters
    'two'
    >>> measures()["ccc"].name
    'lin_ccc'
    """
    return MEASURES


def facts_of(
    measure: str,
    *,
    raters: tuple[object, ...],
    n_items: int,
    n_items_used: int,
    flags: tuple[str, ...],
    clusters: Clusters | None = None,
) -> dict[str, Any]:
    """Return the fields that every result has; `clusters` are those of the items used."""
    one = MEASURES[measure]
    if clusters is not None and clusters.n_clusters < 2:
        flags += ("one_cluster",)
    return {
        "measure": one.name,
        "name": one.title,
        "caution": one.caution,
        "raters": raters,
        "n_items": n_items,
        "n_items_used": n_items_used,
        "flags": flags,
        "clusters": clusters,
    }


@dataclass(frozen=True, kw_only=True, repr=False)
class Magnitude(Result):
    """One measure for one set of ratings.

    Attributes
    ----------
    value : float
        Unrounded; NaN when `status` is "undefined".
    standard_error : float
        NaN where there is none.
    status, reason
        "ok", or "undefined" with a reason that starts with a code (``constant_rater: ...``).
    flags : tuple of str
        "boundary", "approximate", "nominal_scale", ...
    n_items, n_items_used : int
        All items, and those that every rater concerned has rated.
    caution : str
        What this number does not tell.
    clusters : Clusters or None
        The clusters of the items used: errors, intervals and tests are then those of whole
        clusters, with as many degrees of freedom less one.
    """

    measure: str
    name: str
    value: float
    n_items: int
    n_items_used: int
    raters: tuple[object, ...]
    caution: str
    standard_error: float = math.nan
    standard_error_method: str = "none"
    status: Status = "ok"
    reason: str | None = None
    flags: tuple[str, ...] = ()
    clusters: Clusters | None = field(default=None, repr=False, compare=False)
    permuted: tuple[float, float] | None = field(default=None, repr=False, compare=False)

    lowest: ClassVar[float] = -math.inf
    highest: ClassVar[float] = math.inf
    interval_method: ClassVar[str] = "analytic"
    beside: ClassVar[str] = ""  # what stands beside the value: names, or "name: attribute"

    @classmethod
    def undefined(cls, reason: str, facts: dict[str, Any]) -> Self:
        """Return a result without a value that says why."""
        return cls(value=math.nan, status="undefined", reason=reason, **facts)

    @property
    def n_items_left_out(self) -> int:
        """Items that could not be used, for want of a rating."""
        return self.n_items - self.n_items_used

    @property
    def degrees_of_freedom(self) -> float | None:
        """Degrees of freedom of the interval; None for a normal distribution.

        One less than there are clusters, where items go together.
        """
        if self.clusters is not None:
            return self.clusters.n_clusters - 1.0
        return self._degrees_of_items

    @property
    def _degrees_of_items(self) -> float | None:
        """Degrees of freedom where every item stands for itself."""
        return None

    @property
    def p_value(self) -> float:
        """The p-value of the usual null hypothesis."""
        return self.test().p_value

    def confidence_interval(self, confidence_level: float = 0.95, method: str = "auto") -> Interval:
        """Return the confidence interval of the value."""
        level = self._level(confidence_level, method)
        return self._interval(level) if self.status == "ok" else self._no_interval(level)

    def _test_of_perfect_order(self, alternative: Alternative) -> Test:
        """Test no association by the share of all orders that agree as well as 1 or -1 does."""
        same, reverse = self.permuted or (math.nan, math.nan)
        is_on_side = alternative == ("greater" if self.value > 0.0 else "less")
        if alternative == "two-sided":
            p_value = min(same + reverse, 1.0)
        else:
            p_value = same if is_on_side else 1.0
        return Test(math.nan, p_value, 0.0, alternative, "permutation")

    def _interval(self, level: float) -> Interval:
        if self.standard_error == 0.0:
            return self._no_interval(level)
        return self._wald_interval(
            self.value, self.standard_error, level, lowest=self.lowest, highest=self.highest
        )

    def _wald_interval(
        self,
        value: float,
        error: float,
        level: float,
        *,
        lowest: float = -math.inf,
        highest: float = math.inf,
        method: str = "",
    ) -> Interval:
        return wald_interval(
            value,
            error,
            confidence_level=level,
            degrees_of_freedom=self.degrees_of_freedom,
            lowest=lowest,
            highest=highest,
            method=method or self.interval_method,
        )

    def _no_interval(self, level: float) -> Interval:
        return Interval(math.nan, math.nan, level, self.interval_method)

    def _fisher_interval(self, level: float, error: float) -> Interval:
        """Return the interval of Fisher's z, which has this error, turned back."""
        return transformed_interval(
            self.value,
            error * (1.0 - self.value**2),
            confidence_level=level,
            degrees_of_freedom=self.degrees_of_freedom,
            lowest=-1.0,
            method="fisher",
        )

    def test(self, null: float = 0.0, *, alternative: Alternative = "two-sided") -> Test:
        """Test a null value."""
        null = check_number("null", null)
        return self._wald_test(self.value, self.standard_error, null, alternative)

    def _wald_test(
        self,
        value: float,
        error: float,
        null: float,
        alternative: Alternative,
        method: str | None = None,
    ) -> Test:
        return wald_test(
            value,
            error,
            null=null,
            alternative=alternative,
            degrees_of_freedom=self.degrees_of_freedom,
            method=self.interval_method if method is None else method,
        )

    @property
    def details(self) -> dict[str, Any]:
        """Numbers beside the value, by name."""
        parts = (part.partition(": ") for part in self.beside.split(", ") if part)
        found = {name: getattr(self, attribute or name) for name, _, attribute in parts}
        return {name: entry() if callable(entry) else entry for name, entry in found.items()}

    def to_dict(self, *, confidence_level: float = 0.95) -> dict[str, Any]:
        """Return plain data with stable keys; numbers that do not exist are None."""
        record = {
            "coefficient": self.measure,
            "name": self.name,
            "status": self.status,
            "reason": self.reason,
            "value": self.value,
            "standard_error": self.standard_error,
            "standard_error_method": self.standard_error_method,
            "interval": self.confidence_interval(confidence_level),
            "p_value": self.p_value,
            "items_used": self.n_items_used,
            "items_left_out": self.n_items_left_out,
            "raters": self.raters,
            "flags": self.all_flags,
            "caution": self.caution,
            **self.details,
        }
        if self.clusters is not None:
            record["clusters"] = self.clusters.to_dict()
        return plain_record(record)

    def document(self) -> Document:
        """Return the result as something to read."""
        interval = self.confidence_interval()
        clusters = self.clusters
        rows: list[list[Cell]] = [
            [self.name, self.value],
            [interval_head(interval.confidence_level), Range.of(interval)],
            ["standard error", self.standard_error],
            ["p-value", PValue(self.p_value)],
            ["items used", self.n_items_used],
            ["items left out", self.n_items_left_out],
            [f"clusters ({clusters.name})", clusters.n_clusters] if clusters else [],
            *([key.replace("_", " "), cell(key, entry)] for key, entry in self.details.items()),
        ]
        # A row without a number has nothing to say.
        rows = [row for row in rows if row and not _is_empty(row[1])]
        return Document(
            title=f"{self.name}: {', '.join(map(str, self.raters[:6]))}",
            blocks=(Table(heads=("", "value"), rows=rows), Paragraph(self.caution)),
            findings=self.findings,
        )

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What to know before the number is believed."""
        found = []
        if self.reason is not None:
            code, _, message = self.reason.partition(": ")
            found.append(Finding(code, "problem", f"There is no value: {message}."))
        for flag in self.all_flags:
            found.append(Finding(flag, "info" if flag in _TOLD else "caution", self._told(flag)))
        return tuple(found)

    @property
    def all_flags(self) -> tuple[str, ...]:
        """The flags, with those that take a look at the items."""
        return self.flags

    def _told(self, flag: str) -> str:
        """Return a flag in words."""
        return FLAGS[flag]

    def __repr__(self) -> str:
        if self.status != "ok":
            return f"{type(self).__name__}({self.name}, undefined: {self.reason})"
        low, high = self.confidence_interval()
        sure = f", 95% CI {low:.3f}..{high:.3f}" if not math.isnan(low) else ""
        return f"{type(self).__name__}({self.name}={self.value:.3f}{sure}, n={self.n_items_used})"


FLAGS = {
    "boundary": "The value lies at the end of its range, where a standard error means nothing.",
    "approximate": (
        "Some ratings are missing: variance components come from restricted maximum likelihood, "
        "and the interval is that of a balanced design of the same size."
    ),
    "negative_variance": (
        "A variance component comes out below zero and counts as zero in the error of measurement. "
        "The raters hardly differ in level, or the items hardly differ."
    ),
    "skewed_items": ("The values are skewed: the interval may be too narrow; try logs or ranks."),
    "two_raters": (
        "Two raters cannot show how raters differ, so that the interval of agreement is wide; a "
        "third rater narrows it more than further items do."
    ),
    "nominal_scale": (
        "The ratings were declared nominal and read as numbers here; state the scale when you "
        'make the ratings, for example scale="interval".'
    ),
    "perfect_pairs_left_out": (
        "Pairs of raters with a correlation of exactly 1 or -1 have no Fisher z and were left out "
        "of the mean."
    ),
    "undefined_pairs_left_out": "Pairs of raters without a correlation were left out of the mean.",
    "few_expected": (
        "More than a fifth of the cells expect fewer than five items; the chi-square distribution "
        "is only a rough guide."
    ),
    "no_null_error": (
        "Every item is concordant with equally many others, so the error under the hypothesis of "
        'no association is zero and gives no p-value; use test(method="kendall").'
    ),
    "too_few_for_error": "Two items fix the number but leave nothing for its error; use more.",
    "zero_variance": "The variance between items is estimated as zero, the lowest there is.",
    "no_spread": (
        "All differences, or all points about the line, coincide: without spread there is no "
        "interval and no p-value."
    ),
    "one_constant_rater": (
        "One of the raters gave every item the same mark, which leaves no error and no interval."
    ),
    "no_residual": (
        "The raters' marks differ by constants only: the residual is zero and F has no denominator."
    ),
    "items_left_out": "Items that not every rater has rated were left out.",
    "first_occasion": "Of repeated ratings only the first counts here.",
    "one_cluster": (
        "All items that count lie in one cluster, which has no spread: there is no interval and no "
        "p-value."
    ),
    "no_clustered_test": (
        "The test of this measure takes items to be independent of each other, which those of one "
        "cluster are not: there is no p-value."
    ),
}

# How a value was made: nothing to beware of.
_TOLD = frozenset(
    ("approximate", "first_occasion", "items_left_out", "negative_variance", "two_raters")
)


def check_number(what: str, number: Any) -> float:
    """Return a finite number, or say what was expected."""
    if type(number) is bool or not isinstance(number, Real) or not math.isfinite(number):
        raise InputError.expected(what, "a finite number", number, "for example 0.5")
    return float(number)


def cell(key: str, entry: Any) -> Cell:
    """Turn a detail into a cell of a table."""
    if isinstance(entry, float) and (key == "wilcoxon_p" or "p_value" in key):
        return PValue(entry)
    if isinstance(entry, Interval):
        return Range.of(entry)
    if entry is None or isinstance(entry, (str, int, float)):
        return entry
    return str(entry)


def _is_empty(entry: Cell) -> bool:
    if isinstance(entry, Range):
        return math.isnan(entry.low) or math.isnan(entry.high)
    return entry is None or (isinstance(entry, float) and math.isnan(entry))
