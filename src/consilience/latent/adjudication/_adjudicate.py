"""Items ranked by how contested they are, with a suggestion and what it rests on."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from consilience.coefficients import estimate, item_agreement, registry
from consilience.core.arrays import Floats, Indices
from consilience.exceptions import ConsilienceError, InputError, UnsupportedDesignError
from consilience.latent.adjudication._beliefs import believe
from consilience.latent.adjudication._confusions import Confusions, check_top, confusions_of
from consilience.latent.adjudication._contested import Adjudication
from consilience.latent.entries import Entries, entries_of
from consilience.ratings import Ratings

BY = ("uncertainty", "entropy", "disagreement", "influence", "gain")
_SEVERAL = 2


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
    shares = np.zeros(entries.n_items)
    p = entries.counts.data / entries.per_item[entries.cell_item]
    np.subtract.at(shares, entries.cell_item, p * np.log2(p))
    disagreement = _disagreement(ratings, distance)
    scores = {
        "uncertainty": 1.0 - belief.probability,
        "entropy": shares,
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
        order=_order(scores[by], shares, entries.per_item),
        entropy=np.where(entries.per_item > 0, np.maximum(shares, 0.0), np.nan),
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


def _disagreement(ratings: Ratings, distance: Any) -> Floats:
    return np.asarray(1.0 - item_agreement(ratings, distance=distance), dtype=np.float64)


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
