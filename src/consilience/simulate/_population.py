"""More samples from the same annotators: studies drawn from ratings taken for all there are."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from consilience.core import checks as check
from consilience.core.arrays import Codes
from consilience.core.draws import RandomStream
from consilience.core.resample import Seed
from consilience.exceptions import UnsupportedDesignError
from consilience.ratings import Ratings
from consilience.ratings.clusters import need_independent_items
from consilience.ratings.duplicates import need_one_occasion
from consilience.ratings.stores import CodedMatrix, Patterns


@dataclass(frozen=True)
class Drawn:
    """One study drawn from a population."""

    ratings: Ratings


@dataclass(frozen=True)
class Population:
    """Ratings whose patterns are taken for the truth: each item of a study is one of them.

    Examples
    --------
    >>> everyone = Population(Ratings.from_table([[70, 25], [0, 55]]), 150)
    >>> everyone.draw(rng=1).ratings
    Ratings(150 items × 2 raters, 300 ratings, 2 categories, nominal)
    """

    ratings: Ratings
    n_items: int

    @property
    def n_raters(self) -> int:
        """Number of raters."""
        return self.ratings.n_raters

    @property
    def ratings_per_item(self) -> None:
        """None: each item is rated as it was."""

    @cached_property
    def _patterns(self) -> Patterns:
        what = "drawing more samples from the same raters"
        need_independent_items(what, self.ratings.clusters)
        need_one_occasion(what, self.ratings)
        store = self.ratings._coded_store() if self.ratings.raters else None
        if not isinstance(store, CodedMatrix):
            raise UnsupportedDesignError.needs(
                what,
                "to know who gave which label, by at most some hundred raters",
                "counts per item, or a crowd",
                "describe the raters instead: agreement=, prevalence=",
            )
        return store.patterns

    def draw(self, *, n_items: int | None = None, rng: Seed | RandomStream = None) -> Drawn:
        """Draw items with replacement; the same seed gives the same bits.

        Parameters
        ----------
        n_items : int, default that of the population
        rng : seed or numpy Generator, optional
        """
        size = self.n_items if n_items is None else n_items
        size = check.whole_number("n_items", size, least=1)
        codes, times = self._patterns.codes, self._patterns.multiplicity
        drawn = RandomStream.of(rng).multinomial(size, times / times.sum())
        return Drawn(self._as_ratings(np.repeat(codes, drawn, axis=0)))

    def large_sample(self) -> Ratings:
        """Return the ratings themselves: whatever they show holds for the population."""
        return self.ratings

    def _as_ratings(self, codes: Codes) -> Ratings:
        item, rater = np.nonzero(codes >= 0)
        old = self.ratings
        return Ratings.from_codes(
            item=item,
            rater=rater,
            label=codes[item, rater],
            items=range(len(codes)),
            raters=old.raters,
            categories=old.categories,
            scale=old._told_scale,
            declared=True,
        )
