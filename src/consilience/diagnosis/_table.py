"""Ratings laid out for the search of causes: items × raters, and sums over pairs of raters.

Every label is a vector: names one-hot / √2, orders Krippendorff's mid-ranks, numbers themselves.
With w_i = 1 / (m_i - 1), A[g, h] = Σ w_i |x_ig - x_ih|² and W[g, h] = Σ w_i over the items that
both rated, and per rater V = Σ x, Q = Σ |x|², N = Σ 1,

    alpha = 1 - (ΣA / ΣW) / (2 (ΣQ - |ΣV|² / N) / (N - 1)),

which is Krippendorff's alpha for all raters, and for some of them without gaps.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np

from consilience.core.arrays import Codes, Floats, Indices, Ints, Mask
from consilience.core.draws import RandomStream
from consilience.ratings import Ratings
from consilience.ratings.stores import CodedMatrix, CountTable, LongTable, MomentTable, NumberMatrix

Kind = Literal["names", "order", "numbers"]
_MOST_RATINGS = 10_000  # looked at; more are sampled by item
_MOST_COLUMNS = 100  # raters looked at one by one: the busiest
_MOST_COLUMNS_SORTED = 20
_MIXED = np.cumprod(np.full(4_096, 0x9E3779B97F4A7C15, dtype=np.uint64))  # odd: rows differ
MOST_LABELS = 50
FEWEST_ITEMS = 6  # on which a cause must be seen


@dataclass(frozen=True)
class PairSums:
    """Sums over pairs of raters (A, W; S of signed differences) and over each rater (V, Q, N)."""

    a: Floats
    w: Floats
    v: Floats  # raters × dimensions
    q: Floats
    n: Floats
    s: Floats  # Σ w_i (x_ig - x_ih); empty for names
    common: Floats  # items that both rated

    @cached_property
    def alpha(self) -> float:
        """Alpha of all raters."""
        return float(
            alpha_of(self.a.sum(), self.w.sum(), self.v.sum(axis=0), self.q.sum(), self.n.sum())
        )

    @cached_property
    def expected(self) -> Floats:
        """Disagreement that a pair of raters would have by chance."""
        mean, square = self.v / _safe(self.n)[:, None], self.q / _safe(self.n)
        out: Floats = square[:, None] + square[None, :] - 2.0 * (mean @ mean.T)
        return out

    @cached_property
    def kappa(self) -> Floats:
        """Chance-corrected agreement of each pair; nan where they share nothing."""
        with np.errstate(divide="ignore", invalid="ignore"):
            out: Floats = 1.0 - (self.a / self.w) / self.expected
        out[(self.w <= 0) | (self.expected <= 0)] = np.nan
        return out

    @cached_property
    def with_rest(self) -> Floats:
        """Chance-corrected agreement of each rater with the others together."""
        return self.kappa_with(np.ones(self.q.size, dtype=np.bool_))

    def kappa_with(self, members: Mask) -> Floats:
        """Return chance-corrected agreement of each rater with the members but the rater."""
        stay = members.astype(np.float64)
        seen = (self.a @ stay) / _safe(self.w @ stay)
        own_v, own_q, own_n = self.v * stay[:, None], self.q * stay, self.n * stay
        v, q, n = own_v.sum(axis=0) - own_v, own_q.sum() - own_q, own_n.sum() - own_n
        mine, rest = self.v / _safe(self.n)[:, None], v / _safe(n)[:, None]
        chance = self.q / _safe(self.n) + q / _safe(n) - 2.0 * (mine * rest).sum(axis=1)
        return np.where(chance > 1e-12, 1.0 - seen / np.maximum(chance, 1e-12), 0.0)

    def among(self, members: Mask) -> float:
        """Return alpha of some raters."""
        part = np.ix_(members, members)
        v, q, n = (x[members].sum(axis=0) for x in (self.v, self.q, self.n))
        return float(alpha_of(self.a[part].sum(), self.w[part].sum(), v, q, n))


def alpha_of(a: Any, w: Any, v: Any, q: Any, n: Any) -> Floats:
    """Return alpha of sums; 0 where nothing can disagree or nothing is compared."""
    n = np.asarray(n, dtype=np.float64)
    expected = 2.0 * (q - (np.asarray(v) ** 2).sum(axis=-1) / _safe(n)) / _safe(n - 1.0)
    fine = (np.asarray(w) > 1e-9) & (expected > 1e-12) & (n > 1)
    observed = np.asarray(a) / np.where(fine, w, 1.0)
    out: Floats = np.where(fine, 1.0 - observed / np.where(fine, expected, 1.0), 0.0)
    return out


def _safe(x: Any) -> Any:
    return np.maximum(x, 1e-12)


@dataclass(frozen=True)
class RatingTable:
    """Items × raters as a cause sees them; items with fewer than two ratings are left out.

    `rows` and `columns` say which items and raters of the ratings these are (-1 for a column in
    which raters with few ratings are pooled). `sampled` says that the ratings are a part.
    """

    kind: Kind
    codes: Codes  # -1: missing; of numbers 0
    values: Floats  # numbers, or mid-ranks; 0 where missing
    labels: tuple[object, ...]
    raters: tuple[object, ...]
    rows: Ints
    columns: Ints
    in_order_of_work: bool = False
    sampled: bool = False
    has_steps: bool = False  # whether numbers are mid-ranks of labels in an order

    @cached_property
    def given(self) -> Mask:
        """Where there is a rating."""
        return self.codes >= 0

    @cached_property
    def entries(self) -> tuple[Indices, Indices]:
        """The item and the rater of each rating."""
        item, rater = np.nonzero(self.given)
        return item, rater

    @cached_property
    def per_item(self) -> Ints:
        """Ratings of each item."""
        return np.asarray(self.given.sum(axis=1))

    @cached_property
    def weight(self) -> Floats:
        """1 / (m_i - 1)."""
        return np.where(self.per_item > 1, 1.0 / np.maximum(self.per_item - 1.0, 1.0), 0.0)

    @property
    def n_items(self) -> int:
        """How many items have two ratings or more."""
        return int(self.codes.shape[0])

    @property
    def n_raters(self) -> int:
        """How many columns there are."""
        return int(self.codes.shape[1])

    @property
    def n_labels(self) -> int:
        """How many labels there are."""
        return len(self.labels)

    @property
    def has_names(self) -> bool:
        """Whether any two different labels are equally different."""
        return self.kind == "names"

    @cached_property
    def counts(self) -> Floats:
        """How many raters gave each label to each item."""
        n, q = self.n_items, self.n_labels
        item, rater = self.entries
        found = np.bincount(item * q + self.codes[item, rater], minlength=n * q)
        return found.reshape(n, q).astype(np.float64)

    @cached_property
    def coincidences(self) -> Floats:
        """Krippendorff's coincidences of labels."""
        weighted = self.counts * self.weight[:, None]
        return np.asarray(self.counts.T @ weighted - np.diag(weighted.sum(axis=0)))

    @cached_property
    def pairs(self) -> PairSums:
        """Sums over pairs of raters."""
        return self.pairs_by_name if self.has_names else self._pairs_by_number()

    @cached_property
    def pairs_by_name(self) -> PairSums:
        """The same, where any two different labels are equally different."""
        q, m = self.n_labels, self.n_raters
        item, rater = self.entries
        code = self.codes[item, rater].astype(np.int64)
        common, w = self._shared
        where, root = code * self.n_items + item, np.sqrt(self.weight)[item]
        if self._is_sparse:
            from scipy.sparse import csr_array

            flat = csr_array((root, (where, rater)), shape=(q * self.n_items, m))
            same = (flat.T @ flat).toarray()
        else:
            flat = np.zeros((q * self.n_items, m))
            flat[where, rater] = root
            same = flat.T @ flat
        np.fill_diagonal(same, 0.0)
        n = self.given.sum(axis=0).astype(np.float64)
        v = np.bincount(rater * q + code, minlength=m * q).reshape(m, q) / math.sqrt(2.0)
        return PairSums(np.maximum(w - same, 0.0), w, v, n / 2.0, n, np.zeros((0, 0)), common)

    @property
    def _is_sparse(self) -> bool:
        return self.n_raters > 40 and self.per_item.sum() < 0.2 * self.codes.size

    @cached_property
    def _shared(self) -> tuple[Floats, Floats]:
        """Items that each pair shares, and their weights."""
        given: Any = self.given.astype(np.float64)
        if self._is_sparse:
            from scipy.sparse import csr_array

            given = csr_array(given)
            common, w = (given.T @ given).toarray(), given.T @ given.multiply(self.weight[:, None])
            w = w.toarray()
        else:
            common, w = given.T @ given, given.T @ (given * self.weight[:, None])
        np.fill_diagonal(common, 0.0)
        np.fill_diagonal(w, 0.0)
        return common, w

    def _pairs_by_number(self) -> PairSums:
        given = self.given.astype(np.float64)
        common, w = self._shared
        x = self.values * given
        wx = x * self.weight[:, None]
        square = (x * wx).T @ given
        sums = wx.T @ given
        a = square + square.T - 2.0 * (x.T @ wx)
        np.fill_diagonal(a, 0.0)
        n, v, q = given.sum(axis=0), x.sum(axis=0), (x**2).sum(axis=0)
        return PairSums(np.maximum(a, 0.0), w, v[:, None], q, n, sums - sums.T, common)

    @cached_property
    def alpha(self) -> float:
        """Krippendorff's alpha of the table."""
        return self.removals.alpha

    @cached_property
    def removals(self) -> Removals:
        """What the sums lose when a rating is left out."""
        return Removals.of(self)

    def without_each(self) -> Floats:
        """Return alpha without each rater."""
        return self.removals.without(self.removals.rater, self.n_raters)

    def with_column(self, g: int, x: Floats) -> float:
        """Return alpha when rater g gives other numbers."""
        sums, given = self.pairs, self.given
        mine = given[:, g]
        apart = (x[:, None] - self.values) ** 2 * (given & mine[:, None]) * self.weight[:, None]
        row = apart.sum(axis=0)
        row[g] = 0.0
        x = x[mine]
        a = sums.a.sum() - 2.0 * sums.a[g].sum() + 2.0 * row.sum()
        v = sums.v.sum(axis=0) - sums.v[g] + x.sum()
        q = sums.q.sum() - sums.q[g] + (x**2).sum()
        return float(alpha_of(a, sums.w.sum(), v, q, sums.n.sum()))

    # ---- tables made from this one

    def of_codes(self, codes: Codes, **changes: Any) -> RatingTable:
        """Return the table with other labels; items with fewer than two ratings go."""
        keep = (codes >= 0).sum(axis=1) >= 2
        out = replace(
            self,
            codes=codes[keep],
            values=self.values[keep],
            rows=self.rows[keep],
            **changes,
        )
        return replace(out, values=_mid_ranks(out)) if out.kind == "order" else out

    def of_values(self, values: Floats) -> RatingTable:
        """Return the table with other numbers."""
        return replace(self, kind="numbers", values=np.where(self.given, values, 0.0))

    def only_items(self, keep: Mask) -> RatingTable:
        """Return some of the items."""
        return replace(
            self,
            codes=self.codes[keep],
            values=self.values[keep],
            rows=self.rows[keep],
        )

    def only_raters(self, keep: Mask) -> RatingTable:
        """Return some of the raters."""
        return replace(
            self,
            values=self.values[:, keep],
            raters=tuple(name for name, stay in zip(self.raters, keep, strict=True) if stay),
            columns=self.columns[keep],
        ).of_codes(self.codes[:, keep])

    def emptied(self, cells: Mask) -> RatingTable:
        """Return the table without some ratings."""
        return self.of_codes(np.where(cells, -1, self.codes))

    def within(self, second: Mask) -> RatingTable:
        """Return each item twice: as one set of raters saw it, and as the other did."""
        twice = np.concatenate([np.where(second, -1, self.codes), np.where(second, self.codes, -1)])
        stacked = replace(
            self,
            values=np.tile(self.values, (2, 1)),
            rows=np.tile(self.rows, 2),
            in_order_of_work=False,
        )
        return stacked.of_codes(twice)

    def ratings(self) -> Ratings:
        """Return the table as ratings."""
        if self.kind == "numbers":
            return Ratings.from_wide(
                np.where(self.given, self.values, np.nan), raters=range(self.n_raters),
                scale="interval",
            )  # fmt: skip
        item, rater = self.entries
        return Ratings.from_codes(
            item=item,
            rater=rater,
            label=self.codes[item, rater],
            items=range(self.n_items),
            raters=range(self.n_raters),
            categories=self.labels,
            scale="nominal" if self.has_names else "ordinal",
            declared=True,
        )

    # ---- data without the cause

    @property
    def n_draws(self) -> int:
        """How many draws a null is made of."""
        return 20 if self.per_item.sum() >= 6_000 else 40 if self.n_raters > 12 else 100

    @cached_property
    def exchangeable_raters(self) -> list[RatingTable]:
        """Tables in which the ratings of each item are dealt anew among those who rated it."""
        rng = RandomStream.of(1)
        item = self.entries[0].astype(np.float64)
        orders = (np.argsort(item + rng.random(item.size)) for _ in range(self.n_draws))
        return [self._dealt(order) for order in orders]

    @cached_property
    def exchangeable_labels(self) -> list[RatingTable]:
        """Tables of the same alpha in which any two labels, and items, are alike.

        A rating is the item's own label with probability √alpha, else any, as often as used.
        """
        rng = RandomStream.of(2)
        item = self.entries[0]
        knows = math.sqrt(min(max(self.alpha, 0.0), 1.0))
        made = []
        for _ in range(self.n_draws):
            true = rng.integers(item.size, self.n_items)[item]
            guess = rng.integers(item.size, item.size)
            made.append(self._dealt(np.where(rng.random(item.size) < knows, true, guess)))
        return made

    def _dealt(self, chosen: Ints) -> RatingTable:
        """Return the table in which each rating is another one of the table."""
        given, codes, values, place = self.given, self.codes, self.values, self.entries
        if self.kind != "numbers":
            codes = codes.copy()
            codes[place] = self.codes[place][chosen]
        if not self.has_names:
            values = values.copy()
            values[place] = self.values[place][chosen]
        out = replace(self, codes=codes, values=values)
        vars(out).update(
            given=given, entries=self.entries, per_item=self.per_item, weight=self.weight
        )
        return out

    @cached_property
    def orders(self) -> Ints:
        """The items in other orders (draws × items)."""
        return RandomStream.of(3).permutations(self.n_items, self.n_draws)

    def limit(self, statistics: Sequence[float] | Floats) -> float:
        """Return what the largest gain of a search must exceed, given those on data without."""
        found = np.asarray(statistics, dtype=np.float64)
        return float(found.mean() + (2.5 + 20.0 / self.n_items) * found.std())


