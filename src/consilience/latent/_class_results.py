"""What a latent class analysis found, and what follows from it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from consilience.core.arguments import probability
from consilience.core.arrays import Floats
from consilience.core.result import Result, Several, Unremarked
from consilience.core.words import interval_head
from consilience.document import Column, Document, Finding, Paragraph, PValue, Range, Table
from consilience.document.blocks import Block, Cell
from consilience.document.records import Recorded, plain_record
from consilience.exceptions import InputError, UnsupportedDesignError
from consilience.latent._em import ClassFit
from consilience.latent._rate_intervals import Cells, Profile
from consilience.latent._truth import ClassTruth, RaterQuality, check_count
from consilience.latent.votes import Votes

# ---- rates above a stated one

QUANTITIES = ("sensitivity", "specificity")


@dataclass(frozen=True, slots=True, kw_only=True)
class AboveTest(Recorded):
    """Whether a rate of one rater is above a stated one.

    Attributes
    ----------
    rater : object
    quantity : str
        "sensitivity" or "specificity".
    value, null : float
        The rate that was found, and the one that it should exceed.
    z : float
        Signed root of twice the loss of log-likelihood with the rate held at the stated one.
    p_value : float
        One-sided: how often a rater with just the stated rate would look as good.
    """

    rater: object
    quantity: str
    value: float
    null: float
    z: float
    p_value: float


def above_tests(
    votes: Votes,
    fit: ClassFit,
    rate_gjl: Floats,
    label_of_class: NDArray[np.intp],
    *,
    raters: tuple[object, ...],
    positive: int,
    null: float,
) -> tuple[AboveTest, ...]:
    """Test sensitivity and specificity of each rater against a stated rate."""
    _need_two_labels("a test of sensitivity", rate_gjl, label_of_class.tolist())
    n_raters = len(rate_gjl)
    found = []
    for quantity, label in zip(QUANTITIES, (positive, 1 - positive), strict=True):
        j = int(np.flatnonzero(label_of_class == label)[0])
        value = rate_gjl[:, j, label]
        ones = np.ones(n_raters)
        cells = Cells(
            np.full(n_raters, j), np.arange(n_raters) * 2 + label, value, ones, ones, ones
        )
        held = Profile(votes, fit, 0.95).fitted(cells, np.full((n_raters, 1), null))[:, 0]
        loss = np.maximum(2.0 * (fit.log_likelihood - held), 0.0)
        z = np.where(value > null, 1.0, -1.0) * np.sqrt(loss)
        found += [
            AboveTest(
                rater=raters[g],
                quantity=quantity,
                value=float(value[g]),
                null=null,
                z=float(z[g]),
                p_value=_upper_tail(float(z[g])),
            )
            for g in range(n_raters)
        ]
    return tuple(found)


def are_two_labels(rate_gjl: Floats, of_class: Sequence[object]) -> bool:
    """Tell whether there are two labels and a class for each, so that there is a sensitivity."""
    return rate_gjl.shape[1:] == (2, 2) and len(set(of_class)) == 2


def _need_two_labels(what: str, rate_gjl: Floats, of_class: Sequence[object]) -> None:
    if not are_two_labels(rate_gjl, of_class):
        raise UnsupportedDesignError.needs(
            what,
            "two classes that stand for two labels",
            f"{rate_gjl.shape[1]} classes and {rate_gjl.shape[2]} labels",
            "merge labels with Ratings.collapse and fit n_classes=2",
        )


def _upper_tail(z: float) -> float:
    return 0.5 * math.erfc(z / math.sqrt(2.0))


RULES = ("majority", "posterior")
_MOST_ROWS = 40


@dataclass(frozen=True, kw_only=True, eq=False)
class LatentClasses(ClassTruth):
    """Classes of items, how raters label each, and how well that fits.

    Attributes
    ----------
    n_classes, n_used : int
        Number of classes, and of items with ratings.
    class_labels : tuple
        The label that each class stands for.
    class_posterior : array, items × classes
        Probability of each class; `posterior` adds up the classes of each label.
    rates, rates_standard_error, rates_interval : arrays, raters × classes × labels
        Chance that a rater gives a label to an item of a class.
    g_squared, x_squared : float
        Distance of the model from the data over all patterns; NaN with missing ratings.
    degrees_of_freedom : int
    p_value, bootstrap_p_value : float
        Test of fit by the chi-squared distribution of G², and by samples of the model.
    smallest_eigenvalue : float
        Of the information scaled to a unit diagonal: near 0 the model is not identified.
    positive : label
        Which of two labels sensitivity is about.
    above : tuple of AboveTest
        Whether each rater's sensitivity and specificity exceed what was asked for.
    """

    recorded: ClassVar[tuple[str, ...]] = (
        *ClassTruth.recorded,
        "predicted_kappa",
        "predicted_overall_kappa",
    )

    n_classes: int
    n_used: int
    class_labels: tuple[object, ...]
    class_posterior: Floats = field(repr=False)
    rates: Floats = field(repr=False)
    rates_standard_error: Floats = field(repr=False)
    rates_interval: Floats = field(repr=False)
    g_squared: float
    x_squared: float
    degrees_of_freedom: int
    p_value: float
    bootstrap_p_value: float
    smallest_eigenvalue: float
    positive: object
    above: tuple[AboveTest, ...] = ()

    @cached_property
    def predicted_kappa(self) -> Floats:
        """Cohen's kappa that the model predicts for each pair of raters (raters × raters)."""
        observed, expected = self._agreement()
        out = np.full_like(observed, np.nan)
        np.divide(observed - expected, 1.0 - expected, out=out, where=expected < 1.0 - 1e-12)
        np.fill_diagonal(out, 1.0)
        return out

    @cached_property
    def predicted_overall_kappa(self) -> float:
        """Kappa of all raters together that the model predicts (Conger's form)."""
        observed, expected = self._agreement()
        pairs = np.triu_indices(len(observed), 1)
        chance = float(expected[pairs].mean())
        return (float(observed[pairs].mean()) - chance) / (1.0 - chance) if chance < 1 else math.nan

    def _agreement(self) -> tuple[Floats, Floats]:
        """Return observed and expected agreement of each pair under the model."""
        margin = np.einsum("j,gjl->gl", self.prevalence, self.rates)
        flat = self.rates.reshape(len(self.rates), -1)
        weight = np.repeat(self.prevalence, self.rates.shape[2])
        observed, expected = (flat * weight) @ flat.T, margin @ margin.T
        return (observed + observed.T) / 2.0, (expected + expected.T) / 2.0

    def ratings_needed(
        self, *, sensitivity: float = 0.99, rule: str = "majority", most: int = 999
    ) -> RatingsNeeded:
        """Say how many ratings per item find so large a share of the positive items.

        Raters are drawn at random from those of the study, each rating by another one.

        Parameters
        ----------
        sensitivity : float
            The share of truly positive items to be called positive.
        rule : {"majority", "posterior"}
            More than half of the ratings, or the more probable class given all ratings.
        most : int
            Give up above so many ratings.

        Raises
        ------
        UnsupportedDesignError
            There are not two classes and two labels.
        """
        if rule not in RULES:
            raise InputError.unknown_word("rule", rule, RULES)
        sensitivity = probability("sensitivity", sensitivity)
        most = check_count("most", most)
        _need_two_labels("ratings_needed", self.rates, [str(name) for name in self.class_labels])
        plus = self.class_labels.index(self.positive)
        label = self.categories.index(self.positive)
        hit = float(self.rates[:, plus, label].mean())
        false_alarm = float(self.rates[:, 1 - plus, label].mean())
        share = float(self.prevalence[plus])
        one = (hit, false_alarm, share)
        return _ratings_needed(one, sensitivity, rule, most)

    @property
    def _title(self) -> str:
        """What the model is called."""
        return f"Latent classes: {self.n_classes}"

    def _blocks(self) -> list[Block]:
        """Return the fit, the classes, the raters and what they say."""
        has_rates = bool(self.raters and self.raters[0].details)
        blocks: list[Block] = [
            self._fit_table(),
            self._share_table(
                ("class", "stands for"),
                list(enumerate(self.class_labels, 1)),
                caption="Classes",
            ),
            self._rater_table(),
        ]
        if has_rates:
            blocks.append(self._sensitivity_table())
        elif self.rates[..., 0].size <= _MOST_ROWS:
            names = [f"{k}: {name}" for k, name in enumerate(self.class_labels, 1)]
            caption = "What raters say of the items of a class"
            blocks.append(self._rate_table("class", names, self.rates, caption=caption))
        blocks.append(
            Paragraph(f"The model predicts a kappa of {self.predicted_overall_kappa:.3f}.")
        )
        return blocks

    def _fit_table(self) -> Table:
        rows: list[tuple[str, Cell]] = [
            ("log-likelihood", self.log_likelihood),
            ("parameters", self.n_parameters),
            ("AIC", self.aic),
            ("BIC", self.bic),
            ("G²", self.g_squared),
            ("X²", self.x_squared),
            ("degrees of freedom", self.degrees_of_freedom),
            ("p (chi-squared)", PValue(self.p_value)),
            ("p (bootstrap)", PValue(self.bootstrap_p_value)),
        ]
        shown = [row for row in rows if not (isinstance(row[1], float) and math.isnan(row[1]))]
        return Table(heads=("fit", "value"), rows=shown)

    def _sensitivity_table(self) -> Table:
        """Return sensitivity and specificity with their intervals, and the tests asked for."""
        level = interval_head(self.confidence_level)
        columns: list[Column] = ["rater!s"]
        for name in QUANTITIES:
            columns += [(name, f"details.{name}"), (level, partial(_limits_of_detail, name))]
            p_of = {one.rater: PValue(one.p_value) for one in self.above if one.quantity == name}
            if p_of:
                columns.append((f"p>{self.above[0].null:g}", "rater", p_of.__getitem__))
        note = f"Sensitivity: the chance of saying {self.positive} where it is true."
        if self.above:
            note += " p: how often a rater with just that rate would look as good."
        return Table.of(
            sorted(self.raters, key=lambda one: one.details["sensitivity"]),
            *columns,
            caption="Sensitivity and specificity, lowest first",
            note=note,
        )


