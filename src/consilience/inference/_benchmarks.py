"""What a value is called: published scales, how sure the verdict is, and when a scale misleads."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from numbers import Real
from types import MappingProxyType
from typing import Any, Literal

from consilience.core.arguments import check_word
from consilience.core.tails import normal_below as below
from consilience.exceptions import InputError

# Titles of coefficients whose chance term is smaller than that of kappa.
_GENEROUS = ("Gwet's AC", "Bennett's S", "Randolph's", "Weighted Brennan-Prediger", "Perreault")


@dataclass(frozen=True, slots=True)
class Cut:
    """The border between two classes; `belongs_to` is the class of a value right on it."""

    at: float
    belongs_to: Literal["lower", "upper"] = "upper"


@dataclass(frozen=True, slots=True)
class BenchmarkScale:
    """A published scale: its classes from the lowest up, and the borders between them."""

    name: str
    title: str
    source: str
    labels: tuple[str, ...]
    cuts: tuple[Cut, ...]
    made_for: Literal["kappa", "alpha", "any", "icc", "ccc"] = "kappa"

    def label(self, value: float) -> str:
        """Return the class of a value.

        Examples
        --------
        >>> SCALES["landis-koch"].label(0.6), SCALES["cicchetti"].label(0.6)
        ('moderate', 'good')
        """
        place = sum(
            value > cut.at or (value == cut.at and cut.belongs_to == "upper") for cut in self.cuts
        )
        return self.labels[place]

    @property
    def borders(self) -> tuple[tuple[float, float], ...]:
        """Each class's lower and upper end, from the lowest class up, within -1 to 1."""
        ends = (-1.0, *(cut.at for cut in self.cuts), 1.0)
        return tuple(pairwise(ends))


def _lower(*places: float) -> tuple[Cut, ...]:
    return tuple(Cut(at, "lower") for at in places)


def _upper(*places: float) -> tuple[Cut, ...]:
    return tuple(Cut(at, "upper") for at in places)