def largest(tables: Sequence[RatingTable], gain: Callable[[RatingTable], float]) -> Floats:
    """Return the largest gain that a search finds in each table; 0 where it finds none."""
    return np.array([max(gain(one), 0.0) for one in tables])


@dataclass(frozen=True)
class Removals:
    """What the sums behind alpha lose when one rating of an item is left out; exact with gaps.

    An item with two ratings is lost with either. One entry a rating; of the vectors (V) one entry
    for each that goes.
    """

    item: Ints
    rater: Ints
    a: Floats
    n: Floats
    q: Floats
    v_of: Ints  # the entry of which a vector goes
    v_at: Ints  # its dimension
    v: Floats
    totals: tuple[float, float, Floats, float]  # A, N, V, Q

    @classmethod
    def of(cls, table: RatingTable) -> Removals:
        """Work out each rating's part."""
        item, rater = table.entries
        m_i = table.per_item[item].astype(np.float64)
        lost = m_i == 2
        if table.has_names:
            code = table.codes[item, rater].astype(np.int64)
            n_ik = table.counts
            square = (n_ik**2).sum(axis=1)[item]
            every, mine = m_i**2 - square, m_i - n_ik[item, code]
            x, at = np.full(item.size, math.sqrt(0.5)), code
            total_v = n_ik.sum(axis=0) * math.sqrt(0.5)
            q, total_q = np.full(item.size, 0.5), item.size / 2.0
            q_lost = np.full(item.size, 1.0)
        else:
            x, at = table.values[item, rater], np.zeros(item.size, dtype=np.int64)
            sums = np.bincount(item, x, minlength=table.n_items)
            squares = np.bincount(item, x**2, minlength=table.n_items)
            every = 2.0 * (m_i * squares[item] - sums[item] ** 2)
            mine = m_i * x**2 - 2.0 * x * sums[item] + squares[item]
            total_v = np.array([x.sum()])
            q, total_q, q_lost = x**2, float((x**2).sum()), squares[item]
        a = every / np.maximum(m_i - 1.0, 1.0)
        left = np.where(lost, 0.0, (every - 2.0 * mine) / np.maximum(m_i - 2.0, 1.0))
        # Of an item with two ratings the other one goes as well: its entry stands beside it.
        entry = np.arange(item.size)
        pairs = entry[lost].reshape(-1, 2)
        v_of = np.concatenate([entry, pairs[:, 0], pairs[:, 1]])
        v_from = np.concatenate([entry, pairs[:, 1], pairs[:, 0]])
        return cls(
            item=item,
            rater=rater,
            a=left - a,
            n=np.where(lost, -2.0, -1.0),
            q=-np.where(lost, q_lost, q),
            v_of=v_of,
            v_at=at[v_from],
            v=-x[v_from],
            totals=(float((a / m_i).sum()), float(item.size), total_v, total_q),
        )

    @cached_property
    def alpha(self) -> float:
        """Alpha of all ratings."""
        a, n, v, q = self.totals
        return float(alpha_of(a, n, v, q, n))

    def without(self, part: Ints, n_parts: int) -> Floats:
        """Return alpha without each part of the ratings, of an item no more than one."""
        a, n, v, q = self.totals
        d_a, d_n, d_v, d_q = self.parts(part, n_parts)
        return alpha_of(a + d_a, n + d_n, v + d_v, q + d_q, n + d_n)

    def parts(self, part: Ints, n_parts: int) -> tuple[Floats, Floats, Floats, Floats]:
        """Return what each part of the ratings takes from A, N, V and Q."""
        size = self.totals[2].size

        def summed(place: Ints, x: Floats, n: int) -> Floats:
            return np.bincount(place, x, minlength=n).astype(np.float64)

        v = summed(part[self.v_of] * size + self.v_at, self.v, n_parts * size)
        a, n, q = (summed(part, x, n_parts) for x in (self.a, self.n, self.q))
        return a, n, v.reshape(n_parts, size), q


