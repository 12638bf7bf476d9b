"""A simulated study: its design, checked once, and the ratings drawn from it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from consilience.core import arguments as check
from consilience.core.draws import RandomStream, Seed
from consilience.core.labels import is_number
from consilience.exceptions import InputError
from consilience.ratings import Ratings
from consilience.ratings.construction import check_names
from consilience.simulate._rater_models import (
    Items,
    LabelModel,
    LatentModel,
    MixtureModel,
    Model,
    ValueModel,
    draw_raters,
)

SCALES = ("nominal", "ordinal", "interval")
_ACCURACY, _NOISE = 0.8, 0.5  # of raters about whom nothing was said
_WIDE_CELLS = 20_000_000  # items x raters up to which a crowd's numbers lie in a matrix


@dataclass(frozen=True, kw_only=True)
class Simulator:
    """The design of a simulated study; `draw` gives its ratings.

    The fields are the parameters of `simulate`, which see. Change a design with
    `dataclasses.replace`; every change is checked again.

    Examples
    --------
    >>> design = Simulator(n_items=50, n_raters=4, agreement=0.6, prevalence=0.3)
    >>> design.draw(rng=1).ratings
    Ratings(50 items × 4 raters, 200 ratings, 2 categories, nominal)
    """

    n_items: int = 100
    n_raters: int = 3
    categories: int | Sequence[object] = 2
    prevalence: float | Sequence[float] | Mapping[Any, float] | None = None
    accuracy: ArrayLike | None = None
    bias: ArrayLike | None = None
    agreement: float | None = None
    hard_share: float = 0.0
    hard_accuracy: float | Sequence[float] | None = None
    noise: float | Sequence[float] | None = None
    shift: float | Sequence[float] = 0.0
    hard_noise: float | Sequence[float] | None = None
    mean: float = 0.0
    spread: float = 1.0
    missing: float = 0.0
    ratings_per_item: int | None = None
    occasions: int = 1
    scale: str = "nominal"
    raters: Sequence[object] | None = None

    def __post_init__(self) -> None:
        for name in ("n_items", "n_raters", "occasions"):
            self._set(name, check.whole_number(name, getattr(self, name), least=1))
        check.check_word("scale", self.scale, SCALES)
        self._set("missing", check.share("missing", self.missing))
        if self.raters is not None:
            self._set("raters", check_names("raters", self.raters, self.n_raters))
        self._check_ratings_per_item()
        self._check_conflicts()
        self._check_labels()
        self._check_numbers()
        _ = self._model  # a design that cannot be drawn from is refused when it is made

    def draw(self, *, n_items: int | None = None, rng: Seed | RandomStream = None) -> Simulated:
        """Draw ratings; the same seed gives the same bits.

        Parameters
        ----------
        n_items : int, default the design's
        rng : seed or numpy Generator, optional
        """
        size = self.n_items if n_items is None else n_items
        size = check.whole_number("n_items", size, least=1)
        random = RandomStream.of(rng)
        model = self._model
        items = model.items(size, random)
        who = None
        if self.ratings_per_item is not None and self.ratings_per_item < self.n_raters:
            who = draw_raters(size, self.ratings_per_item, self.n_raters, random)
        matrices = tuple(self._rate(items, who, random) for _ in range(self.occasions))
        made = tuple(self._ratings(matrix, who) for matrix in matrices)
        return Simulated(
            ratings=made[0],
            truth=self._as_labels(items.truth),
            hard=items.hard,
            occasions=made,
            design=self,
            _matrices=matrices,
            _who=who,
        )

    @property
    def labels(self) -> tuple[object, ...]:
        """The categories; empty on an interval scale."""
        return () if self.scale == "interval" else tuple(self.categories)  # type: ignore[arg-type]

    @property
    def shares(self) -> tuple[float, ...]:
        """The prevalence of each category; empty on an interval scale."""
        if self.scale == "interval":
            return ()
        if self.prevalence is None:
            return (1.0 / len(self.labels),) * len(self.labels)
        return tuple(self.prevalence)  # type: ignore[arg-type]

    @property
    def confusion(self) -> NDArray[np.float64] | None:
        """Chances of each label (last axis) given the true one, by rater, on easy items."""
        return self._model.confusion if isinstance(self._model, LabelModel) else None

    @property
    def rater_names(self) -> tuple[object, ...]:
        """Names of the raters: those given, or 0, 1, 2, ..."""
        return tuple(self.raters) if self.raters is not None else tuple(range(self.n_raters))

    # ---------------------------------------------------------------- checks

    def _set(self, name: str, value: object) -> None:
        object.__setattr__(self, name, value)

    def _check_ratings_per_item(self) -> None:
        if self.ratings_per_item is None:
            return
        wanted = check.whole_number("ratings_per_item", self.ratings_per_item, least=1)
        if wanted > self.n_raters:
            raise InputError.expected(
                "ratings_per_item",
                f"at most the number of raters ({self.n_raters})",
                wanted,
                "make n_raters the size of the pool that each item's raters come from",
            )

    def _check_conflicts(self) -> None:
        """Refuse options that another option would silently overrule."""
        given = {
            name
            for name in ("accuracy", "bias", "agreement", "noise", "hard_noise", "hard_accuracy")
            if getattr(self, name) is not None
        }
        given |= {name for name in ("shift", "hard_share") if np.any(getattr(self, name))}
        for first, others in self._exclusions(given):
            clash = sorted(given & others)
            if clash:
                raise InputError.expected(
                    clash[0], f"left out with {first}", getattr(self, clash[0]), "choose one"
                )

    def _exclusions(self, given: set[str]) -> list[tuple[str, set[str]]]:
        labelling = {"accuracy", "bias", "hard_accuracy"}
        seeing = {"noise", "shift", "hard_noise"}
        rules: list[tuple[str, set[str]]] = []
        if "agreement" in given:
            rules.append(("agreement", labelling | seeing | {"hard_share"}))
        if self.scale == "nominal":
            rules.append(('scale="nominal"', seeing))
        elif self.scale == "interval":
            rules.append(('scale="interval"', labelling))
        for name in sorted(given & seeing):
            rules.append((name, labelling))
        return rules

    def _check_labels(self) -> None:
        if self.scale == "interval":
            if self.prevalence is not None:
                raise InputError.expected(
                    "prevalence", "left out on an interval scale", self.prevalence, "set mean"
                )
            return
        self._set("categories", check.category_labels(self.categories))
        if self.prevalence is not None:
            shares = check.distribution("prevalence", self.prevalence, self.labels)
            self._set("prevalence", shares)
        if self.accuracy is not None:
            self._set("accuracy", self._checked_accuracy())
        if self.bias is not None:
            self._set("bias", self._checked_bias())

    def _check_numbers(self) -> None:
        self._set("hard_share", check.share("hard_share", self.hard_share))
        if self.agreement is not None:
            self._set("agreement", check.share("agreement", self.agreement))
        self._set("mean", check.real_number("mean", self.mean))
        self._set("spread", check.real_number("spread", self.spread, least=0.0))
        kinds = {"hard_accuracy": "share", "noise": "spread", "hard_noise": "spread"}
        for name, kind in {**kinds, "shift": "number"}.items():
            value = getattr(self, name)
            if value is not None:
                self._set(name, check.per_rater(name, value, self.n_raters, kind=kind))
        needed = "hard_accuracy" if self._kind == "labels" else "hard_noise"
        if (getattr(self, needed) is None) == (self.hard_share > 0.0):
            what = needed if self.hard_share else "hard_share"
            raise InputError.expected(
                what,
                f"given together with {'hard_share' if self.hard_share else needed}",
                getattr(self, what),
                f"for example {what}=0.5",
            )

    def _checked_accuracy(self) -> Any:
        array = check.as_array("accuracy", self.accuracy)
        q, r = len(self.labels), self.n_raters
        if array.ndim <= 1:
            return check.per_rater("accuracy", check.nested(array), r, kind="share")
        if array.shape not in ((q, q), (r, q, q)):
            raise InputError.expected(
                "accuracy",
                f"a share, {r} shares, a {q}×{q} confusion matrix or {r} of them",
                f"shape {array.shape}",
                "rows of a confusion matrix are the true labels",
            )
        sums = array.sum(axis=-1)
        if (array < 0.0).any() or (np.abs(sums - 1.0) > 1e-6).any():
            raise InputError.expected(
                "every row of a confusion matrix",
                "shares that add up to 1",
                float(sums.ravel()[np.argmax(np.abs(sums - 1.0).ravel())]),
                "rows are the true labels, columns what the rater says",
            )
        return check.nested(array / sums[..., None])

    def _checked_bias(self) -> Any:
        array = check.as_array("bias", self.bias)
        if array.ndim == 2 and len(array) == self.n_raters:
            return tuple(check.distribution("bias", row.tolist(), self.labels) for row in array)
        return check.distribution("bias", array.tolist(), self.labels)

    # ---------------------------------------------------------------- the model

    @property
    def _kind(self) -> str:
        if self.scale == "interval":
            return "values"
        if self.agreement is not None:
            return "mixture"
        labelling = (self.accuracy, self.bias, self.hard_accuracy)
        if self.scale == "ordinal" and all(option is None for option in labelling):
            return "latent"
        return "labels"

    @cached_property
    def _model(self) -> Model:
        shares = np.array(self.shares)
        if self._kind == "mixture":
            assert self.agreement is not None
            return MixtureModel(shares, self.agreement)
        if self._kind == "labels":
            return LabelModel(
                shares,
                self._confusions(self.accuracy if self.accuracy is not None else _ACCURACY),
                self._confusions(self.hard_accuracy if self.hard_accuracy is not None else 0.0),
                self.hard_share,
            )
        noise = check.spread_over(self.noise if self.noise is not None else _NOISE, self.n_raters)
        hard = check.spread_over(self.hard_noise or 0.0, self.n_raters)
        shift = check.spread_over(self.shift, self.n_raters)
        if self._kind == "latent":
            return LatentModel(shares, noise, shift, hard, self.hard_share)
        spread = self.spread
        if self.agreement is not None:  # the variance of a rating stays spread**2
            noise[:] = spread * math.sqrt(1.0 - self.agreement)
            spread *= math.sqrt(self.agreement)
        return ValueModel(self.mean, spread, noise, shift, hard, self.hard_share)

    def _confusions(self, accuracy: Any) -> NDArray[np.float64]:
        """Return the chances of each label given the true one (raters x q x q)."""
        q, r = len(self.labels), self.n_raters
        given = np.asarray(accuracy, dtype=np.float64)
        if given.ndim >= 2:
            return np.broadcast_to(given, (r, q, q)).copy()
        knows = check.spread_over(given.tolist(), r)[:, None, None]
        if self.bias is None:  # errors fall evenly on the other labels
            guess = (1.0 - np.eye(q)) / (q - 1)
        else:
            guess = np.broadcast_to(np.asarray(self.bias), (r, q))[:, None, :]
        return np.asarray(knows * np.eye(q) + (1.0 - knows) * guess)

    # ---------------------------------------------------------------- drawing

    def _rate(self, items: Items, who: NDArray[np.int64] | None, rng: RandomStream) -> NDArray[Any]:
        """Return ratings (slots x items): label codes with -1, or values with NaN, for missing."""
        slots: list[Any] = list(range(self.n_raters)) if who is None else list(who)
        first = self._model.rate(items, slots[0], rng)
        matrix = np.empty((len(slots), first.size), dtype=first.dtype)
        matrix[0] = first
        for slot, rater in enumerate(slots[1:], start=1):
            matrix[slot] = self._model.rate(items, rater, rng)
        if self.missing:
            for row in matrix:
                gone = rng.random(row.size) < self.missing
                row[gone] = math.nan if self.scale == "interval" else -1
        return matrix

    def _ratings(self, matrix: NDArray[Any], who: NDArray[np.int64] | None) -> Ratings:
        if who is None:
            return self._wide(matrix.T)
        n_items = matrix.shape[1]
        if self.scale == "interval" and n_items * self.n_raters <= _WIDE_CELLS:
            values = np.full((self.n_raters, n_items), math.nan)
            values[who, np.arange(n_items)] = matrix
            return self._wide(values.T)
        item = np.repeat(np.arange(n_items), len(matrix))
        rater, label = who.T.ravel(), matrix.T.ravel()
        if self.scale == "interval":
            columns = {"item": item, "rater": rater, "label": label}
            return Ratings.from_long(columns, scale=self.scale)
        return Ratings.from_codes(
            item=item,
            rater=rater,
            label=label,
            raters=self.rater_names,
            categories=self.labels,
            scale=self.scale,
            declared=True,
        )

    def _wide(self, matrix: NDArray[Any]) -> Ratings:
        names = self.rater_names
        if self.scale == "interval":
            return Ratings.from_wide(matrix, raters=names, scale=self.scale)
        codes = range(len(self.labels))
        made = Ratings.from_wide(
            matrix,
            raters=names,
            scale=self.scale,
            categories=codes,
            missing_values=[-1] if self.missing else (),
        )
        return made if self.labels == tuple(codes) else made.collapse(dict(enumerate(self.labels)))

    def _as_labels(self, truth: NDArray[Any]) -> NDArray[Any]:
        return truth if self.scale == "interval" else _label_array(self.labels)[truth]


@dataclass(frozen=True, kw_only=True, eq=False)
class Simulated:
    """Ratings drawn from a design, with the truth behind them.

    Attributes
    ----------
    ratings : Ratings
        The ratings of the first occasion.
    truth : array
        The true label or value of each item.
    hard : array of bool
        Which items are hard; under `agreement`, those that the raters label at random.
    occasions : tuple of Ratings
        The ratings of each occasion.
    design : Simulator
    """

    ratings: Ratings
    truth: NDArray[Any]
    hard: NDArray[np.bool_]
    occasions: tuple[Ratings, ...]
    design: Simulator
    _matrices: tuple[NDArray[Any], ...] = field(repr=False)
    _who: NDArray[np.int64] | None = field(repr=False)

    def to_long(self) -> dict[str, NDArray[Any]]:
        """Return one entry per rating: columns item, rater, occasion, label.

        ``Ratings.from_long(simulated.to_long(), occasion="occasion")`` or any dataframe library
        takes it.
        """
        names = _label_array(self.design.rater_names)
        columns: dict[str, list[NDArray[Any]]]
        columns = {name: [] for name in ("item", "rater", "occasion", "label")}
        for occasion, matrix in enumerate(self._matrices, start=1):
            who = np.arange(len(matrix))[:, None] if self._who is None else self._who
            present = ~np.isnan(matrix) if self.design.scale == "interval" else matrix >= 0
            given = present.T
            item = np.nonzero(given)[0]
            columns["item"].append(item)
            columns["rater"].append(names[np.broadcast_to(who, matrix.shape).T[given]])
            columns["occasion"].append(np.full(item.size, occasion))
            columns["label"].append(self.design._as_labels(matrix.T[given]))
        return {name: np.concatenate(parts) for name, parts in columns.items()}


def _label_array(labels: Sequence[object]) -> NDArray[Any]:
    """Return labels as an array that keeps what they are."""
    if all(isinstance(label, str) for label in labels) or all(map(is_number, labels)):
        return np.array(list(labels))
    array = np.empty(len(labels), dtype=object)
    for place, label in enumerate(labels):
        array[place] = label
    return array


def simulate(
    *,
    n_items: int = 100,
    n_raters: int = 3,
    categories: int | Sequence[object] = 2,
    prevalence: float | Sequence[float] | Mapping[Any, float] | None = None,
    accuracy: ArrayLike | None = None,
    bias: ArrayLike | None = None,
    agreement: float | None = None,
    hard_share: float = 0.0,
    hard_accuracy: float | Sequence[float] | None = None,
    noise: float | Sequence[float] | None = None,
    shift: float | Sequence[float] = 0.0,
    hard_noise: float | Sequence[float] | None = None,
    mean: float = 0.0,
    spread: float = 1.0,
    missing: float = 0.0,
    ratings_per_item: int | None = None,
    occasions: int = 1,
    scale: str = "nominal",
    raters: Sequence[object] | None = None,
    rng: Seed = None,
) -> Simulated:
    """Draw ratings with a chosen design and a known truth.

    Use it to see what a coefficient makes of raters whose faults are known, to plan a study, or to
    make an example. Prefer the bootstrap when there are data: it needs no assumptions.

    Parameters
    ----------
    n_items, n_raters : int
        Size of the study; with `ratings_per_item`, `n_raters` is the pool of raters.
    categories : int or list of labels
        The labels; a number q stands for the labels 1 to q.
    prevalence : share, list of shares or mapping, default all equal
        How common each true label is; a single share is that of the first of two categories.
    accuracy : share, one share per rater, confusion matrix or one matrix per rater, default 0.8
        How often a rater gives the true label because she knows it. In a confusion matrix rows
        are the true labels and columns what the rater says.
    bias : list of shares, or one list per rater
        What a rater says when she does not know: labels drawn from these shares, which may be
        right by luck. Without it, errors fall evenly on the other labels. A rater with
        ``accuracy=0`` and ``bias=[1, 0]`` always says the first label.
    agreement : float
        Instead of `accuracy`: the chance-corrected agreement to have. A share `agreement` of the
        items is plain to all raters; on the others each draws a label from `prevalence`. Pi,
        kappa and alpha then have exactly this value in a large sample, with any distance.
        On an interval scale it is the share of the variance that is true.
    hard_share, hard_accuracy : share of hard items, and the raters' accuracy on them
    noise : float or one per rater, default 0.5
        Ordinal and interval scales: standard deviation of a rater's error. On an ordinal scale
        the true place of an item on the line has standard deviation 1, and the line is cut such
        that the true categories have their prevalence.
    shift : float or one per rater
        What a rater adds to everything: leniency or severity.
    hard_noise : float or one per rater
        The noise on hard items.
    mean, spread : mean and standard deviation of the true values on an interval scale
    missing : share of the ratings that are missing, completely at random
    ratings_per_item : int
        Each item is rated by so many raters drawn from the pool: a crowd.
    occasions : int
        How often each rater rates each of her items; the truth stays, errors are drawn anew.
    scale : {"nominal", "ordinal", "interval"}
    raters : names, default 0, 1, 2, ...
    rng : seed or numpy Generator
        The same seed gives the same bits.

    Returns
    -------
    Simulated
        ``ratings``, ``truth``, ``hard``, ``occasions`` and the ``design``, which can draw again.

    Raises
    ------
    InputError
        An option is out of range, or two options exclude each other.

    Notes
    -----
    With accuracy a and bias b a rater says label l of an item whose truth is k with chance
    a [k = l] + (1 - a) b_l, the model of [1]_; full confusion matrices are the model of [2]_.
    Under `agreement` rho the chance that all of m raters say k is (1 - rho) p_k^m + rho p_k, the
    common-correlation model of [3]_, and any other pattern has (1 - rho) times the product of the
    p_k; hence observed disagreement is 1 - rho times expected disagreement.

    References
    ----------
    .. [1] Hovy, D., Berg-Kirkpatrick, T., Vaswani, A. & Hovy, E. (2013). Learning whom to trust
       with MACE. Proceedings of NAACL-HLT 2013, 1120-1130.
    .. [2] Dawid, A. P. & Skene, A. M. (1979). Maximum likelihood estimation of observer
       error-rates using the EM algorithm. Applied Statistics 28, 20-28. doi:10.2307/2346806
    .. [3] Donner, A. & Eliasziw, M. (1992). A goodness-of-fit approach to inference procedures for
       the kappa statistic. Statistics in Medicine 11, 1511-1519. doi:10.1002/sim.4780111109

    Examples
    --------
    >>> import consilience as cs
    >>> study = simulate(n_items=20_000, n_raters=5, agreement=0.6, prevalence=0.3, rng=1)
    >>> round(cs.krippendorff_alpha(study.ratings).value, 2)
    0.6
    >>> spammer = simulate(accuracy=[0.9, 0.9, 0.0], bias=[1, 0], rng=1)
    >>> set(spammer.ratings.table(2, 2).diagonal().tolist())  # all items get the first label
    {0, 100}
    """
    design = {name: value for name, value in locals().items() if name != "rng"}
    return Simulator(**design).draw(rng=rng)


# ---- A made-up study to look at: an ordinal scale, a confused pair of labels, a lenient rater.

_RATERS = ("Ada", "Ben", "Chloe", "Dan", "Eve")
_LABELS = ("absent", "weak", "moderate", "strong")
_PREVALENCE = (0.3, 0.25, 0.25, 0.2)


def made_study(seed: int = 5) -> Ratings:
    """Draw the ratings: four raters alike, and one who is lenient and less sure."""
    careful = [_errors(sure, mixed) for sure, mixed in ((0.96, 0.2), (0.95, 0.22))] * 2
    return simulate(
        n_items=160,
        n_raters=len(_RATERS),
        categories=list(_LABELS),
        prevalence=list(_PREVALENCE),
        accuracy=[*careful, _lenient(_errors(0.62, 0.34))],
        missing=0.06,
        scale="ordinal",
        raters=_RATERS,
        rng=seed,
    ).ratings


def _errors(sure: float, mixed: float) -> list[list[float]]:
    """Return what a rater says for each true label; the two in the middle are mixed up."""
    return [
        [sure, 1.0 - sure, 0.0, 0.0],
        [0.04, 0.94 - mixed, mixed, 0.02],
        [0.02, mixed, 0.94 - mixed, 0.04],
        [0.0, 0.0, 1.0 - sure, sure],
    ]


def _lenient(errors: list[list[float]], share: float = 0.62) -> list[list[float]]:
    """Move a share of what a rater says one label up."""
    return [
        [
            (1.0 - share) * here + share * (before if k < len(row) - 1 else before + here)
            for k, (before, here) in enumerate(zip([0.0, *row], row, strict=False))
        ]
        for row in errors
    ]
