"""Permutation tests: what a statistic would be if raters' labels had nothing to do with items.

Each rater keeps her own labels and the items she rated; only which item got which label is drawn
anew. Two raters who both rated every item are a cross-table with fixed margins, which can be
enumerated when it is small.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from consilience.core.arrays import Floats, Ints
from consilience.core.draws import RandomStream
from consilience.core.resample import Progress, Seed, check_resamples, seed_sequence
from consilience.exceptions import InputError
from consilience.inference.intervals import ALTERNATIVES
from consilience.inference.replicates import Replicator, Statistic
from consilience.rows import Form, MovingMetric, Rows

_MOST_TABLES = 20_000
_ITEMS_FOR_A_CELL = 10  # labels are put in order as quickly as one cell is drawn
_LABELS_AT_ONCE = 1_000_000


@dataclass(frozen=True, slots=True)
class PermutationTest:
    """A test against labels that are independent of the items."""

    statistic: float
    p_value: float
    alternative: str
    method: str  # "exact" or "monte-carlo"
    null_mean: float
    null_sd: float
    null_values: Floats = field(repr=False)

    @property
    def n_resamples(self) -> int:
        """Number of permutations, or of distinct tables when exact."""
        return int(self.null_values.size)


def check_alternative(alternative: str) -> None:
    """Refuse an alternative that does not exist."""
    if alternative not in ALTERNATIVES:
        raise InputError.unknown_word("alternative", alternative, ALTERNATIVES)


def table_permutation_test(
    statistic: Statistic,
    table: Ints,
    form: Form,
    metric: MovingMetric | None,
    *,
    alternative: str,
    n_resamples: int,
    rng: Seed,
    exact: bool | None,
) -> PermutationTest:
    """Test two complete raters: all cross-tables with their margins, or a sample of them."""
    check_alternative(alternative)
    replicator = Replicator(statistic, _pair_rows(form), metric)
    observed = float(replicator.values(table.reshape(-1, 1).astype(np.float64))[0])
    tables = None
    if exact is not False:
        tables = _all_tables(table.sum(axis=1), table.sum(axis=0))
        if tables is None and exact:
            raise InputError.expected(
                "exact",
                f"asked for where at most {_MOST_TABLES:,} tables exist",
                "more",
                "leave it out: exact=None samples tables instead",
            )
    if tables is not None:
        chances = _table_chances(tables, table)
        values = replicator.values(tables.reshape(len(tables), -1).T.astype(np.float64))
        return _exact_result(observed, values, chances, alternative)
    check_resamples(n_resamples)
    drawn = _drawn_tables(table, n_resamples, RandomStream.of(seed_sequence(rng)))
    values = replicator.values(drawn)
    return monte_carlo_result(observed, values, alternative)


def _drawn_tables(table: Ints, size: int, random: RandomStream) -> Floats:
    """Return cross-tables with the margins of one (cells x tables)."""
    rows, columns = table.sum(axis=1), table.sum(axis=0)
    n, n_cells = int(rows.sum()), (rows.size - 1) * (columns.size - 1)
    out = np.empty((rows.size, columns.size, size))
    if n > _ITEMS_FOR_A_CELL * n_cells:
        left = np.repeat(columns[:, None], size, axis=1)
        for i, row in enumerate(rows[:-1]):  # what it takes of each column is hypergeometric
            wanted, rest = np.full(size, row), left.sum(axis=0)
            for j in range(columns.size - 1):
                rest -= left[j]
                taken = random.hypergeometric(left[j], rest, wanted)
                wanted -= taken
                left[j] -= taken
                out[i, j] = taken
            left[-1] -= wanted
            out[i, -1] = wanted
        out[-1] = left
        return out.reshape(-1, size)
    row, column = (np.repeat(np.arange(margin.size), margin) for margin in (rows, columns))
    step = max(1, _LABELS_AT_ONCE // n)
    for start in range(0, size, step):
        here = min(step, size - start)
        cell = row * columns.size + column[random.permutations(n, here)]
        cell += table.size * np.arange(here)[:, None]
        counts = np.bincount(cell.ravel(), minlength=table.size * here)
        out[:, :, start : start + here] = counts.reshape(here, *table.shape).transpose(1, 2, 0)
    return out.reshape(-1, size)


def rating_permutation_test(
    statistic: Statistic,
    observed: float,
    entries: tuple[Ints, Ints, Ints],
    *,
    form: Form,
    metric: MovingMetric | None,
    by_rater: bool,
    alternative: str,
    n_resamples: int,
    rng: Seed,
    progress: Progress | None = None,
) -> PermutationTest:
    """Test any number of raters, with any ratings missing, by shuffling each rater's labels.

    `entries` are the codes of item, rater and label of each rating.
    """
    check_alternative(alternative)
    check_resamples(n_resamples)
    order = np.argsort(entries[1], kind="stable")
    item, rater, label = (codes[order] for codes in entries)
    ends = np.flatnonzero(np.diff(rater)) + 1
    slices = np.split(np.arange(rater.size), ends)
    n_items, size = int(item.max()) + 1, form.size
    n_raters = int(rater.max()) + 1
    ratings = np.bincount(item, minlength=n_items).astype(np.float64)
    generator = RandomStream.of(seed_sequence(rng))
    values = np.empty(n_resamples)
    everyone = np.ones((n_items, 1))
    shuffled = label.copy()
    for b in range(n_resamples):
        for own in slices:
            shuffled[own] = label[own[generator.permutation(own.size)]]
        vectors = np.bincount(shuffled * n_items + item, minlength=size * n_items)
        who = None
        if by_rater:
            key = (rater * size + shuffled) * n_items + item
            times = np.bincount(key, minlength=n_raters * size * n_items)
            who = times.reshape(n_raters * size, n_items).astype(np.float64)
        rows = Rows(
            form, vectors.reshape(size, n_items).astype(np.float64), ratings, everyone[:, 0], who
        )
        values[b] = Replicator(statistic, rows, metric).values(everyone)[0]
        if progress is not None and b % 100 == 99:
            progress(b + 1, n_resamples)
    return monte_carlo_result(observed, values, alternative)


def monte_carlo_result(observed: float, values: Floats, alternative: str) -> PermutationTest:
    """Return the test from sampled permutations: p = (1 + extreme ones) / (B + 1)."""
    defined = values[np.isfinite(values)]
    near = 1e-12 * max(1.0, abs(observed))
    above = (1.0 + np.count_nonzero(defined >= observed - near)) / (defined.size + 1.0)
    below = (1.0 + np.count_nonzero(defined <= observed + near)) / (defined.size + 1.0)
    return PermutationTest(
        observed,
        _p_value(above, below, alternative),
        alternative,
        "monte-carlo",
        float(defined.mean()),
        float(defined.std()),
        values,
    )


def _exact_result(
    observed: float, values: Floats, chances: Floats, alternative: str
) -> PermutationTest:
    defined = np.isfinite(values)
    values, chances = values[defined], chances[defined] / chances[defined].sum()
    near = 1e-12 * max(1.0, abs(observed))
    above = float(chances[values >= observed - near].sum())
    below = float(chances[values <= observed + near].sum())
    mean = float(chances @ values)
    sd = math.sqrt(float(chances @ (values - mean) ** 2))
    p_value = _p_value(above, below, alternative)
    return PermutationTest(observed, p_value, alternative, "exact", mean, sd, values)


def _p_value(above: float, below: float, alternative: str) -> float:
    tails = {"greater": above, "less": below, "two-sided": 2.0 * min(above, below)}
    return float(min(tails[alternative], 1.0))


def _pair_rows(form: Form) -> Rows:
    """Return one row for each pair of labels that two raters can give."""
    q = form.size
    first, second = np.divmod(np.arange(q * q), q)
    identity = np.eye(q)
    who = np.concatenate([identity[:, first], identity[:, second]])
    return Rows(form, who[:q] + who[q:], np.full(q * q, 2.0), np.ones(q * q), who)


def _all_tables(rows: Ints, columns: Ints) -> Ints | None:
    """List all tables with the given margins; None if there are too many."""
    tables = []
    for table in _fill(rows.tolist(), columns.tolist()):
        tables.append(table)
        if len(tables) > _MOST_TABLES:
            return None
    return np.array(tables, dtype=np.int64)


def _fill(rows: list[int], columns: list[int]) -> Iterator[list[list[int]]]:
    if len(rows) == 1:
        yield [columns]
        return
    for row in _split(rows[0], columns):
        rest = [c - x for c, x in zip(columns, row, strict=True)]
        for below in _fill(rows[1:], rest):
            yield [row, *below]


def _split(total: int, limits: list[int]) -> Iterator[list[int]]:
    """Yield all ways to share a total over cells with upper limits."""
    if len(limits) == 1:
        if total <= limits[0]:
            yield [total]
        return
    room = sum(limits[1:])
    for x in range(max(0, total - room), min(total, limits[0]) + 1):
        for rest in _split(total - x, limits[1:]):
            yield [x, *rest]


def _table_chances(tables: Ints, observed: Ints) -> Floats:
    """Return the probability of each table given its margins (multiple hypergeometric)."""
    from scipy.special import gammaln

    constant = (
        gammaln(observed.sum(axis=0) + 1).sum()
        + gammaln(observed.sum(axis=1) + 1).sum()
        - gammaln(observed.sum() + 1)
    )
    return np.asarray(np.exp(constant - gammaln(tables + 1).sum(axis=(1, 2))))
