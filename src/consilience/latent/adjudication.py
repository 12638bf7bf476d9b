"""Items ranked by how contested they are, with a suggestion and what it rests on."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from consilience.coefficients import estimate, item_agreement, registry
from consilience.core.arrays import Floats, Indices
from consilience.core.result import Defined
from consilience.core.words import counted, shortened
from consilience.document import Document, Finding, Table
from consilience.document.blocks import found
from consilience.document.records import Recorded, plain_record
from consilience.exceptions import ConsilienceError, InputError, UnsupportedDesignError
from consilience.latent._confusions import Confusions, check_top, confusions_of
from consilience.latent.votes import Entries, entries_of
from consilience.ratings import Ratings

# ---- beliefs about items

_BLOCK_CELLS = 4_000_000  # cells of a posterior that are looked at together
_TIE = 1e-9
MOST_LABELS = 1_000  # above, the votes are counted without a table of all labels
_RATINGS_PER_NUMBER = 10  # that a model estimates about a rater
_LARGE, _PER_RATING, _CROWD_STEPS = 100_000, 1e-7, 100
VOTES = ("majority", "median")
FITTED = ("dawid-skene", "one-coin", "mace", "glad")
MODELS = ("auto", *VOTES, *FITTED)


@dataclass(frozen=True)
class Belief:
    """For each item: the suggested label (-1 if unrated), its probability, and what is open.

    `entropy` is that of the posterior in bits, `gain` the part of it that one more rating is
    expected to remove, `runner_up` the next best label (-1 where there is none), `tied` whether
    the best two are equally likely.
    """

    model: str
    suggested: Indices
    probability: Floats
    runner_up: Indices
    entropy: Floats
    gain: Floats
    tied: NDArray[np.bool_]


def believe(entries: Entries, ratings: Ratings, model: Any) -> Belief:
    """Find a label for every item with the votes, a model by name, or a model that was fitted."""
    name, posterior = _posterior(entries, ratings, model)
    if posterior is None and entries.n_labels > MOST_LABELS:
        belief = _sparse_votes(entries, name)
        if name == "median":
            _to_median(belief, entries)
        return belief
    pooled = _pooled_errors(entries, posterior)
    n = entries.n_items
    belief = Belief(
        name,
        np.full(n, -1, dtype=np.intp),
        np.full(n, np.nan),
        np.full(n, -1, dtype=np.intp),
        np.full(n, np.nan),
        np.full(n, np.nan),
        np.zeros(n, dtype=np.bool_),
    )
    for block, t_ij in _blocks(entries, posterior):
        _fill(belief, block, t_ij, pooled, entries)
    if name == "median":
        _to_median(belief, entries)
    return belief


def _posterior(entries: Entries, ratings: Ratings, model: Any) -> tuple[str, Floats | None]:
    """Return the model's name and posterior; None stands for the shares of the votes."""
    if not isinstance(model, str):
        return _fitted(model, ratings)
    if model not in MODELS:
        raise InputError.unknown_word("model", model, MODELS)
    if model == "auto":
        return _automatic(entries, ratings)
    if model == "median" and ratings.scale == "nominal":
        raise UnsupportedDesignError.needs(
            'model="median"', "labels in an order", f"a {ratings.scale} scale", 'use "majority"'
        )
    return (model, None) if model in VOTES else (model, _fit(ratings, model))


def _automatic(entries: Entries, ratings: Ratings) -> tuple[str, Floats | None]:
    if ratings.scale in ("interval", "ratio"):
        return "median", None
    raters = int(np.count_nonzero(np.bincount(entries.rater, minlength=1)))
    labels = int(np.count_nonzero(entries.per_label))
    # With two raters nothing tells whose error a disagreement is: errors are not identified.
    if raters < 3 or labels < 2:
        return "majority", None
    per_rater = entries.item.size / raters
    for model, numbers in (("dawid-skene", labels), ("one-coin", 1)):
        if per_rater >= _RATINGS_PER_NUMBER * numbers:
            try:
                return model, _fit(ratings, model)
            except UnsupportedDesignError:
                break
    return "majority", None


