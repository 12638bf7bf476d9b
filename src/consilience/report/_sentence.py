"""The sentence for the paper: everything a reviewer asks for, in the manner of APA."""

from __future__ import annotations

import math

from consilience.coefficients import Estimate, UndecidedScale
from consilience.core.verdict import Limits
from consilience.core.words import counted, number, percent
from consilience.report._summary import DataFacts, Summary

_SYMBOLS = {"kappa": "κ", "alpha": "α", "pi": "π", "beta": "β"}
_METHODS = {
    "analytic": "analytic",
    "clopper-pearson": "Clopper-Pearson",
    "donner-eliasziw": "goodness-of-fit",
    "transformed": "Fisher-transformed jackknife",
    "dirichlet": "posterior",
    "skewed-t": "jackknife t",
    "bca": "bias-corrected and accelerated bootstrap",
    "percentile": "percentile bootstrap",
    "basic": "basic bootstrap",
    "studentised": "studentised bootstrap",
    "jackknife": "jackknife",
    "profile": "profile-likelihood",
}


def apa_number(value: float, digits: int = 2) -> str:
    """Write a number that cannot exceed 1 without the zero before its point.

    >>> apa_number(0.7249), apa_number(-0.05), apa_number(1.0)
    ('.72', '-.05', '1.00')
    """
    if not math.isfinite(value):
        return "undefined"
    text = number(value, digits)
    return text.replace("0.", ".", 1) if abs(round(value, digits)) < 1 else text


def apa_interval(limits: Limits, level: str) -> str:
    """Write an interval behind its number: , 95% CI [.12, .34]; nothing where there is none."""
    if not math.isfinite(limits.low):
        return ""
    return f", {level} CI [{apa_number(limits.low)}, {apa_number(limits.high)}]"


def apa_sentence(summary: Summary, coefficient: str | None = None) -> str:
    """Return the sentence that reports one coefficient, ready for the paper; one for each group.

    Parameters
    ----------
    summary : Summary
    coefficient : name or alias, default the one that fits the design

    Returns
    -------
    str

    Examples
    --------
    >>> from consilience import datasets, measure
    >>> print(apa_sentence(measure(datasets.load("fleiss_1971"), coefficients="alpha")))
    Agreement of 6 raters on 30 items (5 categories, nominal scale, no ratings missing) was
    Krippendorff's α = .43, 95% CI [.33, .55] (posterior interval), computed with Consilience ...
    """
    return "\n".join(_sentences(summary, coefficient))


def _sentences(summary: Summary, coefficient: str | None) -> list[str]:
    if not summary.groups:
        chosen = (
            summary[coefficient] if coefficient else _chosen(summary.estimates, summary.headline)
        )
        return [_sentence(summary.data, chosen, summary, summary.undecided)]
    told = []
    for group in summary.groups:
        if not group.estimates:
            told.append(f"{group.name}: not measured.")
            continue
        one = _chosen(group.estimates, coefficient or group.headline)
        told.append(f"{group.name}: {_sentence(group.data, one, summary, group.undecided)}")
    return told


def _chosen(estimates: tuple[Estimate, ...], wanted: str | None) -> Estimate:
    wanted = wanted or "krippendorff_alpha"
    return next((one for one in estimates if one.coefficient == wanted), estimates[0])


def _sentence(
    data: DataFacts, one: Estimate, summary: Summary, undecided: UndecidedScale | None
) -> str:
    missing = "no ratings missing"
    if data.missing_by_design:
        missing = data.ratings_per_item
    elif data.missing:
        missing = f"{100 * data.share_missing:.1f}% of ratings missing"
    kind = f"{data.scale} scale"
    if one.distance != data.scale:
        kind += f", {one.distance} distance"
    labels = (
        counted(len(data.categories), "category", "categories") + ", "
        if data.scale in ("nominal", "ordinal")
        else ""  # numbers on a scale
    )
    what = f"{counted(data.raters, 'rater')} on {counted(data.items, 'item')}"
    result = f"{symbol(one)} = {apa_number(one.value)}"
    if one.status == "undefined":
        result = f"{symbol(one)} undefined ({one.reason})"
    interval = one.confidence_interval(summary.confidence_level)
    if math.isfinite(interval.low):
        method = _METHODS.get(interval.method, interval.method)
        result += (
            f", {percent(summary.confidence_level)} CI [{apa_number(interval.low)}, "
            f"{apa_number(interval.high)}] ({method} interval)"
        )
    if undecided is not None:
        numbers = apa_number(undecided.as_numbers.value)
        result += f" if labels are names, and {symbol(undecided.as_numbers)} = {numbers} if they "
        result += "are numbers (say which with --scale before this is quoted)"
    return (
        f"Agreement of {what} ({labels}{kind}, {missing}) was {result}, computed with "
        f"Consilience {summary.version}."
    )


def symbol(one: Estimate) -> str:
    """Return the name of a coefficient as papers write it."""
    return " ".join(_SYMBOLS.get(word, word) for word in one.name.split())
