"""What every model of the truth hands back: labels, how sure they are, how good the raters are."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, Protocol, TypeVar, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from consilience.core.arguments import whole_number
from consilience.core.arrays import Floats, Indices
from consilience.core.draws import MOST_RESAMPLES
from consilience.core.labels import label_key
from consilience.core.labels import plain as plain_label
from consilience.core.result import Several
from consilience.core.verdict import Gauge, Verdict
from consilience.core.words import counted, interval_head, percent
from consilience.document import Column, Document, Finding, Paragraph, Range, Table
from consilience.document.blocks import Block, found
from consilience.document.records import Recorded, plain
from consilience.exceptions import InputError
from consilience.latent._em import ClassFit
from consilience.latent.votes import Votes
from consilience.ratings import Ratings

_TIE = 1e-9  # posteriors that differ by less are equal
_MOST_SHOWN = 20
_SURE = 0.9  # probability from which on a label is called sure
FEW_RATINGS = 5  # ratings below which a rater's own rates mean little

RowOfRater = TypeVar("RowOfRater", bound=Any)  # with a `rater`


@runtime_checkable
class TruthModel(Protocol):
    """What adjudication needs of a model of the truth."""

    @property
    def items(self) -> Sequence[object]:
        """Names of the items."""
        ...

    @property
    def categories(self) -> tuple[object, ...]:
        """The labels."""
        ...

    @property
    def posterior(self) -> Floats:
        """Probability of each label for each item."""
        ...

    @property
    def labels(self) -> tuple[object, ...]:
        """The suggested label of each item."""
        ...

    @property
    def probability(self) -> Floats:
        """Probability of the suggested label."""
        ...

    @property
    def raters(self) -> tuple[RaterQuality, ...]:
        """How good each rater is."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class RaterQuality(Recorded):
    """How good one rater is, by a model of the truth.

    Attributes
    ----------
    rater : name
    n_ratings : int
    accuracy : float
        How often she gives the true label, over all items.
    standard_error, low, high : float
        Of the accuracy; NaN where the model gives none.
    details : mapping
        What else the model says of her: sensitivity, spamming, ability, ...
    """

    rater: object
    n_ratings: int
    accuracy: float
    standard_error: float = math.nan
    low: float = math.nan
    high: float = math.nan
    details: Mapping[str, float] = field(default_factory=dict)


