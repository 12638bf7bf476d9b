"""A coefficient for every pair of raters, all pairs at once."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from consilience.coefficients.coefficient import Coefficient, registry
from consilience.coefficients.estimates import Estimate, checked_setting, estimate, need_raters
from consilience.coefficients.uncertainty import MOST_LABELS_TABLED
from consilience.core.arrays import Floats, Indices, dense
from consilience.distances import Distance
from consilience.exceptions import UnsupportedDesignError
from consilience.inference.influence import ManyEvaluations
from consilience.ratings import Ratings, as_ratings
from consilience.ratings.stores import CodedMatrix, LongTable, as_long
from consilience.rows.distinct_rows import MovingMetric
from consilience.rows.forms import Form, ReplicateForm
from consilience.rows.reduce import Counted, count_codes, form_of, label_space

# ---- How often two raters' labels meet, for all pairs of raters at once.
#
# With X the indicator matrix of items x (rater · label), the cross-tables of all pairs are the
# blocks of X'X: one dense product for a panel, a sparse one for a crowd, and never a loop over
# pairs.

_DENSE_SIDE = 4_096  # raters times labels up to which X'X may be a plain array
_DENSE_RATE = 50.0  # multiplications of a plain product in the time of one of a sparse product
_ROWS_AT_ONCE = 4_096
_MEETINGS_AT_ONCE = 20_000_000
_EXACT_FLOAT32 = 1 << 24


@dataclass(frozen=True)
class Meetings:
    """Counts other than zero of all pairs' cross-tables, in the order of the pairs."""

    pair: Indices
    label: Indices  # of the first rater
    other: Indices  # of the second
    count: Floats


@dataclass(frozen=True)
class RaterTables:
    """The cross-tables of all pairs of raters who have items in common.

    Pairs are numbered by first and second rater. For a panel the tables are laid out, for a crowd
    their counts are listed.
    """

    first: Indices  # of each pair
    second: Indices
    given: Any  # raters x labels, plain or sparse: all ratings, also where the other gave none
    n_labels: int
    full: Floats | None = None  # pairs x (label · other label)
    listed: Meetings | None = None

    @property
    def n_pairs(self) -> int:
        """Number of pairs with items in common."""
        return int(self.first.size)

    @cached_property
    def meetings(self) -> Meetings:
        """The counts as a list, whichever way they are held."""
        if self.full is None:
            assert self.listed is not None
            return self.listed
        pair, cell = np.nonzero(self.full)
        label, other = np.divmod(cell, self.n_labels)
        return Meetings(pair, label, other, self.full[pair, cell])

    @property
    def n_common(self) -> Floats:
        """Number of items that both raters of each pair rated."""
        if self.full is not None:
            return np.asarray(self.full.sum(axis=1))
        met = self.meetings
        counted = np.bincount(met.pair, weights=met.count, minlength=self.n_pairs)
        return counted.astype(np.float64)

    def given_by(self, raters: Indices) -> Floats:
        """Return how often some raters gave each label."""
        return dense(self.given[raters])

    def of_pairs(self, block: slice) -> Meetings:
        """Return the counts of some pairs, numbered from 0."""
        met = self.meetings
        low, high = np.searchsorted(met.pair, [block.start, block.stop])
        mine = slice(int(low), int(high))
        pair = met.pair[mine] - block.start
        return Meetings(pair, met.label[mine], met.other[mine], met.count[mine])


def rater_tables(store: CodedMatrix | LongTable, n_labels: int) -> RaterTables:
    """Count how often the labels of every two raters meet.

    Parameters
    ----------
    store : CodedMatrix or LongTable
    n_labels : int

    Returns
    -------
    RaterTables

    Examples
    --------
    >>> codes = np.array([[0, 0, 1], [1, 0, -1]])
    >>> tables = rater_tables(CodedMatrix.from_codes(codes, 2), 2)
    >>> tables.first.tolist(), tables.second.tolist(), tables.n_common.tolist()
    ([0, 0, 1], [1, 2, 2], [2.0, 1.0, 1.0])
    """
    if isinstance(store, CodedMatrix) and _is_dense_cheaper(store, n_labels):
        return _from_blocks(_dense_product(store, n_labels), n_labels)
    entries = as_long(store)
    return _from_entries(_sparse_product(entries, n_labels).tocoo(), _given(entries, n_labels))