def _limits_of_detail(name: str, one: RaterQuality) -> Range:
    return Range(one.details[f"{name}_low"], one.details[f"{name}_high"])


# ---- how many ratings


@dataclass(frozen=True, kw_only=True)
class RatingsNeeded(Recorded, Unremarked, Result):
    """How many ratings per item a wanted sensitivity needs.

    Attributes
    ----------
    n_ratings : int or None
        None where no number up to the limit is enough.
    sensitivity, specificity : float
        What so many ratings reach; NaN where none is enough.
    wanted : float
    rule : str
    rater_sensitivity, rater_specificity, prevalence : float
        Of the average rater, and the share of positive items.
    reason : str
        Why there is no number; empty if there is.
    """

    n_ratings: int | None
    sensitivity: float
    specificity: float
    wanted: float
    rule: str
    rater_sensitivity: float
    rater_specificity: float
    prevalence: float
    reason: str = ""

    @property
    def value(self) -> float:
        """Ratings per item; NaN where no number is enough."""
        return math.nan if self.n_ratings is None else float(self.n_ratings)

    @property
    def status(self) -> str:
        """Whether some number of ratings is enough: "ok" or "undefined"."""
        return "undefined" if self.reason else "ok"

    def document(self) -> Document:
        """Return the result as something to read."""
        rows: list[list[Cell]] = [
            ["wanted sensitivity", self.wanted],
            ["rule", self.rule],
            ["ratings per item", self.n_ratings],
            ["sensitivity reached", self.sensitivity],
            ["specificity reached", self.specificity],
            ["sensitivity of one rating", self.rater_sensitivity],
            ["specificity of one rating", self.rater_specificity],
        ]
        findings = (Finding("not_reached", "problem", self.reason),) if self.reason else ()
        table = Table(heads=("", "value"), rows=rows)
        return Document(title="Ratings needed per item", blocks=(table,), findings=findings)


