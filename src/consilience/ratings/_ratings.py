"""Ratings: who gave which label to which item. Immutable, checked once, laid out frugally."""

from __future__ import annotations

import html
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import compress
from typing import Any, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from consilience.core.frames import is_table, ratings_of
from consilience.core.label_scales import label_scale
from consilience.core.labels import DEFAULT_SCALE, Note, label_key, plain
from consilience.core.words import first_of
from consilience.exceptions import InputError, UnsupportedDesignError
from consilience.ratings import _derived_ratings, _long
from consilience.ratings.construction import Facts, Labels, Parts, only_sums
from consilience.ratings.stores import CodedMatrix, CountTable, LongTable, MomentTable, NumberMatrix


@final
class Ratings(Facts):
    """Items, raters and the labels that the raters gave to the items.

    Make one with `from_wide`, `from_long`, `from_counts` or `from_table`, or read a file with
    `consilience.read`. A `Ratings` never changes; an integer array is looked at where it lies,
    so do not change the array while the `Ratings` is in use.

    Examples
    --------
    >>> r = Ratings.from_wide([["a", "a"], ["b", "a"], ["b", None]], raters=["Ann", "Bob"])
    >>> r
    Ratings(3 items × 2 raters, 5 ratings, 1 missing, 2 categories, nominal)
    """

    __slots__ = ()

    def __init__(self) -> None:
        raise TypeError(
            "Ratings has no constructor of its own. Hint: use Ratings.from_wide, from_long, "
            "from_counts or from_table."
        )

    # ---------------------------------------------------------------- constructors

    @classmethod
    def from_wide(
        cls,
        rows: Any,
        *,
        raters: Iterable[object] | None = None,
        items: Iterable[object] | None = None,
        item: str | None = None,
        scale: str | None = None,
        categories: Iterable[object] | None = None,
        missing_values: object = (),
    ) -> Ratings:
        """Make ratings from a table with one row per item and one column per rater.

        Every column is a rater's, but for the one that `item` names; `consilience.read` finds out
        which columns are.

        Parameters
        ----------
        rows : sequence of rows, numpy array, dataframe, or mapping rater -> labels
            None, NaN, pandas' NA and masked entries are missing.
        raters, items : names, default the column names, and the index of a frame or 0, 1, 2, ...
        item : name of the column that names the items, optional
        scale : {"nominal", "ordinal", "interval", "ratio"}, default "nominal"
            Say it for numbers: see `scale_undecided`.
        categories : the labels that could be used, in order; default those that were used
        missing_values : labels that mean "no rating", for example ``missing_values=[-1]``

        Examples
        --------
        >>> Ratings.from_wide({"Ann": [1, 2, 3], "Bob": [1, 2, 2]}, scale="ordinal").n_ratings
        6
        """
        from consilience.ratings import _wide

        parts = _wide.from_wide(
            rows,
            raters=raters,
            items=items,
            item=item,
            scale=_or_default(scale),
            categories=categories,
            missing_values=missing_values,
        )
        return cls.of_parts(replace(parts, scale_told=scale is not None))

    @classmethod
    def from_long(
        cls,
        frame: Any,
        *,
        item: str = "item",
        rater: str = "rater",
        label: str = "label",
        occasion: str | None = None,
        scale: str | None = None,
        categories: Iterable[object] | None = None,
        duplicates: str = "refuse",
        missing_values: object = (),
    ) -> Ratings:
        """Make ratings from a table with one row per rating.

        Parameters
        ----------
        frame : dataframe of any library, DuckDB relation, or mapping of columns
        item, rater, label, occasion : names of the columns
        duplicates : {"refuse", "first", "last", "occasions"}
            What to do when a rater rated an item twice. "occasions" keeps all of them, see
            `occasions`; agreement between raters is measured on the first.

        Examples
        --------
        >>> Ratings.from_long(
        ...     {"item": [1, 1, 2], "rater": ["A", "B", "A"], "label": ["x", "y", "x"]}
        ... ).n_raters
        2
        """
        parts = _long.from_long(
            frame,
            item=item,
            rater=rater,
            label=label,
            occasion=occasion,
            scale=_or_default(scale),
            categories=categories,
            duplicates=duplicates,
            missing_values=missing_values,
        )
        return cls.of_parts(replace(parts, scale_told=scale is not None))

    @classmethod
    def from_codes(
        cls,
        *,
        item: ArrayLike,
        rater: ArrayLike,
        label: ArrayLike,
        items: Sequence[object] | None = None,
        raters: Sequence[object] | None = None,
        categories: Sequence[object],
        scale: str | None = None,
        declared: bool = False,
        duplicates: str = "refuse",
        design: str = "long",
        notes: Iterable[Note] = (),
    ) -> Ratings:
        """Make ratings from integer codes: the way in for readers that encode by themselves.

        `item`, `rater` and `label` are codes into `items`, `raters` and `categories`; a label of
        -1 is missing. `declared` says that the order of `categories` was stated by the user;
        `notes` are what the reader has to say about the data.
        """
        entries = _long.Entries.checked(
            item, rater, label, items=items, raters=raters, labels=categories
        )
        parts = _long.build(
            entries,
            scale=_or_default(scale),
            declared=declared,
            duplicates=duplicates,
            design=design,
            notes=notes,
        )
        return cls.of_parts(replace(parts, scale_told=scale is not None))

    @classmethod
    def from_counts(
        cls,
        counts: Any,
        *,
        categories: Iterable[object] | None = None,
        items: Iterable[object] | None = None,
        scale: str | None = None,
        multiplicity: ArrayLike | None = None,
        declared: bool = True,
    ) -> Ratings:
        """Make ratings from counts: row = item, column = category, cell = how many raters chose it.

        `multiplicity` says how many items each row stands for, `declared` whether the columns are
        all categories that could be used.

        Examples
        --------
        >>> Ratings.from_counts([[3, 0], [1, 2]], categories=["no", "yes"]).n_ratings
        6
        """
        from consilience.ratings import count_tables

        parts = count_tables.from_counts(
            counts,
            categories=categories,
            items=items,
            scale=_or_default(scale),
            multiplicity=multiplicity,
            declared=declared,
        )
        return cls.of_parts(replace(parts, scale_told=parts.scale_told or scale is not None))

    @classmethod
    def _from_moments(cls, store: MomentTable, *, scale: str, raters: Sequence[object]) -> Ratings:
        """Make ratings of which only sums are known: the way in for engines."""
        facts = Labels((), True, None, False)
        return cls.of_parts(Parts(store, facts, tuple(raters), None, scale, "long"))

    @classmethod
    def from_patterns(
        cls,
        codes: ArrayLike,
        multiplicity: ArrayLike,
        *,
        categories: Iterable[object],
        raters: Iterable[object] | None = None,
        scale: str | None = None,
        declared: bool = True,
    ) -> Ratings:
        """Make ratings from distinct items and how often each occurs.

        Parameters
        ----------
        codes : distinct items × raters
            The place of each rater's label among the categories; -1 where there is none.
        multiplicity : how many items have each pattern
        categories : the labels
        declared : whether `categories` lists all labels that could be used, in order

        Examples
        --------
        >>> r = Ratings.from_patterns([[0, 0], [0, 1]], [90, 10], categories=["no", "yes"])
        >>> r.n_items, r.n_ratings
        (100, 200)
        """
        from consilience.ratings import count_tables

        parts = count_tables.from_patterns(
            codes,
            multiplicity,
            categories=categories,
            raters=raters,
            scale=_or_default(scale),
            declared=declared,
        )
        return cls.of_parts(replace(parts, scale_told=scale is not None))

    @classmethod
    def from_table(
        cls,
        table: Any,
        *,
        categories: Iterable[object] | None = None,
        raters: Iterable[object] | None = None,
        scale: str | None = None,
        n_items: int | None = None,
    ) -> Ratings:
        """Make ratings from the cross-table of two raters; rows belong to the first.

        With `n_items` the cells are shares of so many items, as papers print them.

        Examples
        --------
        >>> Ratings.from_table([[20, 20], [10, 50]]).n_items
        100
        >>> Ratings.from_table([[0.2, 0.2], [0.1, 0.5]], n_items=100).n_items
        100
        """
        from consilience.ratings import count_tables

        if n_items is not None:
            table = count_tables.counts_of_shares(table, n_items)
        parts = count_tables.from_table(
            table, categories=categories, raters=raters, scale=_or_default(scale)
        )
        return cls.of_parts(replace(parts, scale_told=parts.scale_told or scale is not None))

    # ---------------------------------------------------------------- use

    def table(self, first: object, second: object) -> NDArray[np.int64]:
        """Return the cross-table of two raters: rows are the labels of the first."""
        a, b = self.rater_code(first), self.rater_code(second)
        return _derived_ratings.cross_table(self.coded_store(), a, b, len(self.categories))

    def select(self, *, raters: Iterable[object]) -> Ratings:
        """Keep some raters only; the items stay, also those that none of them rated."""
        if not isinstance(raters, Iterable):
            raise InputError.expected("raters", "a list of names", raters, "name those to keep")
        codes = [self.rater_code(name) for name in raters]
        names = [self.raters[code] for code in codes]
        if not codes or len(set(codes)) != len(codes):
            raise InputError.expected(
                "raters", "at least one, and different from each other", names, "name each once"
            )
        parts = _derived_ratings.selected(self.coded_parts(), codes)
        return Ratings.of_parts(replace(parts, raters=tuple(names)))

    def to_frame(self, backend: str | None = None) -> Any:
        """Return one row per rating as a dataframe: item, rater, label.

        `backend` is "pandas", "polars" or "pyarrow"; left out, it is one that is in use already,
        else one that is installed. Ratings on several occasions have a fourth column.

        Examples
        --------
        >>> Ratings.from_wide([["a", "b"]], raters=["Ann", "Bob"]).to_frame("pyarrow").num_rows
        2
        """
        from consilience.core.frames import native_frame
        from consilience.ratings.rating_tables import framed, long_columns

        columns = {name: framed(column) for name, column in long_columns(self).items()}
        return native_frame(columns, backend)

    def active(self) -> Ratings:
        """Leave out raters who rated nothing; the same ratings if there are none."""
        store = self.store
        if isinstance(store, (CountTable, LongTable, MomentTable)):
            return self
        busy = self.remember("busy", lambda: store.busy().tolist())
        if all(busy) or not any(busy):
            return self
        return self.remember(  # type: ignore[no-any-return]
            "active", lambda: self.select(raters=compress(self.raters, busy))
        )

    def complete(self) -> Ratings:
        """Keep the items only that every rater has rated (listwise deletion)."""
        if self.n_missing == 0 and isinstance(self.coded_store(), CodedMatrix):
            return self
        return Ratings.of_parts(_derived_ratings.complete_items(self.coded_parts()))

    def collapse(self, groups: Mapping[object, object], *, rest: object = None) -> Ratings:
        """Merge labels: each key of `groups` becomes its value.

        Labels that `groups` does not name stay as they are, or all become `rest`.

        Examples
        --------
        >>> r = Ratings.from_wide([["cat", "dog"], ["oak", "elm"]])
        >>> r.collapse({"cat": "animal", "dog": "animal"}, rest="plant").categories
        ('animal', 'plant')
        """
        return Ratings.of_parts(_derived_ratings.collapse(self.coded_parts(), groups, rest))

    def merge(self, other: Ratings) -> Ratings:
        """Add the items of `other`: same raters and labels, multiplicities add.

        Examples
        --------
        >>> monday = Ratings.from_table([[20, 20], [10, 50]])
        >>> monday.merge(monday).n_items
        200
        """
        if not isinstance(other, Ratings):
            raise InputError.expected("other", "Ratings", other, "make it with Ratings.from_wide")
        return Ratings.of_parts(_derived_ratings.merge(self.coded_parts(), other.coded_parts()))

    def on_scale_of_words(self) -> Ratings:
        """Return the same ratings in the order of the scale that all labels belong to.

        Where a scale was told, or labels are names, these are the ratings themselves. Lists and
        arrays keep what they are given until this is asked for: `measure` and reports ask.

        Examples
        --------
        >>> from consilience import Ratings
        >>> r = Ratings.from_wide([["never", "often"], ["always", "often"]])
        >>> r.scale, r.on_scale_of_words().scale
        ('nominal', 'ordinal')
        """
        if self.scale_told or self.scale != "nominal" or isinstance(self.store, NumberMatrix):
            return self
        known = label_scale(self.categories)
        if known is None:
            return self
        return self.recoded(known.order).taken_as("ordinal")

    # ---------------------------------------------------------------- inside

    def noting(self, notes: Iterable[Note]) -> Ratings:
        """Add what a reader has to say."""
        return Ratings.of_parts(replace(self.parts(), notes=(*self.notes, *notes)))

    def read_as(self, reading: Any) -> Ratings:
        """Keep how the file was read."""
        return Ratings.of_parts(replace(self.parts(), reading=reading))

    def rated_by(self, n_raters: int) -> Ratings:
        """Say how many raters there are, where counts do not tell."""
        parts = self.parts()
        assert isinstance(parts.store, CountTable)
        return Ratings.of_parts(replace(parts, store=replace(parts.store, n_raters=n_raters)))

    def recoded(self, categories: Sequence[object]) -> Ratings:
        """Put the same categories into another order."""
        if tuple(categories) == self.categories:
            return self
        return Ratings.of_parts(_derived_ratings.reordered(self._coded_or_counts(), categories))

    def _coded_or_counts(self) -> Parts:
        return self.parts() if isinstance(self.store, CountTable) else self.coded_parts()

    def coded_store(self) -> CodedMatrix | LongTable:
        if isinstance(self.store, CountTable):
            raise UnsupportedDesignError.needs(
                "this",
                "to know who gave which rating",
                "counts of ratings per item",
                "bring the ratings in long or wide form",
            )
        if isinstance(self.store, MomentTable):
            raise only_sums("this")
        return self.store.coded[0] if isinstance(self.store, NumberMatrix) else self.store

    def rater_code(self, name: object) -> int:
        self.coded_store()
        places: dict[Hashable, int] = self.remember(
            "places", lambda: {label_key(x): k for k, x in enumerate(self.raters)}
        )
        code = places.get(label_key(plain(name), "a rater"))
        if code is None:
            raise InputError.unknown_word("rater", name, [str(x) for x in self.raters])
        return code

    def coded_parts(self) -> Parts:
        """Return the parts with labels that are listed, where they were numbers before."""
        parts = self.parts()
        if not isinstance(self.store, NumberMatrix):
            return parts
        return replace(parts, store=self.store.coded[0], labels=self._label_facts)

    def _repr_html_(self) -> str:
        return as_html(self)