def _from_blocks(product: NDArray[Any], n_labels: int) -> RaterTables:
    """Take the tables of all pairs from X'X as a plain array."""
    n_raters = len(product) // n_labels
    one, two = np.triu_indices(n_raters, 1)
    blocks = product.reshape(n_raters, n_labels, n_raters, n_labels)
    # Tables of one rater with all after her lie side by side: a slice is copied, not cell by cell.
    tables = np.empty((one.size, n_labels, n_labels))
    start = 0
    for g in range(n_raters - 1):
        stop = start + n_raters - 1 - g
        tables[start:stop] = blocks[g, :, g + 1 :].transpose(1, 0, 2)
        start = stop
    full = tables.reshape(one.size, n_labels * n_labels)
    some = np.flatnonzero(full.any(axis=1))
    if some.size < one.size:
        one, two, full = one[some], two[some], full[some]
    given = np.diag(product).reshape(-1, n_labels).astype(np.float64)
    return RaterTables(one, two, given, n_labels, full=full)


def _from_entries(product: Any, given: Any) -> RaterTables:
    """Take the tables of all pairs from the entries of X'X, sparse."""
    n_raters, n_labels = given.shape
    row, column = product.row, product.col
    one, two = row // n_labels, column // n_labels
    kept = np.flatnonzero(one < two)
    one, two = one[kept].astype(np.intp), two[kept].astype(np.intp)
    key = one * n_raters + two
    order = np.argsort(key, kind="stable")
    key, kept = key[order], kept[order]
    new = np.concatenate([[True], key[1:] != key[:-1]]) if key.size else np.zeros(0, bool)
    met = Meetings(
        np.cumsum(new) - 1,
        (row[kept] % n_labels).astype(np.intp),
        (column[kept] % n_labels).astype(np.intp),
        product.data[kept].astype(np.float64),
    )
    return RaterTables(one[order][new], two[order][new], given, n_labels, listed=met)


def _is_dense_cheaper(store: CodedMatrix, n_labels: int) -> bool:
    """Tell whether a plain product takes less time: it also multiplies zeros, but much faster."""
    side = store.n_rater_codes * n_labels
    return side <= _DENSE_SIDE and n_labels**2 <= _DENSE_RATE * _filled(store) ** 2


def _filled(store: CodedMatrix) -> float:
    """Return the share of cells that hold a rating, from the first rows."""
    head = store.decode(store.matrix[:_ROWS_AT_ONCE])
    return float((head >= 0).mean()) if head.size else 1.0


def _dense_product(store: CodedMatrix, n_labels: int) -> NDArray[Any]:
    """Return X'X as a plain array; single precision counts exactly up to 2^24 items."""
    n_raters = store.n_rater_codes
    side = n_raters * n_labels
    kind = np.float32 if store.n_items < _EXACT_FLOAT32 else np.float64
    out = np.zeros((side, side), dtype=kind)
    offset = n_labels * np.arange(n_raters)
    for codes, times in _coded_blocks(store):
        place = np.where(codes >= 0, codes + offset, side)  # one column more takes what is missing
        x = np.zeros((len(codes), side + 1), dtype=kind)
        x[np.arange(len(codes))[:, None], place] = 1
        x = x[:, :side]
        out += x.T @ (x if times is None else x * times[:, None].astype(kind))
    return out