_ALL = (
    BenchmarkScale(
        "landis-koch",
        "Landis & Koch (1977)",
        "Landis, J. R. & Koch, G. G. (1977). The measurement of observer agreement for categorical "
        "data. Biometrics 33, 159-174. doi:10.2307/2529310",
        ("poor", "slight", "fair", "moderate", "substantial", "almost perfect"),
        (Cut(0.0, "upper"), *_lower(0.2, 0.4, 0.6, 0.8)),
    ),
    BenchmarkScale(
        "rietveld-van-hout",
        "Rietveld & van Hout (1993)",
        "Rietveld, T. & van Hout, R. (1993). Statistical Techniques for the Study of Language and "
        "Language Behaviour. Mouton de Gruyter; as cited by Stegmann & Lücking (2005)",
        ("below the scale", "slight", "fair", "moderate", "substantial", "almost perfect"),
        (Cut(0.0, "upper"), *_lower(0.2, 0.4, 0.6, 0.8)),
    ),
    BenchmarkScale(
        "altman",
        "Altman (1991)",
        "Altman, D. G. (1991). Practical Statistics for Medical Research. Chapman & Hall, p. 404",
        ("poor", "fair", "moderate", "good", "very good"),
        _lower(0.2, 0.4, 0.6, 0.8),
    ),
    BenchmarkScale(
        "fleiss",
        "Fleiss (1981)",
        "Fleiss, J. L. (1981). Statistical Methods for Rates and Proportions, 2nd ed. Wiley, "
        "p. 218",
        ("poor", "fair to good", "excellent"),
        (Cut(0.4, "upper"), Cut(0.75, "lower")),
    ),
    BenchmarkScale(
        "cicchetti",
        "Cicchetti (1994)",
        "Cicchetti, D. V. (1994). Guidelines, criteria, and rules of thumb for evaluating normed "
        "and standardized assessment instruments in psychology. Psychological Assessment 6, "
        "284-290. doi:10.1037/1040-3590.6.4.284",
        ("poor", "fair", "good", "excellent"),
        _upper(0.4, 0.6, 0.75),
    ),
    BenchmarkScale(
        "krippendorff",
        "Krippendorff (2004)",
        "Krippendorff, K. (2004). Content Analysis: An Introduction to Its Methodology, 2nd ed. "
        "Sage, p. 241",
        ("discard", "tentative conclusions", "reliable"),
        _upper(0.667, 0.8),
        "alpha",
    ),
    BenchmarkScale(
        "green",
        "Green (1997)",
        "Green, A. M. (1997). Kappa statistics for multiple raters using categorical "
        "classifications. Proceedings of the 22nd SAS Users Group International Conference",
        ("low", "fair to good", "high"),
        _upper(0.4, 0.75),
    ),
    BenchmarkScale(
        "regier",
        "Regier et al. (2013)",
        "Regier, D. A. et al. (2013). DSM-5 field trials in the United States and Canada, part II: "
        "test-retest reliability of selected categorical diagnoses. American Journal of "
        "Psychiatry 170, 59-70. doi:10.1176/appi.ajp.2012.12070999",
        ("unacceptable", "questionable", "good", "very good", "excellent"),
        _upper(0.2, 0.4, 0.6, 0.8),
    ),
    BenchmarkScale(
        "neuendorf",
        "Neuendorf (2002)",
        "Neuendorf, K. A. (2002). The Content Analysis Guidebook. Sage, p. 143",
        ("disputed", "acceptable in most situations", "acceptable to all"),
        _upper(0.8, 0.9),
        "any",
    ),
    BenchmarkScale(
        "koo-li",
        "Koo & Li (2016)",
        "Koo, T. K. & Li, M. Y. (2016). A guideline of selecting and reporting intraclass "
        "correlation coefficients for reliability research. Journal of Chiropractic Medicine 15, "
        "155-163. doi:10.1016/j.jcm.2016.02.012",
        ("poor", "moderate", "good", "excellent"),
        (Cut(0.5, "upper"), *_lower(0.75, 0.9)),
        "icc",
    ),
    BenchmarkScale(
        "mcbride",
        "McBride (2005)",
        "McBride, G. B. (2005). A proposal for strength-of-agreement criteria for Lin's "
        "concordance correlation coefficient. NIWA client report HAM2005-062",
        ("poor", "moderate", "substantial", "almost perfect"),
        (Cut(0.9, "upper"), *_lower(0.95, 0.99)),
        "ccc",
    ),
)
SCALES: Mapping[str, BenchmarkScale] = MappingProxyType({scale.name: scale for scale in _ALL})


def benchmark_scale(name: str) -> BenchmarkScale:
    """Return a scale by name.

    Parameters
    ----------
    name : str
        As the registry of scales has it, such as "landis_koch".

    Returns
    -------
    BenchmarkScale

    Examples
    --------
    >>> benchmark_scale("krippendorff").labels
    ('discard', 'tentative conclusions', 'reliable')
    """
    word = str(name).strip().lower().replace("_", "-").replace(" ", "-")
    if word not in SCALES:
        raise InputError.unknown_word("scale", name, SCALES)
    return SCALES[word]


# ---- how sure a class is


@dataclass(frozen=True, slots=True)
class Membership:
    """One class: how likely the true value lies in it, and in it or a better one."""

    label: str
    probability: float
    cumulative: float


