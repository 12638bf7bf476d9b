"""Bias of Artstein & Poesio: what raters' own habits take from chance agreement, by distance."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from consilience.coefficients._cohen_kappa import cohen_kappa
from consilience.coefficients._estimate import Estimate
from consilience.coefficients._krippendorff_alpha import krippendorff_alpha
from consilience.coefficients._scott_pi import scott_pi
from consilience.core.arrays import Floats
from consilience.core.labels import LabelSet
from consilience.core.result import Result, Unremarked
from consilience.core.words import interval_head, shortened
from consilience.distances import Distance, get_distance
from consilience.document import Block, Document, Range, Table, plain
from consilience.exceptions import InputError, UnsupportedDesignError
from consilience.ratings import Ratings, as_ratings
from consilience.ratings.stores import CodedMatrix, as_long

_MOST_LABELS = 20


@dataclass(frozen=True, kw_only=True)
class DistanceBias:
    """Chance and agreement by one distance.

    Attributes
    ----------
    distance : str
    alpha, shared, own : Estimate
        Krippendorff's alpha; pi or alpha prime, whose chance is one distribution for all raters;
        kappa or beta, whose chance is each rater's own.
    bias : float
        B = D_e(own) - D_e(shared), which is A_e(pi) - A_e(kappa) for mere names.
    """

    distance: str
    alpha: Estimate
    shared: Estimate
    own: Estimate
    bias: float

    def to_dict(self) -> dict[str, Any]:
        """Return plain data with stable keys."""
        return {
            "distance": self.distance,
            "bias": self.bias,
            "observed_disagreement": self.own.observed_disagreement,
            "expected_disagreement_alpha": self.alpha.expected_disagreement,
            "expected_disagreement_shared": self.shared.expected_disagreement,
            "expected_disagreement_own": self.own.expected_disagreement,
            "difference": self.own.value - self.shared.value,
        }


@dataclass(frozen=True, kw_only=True)
class RaterBias(Unremarked, Result):
    """How far raters' habits differ, and what that does to the coefficients.

    Attributes
    ----------
    raters, labels : tuple
    shares : array (raters, labels)
        Share of each label among each rater's ratings; None where there are too many labels.
    variances : array (labels)
        Variance of the shares over raters; for mere names B is their sum over c - 1.
    distances : tuple of DistanceBias
        One for each distance, the first one first.
    """

    interval_needs: ClassVar[str] = "a coefficient; that of kappa is in its own result"

    raters: tuple[object, ...]
    labels: tuple[object, ...]
    shares: Floats | None = field(repr=False)
    variances: Floats | None = field(repr=False)
    distances: tuple[DistanceBias, ...] = field(repr=False)
    confidence_level: float = field(default=0.95, repr=False)

    @property
    def value(self) -> float:
        """The bias by the first distance."""
        return self.distances[0].bias

    @property
    def bias(self) -> float:
        """The bias by the first distance."""
        return self.value

    @property
    def status(self) -> str:
        """Whether there is a bias: "ok" or "undefined"."""
        return "ok" if np.isfinite(self.value) else "undefined"

    @property
    def reason(self) -> str | None:
        """Why there is none, if there is none."""
        return None if self.status == "ok" else self.distances[0].own.reason

    @property
    def estimates(self) -> tuple[Estimate, ...]:
        """The coefficients of all distances."""
        return tuple(one for by in self.distances for one in (by.alpha, by.shared, by.own))

    def to_dict(self) -> dict[str, Any]:
        """Return plain data with stable keys."""
        level = self.confidence_level
        record = {
            "value": self.value,
            "status": self.status,
            "reason": self.reason,
            "raters": self.raters,
            "labels": self.labels if self.shares is not None else None,
            "shares": self.shares,
            "variances": self.variances,
            "distances": [by.to_dict() for by in self.distances],
            "estimates": [one.to_dict(confidence_level=level) for one in self.estimates],
        }
        found: dict[str, Any] = plain(record)
        return found

    def document(self) -> Document:
        """Return the result as something to read."""
        blocks: list[Block] = [self._chance_table(), self._value_table()]
        if self.shares is not None:
            blocks.append(self._share_table())
        return Document(title="Raters' bias and chance agreement", blocks=tuple(blocks))

    def _chance_table(self) -> Table:
        rows: list[list[Any]] = [
            [
                by.distance,
                by.own.observed_disagreement,
                by.shared.expected_disagreement,
                by.own.expected_disagreement,
                by.bias,
            ]
            for by in self.distances
        ]
        heads = ("distance", "observed", "expected, shared", "expected, own", "bias B")
        note = (
            "Disagreement in units of the distance. Shared: one distribution of labels for all "
            "raters (pi, alpha prime); own: each rater's (kappa, beta). B is the difference."
        )
        return Table(heads=heads, rows=rows, caption="Disagreement by chance", note=note, digits=4)

    def _value_table(self) -> Table:
        rows: list[list[Any]] = []
        for by in self.distances:
            for one in (by.alpha, by.shared, by.own):
                interval = one.confidence_interval(self.confidence_level)
                limits = Range.of(interval) if one.status == "ok" else None
                rows.append([by.distance, one.name, one.value, limits])
        heads = ("distance", "coefficient", "value", interval_head(self.confidence_level))
        return Table(heads=heads, rows=rows, caption="Coefficients", digits=4)

    def _share_table(self) -> Table:
        assert self.shares is not None
        assert self.variances is not None
        rows: list[list[Any]] = [
            [shortened(str(label)), *row, float(spread)]
            for label, row, spread in zip(
                self.labels, self.shares.T.tolist(), self.variances, strict=True
            )
        ]
        names = [shortened(str(rater)) for rater in self.raters]
        note = "For mere names B is the sum of the variances over the number of raters less one."
        heads = ("label", *names, "variance")
        return Table(heads=heads, rows=rows, caption="Share of each label", note=note, digits=4)


def rater_bias(
    *ratings: Any,
    distance: Any = None,
    missing: str = "gwet",
    confidence_level: float = 0.95,
) -> RaterBias:
    """Say how far raters' habits differ, and what that does to chance agreement.

    Use it to choose between pi and kappa, or alpha and beta: where the bias is small, the choice
    does not matter. It falls as raters are added.

    Parameters
    ----------
    ratings : Ratings, a table of items × raters, or one sequence of labels per rater
    distance : str, Distance or callable, or a list of them; default the one that fits the scale
    missing : {"gwet", "ap", "listwise"}, as in `cohen_kappa`
    confidence_level : float, default 0.95
        Of the intervals that are shown.

    Returns
    -------
    RaterBias

    Raises
    ------
    UnsupportedDesignError
        It is not known who rated, or there are fewer than two raters.

    Notes
    -----
    B = A_e(pi) - A_e(kappa) = 1/(c - 1) sum over k of Var P(k|c)             (section 3)
    kappa - pi = B (1 - A_o) / ((1 - A_e(pi)) (1 - A_e(kappa)))
    B = D_e(beta) - D_e(alpha prime)                                          (appendix B)

    The paper prints (1 - A_e(pi)) twice in the second line, and the third with the opposite sign;
    as printed it would be negative where the first is positive.

    References
    ----------
    .. [1] Artstein, R., & Poesio, M. (2005). Kappa³ = Alpha (or Beta). Technical report CSM-437,
       University of Essex, section 3 and appendices.

    Examples
    --------
    >>> from consilience import datasets
    >>> found = rater_bias(datasets.load("artstein_poesio_2005_table6"))
    >>> round(found.bias, 4), found.variances.round(4).tolist()
    (0.0054, [0.0009, 0.0036, 0.0009])
    """
    data = as_ratings(*ratings)
    if len(data.raters) < 2:
        raise UnsupportedDesignError.needs(
            "the bias of raters", "at least two raters, each known", len(data.raters),
            "give ratings in which it is known who rated",
        )  # fmt: skip
    found = tuple(_by_distance(data, one, missing) for one in _distances(distance, data))
    listed = len(data.categories) <= _MOST_LABELS
    sets = any(isinstance(label, LabelSet) for label in data.categories)
    shares = _label_shares(data) if listed and not sets else None
    return RaterBias(
        raters=data.raters,
        labels=data.categories,
        shares=shares,
        variances=None if shares is None else shares.var(axis=0),
        distances=found,
        confidence_level=confidence_level,
    )


def _distances(given: Any, data: Ratings) -> list[Distance]:
    several = given if isinstance(given, (list, tuple)) else [given]
    if not several:
        raise InputError.expected("distance", "a distance or a list of them", given, "leave it out")
    return [get_distance(one, scale=data.scale) for one in several]


def _by_distance(data: Ratings, distance: Distance, missing: str) -> DistanceBias:
    own = cohen_kappa(data, distance=distance, missing=missing, on_undefined="ignore")
    shared = scott_pi(data, distance=distance, missing=missing, on_undefined="ignore")
    alpha = krippendorff_alpha(data, distance=distance, on_undefined="ignore")
    assert own.expected_disagreement is not None
    assert shared.expected_disagreement is not None
    # Artstein & Poesio (2005), appendix B, with the sign of appendix A.
    bias = own.expected_disagreement - shared.expected_disagreement
    return DistanceBias(distance=distance.name, alpha=alpha, shared=shared, own=own, bias=bias)


def _label_shares(data: Ratings) -> Floats:
    """Return P(k|c), the share of each label among each rater's ratings (raters x labels)."""
    q, store = len(data.categories), data._coded_store()
    counts = np.zeros((len(data.raters), q))
    if isinstance(store, CodedMatrix):
        codes, times = store.patterns.codes, store.patterns.multiplicity
        for c, column in enumerate(codes.T):
            counts[c] = np.bincount(column[column >= 0], times[column >= 0], minlength=q)
    else:
        table = as_long(store)
        np.add.at(counts, (table.rater, table.label), 1.0)
    shares: Floats = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1.0)
    return shares