def _coded_blocks(store: CodedMatrix) -> Iterator[tuple[NDArray[Any], NDArray[Any] | None]]:
    """Yield the codes of some rows, and how many items each stands for."""
    if store.is_reduced and 2 * len(store.patterns.codes) < len(store.source):
        distinct = store.patterns
        for start in range(0, len(distinct.codes), _ROWS_AT_ONCE):
            part = slice(start, start + _ROWS_AT_ONCE)
            yield distinct.codes[part], distinct.multiplicity[part]
        return
    for start in range(0, len(store.source), _ROWS_AT_ONCE):
        part = slice(start, start + _ROWS_AT_ONCE)
        times = None if store.multiplicity is None else store.multiplicity[part]
        yield store.decode(store.matrix[part]), times


def _sparse_product(entries: LongTable, n_labels: int) -> Any:
    """Return X'X as a sparse array, some items at a time."""
    from scipy.sparse import coo_array, csr_array

    side = entries.n_rater_codes * n_labels
    column = entries.rater.astype(np.int64) * n_labels + entries.label
    one = np.ones(column.size, dtype=np.int32)
    x = coo_array((one, (entries.item, column)), shape=(entries.n_items, side)).tocsr()
    meetings = np.cumsum(np.diff(x.indptr).astype(np.float64) ** 2)
    out = csr_array((side, side), dtype=np.int32)
    start = 0
    while start < entries.n_items:
        before = meetings[start - 1] if start else 0.0
        stop = int(np.searchsorted(meetings, before + _MEETINGS_AT_ONCE, side="right"))
        part = x[start : max(stop, start + 1)]
        met = part.T.tocsr() @ part
        out = met if start == 0 else out + met
        start = max(stop, start + 1)
    return out


def _given(entries: LongTable, n_labels: int) -> Any:
    """Return how often each rater gave each label."""
    from scipy.sparse import coo_array

    shape = (entries.n_rater_codes, n_labels)
    one = np.ones(entries.label.size)
    return coo_array((one, (entries.rater, entries.label)), shape=shape).tocsr()


Pair = tuple[object, object]
_ERRORS = ("linearised", "table", "perreault-leigh")
_CELLS_AT_ONCE = 1 << 19  # kinds of items x pairs: such arrays stay in the cache
_MOST_KINDS = 4_096  # up to which every kind of item is listed, seen or not
_MOST_LABELS_MOVING = 24  # pairs of labels are counted for a metric that moves with the data
_LARGEST_MATRIX = 20_000  # raters; the matrix of so many takes 3 GB


class PairMap(Mapping[Pair, Any]):
    """Something known of pairs of raters, by their names in either order; made when asked for."""

    def __init__(
        self, raters: tuple[object, ...], first: Indices, second: Indices, make: Callable[..., Any]
    ) -> None:
        self._raters, self._first, self._second, self._make = raters, first, second, make
        self._made: dict[int, Any] = {}

    def __len__(self) -> int:
        return int(self._first.size)

    def __iter__(self) -> Iterator[Pair]:
        for g, h in zip(self._first.tolist(), self._second.tolist(), strict=True):
            yield self._raters[g], self._raters[h]

    def __getitem__(self, pair: Pair) -> Any:
        place = {rater: k for k, rater in enumerate(self._raters)}
        g, h = sorted((place[pair[0]], place[pair[1]]))
        size = len(self._raters)
        where = int(np.searchsorted(self._first * size + self._second, g * size + h))
        if where == len(self) or (self._first[where], self._second[where]) != (g, h):
            raise KeyError(pair)
        if where not in self._made:
            self._made[where] = self._make(where)
        return self._made[where]