def membership(
    value: float, *, standard_error: float, scale: str = "landis-koch"
) -> tuple[Membership, ...]:
    """Return how likely the true value lies in each class of a scale, the best class first.

    Use it instead of the class of the estimate alone, which ignores how few items it rests on.

    Parameters
    ----------
    value : float
        From -1 to 1.
    standard_error : float
        0 puts everything on the class of the value.
    scale : str
        One of `SCALES`.

    Returns
    -------
    tuple of Membership
        Probabilities add up to 1.

    Notes
    -----
    P(a < K <= b) = [F((K - a)/se) - F((K - b)/se)] / [F((K + 1)/se) - F((K - 1)/se)] with F the
    normal distribution function: what is outside -1 to 1 is left out.

    References
    ----------
    .. [1] Gwet, K. L. (2014). Handbook of Inter-Rater Reliability, 4th ed. Advanced Analytics,
       chapter 6.

    Examples
    --------
    >>> for one in membership(0.67, standard_error=0.056)[:3]:
    ...     print(one.label, round(one.probability, 3), round(one.cumulative, 3))
    almost perfect 0.01 0.01
    substantial 0.884 0.894
    moderate 0.106 1.0
    """
    chosen = benchmark_scale(scale)
    _check_number("value", value, -1.0, 1.0)
    _check_number("standard_error", standard_error, 0.0, math.inf)
    if standard_error == 0.0:
        label = chosen.label(value)
        shares = [float(label == one) for one in chosen.labels]
    else:

        def between(low: float, high: float) -> float:
            a, b = (value - high) / standard_error, (value - low) / standard_error
            # In the upper tail differences of F lose their digits; F(-x) keeps them.
            return below(-a) - below(-b) if a > 0.0 else below(b) - below(a)

        whole = between(-1.0, 1.0)
        shares = [between(low, high) / whole for low, high in chosen.borders]
    return _added_up(chosen, shares)


def _added_up(scale: BenchmarkScale, shares: list[float]) -> tuple[Membership, ...]:
    """Return the classes with their shares, the best first."""
    total, out = 0.0, []
    for label, share in zip(reversed(scale.labels), reversed(shares), strict=True):
        total = min(total + share, 1.0)
        out.append(Membership(label, share, total))
    return tuple(out)


def _posterior_membership(estimate: Any, scale: BenchmarkScale) -> tuple[Membership, ...]:
    """Return how probable each class is by the estimate's own posterior; empty: it has none."""
    above = getattr(estimate, "probability_above", None)
    if above is None or math.isnan(above(0.0)):
        return ()
    ends = [1.0, *(above(low) for low, _ in scale.borders[1:]), 0.0]
    return _added_up(scale, [ends[k] - ends[k + 1] for k in range(len(scale.labels))])


def _check_number(what: str, number: object, low: float, high: float) -> None:
    if not isinstance(number, Real) or not low <= float(number) <= high:
        reach = f"from {low:g} to {high:g}" if math.isfinite(high) else f"of {low:g} or more"
        raise InputError.expected(what, f"a number {reach}", number, "check what was passed")


# ---- reading an estimate


@dataclass(frozen=True, slots=True)
class Interpretation:
    """What a scale says about an estimate.

    Attributes
    ----------
    label : str or None
        The class of the value itself; None where the estimate is undefined.
    verdict : str or None
        The best class that the true value reaches at least, with the certainty asked for; None
        without a standard error.
    memberships : tuple of Membership
        How likely each class is, the best first.
    cautions : tuple of str
        What speaks against reading this coefficient on this scale.
    """

    value: float
    scale: BenchmarkScale
    label: str | None
    verdict: str | None
    certainty: float
    memberships: tuple[Membership, ...] = field(default=(), repr=False)
    cautions: tuple[str, ...] = ()

    def __str__(self) -> str:
        if self.label is None:
            return f"undefined, so the scale of {self.scale.title} says nothing."
        text = f'{self.value:.3f} is "{self.label}" on the scale of {self.scale.title}'
        if self.verdict is not None:
            text += f'; with {100 * self.certainty:g}% certainty it is at least "{self.verdict}"'
        return " ".join([text + ".", *self.cautions])

    def to_dict(self) -> dict[str, object]:
        """Return plain data with stable keys."""
        return {
            "value": self.value if math.isfinite(self.value) else None,
            "scale": self.scale.name,
            "source": self.scale.source,
            "label": self.label,
            "verdict": self.verdict,
            "certainty": self.certainty,
            "memberships": {one.label: one.probability for one in self.memberships},
            "cautions": list(self.cautions),
        }