def rater_qualities(
    raters: Sequence[object],
    n_ratings: Floats,
    accuracy: Floats,
    errors: Floats | None = None,
    limits: Floats | None = None,
    **details: Floats,
) -> tuple[RaterQuality, ...]:
    """Return how good each rater is; nothing is known of those who rated nothing."""
    unknown = np.full(len(raters), np.nan)
    columns = [
        np.where(n_ratings > 0, accuracy, np.nan),
        unknown if errors is None else errors,
        *((unknown, unknown) if limits is None else limits.T),
    ]
    quality = zip(*(column.tolist() for column in columns), strict=True)
    told = {name: np.where(n_ratings > 0, told, np.nan).tolist() for name, told in details.items()}
    return tuple(
        RaterQuality(
            rater=rater,
            n_ratings=round(float(n_ratings[g])),
            accuracy=own,
            standard_error=error,
            low=low,
            high=high,
            details={name: told[name][g] for name in details},
        )
        for g, (rater, (own, error, low, high)) in enumerate(zip(raters, quality, strict=True))
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class Truth(Recorded, Several):
    """What models of the truth share; the fields of each model stand beside these.

    Attributes
    ----------
    items, categories : names of the items and the labels
    posterior : array, items × labels
        The probability of each label; NaN for an item that nobody rated.
    raters : tuple of RaterQuality
    log_likelihood : float
    converged : bool
    n_iterations : int
    findings : tuple of Finding
    """

    unrecorded: ClassVar[tuple[str, ...]] = ("items", "posterior", "history")
    recorded: ClassVar[tuple[str, ...]] = ("n_items",)

    items: Sequence[object] = field(repr=False)
    categories: tuple[object, ...]
    posterior: Floats = field(repr=False)
    raters: tuple[RaterQuality, ...] = field(repr=False)
    n_ratings: int
    log_likelihood: float
    converged: bool
    n_iterations: int
    confidence_level: float = 0.95
    findings: tuple[Finding, ...] = field(default=(), repr=False)

    @property
    def n_items(self) -> int:
        """Number of items."""
        return len(self.posterior)

    @cached_property
    def label_codes(self) -> NDArray[np.intp]:
        """Place of the suggested label among the categories; -1 for an item without ratings."""
        rated = ~np.isnan(self.posterior[:, 0])
        known = np.where(rated[:, None], self.posterior, 0.0)
        codes = np.argmax(known >= known.max(axis=1, keepdims=True) - _TIE, axis=1)
        codes[~rated] = -1
        return np.asarray(codes)

    @cached_property
    def labels(self) -> tuple[object, ...]:
        """The most probable label of each item; None for an item without ratings.

        Where two labels are equally probable, the one that comes first among the categories; such
        items are listed in `ties`.
        """
        names = (*self.categories, None)
        return tuple(names[code] for code in self.label_codes.tolist())

    @cached_property
    def probability(self) -> Floats:
        """The probability of the suggested label; NaN for an item without ratings."""
        return np.asarray(self.posterior.max(axis=1))

    @cached_property
    def ties(self) -> tuple[object, ...]:
        """Items for which two labels are equally probable."""
        near = self.posterior >= self.probability[:, None] - _TIE
        return tuple(self.items[k] for k in np.flatnonzero(near.sum(axis=1) > 1).tolist())

    def rater(self, name: object) -> RaterQuality:
        """Return what is said of one rater."""
        return of_rater(self.raters, name)

    @property
    def _title(self) -> str:
        """What the model is called."""
        raise NotImplementedError

    def _blocks(self) -> list[Block]:
        """Return what is shown of the model beside how sure its labels are."""
        raise NotImplementedError

    def document(self) -> Document:
        """Return the result as something to read."""
        return Document(
            title=self._title,
            blocks=(Paragraph(self._sureness()), *self._blocks()),
            findings=self.findings,
            verdict=self.verdict,
        )

    def to_dict(self) -> dict[str, Any]:
        """Return plain data with stable keys."""
        keys = ("item", "label", "probability", "posterior")
        columns = (self.items, self.labels, self.probability.tolist(), self.posterior.tolist())
        items = [dict(zip(keys, row, strict=True)) for row in zip(*columns, strict=True)]
        return super().to_dict() | {"items": plain(items)}

    def _rater_table(self, heads: Sequence[str] = ()) -> Table:
        """Return the raters, least accurate first, with what the model says beside."""
        order = sorted(self.raters, key=lambda one: (math.isnan(one.accuracy), one.accuracy))
        has_limits = any(math.isfinite(one.low) for one in self.raters)
        left = len(order) - _MOST_SHOWN
        return Table.of(
            order[:_MOST_SHOWN],
            "rater!s",
            "ratings: n_ratings",
            "accuracy",
            (interval_head(self.confidence_level), Range.of) if has_limits else None,
            *((head, f"details.{head}") for head in heads),
            caption="Raters, least accurate first",
            note=f"{left:,} more raters are not shown." if left > 0 else "",
        )

    @property
    def verdict(self) -> Verdict:
        """How many labels can be relied on, and what to do with the others."""
        known = self.probability[~np.isnan(self.probability)]
        sure = int((known >= _SURE).sum())
        share = sure / known.size if known.size else math.nan
        gauge = Gauge(name=f"share of labels at least {percent(_SURE)} sure", value=share, marks=())
        message = (
            f"{sure:,} of {counted(known.size, 'item')} have a label that is at least "
            f"{percent(_SURE)} sure."
        )
        if sure == known.size:
            return Verdict(
                code="labels_sure",
                message=message,
                gravity="good",
                gauge=gauge,
                next="Look at the raters' errors before the labels are used: a model can be sure "
                "and wrong.",
            )
        return Verdict(
            code="labels_unsure",
            message=message,
            gauge=gauge,
            next="Let a person decide the others: 'consilience adjudicate' lists them.",
        )

    def _sureness(self) -> str:
        """Say in a sentence how sure the labels are."""
        known = self.probability[~np.isnan(self.probability)]
        return (
            f"{known.size:,} items got a label. The log-likelihood is {self.log_likelihood:.3f} "
            f"after {self.n_iterations:,} iterations"
            f"{'' if self.converged else ', and had not settled'}."
        )


class Criteria:
    """Akaike's and Schwarz's criteria of a model with so many free parameters."""

    log_likelihood: float
    n_parameters: int

    @property
    def n_rated(self) -> int:
        """Number of items that somebody rated."""
        raise NotImplementedError

    @property
    def aic(self) -> float:
        """Akaike's criterion, -2 log L + 2 p: the lower, the better the model predicts."""
        return -2.0 * self.log_likelihood + 2.0 * self.n_parameters

    @property
    def bic(self) -> float:
        """Schwarz's criterion, -2 log L + p log n over the n items that were rated."""
        return -2.0 * self.log_likelihood + self.n_parameters * math.log(max(self.n_rated, 1))


@dataclass(frozen=True, kw_only=True, eq=False)
class ClassTruth(Criteria, Truth):
    """A truth of classes: how common each is, and what each rater says of it.

    Attributes
    ----------
    n_parameters : int
        Free parameters: shares of the classes, and rates of each rater who rated.
    prevalence : array
        Share of the items of each class; of Dawid & Skene's model each label is one.
    prevalence_standard_error, prevalence_interval : arrays; the interval is classes × 2
    starts : tuple of float
        The log-likelihood reached from each start.
    standard_error_method : str
    """

    recorded: ClassVar[tuple[str, ...]] = ("n_items", "aic", "bic")

    n_parameters: int
    prevalence: Floats
    prevalence_standard_error: Floats = field(repr=False)
    prevalence_interval: Floats = field(repr=False)
    starts: tuple[float, ...] = field(repr=False)
    standard_error_method: str

    @property
    def n_rated(self) -> int:
        """Number of items that somebody rated."""
        return int(np.count_nonzero(~np.isnan(self.posterior[:, 0])))

    def _share_table(
        self, heads: tuple[str, ...], names: Sequence[tuple[object, ...]], *, caption: str
    ) -> Table:
        """Return how common labels or classes are; intervals only where there are some."""
        limits = self.prevalence_interval
        columns: list[Column] = [(head, f"0.{k}", "s") for k, head in enumerate(heads)]
        columns.append("share: 1")
        if np.isfinite(limits).any():
            columns.append((interval_head(self.confidence_level), lambda one: Range(*one[2])))
        rows = zip(names, self.prevalence.tolist(), limits.tolist(), strict=True)
        return Table.of(rows, *columns, caption=caption)

    def _rate_table(
        self, head: str, names: Sequence[object], rates: Floats, *, caption: str
    ) -> Table:
        """Return how often each rater says each label of the items of a class."""
        lines = [
            (one.rater, name, said)
            for one, table in zip(self.raters, rates, strict=True)
            for name, said in zip(names, table.tolist(), strict=True)
        ]
        return Table.of(
            lines,
            "rater: 0!s",
            f"{head}: 1!s",
            *((f"says {name}", f"2.{k}") for k, name in enumerate(self.categories)),
            caption=caption,
            detail=True,
        )


# ---- checks and findings


def of_rater(rows: Sequence[RowOfRater], name: object) -> RowOfRater:
    """Return the row of one rater, by name."""
    key = label_key(plain_label(name), "a rater")
    for row in rows:
        if label_key(row.rater) == key:
            return row
    raise InputError.unknown_word("rater", name, [str(row.rater) for row in rows])


def check_count(what: str, value: object, *, least: int = 1) -> int:
    """Return a whole number that is large enough, and not a slip of the finger."""
    hint = f"for example {what}={least + 9}"
    return whole_number(what, value, least=least, most=MOST_RESAMPLES, hint=hint)


def shared_fields(
    ratings: Ratings,
    votes: Votes,
    fit: ClassFit,
    *,
    n_iterations: int,
    findings: Sequence[Finding] = (),
) -> dict[str, Any]:
    """Return the fields that every model of the truth has; its own findings come last."""
    common = common_findings(ratings, votes, converged=fit.converged, max_iterations=n_iterations)
    return {
        "items": ratings.items,
        "categories": ratings.categories,
        "posterior": votes.of_items(fit.posterior),
        "n_ratings": round(float(votes.totals().sum())),
        "log_likelihood": fit.log_likelihood,
        "converged": fit.converged,
        "n_iterations": n_iterations,
        "findings": (*common, *findings),
    }


def common_findings(
    ratings: Ratings, votes: Votes, *, converged: bool, max_iterations: int
) -> tuple[Finding, ...]:
    """Say what holds for every model: no convergence, thin raters, items and labels without use."""
    unrated = votes.n_items - votes.n_rated
    given = votes.totals().sum(axis=1)
    thin = np.flatnonzero(given < FEW_RATINGS)
    names = ", ".join(f"{ratings.raters[k]} ({given[k]:.0f})" for k in thin[:3].tolist())
    more = f" and {thin.size - 3:,} others" if thin.size > 3 else ""
    unused = np.flatnonzero(votes.totals().sum(axis=0) == 0)
    return found(
        (
            not converged,
            "not_converged",
            "caution",
            f"The estimates were still moving after {max_iterations:,} iterations; raise "
            "max_iterations.",
        ),
        (
            unrated,
            "unrated_items",
            "info",
            f"{unrated:,} {'item has' if unrated == 1 else 'items have'} no rating and no "
            "suggested label; they do not count for anything.",
        ),
        (
            thin.size,
            "few_ratings",
            "caution",
            f"Some raters gave fewer than {FEW_RATINGS} ratings, {names}{more}: what is said "
            "of them rests on next to nothing. Let them rate more, or pass smoothing=0.01 "
            "where the model takes it.",
        ),
        (
            unused.size,
            "unused_labels",
            "info",
            f"Nobody used {labels_named(ratings, unused)}; the model can say nothing about items "
            "of that kind.",
        ),
    )


def labels_named(ratings: Ratings, codes: Indices) -> str:
    """Name some labels, as they are written in code."""
    return ", ".join(repr(ratings.categories[k]) for k in codes[:5].tolist())