# ---- from ratings to a table


_KINDS: dict[str, Kind] = {
    "nominal": "names",
    "ordinal": "order",
    "interval": "numbers",
    "ratio": "numbers",
}


def table_of(ratings: Ratings, distance: str) -> RatingTable | None:
    """Lay ratings out, of very many a sample; None where it is not known who rated, or how far
    labels are apart.
    """
    kind = _KINDS.get(distance)
    laid = None if kind is None else _laid_out(ratings, kind)
    if kind is None or laid is None:
        return None
    names = ratings.raters
    table = RatingTable(
        kind=kind,
        codes=laid.codes,
        values=laid.values,
        labels=() if kind == "numbers" else ratings.categories,
        raters=tuple(None if c < 0 else names[c] for c in laid.columns),
        rows=laid.rows,
        columns=laid.columns,
        sampled=laid.sampled,
        in_order_of_work=laid.in_order and ratings.design != "table",
        has_steps=kind == "order",
    )
    table = table.of_codes(table.codes)
    busy = np.asarray(table.given.any(axis=0))
    if not busy.all():
        table = table.only_raters(busy)
    if table.n_raters < 2 or table.n_items < FEWEST_ITEMS:
        return None
    if kind == "numbers":  # about their middle, so that squares do not drown differences
        given = table.given
        middle = table.values[given].mean()
        table = replace(table, values=np.where(given, table.values - middle, 0.0))
    in_order = table.in_order_of_work and not is_sorted(table)
    return replace(table, in_order_of_work=in_order)


