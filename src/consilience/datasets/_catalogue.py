"""Find a published data set by name and build its ratings when they are asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal

from consilience.core.registry import Registry

if TYPE_CHECKING:
    from consilience.ratings import Ratings

__all__ = ["Dataset", "describe", "load", "names"]

Layout = Literal["table", "counts", "wide"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Dataset:
    """A published table: what it is, where it was printed, what it shows.

    Attributes
    ----------
    name : str
        The word that `load` takes.
    title : str
        What was rated, by whom.
    source : str
        The publication the numbers were typed in from.
    shows : str
        What the authors, or later ones, demonstrate with it.
    scale : str
        Nominal, ordinal, interval or ratio.
    layout : str
        ``table`` (two raters, rows are the first rater), ``counts`` (items by categories) or
        ``wide`` (items by raters).
    cells : sequence of sequences
        The printed numbers or labels; ``None`` is a missing rating.
    """

    name: str
    title: str
    source: str
    shows: str
    layout: Layout
    cells: Sequence[Sequence[Any]] = field(repr=False)
    scale: str = "nominal"
    categories: tuple[object, ...] | None = None
    raters: tuple[str, ...] | None = None
    items: tuple[str, ...] | None = None

    def __str__(self) -> str:
        return f"{self.name}: {self.title}\nShows: {self.shows}\nSource: {self.source}"

    def ratings(self) -> Ratings:
        """Build the ratings."""
        from consilience.ratings import Ratings

        if self.layout == "table":
            return Ratings.from_table(
                self.cells, categories=self.categories, raters=self.raters, scale=self.scale
            )
        if self.layout == "counts":
            return Ratings.from_counts(
                self.cells, categories=self.categories, items=self.items, scale=self.scale
            )
        return Ratings.from_wide(
            self.cells,
            raters=self.raters,
            items=self.items,
            scale=self.scale,
            categories=self.categories,
        )


DATASETS: Registry[Dataset] = Registry("name", group="datasets")


def _known() -> Registry[Dataset]:
    import_module("consilience.datasets._published")  # which adds them
    return DATASETS


def names() -> tuple[str, ...]:
    """Name every data set, in alphabetical order.

    Returns
    -------
    tuple of str

    Examples
    --------
    >>> from consilience import datasets
    >>> "fleiss_1971" in datasets.names()
    True
    """
    return tuple(sorted(_known()))


def describe(name: str) -> Dataset:
    """Say what a data set is, where it was published and what it shows.

    Parameters
    ----------
    name : str
        One of `names`.

    Returns
    -------
    Dataset

    Raises
    ------
    InputError
        There is no data set of that name.

    Examples
    --------
    >>> from consilience import datasets
    >>> datasets.describe("cohen_1960").layout
    'table'
    """
    return _known()[name]


def load(name: str) -> Ratings:
    """Load a published data set.

    Parameters
    ----------
    name : str
        One of `names`.

    Returns
    -------
    Ratings

    Raises
    ------
    InputError
        There is no data set of that name.

    Examples
    --------
    >>> from consilience import datasets
    >>> datasets.load("fleiss_1971").n_items
    30
    """
    return describe(name).ratings()