def interpret(
    estimate: Any,
    *,
    scale: str = "landis-koch",
    certainty: float = 0.95,
    method: str = "auto",
) -> Interpretation:
    """Say what an estimate is called on a published scale, and how sure that is.

    Use it where readers expect the word; report the value and its interval first. All scales are
    conventions, drawn up for kappa or alpha, and none fits every purpose.

    Parameters
    ----------
    estimate : Estimate or float
        A bare number has no standard error, so only its own class can be named.
    scale : str
        One of `SCALES`: "landis-koch", "rietveld-van-hout", "altman", "fleiss", "cicchetti",
        "krippendorff", "green", "regier", "neuendorf", "koo-li" (ICC), "mcbride" (CCC).
    certainty : float, default 0.95
        For the verdict: the probabilities of the classes are added up from the best down until
        they reach it.
    method : {"auto", "gwet"}
        Where these probabilities come from: the estimate's posterior, as its interval does, or
        Gwet's formula with its standard error (`membership`).

    Returns
    -------
    Interpretation

    Raises
    ------
    InputError
        An unknown scale, or a certainty outside 0 to 1.

    References
    ----------
    .. [1] Gwet, K. L. (2014). Handbook of Inter-Rater Reliability, 4th ed. Advanced Analytics,
       chapter 6.

    Examples
    --------
    >>> print(interpret(0.72, scale="krippendorff"))
    0.720 is "tentative conclusions" on the scale of Krippendorff (2004).
    """
    chosen = benchmark_scale(scale)
    if not isinstance(certainty, Real) or not 0.0 < certainty < 1.0:
        raise InputError.expected("certainty", "between 0 and 1", certainty, "for example 0.95")
    value = _value_of(estimate)
    cautions = _cautions(estimate, chosen)
    if math.isnan(value):
        return Interpretation(value, chosen, None, None, certainty, (), cautions)
    check_word("method", method, ("auto", "gwet"))
    classes = _posterior_membership(estimate, chosen) if method == "auto" else ()
    error = _error_of(estimate)
    if not classes and error is None:
        return Interpretation(value, chosen, chosen.label(value), None, certainty, (), cautions)
    if not classes and error is not None:
        inside = min(max(value, -1.0), 1.0)
        classes = membership(inside, standard_error=error, scale=chosen.name)
    verdict = next((one.label for one in classes if one.cumulative >= certainty), classes[-1].label)
    return Interpretation(value, chosen, chosen.label(value), verdict, certainty, classes, cautions)


def _value_of(estimate: Any) -> float:
    try:
        return float(estimate)
    except (TypeError, ValueError):
        raise InputError.expected(
            "estimate", "an Estimate or a number", estimate, "pass what a coefficient returns"
        ) from None


def _error_of(estimate: Any) -> float | None:
    error = getattr(estimate, "standard_error", None)
    null_only = str(getattr(estimate, "standard_error_method", "")).endswith("-null")
    if error is None or null_only or not math.isfinite(error):
        return None
    # At full agreement the error is 0 although the next item may differ: no certainty to state.
    return None if "boundary" in getattr(estimate, "flags", ()) else float(error)


def _cautions(estimate: Any, scale: BenchmarkScale) -> tuple[str, ...]:
    name = str(getattr(estimate, "name", ""))
    out = []
    if name and getattr(estimate, "expected", None) is None:
        out.append(
            f"{name} is not corrected for chance, so scales made for such coefficients do not "
            "apply."
        )
    elif name.startswith(_GENEROUS) and scale.made_for in ("kappa", "alpha"):
        out.append(
            f"The scale was made for kappa; {name} expects less agreement by chance and is "
            "usually higher on the same ratings, so a stricter scale is needed."
        )
    if name and getattr(estimate, "distance", "nominal") != "nominal":
        out.append(
            f"Values with different distances cannot be compared; this one uses "
            f"{estimate.distance!r}."
        )
    if name and scale.made_for in ("icc", "ccc"):
        kind = {"icc": "intraclass correlations", "ccc": "concordance correlations"}
        out.append(f"The scale was made for {kind[scale.made_for]}.")
    return tuple(out)