def _laid_out(ratings: Ratings, kind: Kind) -> _Laid | None:
    store = ratings.store
    if isinstance(store, (CountTable, MomentTable)):
        return None
    if isinstance(store, NumberMatrix):
        return _of_numbers(store, ratings.n_ratings) if kind == "numbers" else None
    if kind != "numbers" and not 2 <= len(ratings.categories) <= MOST_LABELS:
        return None
    n_ratings = ratings.n_ratings
    laid = _of_codes(store, n_ratings) if isinstance(store, CodedMatrix) else _of_long(store)
    if kind != "numbers":
        return laid
    if ratings.numbers is None:
        return None
    values = np.append(ratings.numbers, 0.0)[laid.codes]
    return replace(laid, values=values, codes=np.where(laid.codes >= 0, 0, -1))


@dataclass(frozen=True)
class _Laid:
    codes: Codes
    values: Floats
    rows: Ints
    columns: Ints
    sampled: bool
    in_order: bool = True


def _rows(n_items: int, n_ratings: int) -> tuple[Ints, bool]:
    """Return which items are looked at, in their order."""
    if n_ratings <= _MOST_RATINGS:
        return np.arange(n_items), False
    n = max(int(n_items * (_MOST_RATINGS / n_ratings)), 1)
    picked = (np.arange(n) + RandomStream.of(0).random(n)) * (n_items / n)  # one of each stretch
    return np.unique(np.minimum(picked.astype(np.int64), n_items - 1)), True