@dataclass(frozen=True, slots=True, eq=False)
class Pairwise:
    """A coefficient for every pair of raters on the items that both rated.

    Attributes
    ----------
    estimates : mapping from two raters to their Estimate
        Of pairs with items in common; made when it is asked for.
    first, second, values, standard_errors, common : arrays
        One entry for each of these pairs, in the same order: the places of the raters, the value
        (NaN where it is undefined), its standard error, the number of items that both rated.
    """

    coefficient: str
    raters: tuple[object, ...]
    estimates: Mapping[Pair, Estimate] = field(repr=False)
    first: Indices = field(repr=False)
    second: Indices = field(repr=False)
    values: Floats = field(repr=False)
    standard_errors: Floats = field(repr=False)
    common: Floats = field(repr=False)

    def __getitem__(self, pair: Pair) -> Estimate:
        return self.estimates[pair]

    @property
    def n_items(self) -> dict[Pair, int]:
        """Number of items that both rated, for all pairs."""
        known = dict(zip(self.estimates, self.common.astype(int).tolist(), strict=True))
        return {pair: known.get(pair, 0) for pair in combinations(self.raters, 2)}

    @property
    def without_overlap(self) -> tuple[Pair, ...]:
        """Pairs of raters who have no item in common."""
        return tuple(pair for pair, n in self.n_items.items() if n == 0)

    @property
    def matrix(self) -> NDArray[np.float64]:
        """Raters × raters; 1 on the diagonal, NaN where a pair has no value."""
        return self._spread(self.values, np.nan, 1.0)

    @property
    def standard_error_matrix(self) -> NDArray[np.float64]:
        """Raters × raters; 0 on the diagonal, NaN where a pair has no value."""
        return self._spread(self.standard_errors, np.nan, 0.0)

    @property
    def common_matrix(self) -> NDArray[np.float64]:
        """Raters × raters: the number of items that both rated; 0 on the diagonal."""
        return self._spread(self.common, 0.0, 0.0)

    def _spread(self, of_pairs: Floats, else_: float, diagonal: float) -> NDArray[np.float64]:
        size = len(self.raters)
        if size > _LARGEST_MATRIX:
            raise UnsupportedDesignError.needs(
                "a matrix of pairs of raters",
                f"at most {_LARGEST_MATRIX:,} raters",
                f"{size:,}",
                "take first, second and values, which list the pairs with items in common",
            )
        out = np.full((size, size), else_)
        np.fill_diagonal(out, diagonal)
        out[self.first, self.second] = out[self.second, self.first] = of_pairs
        return out

    @property
    def mean(self) -> float:
        """Mean over the pairs that have a value."""
        known = self.values[np.isfinite(self.values)]
        return float(known.mean()) if known.size else math.nan

    def __iter__(self) -> Iterator[Pair]:
        return iter(self.estimates)

    def __len__(self) -> int:
        return len(self.estimates)


def pairwise(
    *ratings: Any,
    coefficient: str = "cohen_kappa",
    distance: Any = None,
    missing: str | None = None,
    standard_error: str = "auto",
    population: float | None = None,
    on_undefined: str = "ignore",
) -> Pairwise:
    """Measure every pair of raters on its own.

    Parameters
    ----------
    ratings : Ratings, a table of items × raters, or one sequence of labels per rater
    coefficient : name or alias
    distance, missing, standard_error, population, on_undefined
        As in `krippendorff_alpha`.

    Returns
    -------
    Pairwise

    Examples
    --------
    >>> wide = [["a", "a", "b"], ["b", "b", "b"], ["a", "b", "b"], ["b", "b", "b"]]
    >>> pairs = pairwise(Ratings.from_wide(wide, raters=["Ann", "Bob", "Cid"]))
    >>> round(pairs["Ann", "Bob"].value, 3), pairs["Bob", "Cid"].value
    (0.5, 0.0)
    >>> pairs.values.round(3)
    array([0.5, 0. , 0. ])
    """
    data = as_ratings(*ratings)
    need_raters("pairwise", data)
    chosen = registry[coefficient]
    settings: dict[str, Any] = {
        "distance": distance,
        "missing": missing,
        "standard_error": standard_error,
        "population": population,
        "on_undefined": on_undefined,
    }
    tables = rater_tables(data.coded_store(), len(data.categories))

    def made(where: int) -> Estimate:
        names = [data.raters[k] for k in (tables.first[where], tables.second[where])]
        return estimate(chosen, (data.select(raters=names),), **settings)

    estimates = PairMap(data.raters, tables.first, tables.second, made)
    values, errors = _measured(data, chosen, tables, settings) or _one_by_one(estimates)
    if on_undefined != "ignore":  # told, or raised, where the estimate is made
        for where in np.flatnonzero(np.isnan(values)):
            made(int(where))
    return Pairwise(
        chosen.name,
        data.raters,
        estimates,
        tables.first,
        tables.second,
        values,
        errors,
        tables.n_common,
    )


