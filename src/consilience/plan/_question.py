"""What is asked of a plan, and what a plan says: numbers with names, and one sentence."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from consilience.core import arguments as check
from consilience.core.arrays import Floats
from consilience.core.draws import Seed
from consilience.core.interval import check_confidence_level
from consilience.core.labels import Note
from consilience.core.options import EstimateOptions
from consilience.core.result import Defined
from consilience.core.words import counted
from consilience.document import Document, Finding, Table
from consilience.document.records import Recorded
from consilience.exceptions import Argument, InputError, Words
from consilience.inference.intervals import ALTERNATIVES
from consilience.simulate import Simulated, Simulator

METHODS = ("auto", "goodness-of-fit", "cohen", "icc", "simulation")
ASSURANCE = 0.8
MOST_ITEMS = 10**9
_AVERAGE = 0.5  # the assurance of a width that is met on average
SolvedFor = Literal["n_items", "n_raters", "power", "half_width"]


@dataclass(frozen=True, kw_only=True)
class Question:
    """The arguments of `plan`; its properties are those arguments, checked where they count."""

    kappa0: float | None
    kappa1: float | None
    kappa: float | None
    half_width: float | None
    low: float | None
    high: float | None
    observed: float | None
    expected: float
    n_items: int | None
    prevalence: float | Sequence[float] | None
    other_prevalence: float | Sequence[float] | None
    n_raters: int | None
    power: float
    coefficient: str | None
    method: str
    pilot: Any
    design: Simulator | Simulated | None
    population: float | None
    alternative: str | None
    significance_level: float
    confidence_level: float
    assurance: float | None
    scale: str
    n_resamples: int
    rng: Seed
    options: EstimateOptions

    def __post_init__(self) -> None:
        check.check_word("method", self.method, METHODS)
        _ = self.share_of_studies

    @property
    def name(self) -> str:
        """The coefficient to plan for."""
        return self.coefficient or "scott_pi"

    @property
    def size(self) -> int | None:
        """The number of items, where it is given."""
        return (
            None if self.n_items is None else check.whole_number("n_items", self.n_items, least=2)
        )

    @property
    def raters(self) -> int:
        """Raters of each item."""
        return check.whole_number(
            "n_raters", 2 if self.n_raters is None else self.n_raters, least=2
        )

    @property
    def shares(self) -> Floats:
        """The share of each category."""
        return positive_shares(0.5 if self.prevalence is None else self.prevalence)

    @property
    def level(self) -> float:
        """The level of the test."""
        return check.probability("significance_level", self.significance_level)

    @property
    def confidence(self) -> float:
        """The level of the interval."""
        return check_confidence_level(self.confidence_level)

    @property
    def wanted_power(self) -> float:
        """The power to reach, which makes sense above the level only."""
        wanted, level = check.probability("power", self.power), self.level
        if wanted <= level:
            raise InputError.expected(
                "power", f"above the significance level ({level:g})", self.power, "for example 0.8"
            )
        return wanted

    @property
    def wanted_half_width(self) -> float:
        """The half-width to reach."""
        return check.real_number("half_width", self.half_width, least=1e-6)

    @property
    def share_of_studies(self) -> float | None:
        """The share of studies that should reach a width; None: they do on average."""
        if self.assurance is None:
            return None
        share = check.probability("assurance", self.assurance)
        return None if share == _AVERAGE else share

    def check_one_aim(self) -> None:
        """Refuse to be asked for a width and a size at once, or for neither."""
        if (self.half_width is None) == (self.n_items is None):
            aims = Words("either ", Argument("half_width"), " or ", Argument("n_items"))
            given = "both" if self.half_width else "neither"
            raise InputError.expected("the aim", aims, given, "give exactly one")

    def power_plan(self, **found: Any) -> PowerPlan:
        """Return the answer about a test."""
        return PowerPlan(
            significance_level=self.level,
            solved_for="n_items" if self.n_items is None else "power",
            **found,
        )

    def precision_plan(self, **found: Any) -> PrecisionPlan:
        """Return the answer about an interval."""
        return PrecisionPlan(
            confidence_level=self.confidence,
            solved_for="n_items" if self.n_items is None else "half_width",
            **found,
        )


def positive_shares(prevalence: float | Sequence[float]) -> Floats:
    """Return the shares of the categories, all of them positive."""
    shares = np.array(check.distribution("prevalence", prevalence))
    if not (shares > 0.0).all():
        raise InputError.expected(
            "prevalence", "above 0 for every category", prevalence, "leave unused categories out"
        )
    return shares


def rounded_up(exact: float) -> int:
    """Return the smallest whole number of items that is enough."""
    if not exact <= MOST_ITEMS:
        raise InputError.expected(
            "what was asked for",
            f"reachable with {MOST_ITEMS:,} items",
            f"{exact:.3g} items",
            "ask for less precision, or for a larger difference",
        )
    return max(2, math.ceil(exact - 1e-9))


def check_direction(null: float, value: float, alternative: str) -> None:
    """Refuse a value that the alternative leaves out."""
    check.check_word("alternative", alternative, ALTERNATIVES)
    if value == null or (
        alternative != "two-sided" and (value > null) != (alternative == "greater")
    ):
        where = {"two-sided": "different from", "greater": "above", "less": "below"}[alternative]
        raise InputError.expected(
            "kappa1",
            Words(f"{where} ", Argument("kappa0"), f" ({null:g})"),
            value,
            "give the value that you hope for",
        )


@dataclass(frozen=True, kw_only=True)
class Plan(Recorded, Defined):
    """What all plans have in common.

    Attributes
    ----------
    method : str
        How it was computed: "cantor", "flack", "goodness-of-fit", "donner-eliasziw-1987",
        "linearised", "drawn-pilot", "known-chance" or "simulation".
    coefficient, name : str
        What is planned for: the registered name, and the name in words.
    value : float
        The value that the coefficient is taken to have.
    n_items, n_raters : int
        Items, and raters of each item.
    n_items_exact : float
        The number of items before it was rounded up.
    prevalence : tuple of float
        Share of each category; empty where it plays no part.
    solved_for : str
        Which number was asked for; the others were given.
    n_resamples : int or None
        Simulated studies behind the numbers.
    share_undefined : float or None
        Share of the simulated studies in which the coefficient was undefined.
    notes : tuple of Note
        What to know before relying on the plan.
    """

    interval_needs: ClassVar[str] = "a study, and this is the plan of one"
    unrecorded: ClassVar[tuple[str, ...]] = ("notes",)
    recorded: ClassVar[tuple[str, ...]] = ("n_ratings",)

    method: str
    coefficient: str
    name: str
    value: float
    n_items: int
    n_raters: int
    n_items_exact: float | None = None
    prevalence: tuple[float, ...] = ()
    solved_for: SolvedFor = "n_items"
    n_resamples: int | None = None
    share_undefined: float | None = None
    notes: tuple[Note, ...] = ()

    @property
    def n_ratings(self) -> int:
        """Number of ratings to be given."""
        return self.n_items * self.n_raters

    def _beside(self) -> dict[str, Any]:
        return {"sentence": str(self)}

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What to know before relying on the plan."""
        return tuple(Finding(note.code, "caution", note.message) for note in self.notes)

    def document(self) -> Document:
        """Return the plan as something to read: the sentence, and its numbers in a table."""
        numbers = {
            name.replace("_", " "): entry
            for name, entry in self.records()[0].items()
            if name not in ("name", "coefficient", "sentence") and entry is not None
        }
        table = Table(heads=("", "plan"), rows=[list(row) for row in numbers.items()])
        title = f"Plan for {self.name}"
        return Document.of(str(self), table, title=title, findings=self.findings)

    @property
    def _size(self) -> str:
        total = getattr(self, "population", None)
        items = counted(self.n_items, "item") + (f" out of {total:,.0f}" if total else "")
        return (
            f"{items}, each rated by {counted(self.n_raters, 'rater')} "
            f"({counted(self.n_ratings, 'rating')}),"
        )

    @property
    def _basis(self) -> str:
        words = {
            "cantor": "Cantor's formula",
            "flack": "Flack's least favourable table",
            "goodness-of-fit": "goodness of fit",
            "donner-eliasziw-1987": "exact F test",
            "linearised": "variance of the pilot",
            "drawn-pilot": f"{self.n_resamples or 0:,} studies like the pilot",
            "known-chance": "chance agreement taken as known",
            "simulation": f"{self.n_resamples or 0:,} simulated studies",
        }
        shares = ", ".join(f"{share:.3g}" for share in self.prevalence)
        return f"{words[self.method]}{f'; prevalence {shares}' if shares else ''}"