def _of_numbers(store: NumberMatrix, n_ratings: int) -> _Laid:
    rows, sampled = _rows(store.n_items, n_ratings)
    values = store.values[rows].astype(np.float64)
    given = ~np.isnan(values)
    codes = np.where(given, 0, -1).astype(np.int16)
    return _pooled(_Laid(codes, np.where(given, values, 0.0), rows, _all(values), sampled))


def _of_codes(store: CodedMatrix, n_ratings: int) -> _Laid:
    times = store.multiplicity
    rows, sampled = _rows(store.n_items, n_ratings)
    places = rows
    if times is not None:
        places = np.searchsorted(np.cumsum(times), rows, side="right")
    codes = store.decode(store.matrix[places])
    zeros = np.zeros(codes.shape)
    return _pooled(_Laid(codes, zeros, rows, _all(codes), sampled, times is None))


def _of_long(store: LongTable) -> _Laid:
    rows, sampled = _rows(store.n_items, store.n_ratings)
    place = np.full(store.n_items, -1)
    place[rows] = np.arange(rows.size)
    mine = place[store.item] >= 0 if sampled else slice(None)
    item, rater = place[store.item[mine]], np.asarray(store.rater[mine], dtype=np.int64)
    label = np.asarray(store.label[mine], dtype=np.int64)
    busy = np.bincount(rater, minlength=store.n_rater_codes)
    most = np.sort(np.argsort(-busy, kind="stable")[:_MOST_COLUMNS])
    column = np.full(store.n_rater_codes, -1)
    column[most] = np.arange(most.size)
    column_of = column[rater]
    pooled = np.flatnonzero(column_of < 0)
    # Raters with few ratings lie in as many columns as an item has of them.
    by_item = pooled[np.argsort(item[pooled], kind="stable")]
    first = np.searchsorted(item[by_item], np.arange(rows.size))
    column_of[by_item] = most.size + np.arange(by_item.size) - first[item[by_item]]
    width = int(column_of.max(initial=-1)) + 1
    codes = np.full((rows.size, width), -1, dtype=np.int32)
    codes[item, column_of] = label
    columns = np.full(width, -1)
    columns[: most.size] = most
    return _Laid(codes, np.zeros(codes.shape), rows, columns, sampled)