def _one_by_one(estimates: PairMap) -> tuple[Floats, Floats]:
    """Measure each pair by itself: clusters, and coefficients that are fitted anew."""
    every = [estimates[pair] for pair in estimates]
    return np.array([one.value for one in every]), np.array([one.standard_error for one in every])


# ---- all pairs at once


@dataclass(frozen=True)
class _Task:
    """What is to be computed, the same for every pair."""

    ratings: Ratings
    coefficient: Coefficient
    distance: Distance
    method: str  # of the error
    rule: str  # for missing ratings
    form: Form
    metric: MovingMetric | None

    @property
    def n_labels(self) -> int:
        return len(self.ratings.categories)


def _measured(
    data: Ratings, chosen: Coefficient, tables: RaterTables, settings: Mapping[str, Any]
) -> tuple[Floats, Floats] | None:
    """Return value and error of every pair; None where pairs must be measured one by one."""
    if not tables.n_pairs:
        return np.zeros(0), np.zeros(0)
    some = data.select(raters=[data.raters[k] for k in (tables.first[0], tables.second[0])])
    setting = checked_setting(chosen, some, **settings)
    method = settings["standard_error"]
    method = setting.coefficient.standard_errors[0] if method == "auto" else method
    if method not in _ERRORS or data.clusters is not None or settings["population"] is not None:
        return None
    nothing = Counted(np.zeros((tables.n_labels, 1)), np.zeros(1), np.ones(1))
    form, metric = form_of(data, setting.distance, nothing)
    moving = setting.distance.data_dependent
    if moving and (metric is None or tables.n_labels > _MOST_LABELS_MOVING):
        return None
    is_auto = settings["standard_error"] == "auto"
    method = "auto" if is_auto and method == "linearised" else method
    task = _Task(data, setting.coefficient, setting.distance, method, setting.rule, form, metric)
    parts = [_part(task, tables, block) for block in _blocks(tables)]
    values, errors = (np.concatenate(column) for column in zip(*parts, strict=True))
    return values, errors