def _fit(ratings: Ratings, model: str) -> Floats:
    from consilience import latent

    if model in ("dawid-skene", "one-coin"):
        kind = "one-coin" if model == "one-coin" else "confusion"
        # A ranking does not change in the last digits: a crowd is not iterated to the very end.
        tolerance = max(1e-8, _PER_RATING * ratings.n_ratings) if _is_crowd(ratings) else 1e-8
        steps = _CROWD_STEPS if _is_crowd(ratings) else 1000
        # One more rating per true label, spread over all labels: without it, raters with few
        # ratings are taken for infallible and nothing looks contested.
        fitted: Any = latent.dawid_skene(
            ratings,
            model=kind,
            smoothing=1.0 / len(ratings.categories),
            tolerance=tolerance,
            max_iterations=steps,
        )
    else:
        fitted = getattr(latent, model)(ratings)
    return np.asarray(fitted.posterior, dtype=np.float64)


def _is_crowd(ratings: Ratings) -> bool:
    return ratings.n_ratings > _LARGE


def _fitted(model: Any, ratings: Ratings) -> tuple[str, Floats]:
    posterior = np.asarray(getattr(model, "posterior", np.empty(0)), dtype=np.float64)
    shape = (ratings.n_items, len(ratings.categories))
    if posterior.shape != shape:
        raise InputError.expected(
            "model",
            f"a word, or a fitted model with a posterior of shape {shape}",
            f"{type(model).__name__} with shape {posterior.shape}",
            "fit it to the same ratings, with one class per label",
        )
    return type(model).__name__, posterior