def _all(matrix: Any) -> Ints:
    return np.arange(matrix.shape[1])


def _pooled(laid: _Laid) -> _Laid:
    """Keep the busiest raters of a wide table; the others are pooled, a column for each place."""
    given = laid.codes >= 0
    if given.shape[1] <= _MOST_COLUMNS:
        return laid
    order = np.argsort(-given.sum(axis=0), kind="stable")
    most, rest = np.sort(order[:_MOST_COLUMNS]), np.sort(order[_MOST_COLUMNS:])
    front = np.argsort(~given[:, rest], axis=1, kind="stable")
    width = int(given[:, rest].sum(axis=1).max(initial=0))
    codes, values = (
        np.concatenate([x[:, most], np.take_along_axis(x[:, rest], front, 1)[:, :width]], axis=1)
        for x in (laid.codes, laid.values)
    )
    columns = np.concatenate([most, np.full(width, -1)])
    return replace(laid, codes=codes, values=values, columns=columns)


def _mid_ranks(table: RatingTable) -> Floats:
    """Return Krippendorff's mid-rank of each rating, in a unit of its own."""
    given = table.given
    uses = np.bincount(table.codes[given], minlength=table.n_labels).astype(np.float64)
    rank = (np.cumsum(uses) - uses / 2.0) / max(uses.sum(), 1.0) - 0.5
    return np.where(given, np.append(rank, 0.0)[table.codes], 0.0)


