"""Contested items: what was said, what is suggested, and how open they are."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from consilience.coefficients import registry
from consilience.core.arrays import Floats, Indices
from consilience.core.result import Defined
from consilience.core.words import counted, shortened
from consilience.document import Document, Finding, Recorded, Table, found, plain_record
from consilience.exceptions import InputError
from consilience.latent.adjudication._beliefs import Belief
from consilience.latent.adjudication._confusions import Confusions, check_top
from consilience.latent.entries import Entries
from consilience.ratings import Ratings

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
        return plain_record(
            {
                "model": self.model,
                "by": self.by,
                "coefficient": self.coefficient,
                "value": self.value,
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