def _ratings_needed(
    one: tuple[float, float, float], wanted: float, rule: str, most: int
) -> RatingsNeeded:
    from scipy.special import bdtrc

    hit, false_alarm, share = one
    number = np.arange(1, most + 1)
    if rule == "majority":
        threshold = number // 2 + 1
    else:
        threshold = _posterior_threshold(hit, false_alarm, share, number)
    # The chance of at least `threshold` positive ratings; none is needed where it is 0.
    found, alarm = (
        np.where(threshold > 0, bdtrc(np.maximum(threshold - 1.0, 0.0), number, rate), 1.0)
        for rate in (hit, false_alarm)
    )
    found, alarm = (np.where(threshold > number, 0.0, x) for x in (found, alarm))
    enough = np.flatnonzero(found >= wanted)
    facts: dict[str, Any] = {
        "wanted": float(wanted),
        "rule": rule,
        "rater_sensitivity": hit,
        "rater_specificity": 1.0 - false_alarm,
        "prevalence": share,
    }
    if not enough.size:
        reason = (
            f"Even {most:,} ratings per item do not find {100 * wanted:g}% of the positive items, "
            f"as a single rating finds {100 * hit:.0f}%; train the raters"
            + (', or try rule="posterior".' if rule == "majority" else ".")
        )
        return RatingsNeeded(
            n_ratings=None, sensitivity=math.nan, specificity=math.nan, reason=reason, **facts
        )
    k = int(enough[0])
    return RatingsNeeded(
        n_ratings=k + 1, sensitivity=float(found[k]), specificity=float(1.0 - alarm[k]), **facts
    )