def _blocks(entries: Entries, posterior: Floats | None) -> Iterator[tuple[slice, Floats]]:
    """Yield blocks of the posterior (items × labels); rows of unrated items are 0."""
    step = max(1, _BLOCK_CELLS // max(1, entries.n_labels))
    for start in range(0, entries.n_items, step):
        block = slice(start, min(start + step, entries.n_items))
        if posterior is not None:
            yield block, np.nan_to_num(posterior[block])
            continue
        votes = entries.counts[block].toarray()
        total = entries.per_item[block, None]
        yield block, np.divide(votes, total, out=np.zeros_like(votes), where=total > 0)


def _pooled_errors(entries: Entries, posterior: Floats | None) -> Floats:
    """Chance of each label given the true one, over all ratings (labels × labels)."""
    if posterior is None:
        scale = np.divide(
            1.0, entries.per_item, out=np.zeros_like(entries.per_item), where=entries.per_item > 0
        )
        shares = entries.counts.multiply(scale[:, None]).tocsr()
        joint = (shares.T @ entries.counts).toarray()
    else:
        joint = np.asarray(entries.counts.T @ np.nan_to_num(posterior)).T
    total = joint.sum(axis=1, keepdims=True)
    out: Floats = np.full(joint.shape, 1.0 / entries.n_labels)
    np.divide(joint, total, out=out, where=total > 0)
    return out


def entropy_bits(p_ik: Floats) -> Floats:
    """Return the entropy of each row in bits."""
    logs = np.log2(p_ik, out=np.zeros_like(p_ik), where=p_ik > 0)
    out: Floats = np.maximum(-(p_ik * logs).sum(axis=-1), 0.0)
    return out


def _fill(belief: Belief, block: slice, t_ij: Floats, pooled: Floats, entries: Entries) -> None:
    rated = entries.per_item[block] > 0
    place = np.arange(len(t_ij))
    # A tie goes to the label that is more common, then to the one that is listed first.
    favour = t_ij + _TIE * entries.per_label / max(1.0, float(entries.per_label.sum()))
    best = favour.argmax(axis=1)
    top = t_ij[place, best].copy()
    if entries.n_labels > 1:
        favour[place, best] = -1.0
        second = favour.argmax(axis=1)
        next_best = t_ij[place, second]
        belief.runner_up[block] = np.where(rated & (next_best > 0), second, -1)
        belief.tied[block] = rated & (top - next_best < _TIE)
    belief.suggested[block] = np.where(rated, best, -1)
    belief.probability[block] = np.where(rated, top, np.nan)
    belief.entropy[block] = np.where(rated, entropy_bits(t_ij), np.nan)
    # Mutual information of the truth and the next rating: H(next) - H(next | truth).
    gain = entropy_bits(t_ij @ pooled) - t_ij @ entropy_bits(pooled)
    belief.gain[block] = np.where(rated, np.maximum(gain, 0.0), np.nan)


def _sparse_votes(entries: Entries, name: str) -> Belief:
    """Count the votes cell by cell, where labels hardly repeat; there is no gain to speak of."""
    counts, item = entries.counts, entries.cell_item
    n = entries.n_items
    order = np.lexsort((-entries.per_label[counts.indices], -counts.data, item))
    items, first = np.unique(item[order], return_index=True)
    best = order[first]
    suggested, runner_up = (np.full(n, -1, dtype=np.intp) for _ in range(2))
    probability, entropy = np.full(n, np.nan), np.full(n, np.nan)
    tied = np.zeros(n, dtype=np.bool_)
    suggested[items] = counts.indices[best]
    probability[items] = counts.data[best] / entries.per_item[items]
    several = np.flatnonzero(np.diff(np.append(first, order.size)) > 1)
    second = order[first[several] + 1]
    runner_up[items[several]] = counts.indices[second]
    tied[items[several]] = counts.data[second] == counts.data[best[several]]
    entropy[items] = entries.entropy[items]
    return Belief(name, suggested, probability, runner_up, entropy, np.full(n, np.nan), tied)


def _to_median(belief: Belief, entries: Entries) -> None:
    """Suggest the lower median of the ratings: the first label that half of them do not exceed."""
    upto = np.cumsum(entries.counts.data)
    start = entries.counts.indptr[:-1]
    before = np.concatenate([[0.0], upto])[start]
    within = upto - before[entries.cell_item]
    is_past = within >= entries.per_item[entries.cell_item] / 2.0
    cells = np.flatnonzero(is_past)
    items, first = np.unique(entries.cell_item[cells], return_index=True)
    chosen = cells[first]
    belief.suggested[items] = entries.counts.indices[chosen]
    belief.probability[items] = entries.counts.data[chosen] / entries.per_item[items]
    belief.runner_up[:] = -1
    belief.tied[:] = False


# ---- contested items

_SEVERAL = 2
_MANY_TIES = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class ContestedItem(Recorded):
    """One item, what was said about it, and how open it is.

    Attributes
    ----------
    item : name of the item
    labels : dict
        Rater to label; for counts without raters, label to count.
    suggested, probability : the label suggested and how sure it is
    runner_up : the next best label, or None
    entropy : float
        Of the labels given, in bits: 0 if all agree, 1 if two labels share them evenly.
    disagreement : float
        Mean distance of two ratings of the item, per largest distance; NaN below two ratings.
    uncertainty : float
        1 - probability.
    influence : float
        How far the item pulls the coefficient up, or down if negative, times the number of items:
        leaving it out would take about influence / (n - 1) away.
    gain : float
        Bits of uncertainty that one more rating is expected to remove.
    source : {"unanimous", "model", "majority", "median", "none"}
        What the suggestion rests on.
    """

    item: object
    labels: dict[object, object]
    suggested: object
    probability: float
    runner_up: object
    entropy: float
    disagreement: float
    uncertainty: float
    influence: float
    gain: float
    source: str


@dataclass(frozen=True, kw_only=True)
class Adjudication(Defined):
    """Items ranked by how contested they are; made by `adjudicate`.

    Arrays hold one entry per item, in the order of ``ratings.items``; `order` lists the places of
    the items from the most contested on, items without ratings last.
    """

    ratings: Ratings = field(repr=False)
    model: str
    by: str
    coefficient: str
    value: float
    shown: int
    order: Indices = field(repr=False)
    entropy: Floats = field(repr=False)
    disagreement: Floats = field(repr=False)
    influence: Floats = field(repr=False)
    confusions: Confusions = field(repr=False)
    belief: Belief = field(repr=False)
    entries: Entries = field(repr=False)

    # ---------------------------------------------------------------- one entry per item

    @property
    def probability(self) -> Floats:
        """How likely the suggested label is, for each item."""
        return self.belief.probability

    @property
    def uncertainty(self) -> Floats:
        """1 - probability, for each item."""
        return np.asarray(1.0 - self.belief.probability)

    @property
    def gain(self) -> Floats:
        """Bits of uncertainty that one more rating is expected to remove, for each item."""
        return self.belief.gain

    @property
    def labels(self) -> list[object]:
        """The suggested label of each item; None where nobody rated it."""
        names = (*self.ratings.categories, None)
        return [names[code] for code in self.belief.suggested]

    @cached_property
    def contested(self) -> NDArray[np.bool_]:
        """Whether an item was given at least two different labels."""
        return np.asarray(np.diff(self.entries.counts.indptr) >= _SEVERAL)

    @cached_property
    def unanimous(self) -> NDArray[np.bool_]:
        """Whether an item was given one label, by at least two raters."""
        return ~self.contested & (self.entries.per_item >= _SEVERAL)

    def source(self, place: int) -> str:
        """Say what the suggestion for an item rests on."""
        if self.belief.suggested[place] < 0:
            return "none"
        if self.unanimous[place]:
            return "unanimous"
        return self.model if self.model in ("majority", "median") else "model"

    # ---------------------------------------------------------------- items

    def labels_of(self, place: int) -> dict[object, object]:
        """Return who gave which label to an item; for counts, how often each label was given."""
        labels = self.ratings.categories
        if not self.entries.n_raters:
            ends = self.entries.counts.indptr[place : place + 2]
            cells = slice(int(ends[0]), int(ends[1]))
            codes, counts = self.entries.counts.indices[cells], self.entries.counts.data[cells]
            return {labels[k]: int(n) for k, n in zip(codes, counts, strict=True)}
        by_item, ends = self._by_item
        mine = by_item[ends[place] : ends[place + 1]]
        raters = self.ratings.raters
        return {raters[self.entries.rater[e]]: labels[self.entries.label[e]] for e in mine}

    def _times(self, labels: dict[object, object]) -> dict[str, int]:
        """Count the labels of an item."""
        if not self.entries.n_raters:
            return {str(label): int(str(n)) for label, n in labels.items()}
        return dict(Counter(str(label) for label in labels.values()))

    @cached_property
    def _by_item(self) -> tuple[Indices, Indices]:
        order = np.lexsort((self.entries.rater, self.entries.item))
        ends = np.concatenate([[0], np.cumsum(self.entries.per_item)]).astype(np.intp)
        return order, ends

    def at(self, place: int) -> ContestedItem:
        """Return the record of an item by its place in ``ratings.items``."""
        names = (*self.ratings.categories, None)
        return ContestedItem(
            item=self.ratings.items[place],
            labels=self.labels_of(place),
            suggested=names[self.belief.suggested[place]],
            probability=float(self.belief.probability[place]),
            runner_up=names[self.belief.runner_up[place]],
            entropy=float(self.entropy[place]),
            disagreement=float(self.disagreement[place]),
            uncertainty=float(1.0 - self.belief.probability[place]),
            influence=float(self.influence[place]),
            gain=float(self.belief.gain[place]),
            source=self.source(place),
        )

    def places(self, *, top: int | None = None, which: str = "contested") -> Indices:
        """Return the places of the items to look at, most contested first.

        `which` is "contested" (given at least two labels), "rated" or "all".
        """
        keep = {
            "contested": self.contested,
            "rated": self.entries.per_item > 0,
            "all": np.ones(self.ratings.n_items, dtype=np.bool_),
        }
        if which not in keep:
            raise InputError.unknown_word("which", which, keep)
        end = None if top is None else check_top(top)
        return np.asarray(self.order[keep[which][self.order]][:end], dtype=np.intp)

    def top(self, size: int = 20) -> tuple[ContestedItem, ...]:
        """Return the most contested items."""
        return tuple(self.at(int(place)) for place in self.places(top=size))

    # ---------------------------------------------------------------- shown

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Say what to know before the list is used."""
        n_contested = int(self.contested.sum())
        ties = int((self.belief.tied & self.contested).sum())
        return found(
            (
                self.n_unrated,
                "items_without_ratings",
                "info",
                f"{counted(self.n_unrated, 'item')} without any rating: nothing is suggested "
                "there.",
            ),
            (
                ties and ties >= _MANY_TIES * n_contested,
                "suggestions_tied",
                "caution",
                f"On {ties:,} of {n_contested:,} contested items two labels are equally "
                "likely; the more common one is suggested. One more rating would help more "
                "than the suggestion.",
            ),
        )

    @property
    def n_unrated(self) -> int:
        """Number of items without a rating."""
        return int((self.entries.per_item == 0).sum())

    def document(self) -> Document:
        """Return the ranking as something to read."""
        n = self.ratings.n_items
        about = (
            f"{int(self.contested.sum()):,} of {counted(n, 'item')} have different labels. "
            f"Ranked by {self.by}; suggestions by {self.model}."
        )
        contested = Table.of(
            self.top(self.shown),
            ("item", lambda one: shortened(str(one.item))),
            ("labels", lambda one: _told(self._times(one.labels))),
            ("suggested", lambda one: shortened(str(one.suggested), 16)),
            "probability",
            "entropy",
            "gain",
            "influence",
            caption="Contested items",
            note="entropy of the labels and gain of one more rating in bits; influence: how far an "
            f"item pulls {registry[self.coefficient].name.rpartition('_')[2]}, times the "
            "number of items.",
        )
        confused = self.confusions.table() if len(self.confusions) else None
        return Document.of(about, contested, confused, title="Adjudication", findings=self.findings)

    def to_dict(self) -> dict[str, object]:
        """Return plain data with stable keys; as many items as `shown` says."""
        own = {name: getattr(self, name) for name in ("model", "by", "coefficient", "value")}
        return plain_record(
            own
            | {
                "n_items": self.ratings.n_items,
                "n_contested": int(self.contested.sum()),
                "n_unanimous": int(self.unanimous.sum()),
                "n_unrated": self.n_unrated,
                "items": self.top(self.shown),
                "confusions": self.confusions.found,
                "findings": self.findings,
            }
        )


def _told(times: dict[str, int], longest: int = 28) -> str:
    """Count the labels of an item: "cat ×2, lynx"."""
    parts = sorted(times.items(), key=lambda one: (-one[1], one[0]))
    words = [label if n == 1 else f"{label} ×{n}" for label, n in parts]
    return shortened(", ".join(words), longest)


BY = ("uncertainty", "entropy", "disagreement", "influence", "gain")


def adjudicate(
    ratings: Ratings,
    *,
    model: Any = "auto",
    by: str | None = None,
    top: int = 20,
    coefficient: str = "krippendorff_alpha",
    distance: Any = None,
) -> Adjudication:
    """Rank items by how contested they are, and suggest a label for each.

    Use it to decide what a further person should look at; write the list with
    `consilience.io.write_sheet` and read the decisions back with `consilience.io.read_sheet`.

    Parameters
    ----------
    ratings : Ratings
        Counts without raters will do for the votes; a model needs to know who rated.
    model : str or a fitted model, default "auto"
        Where the suggestion comes from. "majority" and "median" take the votes; "dawid-skene",
        "one-coin", "mace" and "glad" weigh raters by how reliable they are. "auto" is
        "dawid-skene" for three raters or more with ten ratings per label each, "one-coin" with
        ten ratings each, otherwise the majority; "median" for numbers. Dawid & Skene's model is
        smoothed by one rating per true label, spread evenly, so that raters with few ratings are
        not taken for infallible; pass a fitted model to have it otherwise.
    by : {"uncertainty", "entropy", "disagreement", "influence", "gain"}
        What makes an item contested: 1 - probability of the suggestion; entropy of the labels
        given; mean distance of two ratings; pull down on the coefficient; bits of uncertainty
        that one more rating is expected to remove. Default: uncertainty; disagreement for numbers.
    top : int, default 20
        How many items to show and to put into the record.
    coefficient, distance : what influence is measured on

    Returns
    -------
    Adjudication

    Raises
    ------
    UnsupportedDesignError
        A model was asked for and the ratings do not say who rated.

    Notes
    -----
    The gain is the mutual information of the true label and the next rating, given by a rater who
    errs as all raters together do: H(next) - H(next | truth). It is small where raters agree and
    where more ratings of the same kind would not settle the matter.

    Examples
    --------
    >>> wide = [["a", "a", "a"], ["a", "b", "a"], ["b", "b", "b"], ["a", "b", None]]
    >>> found = adjudicate(Ratings.from_wide(wide, items=["p", "q", "r", "s"]), model="majority")
    >>> [one.item for one in found.top()]
    ['s', 'q']
    """
    size = check_top(top)
    chosen = registry[coefficient]
    needs_raters = isinstance(model, str) and model in ("dawid-skene", "one-coin", "mace", "glad")
    hint = 'bring the ratings in long or wide form, or use model="majority"'
    entries = entries_of(f"the model {model!r}", ratings, need_raters=needs_raters, hint=hint)
    by = _ranking(by, ratings)
    if not entries.per_item.any():
        raise InputError.expected("ratings", "at least one rating", "none", "check the data")
    belief = believe(entries, ratings, model)
    if by == "gain" and np.isnan(belief.gain).all():
        raise UnsupportedDesignError.needs(
            'by="gain"', "labels that repeat", f"{entries.n_labels:,} labels", 'use by="entropy"'
        )
    value, influence = _influence(chosen, ratings, distance)
    disagreement = np.asarray(1.0 - item_agreement(ratings, distance=distance))
    scores = {
        "uncertainty": 1.0 - belief.probability,
        "entropy": entries.entropy,
        "disagreement": disagreement,
        "influence": -influence,
        "gain": belief.gain,
    }
    return Adjudication(
        ratings=ratings,
        model=belief.model,
        by=by,
        coefficient=chosen.name,
        value=value,
        shown=size,
        order=_order(scores[by], entries.entropy, entries.per_item),
        entropy=np.where(entries.per_item > 0, np.maximum(entries.entropy, 0.0), np.nan),
        disagreement=disagreement,
        influence=influence,
        confusions=_confusions(entries, ratings, chosen.name, distance),
        belief=belief,
        entries=entries,
    )


def _ranking(by: str | None, ratings: Ratings) -> str:
    if by is None:
        return "disagreement" if ratings.scale in ("interval", "ratio") else "uncertainty"
    if by not in BY:
        raise InputError.unknown_word("by", by, BY)
    return by


def _influence(chosen: Any, ratings: Ratings, distance: Any) -> tuple[float, Floats]:
    """Return the coefficient and each item's pull; NaN where the coefficient is undefined."""
    nowhere = np.full(ratings.n_items, np.nan)
    try:
        one = estimate(chosen, (ratings,), distance=distance, on_undefined="ignore")
        if one.status == "undefined":
            return math.nan, nowhere
        return one.value, np.asarray(one.item_influence(), dtype=np.float64)
    except ConsilienceError:  # one rater, or no item with two ratings
        return math.nan, nowhere


def _confusions(entries: Entries, ratings: Ratings, coefficient: str, distance: Any) -> Confusions:
    nothing = Confusions(coefficient=coefficient, value=math.nan, n_pairs=0, found=())
    if ratings.scale in ("interval", "ratio") or (entries.per_item < _SEVERAL).all():
        return nothing
    try:
        return confusions_of(entries, ratings, 10, coefficient, distance)
    except ConsilienceError:
        return nothing


def _order(score: Floats, entropy: Floats, per_item: Sequence[float] | Any) -> Indices:
    """Order by score, then entropy, then as listed; items without ratings and scores last."""
    missing = np.asarray(per_item) == 0
    # Scores that differ by rounding only shall not shuffle the items.
    score = np.where(np.isnan(score) | missing, -np.inf, np.round(score, 12))
    return np.lexsort((np.arange(score.size), -np.round(entropy, 12), -score, missing))