@dataclass(frozen=True, kw_only=True)
class PowerPlan(Plan):
    """Items needed to tell a value from a null value, or the power of a given study.

    Attributes
    ----------
    null : float
        The value under the null hypothesis.
    power : float
        The power with `n_items`.
    power_error : float or None
        Standard error of a simulated power.
    significance_level : float
    alternative : {"two-sided", "greater", "less"}
    """

    null: float
    power: float
    power_error: float | None = None
    significance_level: float
    alternative: str

    def __str__(self) -> str:
        error = f" ± {self.power_error:.3f}" if self.power_error is not None else ""
        aim = f"to tell {self.name} {self.value:g} from {self.null:g}"
        side = "two-sided" if self.alternative == "two-sided" else "one-sided"
        test = f"{side} test at {self.significance_level:g}, {self._basis}"
        power = f"power {self.power:.3f}{error}"
        verb = "gives" if self.n_items == 1 else "give"
        return f"{self._size} {verb} {power} {aim} ({test})."


@dataclass(frozen=True, kw_only=True)
class PrecisionPlan(Plan):
    """Items or raters needed for a narrow interval, or the width that a given study gives.

    Attributes
    ----------
    low, high : float
        The interval to expect; `high` is NaN for a lower limit only.
    half_width : float
        Half its width; for a lower limit, its distance from the value.
    confidence_level : float
    population : float or None
        Number of items that the sample is drawn from.
    assurance : float or None
        Share of the studies whose interval is no wider; None: the half-width is an average.
    """

    low: float
    high: float
    half_width: float
    confidence_level: float
    population: float | None = None
    assurance: float | None = None

    def __str__(self) -> str:
        level = f"{100.0 * self.confidence_level:g}%"
        around = f"{self.name} {self.value:.3g}"
        if math.isnan(self.high):
            span = f"a {level} lower limit of about {self.low:.3f} for {around}"
        else:
            span = (
                f"a {level} interval of about {self.low:.3f} to {self.high:.3f} for {around}, "
                f"± {self.half_width:.3f}"
            )
        sure = " on average"
        if self.assurance:
            sure = f" or less in {100.0 * self.assurance:g}% of studies"
        verb = "gives" if self.n_items == 1 else "give"
        return f"{self._size} {verb} {span}{sure} ({self._basis})."


def optimistic(n_raters: int) -> tuple[Note, ...]:
    """Warn where kappa varies more than the chi-square of the patterns supposes."""
    if n_raters < 3:
        return ()
    return (
        Note(
            "optimistic_power",
            "With three or more raters the goodness-of-fit formula promises somewhat too much "
            "power, the more so the more raters there are. Check the plan by simulation.",
        ),
    )


def few_expected(smallest: float) -> tuple[Note, ...]:
    """Warn where a chi-square rests on very few items."""
    if smallest >= 5.0:
        return ()
    return (
        Note(
            "small_expected_counts",
            f"Only {smallest:.1f} items are expected in the rarest pattern of ratings, so the "
            "chi-square approximation is rough. Check the plan by simulation.",
        ),
    )
