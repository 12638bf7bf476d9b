"""Which items belong together: those of one patient, one document, one recording."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from consilience.core.labels import is_missing
from consilience.exceptions import (
    ForPrograms,
    InputError,
    Option,
    UnsupportedDesignError,
    Words,
)


@dataclass(frozen=True, slots=True)
class Clusters:
    """The cluster of each item, by number, and what a cluster is called.

    Attributes
    ----------
    codes : array of int
        One for each item, from 0 on.
    name : str
        What the clusters are, such as "patient".
    """

    codes: NDArray[np.int64]
    name: str = "cluster"

    @property
    def n_clusters(self) -> int:
        """Number of different clusters."""
        return int(self.codes.max(initial=-1)) + 1

    @property
    def sizes(self) -> NDArray[np.int64]:
        """Number of items in each cluster."""
        return np.bincount(self.codes)

    def to_dict(self) -> dict[str, object]:
        """Return plain data with stable keys: the column that names the clusters, and how many."""
        return {"column": self.name, "number": self.n_clusters}

    def of_items(self, kept: NDArray[np.bool_]) -> Clusters:
        """Return the clusters of some of the items."""
        return replace(self, codes=np.unique(self.codes[kept], return_inverse=True)[1])

    def joined(self, other: Clusters) -> Clusters:
        """Put the clusters of other items behind these; none of them are the same."""
        return replace(self, codes=np.concatenate([self.codes, other.codes + self.n_clusters]))

    @classmethod
    def of(cls, given: Any, items: Sequence[object], name: str = "cluster") -> Clusters:
        """Take one entry per item, or a mapping from the items' names."""
        if isinstance(given, Clusters):
            return given
        if isinstance(given, Mapping):
            given = _of_mapping(given, items)
        return cls(_codes(given, len(items)), str(getattr(given, "name", None) or name))


def need_independent_items(what: str, clusters: Clusters | None, *, instead: str = "") -> None:
    """Refuse items that go together, where a method takes each of them to stand for itself."""
    if clusters is None:
        return
    hint = Words(
        *([f"{instead}; or "] if instead else []),
        "leave out ",
        Option("cluster"),
        ForPrograms(": ratings.with_clusters(None) takes every item to be independent"),
    )
    raise UnsupportedDesignError.needs(
        what,
        "items that are independent of each other",
        f"items that share a {clusters.name}",
        hint,
    )


def _of_mapping(given: Mapping[Any, object], items: Sequence[object]) -> list[object]:
    unknown = [item for item in items if item not in given]
    if unknown:
        raise InputError.expected(
            "clusters", "known for every item", f"none for {unknown[0]!r}", "name it, too"
        )
    return [given[item] for item in items]


def _codes(clusters: Any, n_items: int) -> NDArray[np.int64]:
    try:
        labels = np.asarray(clusters)
    except ValueError:  # nested lists of different lengths
        labels = np.empty(())
    if labels.shape != (n_items,):
        raise InputError.expected(
            "clusters",
            f"one entry per item ({n_items:,})",
            f"shape {labels.shape}",
            "give the document or recording of every item, in the order of ratings.items",
        )
    if labels.dtype.kind in "OfM" and any(is_missing(one) for one in labels.tolist()):
        raise InputError.expected(
            "clusters",
            "known for every item",
            "a missing entry",
            "give items without a cluster one each",
        )
    if labels.dtype.kind == "O":  # of several types: they cannot be sorted
        labels = np.array([f"{type(one).__name__} {one!r}" for one in labels.tolist()])
    distinct, codes = np.unique(labels, return_inverse=True)
    if distinct.size < 2:
        raise InputError.expected(
            "clusters",
            "at least two different ones",
            f"only {distinct[0]}",
            "one cluster has no spread; leave clusters out, or take a finer column",
        )
    return codes.astype(np.int64)
