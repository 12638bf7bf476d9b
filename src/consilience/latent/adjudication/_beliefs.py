"""What the votes or a model make of each item: a label, how sure, and what one more would tell."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from consilience.core.arrays import Floats, Indices
from consilience.exceptions import InputError, UnsupportedDesignError
from consilience.latent.entries import Entries
from consilience.ratings import Ratings

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
    share = counts.data / entries.per_item[item]
    entropy[items] = 0.0
    np.subtract.at(entropy, item, share * np.log2(share))
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