def _or_default(scale: str | None) -> str:
    return DEFAULT_SCALE if scale is None else scale


# ---- What a coefficient is called with, turned into ratings.


def as_ratings(*data: Any, scale: str | None = None) -> Ratings:
    """Turn what a coefficient was called with into Ratings.

    One `Ratings`, or what `load` or `simulate` returned; one dataframe, dict of columns or list of
    records (recognised as a file would be); one table of items x raters in lists or an array; or
    two (or more) plain sequences, one per rater.

    Parameters
    ----------
    data
        See above.
    scale : str, optional

    Returns
    -------
    Ratings

    Examples
    --------
    >>> as_ratings(["a", "b", "b"], ["a", "b", "a"])
    Ratings(3 items × 2 raters, 6 ratings, 2 categories, nominal)
    """
    if len(data) == 1 and isinstance(held := getattr(data[0], "ratings", data[0]), Ratings):
        return held
    if len(data) == 1 and is_table(data[0]):
        recognised: Ratings = ratings_of(data[0], scale=scale)
        return recognised
    if len(data) == 1:
        return Ratings.from_wide(data[0], scale=scale)
    if any(isinstance(part, (Ratings, Mapping)) for part in data):
        raise InputError.expected(
            "ratings",
            "one Ratings, or one sequence of labels per rater",
            type(data[0]).__name__,
            "merge them first, or pass plain lists",
        )
    from consilience.ratings._wide import from_columns

    parts = from_columns(data, scale=scale or DEFAULT_SCALE)
    return Ratings.of_parts(replace(parts, scale_told=scale is not None))


# ---- Ratings as a small HTML table, for notebooks.


def as_html(ratings: Ratings) -> str:
    """Render the facts about the ratings as a small table for notebooks."""
    facts = {
        "items": f"{ratings.n_items:,}",
        "raters": f"{ratings.n_raters:,}",
        "ratings": f"{ratings.n_ratings:,}",
        "missing": f"{ratings.n_missing:,}",
        "scale": html.escape(ratings.scale),
        "categories": html.escape(first_of(ratings.categories, 12)),
    }
    rows = "".join(
        f'<tr><th style="text-align:left">{name}</th><td style="text-align:left">{value}</td></tr>'
        for name, value in facts.items()
    )
    notes = "".join(f"<p>{html.escape(note.message)}</p>" for note in ratings.notes)
    return f"<table><caption>Ratings</caption>{rows}</table>{notes}"