def is_sorted(table: RatingTable) -> bool:
    """Tell whether items seem sorted by what was said of them, not by when it was said."""
    if table.n_items < 2 * FEWEST_ITEMS:
        return False
    if table.kind == "numbers":
        mean = (table.values * table.given).sum(axis=1) / table.per_item
        rank = np.argsort(np.argsort(mean)).astype(np.float64)
        return bool(np.corrcoef(rank[:-1], rank[1:])[0, 1] > 0.8)
    codes = table.codes
    whole = (codes.astype(np.uint64) + np.uint64(2)) @ _MIXED[: codes.shape[1]]
    same = float((whole[1:] == whole[:-1]).mean())
    if _beyond(same, np.unique(whole, return_counts=True)[1], table.n_items) > 0.5:
        return True
    for column in codes.T[:_MOST_COLUMNS_SORTED]:
        said = column[column >= 0]
        if said.size < 2 * FEWEST_ITEMS:
            continue
        same = float((said[1:] == said[:-1]).mean())
        if _beyond(same, np.unique(said, return_counts=True)[1], said.size) > 0.75:
            return True
    return False


def _beyond(same: float, kinds: Ints, n: int) -> float:
    """Return how far equal neighbours are on the way from chance (0) to sorted (1)."""
    chance = float((kinds * (kinds - 1.0)).sum() / max(n * (n - 1.0), 1.0))
    most = (n - len(kinds)) / max(n - 1.0, 1.0)
    return 0.0 if most - chance < 0.05 else (same - chance) / (most - chance)
