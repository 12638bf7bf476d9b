"""Which items to give to people, and what their labels will weigh."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from consilience.core.arrays import Floats, Ints
from consilience.core.checks import whole_number
from consilience.core.draws import RandomStream
from consilience.core.labels import places_in_order
from consilience.core.resample import Seed
from consilience.core.result import Several, Unremarked
from consilience.core.words import counted
from consilience.document import Document, Recorded, Table
from consilience.exceptions import InputError
from consilience.judges.labels_to_buy import from_pilot
from consilience.judges.two_phase import TwoPhase
from consilience.judges.verdicts import verdicts_of
from consilience.ratings.item_codes import numbers_per_item

_FLOOR = 0.1  # share of the labels that goes to items at random, so that no weight gets out of hand


@dataclass(frozen=True, slots=True, kw_only=True)
class Picks(Recorded, Unremarked, Several):
    """Items to give to people, and what their labels will weigh.

    Attributes
    ----------
    items : tuple
    probability, weight : tuple of float
        With which probability each was picked, and one over it.
    verdict_of : tuple of str
        What the judge says of each.
    """

    items: tuple[object, ...]
    probability: tuple[float, ...]
    weight: tuple[float, ...]
    verdict_of: tuple[str, ...]

    def document(self) -> Document:
        """Return the items as a table."""
        return Document.of(
            Table.of(
                zip(self.items, self.verdict_of, self.probability, self.weight, strict=True),
                "item: 0!s",
                "judge says: 1",
                "probability: 2",
                "weight: 3",
                digits=4,
            ),
            title=f"{counted(len(self.items), 'item')} for people to label",
        )


def pick_items(
    ratings: Any,
    label: object,
    n_labels: int,
    *,
    judge: Any = None,
    people: Any = None,
    gold: Any = None,
    uncertainty: Any = None,
    refusals: Any = (),
    rng: Seed = 0,
) -> Picks:
    """Pick the items that people are to label, with weights that keep the estimate unbiased.

    Use it after `labels_to_buy`. Verdicts on which the judge errs more often are picked more often;
    a tenth of the labels is spread evenly. Give the weights to `corrected_rate` where items were
    picked by `uncertainty`; picked by verdict alone, double sampling needs none.

    Parameters
    ----------
    ratings : Ratings
        Of the judge, and of people if some have labelled already: their items are not picked again.
    label : object
        The label whose rate is wanted.
    n_labels : int
    judge, people, gold, refusals
        As for `corrected_rate`.
    uncertainty : one number per item, optional
        How unsure the judge is, such as the entropy of its probabilities; 0 or more.
    rng : int or numpy.random.Generator, default 0

    Returns
    -------
    Picks

    Examples
    --------
    >>> from consilience import Ratings
    >>> verdicts = ["pass"] * 300 + ["fail"] * 100
    >>> labels = ["pass"] * 8 + ["fail"] * 4 + [None] * 288 + ["fail"] * 10 + [None] * 90
    >>> both = Ratings.from_wide({"gpt-4o": verdicts, "Ann": labels})
    >>> picks = pick_items(both, "pass", 40, judge="gpt-4o")
    >>> len(picks.items), round(sum(picks.weight))
    (40, 376)
    """
    n = whole_number("n_labels", n_labels, least=1)
    table = verdicts_of(ratings, judges=judge, people=people, gold=gold, refusals=refusals)
    sample = table.of_label(label)
    asked = np.flatnonzero(table.asked(0))
    open_ = ~sample.labelled
    if n > int(open_.sum()):
        raise InputError.expected(
            "n_labels", f"at most the {int(open_.sum()):,} items without a label", n, "ask for less"
        )
    size = _sizes(sample, table.ratings, uncertainty, asked)[open_]
    chance = _chances(size, n)
    names = table.ratings.items
    places = asked[open_]
    order = places_in_order([names[int(k)] for k in places])  # whatever the order they came in
    chosen = np.sort(order[_systematic(chance[order], RandomStream.of(rng))])
    places, said = places[chosen], sample.state[open_][chosen]
    return Picks(
        items=tuple(names[int(k)] for k in places),
        probability=tuple(float(p) for p in chance[chosen]),
        weight=tuple(float(1.0 / p) for p in chance[chosen]),
        verdict_of=tuple(_said(int(k), str(label)) for k in said),
    )


def _said(state: int, label: str) -> str:
    return (f"not {label}", label, "refused")[state]


def _sizes(sample: TwoPhase, ratings: Any, uncertainty: Any, asked: Ints) -> Floats:
    """Return how much each item is worth a label: its standard deviation, as far as is known."""
    if sample.n_labels >= 2:
        known = from_pilot(sample, None, None, None, None)
        size = np.sqrt(known.yes * (1.0 - known.yes))[sample.state]
    else:
        size = np.ones(sample.n_items)
    if uncertainty is None:
        return np.asarray(size)
    own = numbers_per_item(ratings, uncertainty, "uncertainty", gap=0.0)[asked]
    if (own < 0.0).any() or not own.any():
        raise InputError.expected(
            "uncertainty", "numbers of 0 or more, not all 0", float(own.min()),
            "give, for example, the entropy of the judge's probabilities",
        )  # fmt: skip
    return np.asarray(own / own.mean())


def _chances(size: Floats, n: int) -> Floats:
    """Return probabilities that add up to n, in proportion to the sizes, none above 1."""
    even = np.full(size.size, n / size.size)
    chance = np.zeros(size.size)
    full = np.zeros(size.size, dtype=np.bool_)
    while True:
        left = n - float(full.sum())
        total = float(size[~full].sum())
        chance = np.where(full, 1.0, size * left / total if total > 0.0 else even)
        above = (chance > 1.0) & ~full
        if not above.any():
            break
        full |= above
    return np.asarray((1.0 - _FLOOR) * chance + _FLOOR * even)


def _systematic(chance: Floats, draw: RandomStream) -> Ints:
    """Draw so many items as the probabilities add up to, each with its own: Madow (1949)."""
    order = draw.permutation(chance.size)
    ends = np.cumsum(chance[order])
    n = round(float(ends[-1]))
    points = draw.random() + np.arange(n)
    places = np.searchsorted(ends * (n / ends[-1]), points, side="right")
    return np.sort(order[np.minimum(places, chance.size - 1)])
