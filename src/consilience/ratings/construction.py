"""What ratings are made of and how that is checked; their items, raters, labels and scale."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from consilience.core.labels import (
    MOST_CODES,
    Note,
    check_categories,
    check_order,
    check_scale,
    is_missing,
    label_key,
    look_alikes,
    plain,
    same_but_for_form,
)
from consilience.exceptions import InputError, UnsupportedDesignError
from consilience.ratings.clusters import Clusters
from consilience.ratings.stores import (
    CodedMatrix,
    CountTable,
    LongTable,
    MomentTable,
    NumberMatrix,
    Store,
    is_sparse,
)

# ---- The parts of a `Ratings`, and the checks that every way of making one shares.


@dataclass(frozen=True, slots=True)
class Labels:
    """The categories and what is known about them."""

    labels: tuple[object, ...]
    ordered: bool
    numbers: NDArray[np.float64] | None
    declared: bool

    @classmethod
    def of(cls, labels: Sequence[object], *, scale: str, declared: bool) -> Labels:
        """Say what is known about labels; refuse those that the scale forbids."""
        ordered, values = check_order(labels, scale=scale, declared=declared)
        # A set that came past `plain` is shown sorted all the same.
        shown = (plain(x) if isinstance(x, frozenset) else x for x in labels)
        return cls(tuple(shown), ordered, values, declared)


@dataclass(frozen=True, slots=True)
class Parts:
    """Everything a `Ratings` is made of."""

    store: Store
    labels: Labels
    raters: tuple[object, ...] | None
    items: Sequence[object] | None
    scale: str
    design: str
    notes: tuple[Note, ...] = ()
    scale_told: bool = True  # else it is the default
    later: tuple[Store, ...] = ()  # the same items and raters, on later occasions
    reading: Any = None  # how the file was read, where there is one
    clusters: Clusters | None = None  # items that belong together


def finish(
    store: Store,
    labels: list[object],
    *,
    scale: str,
    categories: Iterable[object] | None,
    ordered: bool,
    design: str,
    raters: tuple[object, ...] | None,
    items: Sequence[object] | None,
    notes: Sequence[Note] = (),
) -> Parts:
    """Fit the found labels to the declared ones and note what the owner should know."""
    if categories is not None and not isinstance(store, (CountTable, MomentTable)):
        wanted = check_categories(categories)
        if isinstance(store, NumberMatrix):
            store, labels = store.coded
        store = fit_to_categories(store, labels, wanted)
        labels = wanted
    if isinstance(store, NumberMatrix):
        facts = Labels((), True, None, False)
    else:
        facts = Labels.of(labels, scale=scale, declared=categories is not None or ordered)
    told = (
        *notes,
        *look_alikes(labels),
        *same_but_for_form("items", items),
        *same_but_for_form("raters", raters),
    )
    return Parts(store, facts, raters, items, scale, design, told)


def fit_to_categories(
    store: CodedMatrix | LongTable, labels: Sequence[object], wanted: Sequence[object]
) -> CodedMatrix | LongTable:
    """Renumber the labels by their place among the categories."""
    return store.recoded(places_among(wanted, labels))


def places_among(wanted: Sequence[object], labels: Sequence[object]) -> NDArray[np.int64]:
    """Return the place of every label among the categories; one that is not there is refused."""
    place = {label_key(label): k for k, label in enumerate(wanted)}
    unknown = [label for label in labels if label_key(label) not in place]
    if unknown:
        raise InputError.expected(
            "every label",
            f"one of the categories {list(wanted[:8])}",
            unknown[0],
            "add it to categories, or name it in missing_values if it means no rating",
        )
    return np.array([place[label_key(x)] for x in labels], dtype=np.int64)


def check_names(what: str, names: Iterable[object] | None, size: int) -> tuple[object, ...]:
    """Return names, one for each, all different."""
    if names is None:
        return tuple(range(size))
    if not isinstance(names, Iterable):
        raise InputError.expected(what, f"{size} names, one each", names, "pass a list of names")
    listed = tuple(plain(name) for name in names)
    if len(listed) != size:
        raise InputError.expected(
            what, f"{size} names, one each", f"{len(listed)} names", "check the table's shape"
        )
    known: set[Hashable] = set()
    for name in listed:
        key = label_key(name, f"every name in {what}")
        if key in known or is_missing(name):
            raise InputError.expected(
                what, "named, and different from each other", name, "rename one of them"
            )
        known.add(key)
    return listed


def only_sums(what: str) -> UnsupportedDesignError:
    """Refuse what needs the ratings one by one, where an engine has handed over sums."""
    return UnsupportedDesignError.needs(
        what,
        "the ratings themselves",
        "sums of numbers from an engine",
        "read the ratings with consilience.read, or round the numbers to categories",
    )


# ---- What ratings are: their items, raters, labels and scale. Immutable, each fact found once.


class Facts:
    """The parts of ratings, and what can be said about them without changing them."""

    __slots__ = ("_cache", "_held", "store")

    _cache: dict[object, Any]
    _held: Parts
    store: Store  # that of the parts, which is asked for most

    @classmethod
    def of_parts(cls, parts: Parts) -> Self:
        """Return ratings of parts that are checked already; people come by `from_...`."""
        self = object.__new__(cls)
        for name, value in (("_held", parts), ("store", parts.store), ("_cache", {})):
            object.__setattr__(self, name, value)
        return self

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"Ratings is immutable; {name!r} cannot be set.")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"Ratings is immutable; {name!r} cannot be deleted.")

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self).of_parts, (self.parts(),)

    @property
    def scale(self) -> str:
        """How the labels relate: nominal, ordinal, interval or ratio."""
        return self._held.scale

    @property
    def scale_told(self) -> bool:
        """Whether the scale was told, or is plain from the labels; otherwise it is the default."""
        return self._held.scale_told

    @property
    def told_scale(self) -> str | None:
        """The scale, or None where it is the default: what ratings made from these are given."""
        return self._held.scale if self._held.scale_told else None

    def taken_as(self, scale: str) -> Self:
        """Return the same ratings on a scale that is told; labels that do not fit it are refused.

        Examples
        --------
        >>> from consilience import Ratings
        >>> marks = Ratings.from_wide([[x, x + 1] for x in range(0, 100, 7)])
        >>> marks.taken_as("interval").scale
        'interval'
        """
        check_scale(scale)
        parts = self.parts()
        labels = parts.labels
        if not isinstance(parts.store, (NumberMatrix, MomentTable)):
            labels = Labels.of(labels.labels, scale=scale, declared=labels.declared)
        return self.of_parts(replace(parts, scale=scale, scale_told=True, labels=labels))

    @property
    def scale_undecided(self) -> bool:
        """Whether the labels may be names or numbers: many different numbers, and no scale told.

        Marks from 0 to 100 and codes of topics look alike, and agreement depends on which they
        are. With few values numbers are taken for names.

        Examples
        --------
        >>> from consilience import Ratings
        >>> marks = [[x, x + 1] for x in range(0, 100, 7)]
        >>> Ratings.from_wide(marks).scale_undecided
        True
        >>> Ratings.from_wide(marks, scale="nominal").scale_undecided
        False
        """
        if self._held.scale_told or self._held.scale != "nominal":
            return False
        return len(self.categories) > MOST_CODES and self.numbers is not None

    @property
    def design(self) -> str:
        """The shape the ratings came in: wide, long, counts or table."""
        return self._held.design

    @property
    def categories(self) -> tuple[object, ...]:
        """The labels, in order."""
        return self._label_facts.labels

    @property
    def categories_declared(self) -> bool:
        """Whether the list of categories was stated rather than found in the data."""
        return self._held.labels.declared

    @property
    def ordered(self) -> bool:
        """Whether the order of the categories means something."""
        return self._label_facts.ordered

    @property
    def numbers(self) -> NDArray[np.float64] | None:
        """The categories as numbers, or None if any of them is not a number."""
        return self._label_facts.numbers

    @property
    def notes(self) -> tuple[Note, ...]:
        """What the owner of the data should know: look-alike labels, repeated ratings, ..."""
        return self._held.notes

    @property
    def reading(self) -> Any:
        """How the file was read (`consilience.io.Reading`), with its account; else None.

        It stays with ratings that are made from these.
        """
        return self._held.reading

    @property
    def clusters(self) -> Clusters | None:
        """Which items belong together (one patient, one document); None where each is by itself.

        Errors, intervals and tests of everything that is computed from the ratings allow for it.
        """
        return self._held.clusters

    def with_clusters(self, clusters: Any, name: str = "cluster") -> Self:
        """Return the same ratings with the cluster of each item; None forgets them.

        Parameters
        ----------
        clusters : sequence with one entry per item, mapping from the items' names, or None
        name : str
            What a cluster is, such as "patient".

        Examples
        --------
        >>> from consilience import Ratings, krippendorff_alpha
        >>> r = Ratings.from_wide([["a", "a"], ["a", "b"], ["b", "b"], ["b", "b"]] * 5)
        >>> by_patient = r.with_clusters([k // 4 for k in range(20)], "patient")
        >>> by_patient.clusters.n_clusters
        5
        """
        if clusters is not None and self.has_sums_only:
            raise UnsupportedDesignError.needs(
                "clusters",
                "the ratings themselves",
                "sums of numbers from an engine",
                "read the ratings with consilience.read",
            )
        found = None if clusters is None else Clusters.of(clusters, self.items, name)
        return self.of_parts(replace(self.parts(), clusters=found))

    @property
    def occasions(self) -> tuple[Self, ...]:
        """The ratings of each occasion, when raters rated items more than once.

        The first is what agreement between raters is measured on. Ratings made from these by
        `select`, `merge`, `complete` and `collapse` keep all occasions; `complete` asks for the
        first only.
        """
        first = replace(self.parts(), later=())
        return tuple(
            self.of_parts(replace(first, store=s)) for s in (self.store, *self.later_occasions)
        )

    @property
    def has_sums_only(self) -> bool:
        """Whether an engine has handed over sums of numbers instead of ratings."""
        return isinstance(self.store, MomentTable)

    @property
    def raters(self) -> tuple[object, ...]:
        """Names of the raters; empty where counts do not say who rated."""
        return self._held.raters if self._held.raters is not None else ()

    @property
    def items(self) -> Sequence[object]:
        """Names of the items."""
        if self.told_items is not None:
            return self.told_items
        return range(self.n_items)

    @property
    def n_items(self) -> int:
        """Number of items."""
        return self.store.n_items

    @property
    def n_raters(self) -> int:
        """Number of raters; for counts of unknown raters, the most ratings that one item has."""
        if self._held.raters is not None:
            return len(self._held.raters)
        assert isinstance(self.store, CountTable)
        if self.store.n_raters is not None:
            return self.store.n_raters
        return int(self.store.counts.sum(axis=1).max(initial=0))

    @property
    def n_ratings(self) -> int:
        """Number of ratings that were given."""
        return int(self.remember("n_ratings", lambda: self.store.n_ratings))

    @property
    def n_missing(self) -> int:
        """Number of item-rater cells without a rating; in a crowd design, 0."""
        store = self.store
        if isinstance(store, LongTable) or (
            isinstance(store, CountTable) and store.n_raters is None
        ):
            return 0
        is_reduced = isinstance(store, (CountTable, MomentTable))
        if is_reduced and is_sparse(self.n_items, self.n_raters, self.n_ratings):
            return 0  # as if the ratings themselves were here
        return self.n_items * self.n_raters - self.n_ratings

    # ---------------------------------------------------------------- inside

    @property
    def _label_facts(self) -> Labels:
        store = self.store
        if not isinstance(store, NumberMatrix):
            return self._held.labels
        return self.remember(  # type: ignore[no-any-return]
            "labels", lambda: Labels.of(store.coded[1], scale=self._held.scale, declared=False)
        )

    def remember(self, key: object, compute: Any) -> Any:
        """Return what was computed under a key, and compute it once."""
        if key not in self._cache:
            self._cache[key] = compute()
        return self._cache[key]

    def parts(self) -> Parts:
        """Return what the ratings hold."""
        return self._held

    @property
    def told_items(self) -> Sequence[object] | None:
        """The items' names; None where they are numbered."""
        return self._held.items

    @property
    def later_occasions(self) -> tuple[Store, ...]:
        """The stores of all occasions but the first."""
        return self._held.later

    def __repr__(self) -> str:
        missing = f"{self.n_missing:,} missing, " if self.n_missing else ""
        return (
            f"Ratings({self.n_items:,} items × {self.n_raters:,} raters, {self.n_ratings:,} "
            f"ratings, {missing}{len(self.categories):,} categories, {self.scale})"
        )
