"""One front door to planning: what is known decides which method answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from consilience.coefficients import registry
from consilience.core import arguments as check
from consilience.core.draws import Seed
from consilience.core.options import EstimateOptions
from consilience.exceptions import Argument, ForPrograms, InputError, Option, Words, given
from consilience.plan._plan_results import Plan
from consilience.plan._power import (
    goodness_of_fit_power,
    goodness_of_fit_width,
    icc_power,
    kappa_power,
    positive_shares,
)
from consilience.plan._precision import precision
from consilience.plan._simulation import (
    ASSURANCE,
    agreement_for,
    check_assurance,
    raters_for_precision,
    simulated_power,
    simulated_precision,
)
from consilience.simulate import Simulated, Simulator

METHODS = ("auto", "goodness-of-fit", "cohen", "icc", "simulation")


def plan(
    *,
    kappa0: float | None = None,
    kappa1: float | None = None,
    kappa: float | None = None,
    width: float | None = None,
    half_width: float | None = None,
    n_items: int | None = None,
    prevalence: float | Sequence[float] | None = None,
    n_raters: int | None = None,
    power: float = 0.8,
    coefficient: str | None = None,
    method: str = "auto",
    pilot: Any = None,
    design: Simulator | Simulated | None = None,
    population: float | None = None,
    alternative: str | None = None,
    significance_level: float = 0.05,
    confidence_level: float = 0.95,
    assurance: float | None = ASSURANCE,
    scale: str = "nominal",
    n_resamples: int = 1000,
    rng: Seed = None,
    distance: Any = None,
    missing: str | None = None,
    standard_error: str | None = None,
) -> Plan:
    """How many items a study needs, or what a study of a given size can tell.

    Use it as the front door; it picks the method from what is known. Prefer the single functions
    of this module in programs: `goodness_of_fit_power`, `goodness_of_fit_width`, `kappa_power`,
    `icc_power`, `precision`, `simulated_power`, `simulated_precision`, `raters_for_precision`.

    Parameters
    ----------
    kappa0, kappa1 : float
        To tell one value from another: the value under the null hypothesis and the one hoped for.
    kappa, width or half_width : float
        To know a value precisely: the value expected and the width of its interval.
    n_items : int
        Instead of asking for items: the size of the study whose power or width is wanted. With
        `kappa` (or `design`) and `half_width`, the raters needed per item are wanted.
    prevalence : share of one of two categories, or of each category, default 0.5
    n_raters : raters of each item, default 2
    power, significance_level, confidence_level : float
    assurance : float, default 0.8
        Share of the studies whose interval is no wider than planned; None or 0.5: on average.
    coefficient : name or alias, default kappa
        "icc" plans for the intraclass correlation ICC(1).
    method : {"auto", "goodness-of-fit", "cohen", "icc", "simulation"}
        "auto" simulates studies with the default interval or test, and takes the F test for "icc".
        The formulas by name: "goodness-of-fit" for kappa (Scott, Fleiss), also by "auto" for widths
        on average, and "cohen" (Cantor, Flack) for two raters. They promise too much power with a
        rare label or more than two raters, and too little for high values.
    pilot : Estimate or Ratings
        With `half_width`: the variance of these ratings decides.
    design : Simulator, or what `simulate` returned
        Simulate this design instead of raters who agree at random or entirely.
    population : number of items that the study is drawn from (with `pilot`)
    alternative : {"two-sided", "greater", "less"}, default "two-sided"
        "greater" for "icc".
    scale : {"nominal", "ordinal"}, for simulation
    n_resamples, rng : number of simulated studies, and their seed
    distance, missing, standard_error
        As in the coefficient; they call for simulation.

    Returns
    -------
    PowerPlan or PrecisionPlan
        Printed, it is one sentence.

    Raises
    ------
    InputError
        What was given does not make a question, or a number is out of range.

    Examples
    --------
    >>> 100 < plan(kappa0=0.4, kappa1=0.6, prevalence=0.3, n_raters=3, rng=1).n_items < 125
    True
    >>> print(plan(kappa0=0.4, kappa1=0.6, prevalence=0.3, n_raters=3, method="goodness-of-fit"))
    106 items, each rated by 3 raters (318 ratings), give power 0.802 to tell kappa 0.6 from 0.4
    (two-sided test at 0.05, goodness of fit; prevalence 0.3, 0.7).
    >>> plan(kappa=0.6, width=0.2, n_raters=3, assurance=None).n_items
    141
    """
    question = _Question(
        kappa0=kappa0,
        kappa1=kappa1,
        kappa=kappa,
        half_width=_half(width, half_width),
        n_items=n_items,
        prevalence=prevalence,
        n_raters=n_raters,
        coefficient=coefficient,
        method=method,
        design=design,
        population=population,
        confidence_level=confidence_level,
        assurance=check_assurance(assurance),
        test={"power": power, "significance_level": significance_level},
        alternative=alternative,
        scale=scale,
        simulation={"n_resamples": n_resamples, "rng": rng},
        options=_given(distance, missing, standard_error),
    )
    return question.answer() if pilot is None else question.answer_from(pilot)


@dataclass(frozen=True, kw_only=True)
class _Question:
    """What was asked, and who can answer it."""

    kappa0: float | None
    kappa1: float | None
    kappa: float | None
    half_width: float | None
    n_items: int | None
    prevalence: float | Sequence[float] | None
    n_raters: int | None
    coefficient: str | None
    method: str
    design: Simulator | Simulated | None
    population: float | None
    confidence_level: float
    assurance: float | None
    test: dict[str, Any]
    alternative: str | None
    scale: str
    simulation: dict[str, Any]
    options: EstimateOptions

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            raise InputError.unknown_word("method", self.method, METHODS)

    def answer_from(self, pilot: Any) -> Plan:
        """Let a pilot's variance decide."""
        for name in ("kappa0", "kappa1", "kappa", "design", "prevalence", "n_raters"):
            _leave_out(name, getattr(self, name), "with a pilot")
        return precision(
            pilot,
            half_width=self.half_width,
            n_items=self.n_items,
            coefficient=self.coefficient or "krippendorff_alpha",
            confidence_level=self.confidence_level,
            assurance=self.assurance,
            population=self.population,
            **self.simulation,
            **self.options,
        )

    def answer(self) -> Plan:
        """Use a formula where there is one, else simulate."""
        _leave_out("population", self.population, "without a pilot")
        is_test = self.kappa0 is not None
        self._check_complete(is_test=is_test)
        method = self._method(is_test=is_test)
        if not is_test and self.half_width is not None and self.n_items is not None:
            return self._raters_needed()
        if method == "simulation":
            return self._simulated(is_test=is_test)
        if not is_test:
            return self._width(method)
        test = {"kappa0": self.kappa0, "kappa1": self.kappa1, "n_items": self.n_items, **self.test}
        if method == "cohen":
            side = self.alternative or "two-sided"
            return kappa_power(prevalence=self._shares, alternative=side, **test)
        if method == "icc":
            self._check_alternative("greater")
            _leave_out("prevalence", self.prevalence, "with icc")
            _leave_out("options", self.options or None, "with icc")
            test["rho0"], test["rho1"] = test.pop("kappa0"), test.pop("kappa1")
            return icc_power(n_raters=self._raters, **test)
        self._check_alternative("two-sided")
        return goodness_of_fit_power(prevalence=self._shares, n_raters=self._raters, **test)

    @property
    def _shares(self) -> float | Sequence[float]:
        return 0.5 if self.prevalence is None else self.prevalence

    @property
    def _raters(self) -> int:
        return 2 if self.n_raters is None else self.n_raters

    def _check_complete(self, *, is_test: bool) -> None:
        known = self.kappa1 if is_test else self.kappa
        if (known is None) == (self.design is None):
            raise InputError.expected(
                "the question",
                Words(
                    Argument("kappa0"),
                    " and ",
                    Argument("kappa1"),
                    ", or ",
                    Argument("kappa"),
                    " and ",
                    Argument("half_width"),
                    ", or ",
                    Argument("pilot"),
                    ForPrograms(" or design"),
                    " and ",
                    Argument("half_width"),
                ),
                given({k: v for k, v in vars(self).items() if k.startswith("kappa")}),
                Words("for example ", given({"kappa0": 0.4, "kappa1": 0.6})),
            )
        if is_test:
            _leave_out("half_width", self.half_width, "with ", Argument("kappa0"))
            _leave_out("kappa", self.kappa, "with ", Argument("kappa0"))
        else:
            _leave_out("kappa1", self.kappa1, "without ", Argument("kappa0"))

    def _method(self, *, is_test: bool) -> str:
        name = "icc" if self.coefficient == "icc" else registry[self.coefficient or "scott_pi"].name
        special = self.design is not None or bool(self.options) or self.scale != "nominal"
        if name == "icc":
            fitting = "icc"
        elif name == "cohen_kappa" and self._raters == 2 and is_test and not special:
            fitting = "cohen"
        else:
            fitting = "goodness-of-fit" if name == "scott_pi" and not special else "simulation"
        if self.method in ("auto", fitting) or (self.method == "simulation" and name != "icc"):
            average = fitting == "goodness-of-fit" and not is_test and self.assurance is None
            by_default = fitting if name == "icc" or average else "simulation"
            return by_default if self.method == "auto" else self.method
        cohen_fits = is_test and self._raters == 2
        if self.coefficient is None and not special and (self.method != "cohen" or cohen_fits):
            return self.method  # the method names the coefficient
        raise InputError.expected(
            "method", f"{fitting!r} or 'auto' for what is asked", self.method, "leave it out"
        )

    def _width(self, method: str) -> Plan:
        if method != "goodness-of-fit":
            raise InputError.expected(
                "method",
                "'goodness-of-fit' or 'simulation' for the width of an interval",
                method,
                Words(
                    "or give ", Argument("kappa0"), " and ", Argument("kappa1"), " to plan a test"
                ),
            )
        return goodness_of_fit_width(
            kappa=self.kappa,  # type: ignore[arg-type]
            width=None if self.half_width is None else 2.0 * self.half_width,
            n_items=self.n_items,
            prevalence=self._shares,
            n_raters=self._raters,
            confidence_level=self.confidence_level,
        )

    def _simulated(self, *, is_test: bool) -> Plan:
        name = self.coefficient or "scott_pi"
        common = {"n_items": self.n_items, **self.simulation, **self.options}
        if is_test:
            found = simulated_power(
                self._design_at(name, self.kappa1),
                name,
                null=self.kappa0,  # type: ignore[arg-type]
                alternative=self.alternative or "two-sided",  # type: ignore[arg-type]
                **self.test,
                **common,
            )
            return self._named(found)
        wide = simulated_precision(
            self._design_at(name, self.kappa),
            name,
            half_width=self.half_width,
            confidence_level=self.confidence_level,
            assurance=self.assurance,
            **common,
        )
        return self._named(wide)

    def _named(self, found: Plan) -> Plan:
        """Call the coefficient what it was called in the question."""
        asked = self.coefficient is None and self.design is None
        return replace(found, name="kappa") if asked else found

    def _raters_needed(self) -> Plan:
        _leave_out(
            "n_raters",
            self.n_raters,
            "with both ",
            Argument("half_width"),
            " and ",
            Argument("n_items"),
        )
        name = self.coefficient or "scott_pi"
        found = raters_for_precision(
            self._design_at(name, self.kappa),
            name,
            half_width=self.half_width,  # type: ignore[arg-type]
            n_items=self.n_items,
            confidence_level=self.confidence_level,
            assurance=self.assurance,
            **self.simulation,
            **self.options,
        )
        return self._named(found)

    def _design_at(self, name: str, value: float | None) -> Simulator | Simulated:
        """Return the design given, or one in which the coefficient has the value."""
        if self.design is not None:
            _leave_out("prevalence", self.prevalence, "with a design")
            _leave_out("n_raters", self.n_raters, "with a design")
            return self.design
        assert value is not None
        if value > 1.0:  # percent, most likely: say how to write it
            check.share("kappa" if self.kappa1 is None else "kappa1", value)
        check.whole_number("n_raters", self._raters, least=2)
        shares = positive_shares(self._shares).tolist()
        agreement = agreement_for(name, value, prevalence=shares, scale=self.scale, **self.options)
        return Simulator(
            n_raters=self._raters,
            categories=len(shares),
            prevalence=shares,
            agreement=agreement,
            scale=self.scale,
        )

    def _check_alternative(self, only: str) -> None:
        if self.alternative not in (None, only):
            raise InputError.expected(
                "alternative",
                f"{only!r} for this method",
                self.alternative,
                Words(
                    "choose ",
                    Option("method", "simulation", "cohen"),
                    ", the latter for two raters",
                ),
            )


def _half(width: float | None, half_width: float | None) -> float | None:
    if width is None:
        return half_width
    _leave_out("half_width", half_width, "with ", Argument("width"))
    return check.real_number("width", width, least=1e-6) / 2.0


def _leave_out(name: str, value: object, *when: str | Argument) -> None:
    if value is not None:
        raise InputError.expected(name, Words("left out ", *when), value, "give one of the two")


def _given(distance: Any, missing: str | None, standard_error: str | None) -> EstimateOptions:
    """Keep what was said about the coefficient."""
    options: EstimateOptions = {}
    if distance is not None:
        options["distance"] = distance
    if missing is not None:
        options["missing"] = missing
    if standard_error is not None:
        options["standard_error"] = standard_error
    return options