def _blocks(tables: RaterTables) -> Iterator[slice]:
    """Yield some pairs at a time, as many as fit together."""
    q, n = tables.n_labels, tables.n_pairs
    kinds = (q + 1) ** 2
    if kinds <= _MOST_KINDS:
        size = _CELLS_AT_ONCE // kinds
    else:  # at most so many kinds as there are entries: size x (size x entries) cells
        size = int(math.sqrt(_CELLS_AT_ONCE * 4 / max(tables.meetings.pair.size / n, 1.0)))
        size = min(size, _CELLS_AT_ONCE * 4 // (2 * q))
    size = max(size, 1)
    for start in range(0, n, size):
        yield slice(start, min(start + size, n))


def _part(task: _Task, tables: RaterTables, block: slice) -> tuple[Floats, Floats]:
    """Return value and error of some pairs."""
    codes, weights, complete = _kinds(task, tables, block)
    counted = count_codes(
        codes,
        np.ones(len(codes)),
        tables.n_labels,
        by_rater=task.coefficient.needs_raters,
        dense_cells=1 << 16,
    )
    form, metric = task.form, None
    if task.metric is not None:
        pairable = weights * (counted.ratings >= 2)[:, None]
        points = task.metric.points_of(np.asarray(counted.vectors @ pairable))
        form = ReplicateForm(points)
        metric = MovingMetric(points, task.distance, label_space(task.ratings))
    many = ManyEvaluations(task.coefficient.terms(form), counted.rows(form), weights, metric)
    with np.errstate(divide="ignore", invalid="ignore"):
        value, defined = _values(task, many, form)
        error = _errors(task, many, form, value, complete)
    error = np.where((value == 1.0) & np.isfinite(error), 0.0, error)
    return np.where(defined, value, np.nan), np.where(defined, error, np.nan)


def _kinds(
    task: _Task, tables: RaterTables, block: slice
) -> tuple[NDArray[np.int64], Floats, NDArray[np.bool_]]:
    """Return the kinds of items, how often each pair has them, and which pairs have no gaps."""
    q, size = tables.n_labels, block.stop - block.start
    few = (q + 1) ** 2 <= _MOST_KINDS
    seen = np.arange(q * q)
    if few and tables.full is not None:
        met_pk = tables.full[block]
        square = met_pk.reshape(size, q, q)
        shared = [square.sum(axis=2), square.sum(axis=1)]
    else:
        met = tables.of_pairs(block)
        shared_by = (
            np.bincount(met.pair * q + labels, weights=met.count, minlength=size * q)
            for labels in (met.label, met.other)
        )
        shared = [one.reshape(size, q) for one in shared_by]
        place = met.label * q + met.other
        if not few:
            seen, place = np.unique(place, return_inverse=True)
        met_pk = np.zeros((size, seen.size))
        met_pk[met.pair, place] = met.count
    raters = (tables.first[block], tables.second[block])
    alone = [tables.given_by(g) - both for g, both in zip(raters, shared, strict=True)]
    if task.rule == "listwise":
        alone = [one * 0.0 for one in alone]
    complete = (alone[0].sum(axis=1) + alone[1].sum(axis=1)) == 0
    single = [np.arange(q) if few else np.flatnonzero(one.any(axis=0)) for one in alone]
    weights = np.concatenate([met_pk.T, alone[0][:, single[0]].T, alone[1][:, single[1]].T])
    both = np.stack([seen // q, seen % q], axis=1)
    first = np.stack([single[0], np.full(single[0].size, -1)], axis=1)
    second = np.stack([np.full(single[1].size, -1), single[1]], axis=1)
    return np.concatenate([both, first, second]), weights, complete


def _values(task: _Task, many: ManyEvaluations, form: Form) -> tuple[Floats, NDArray[np.bool_]]:
    """Return the values, and where they are defined; see `compute`."""
    coefficient, numbers = task.coefficient, many.numbers
    widest = np.where(np.asarray(form.maximum) == 0.0, 1.0, form.maximum)
    observed = coefficient.observed(numbers, form)
    value = np.asarray(coefficient.value(numbers, form), dtype=np.float64)
    defined = np.ones(value.shape, dtype=np.bool_)
    if coefficient.corrects_for_chance:
        defined = coefficient.expected(numbers, form) > 1e-14 * widest
        if coefficient.needs_labels and task.n_labels < 2:
            defined = np.zeros(value.shape, dtype=np.bool_)
    return np.where(defined & (observed <= 1e-15 * widest), 1.0, value), defined


def _errors(
    task: _Task, many: ManyEvaluations, form: Form, value: Floats, complete: NDArray[np.bool_]
) -> Floats:
    """Return standard errors by the method that was asked for, or that fits each pair."""
    coefficient = task.coefficient
    if task.method == "perreault-leigh":
        error = np.sqrt(value * (1.0 - value) / many.n_pairable)
        return np.where(many.n_pairable < 2, np.nan, error)
    slopes: Any = many.slopes(lambda numbers: coefficient.value(numbers, form))
    slopes = coefficient.linear_slopes(many.numbers, slopes, form)
    n = many.n_pairable if coefficient.pairable_items_only else many.n_rated
    # The formula of Fleiss, Cohen & Everitt is the linearised error with the divisor n, with
    # distances that are given.
    classic = np.zeros(n.shape, dtype=np.bool_)
    if task.method == "auto" and "fleiss-cohen-everitt" in coefficient.standard_errors:
        classic = complete & (task.n_labels <= MOST_LABELS_TABLED)
    factor = np.where(classic | (task.method == "table"), 1.0, n / (n - 1.0))
    error = np.sqrt(factor * many.centred_squares(slopes, n, fixed=classic))
    return np.where(n < 2, np.nan, error)