def _posterior_threshold(
    hit: float, false_alarm: float, share: float, number: np.ndarray[Any, Any]
) -> np.ndarray[Any, Any]:
    """Return how many positive ratings make the positive class the more probable one."""
    tiny = 1e-9
    s, f = (min(max(x, tiny), 1.0 - tiny) for x in (hit, false_alarm))
    p = min(max(share, tiny), 1.0 - tiny)
    gain, loss = math.log(s / f), math.log((1.0 - s) / (1.0 - f))
    if gain <= loss:  # a positive rating speaks against the class
        return np.asarray(number + 1)
    least = (-math.log(p / (1.0 - p)) - number * loss) / (gain - loss)
    return np.asarray(np.maximum(np.floor(least) + 1, 0).astype(np.int64))


# ---- comparing models


@dataclass(frozen=True, slots=True)
class ClassComparison:
    """One model of a comparison; without a model, the reason why."""

    n_classes: int
    model: LatentClasses | None = field(repr=False)
    reason: str = ""


_COMPARED = (
    "log_likelihood",
    "n_parameters",
    "degrees_of_freedom",
    "aic",
    "bic",
    "g_squared",
    "x_squared",
    "p_value",
    "bootstrap_p_value",
    "converged",
)


@dataclass(frozen=True, kw_only=True)
class ComparedClasses(Unremarked, Several):
    """Models with different numbers of classes.

    Attributes
    ----------
    rows : tuple of ClassComparison
        By number of classes.
    """

    rows: tuple[ClassComparison, ...]

    @property
    def best(self) -> LatentClasses:
        """The model with the lowest BIC."""
        return min(self.models, key=lambda model: model.bic)

    @property
    def models(self) -> tuple[LatentClasses, ...]:
        """The models that could be fitted, by number of classes."""
        return tuple(row.model for row in self.rows if row.model is not None)

    def __iter__(self) -> Iterator[ClassComparison]:
        return iter(self.rows)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data with stable keys."""
        models = [
            {
                "n_classes": row.n_classes,
                "status": "ok" if row.model is not None else "undefined",
                "reason": row.reason or None,
                **{name: getattr(row.model, name, None) for name in _COMPARED},
            }
            for row in self.rows
        ]
        return plain_record({"models": models, "best": self.best.n_classes})

    def document(self) -> Document:
        """Return the models, the lowest BIC first."""
        ordered = sorted(self.models, key=lambda model: model.bic)
        tested = any(not math.isnan(m.g_squared) for m in ordered)
        drawn = any(not math.isnan(m.bootstrap_p_value) for m in ordered)
        p_value = "bootstrap_p_value" if drawn else "p_value"
        fit = ("df: degrees_of_freedom", "G²: g_squared", ("p", p_value, PValue))
        table = Table.of(
            ordered,
            "classes: n_classes",
            "log-likelihood: log_likelihood",
            "parameters: n_parameters",
            *(fit if tested else ()),
            "AIC: aic",
            "BIC: bic",
            note=f"Lowest BIC first. {_about_fit(tested=tested, drawn=drawn)}",
        )
        findings = tuple(
            Finding("not_identified", "info", row.reason) for row in self.rows if row.model is None
        )
        return Document(title="Numbers of classes", blocks=(table,), findings=findings)


def _about_fit(*, tested: bool, drawn: bool) -> str:
    """Say where the p-values of a comparison come from, or why there are none."""
    if not tested:
        return "Some ratings are missing, so G² does not exist."
    if drawn:
        return "p from samples of the model."
    return "p from the chi-squared distribution, which needs several items per pattern of ratings."
