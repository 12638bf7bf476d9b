"""One front door to planning: what is known decides which method answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from consilience.coefficients import registry
from consilience.core import arguments as check
from consilience.core.draws import Seed
from consilience.exceptions import Argument, ForPrograms, InputError, Option, Words, given
from consilience.plan._power import (
    goodness_of_fit_power,
    goodness_of_fit_width,
    icc_power,
    kappa_power,
)
from consilience.plan._precision import precision, precision_from_agreement
from consilience.plan._question import ASSURANCE, Plan, Question
from consilience.plan._simulation import (
    raters_for_precision,
    simulated_power,
    simulated_precision,
)
from consilience.simulate import Simulated, Simulator
from consilience.simulate.sampling import agreement_for

_TESTS = {"cohen": kappa_power, "icc": icc_power, "goodness-of-fit": goodness_of_fit_power}


def plan(
    *,
    kappa0: float | None = None,
    kappa1: float | None = None,
    kappa: float | None = None,
    width: float | None = None,
    half_width: float | None = None,
    low: float | None = None,
    high: float | None = None,
    observed: float | None = None,
    expected: float = 0.0,
    n_items: int | None = None,
    prevalence: float | Sequence[float] | None = None,
    other_prevalence: float | Sequence[float] | None = None,
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

    It picks the method from what is known. Use a `pilot` as soon as a few dozen items have been
    rated: it brings prevalence, missing ratings and the spread over items with it.

    Parameters
    ----------
    kappa0, kappa1 : float
        To tell one value from another: the value under the null hypothesis and the one hoped for.
    kappa, width or half_width : float
        To know a value precisely: the value expected and the width of its interval.
    low, high : float
        Instead of a width, with ``method="goodness-of-fit"``: limits that the interval should not
        exceed; `low` alone asks for a one-sided interval.
    observed, expected : float
        A first sketch where only two shares can be guessed: the share of the items on which two
        raters will agree, and the share by chance, default 0 (raw agreement).
    n_items : int
        Instead of asking for items: the size of the study whose power or width is wanted. With
        `kappa` (or `design`) and `half_width`, the raters needed per item are wanted.
    prevalence : share of one of two categories, or of each category, default 0.5
    other_prevalence : the same with the second rater, with ``method="cohen"``; default alike
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
    asked = dict(locals())  # a question is what this function was asked
    asked["half_width"] = _half(asked.pop("width"), half_width)
    options = {name: asked.pop(name) for name in ("distance", "missing", "standard_error")}
    told: Any = {name: value for name, value in options.items() if value is not None}
    return _answer(Question(**asked, options=told))


def _answer(q: Question) -> Plan:
    """Use a formula where there is one, else simulate."""
    if q.observed is not None or q.pilot is not None:
        sketch = q.observed is not None
        when = "with observed agreement" if sketch else "with a pilot"
        _leave_out(q, when, "kappa0", "kappa1", "kappa", "design", "prevalence", "n_raters")
        if sketch:
            _leave_out(q, when, "pilot")
        return precision_from_agreement(q) if sketch else precision(q)
    _leave_out(q, "without a pilot", "population")
    is_test = q.kappa0 is not None
    _check_complete(q, is_test=is_test)
    method = _method(q, is_test=is_test)
    if method != "cohen":
        _leave_out(q, "with this method", "other_prevalence")
    if is_test or method != "goodness-of-fit":
        _leave_out(q, "with this method", "low", "high")
    if not is_test and q.half_width is not None and q.n_items is not None:
        _leave_out(
            q, Words("with both ", Argument("half_width"), " and ", Argument("n_items")), "n_raters"
        )
        return _named(q, raters_for_precision(_design(q, q.kappa), q))
    if method == "simulation":
        simulated = simulated_power if is_test else simulated_precision
        return _named(q, simulated(_design(q, q.kappa1 if is_test else q.kappa), q))
    if not is_test and method != "goodness-of-fit":
        raise InputError.expected(
            "method",
            "'goodness-of-fit' or 'simulation' for the width of an interval",
            method,
            Words("or give ", Argument("kappa0"), " and ", Argument("kappa1"), " to plan a test"),
        )
    if not is_test:
        return goodness_of_fit_width(q)
    if method == "icc":
        _leave_out(q, "with icc", "prevalence")
        _refuse("options", q.options or None, "with icc")
    only = {"icc": "greater", "goodness-of-fit": "two-sided"}.get(method)
    if only is not None and q.alternative not in (None, only):
        raise InputError.expected(
            "alternative",
            f"{only!r} for this method",
            q.alternative,
            Words(
                "choose ", Option("method", "simulation", "cohen"), ", the latter for two raters"
            ),
        )
    return _TESTS[method](q)


def _check_complete(q: Question, *, is_test: bool) -> None:
    known = q.kappa1 if is_test else q.kappa
    if (known is None) == (q.design is None):
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
            given({name: getattr(q, name) for name in ("kappa0", "kappa1", "kappa")}),
            Words("for example ", given({"kappa0": 0.4, "kappa1": 0.6})),
        )
    if is_test:
        _leave_out(q, Words("with ", Argument("kappa0")), "half_width", "kappa")
    else:
        _leave_out(q, Words("without ", Argument("kappa0")), "kappa1")


def _method(q: Question, *, is_test: bool) -> str:
    name = "icc" if q.coefficient == "icc" else registry[q.name].name
    special = q.design is not None or bool(q.options) or q.scale != "nominal"
    two = q.n_raters in (None, 2)
    if name == "icc":
        fitting = "icc"
    elif name == "cohen_kappa" and two and is_test and not special:
        fitting = "cohen"
    else:
        fitting = "goodness-of-fit" if name == "scott_pi" and not special else "simulation"
    if q.method in ("auto", fitting) or (q.method == "simulation" and name != "icc"):
        average = fitting == "goodness-of-fit" and not is_test and q.share_of_studies is None
        by_default = fitting if name == "icc" or average else "simulation"
        return by_default if q.method == "auto" else q.method
    if q.coefficient is None and not special and (q.method != "cohen" or (is_test and two)):
        return q.method  # the method names the coefficient
    raise InputError.expected(
        "method", f"{fitting!r} or 'auto' for what is asked", q.method, "leave it out"
    )


def _named(q: Question, found: Plan) -> Plan:
    """Call the coefficient what it was called in the question."""
    return replace(found, name="kappa") if q.coefficient is None and q.design is None else found


def _design(q: Question, value: float | None) -> Simulator | Simulated:
    """Return the design given, or one in which the coefficient has the value."""
    if q.design is not None:
        _leave_out(q, "with a design", "prevalence", "n_raters")
        return q.design
    assert value is not None
    if value > 1.0:  # percent, most likely: say how to write it
        check.share("kappa" if q.kappa1 is None else "kappa1", value)
    n_raters, shares = q.raters, q.shares.tolist()
    agreement = agreement_for(q.name, value, prevalence=shares, scale=q.scale, **q.options)
    return Simulator(
        n_raters=n_raters,
        categories=len(shares),
        prevalence=shares,
        agreement=agreement,
        scale=q.scale,
    )


def _half(width: float | None, half_width: float | None) -> float | None:
    if width is None:
        return half_width
    _refuse("half_width", half_width, Words("with ", Argument("width")))
    return check.real_number("width", width, least=1e-6) / 2.0


def _leave_out(q: Question, when: str | Words, *names: str) -> None:
    for name in names:
        _refuse(name, getattr(q, name), when)


def _refuse(name: str, value: object, when: str | Words) -> None:
    if value is not None:
        raise InputError.expected(name, Words("left out ", when), value, "give one of the two")
