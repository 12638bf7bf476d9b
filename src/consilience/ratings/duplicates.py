"""Two ratings of one item by one rater: find them, then refuse or follow the caller's policy."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from consilience.core.arguments import check_word
from consilience.core.arrays import Codes, smallest_int
from consilience.exceptions import (
    ForPrograms,
    Option,
    UnsupportedDesignError,
    Words,
)
from consilience.ratings.construction import Facts

Duplicates = Literal["refuse", "first", "last", "occasions"]
POLICIES: tuple[str, ...] = get_args(Duplicates)
_MOST_LAGS = 64
_BITMAP_CELLS = 1 << 26  # a byte each
MANY = 100_000  # ratings, from which on a counting sort is quicker


def check_policy(duplicates: str) -> None:
    """Refuse a policy that does not exist."""
    check_word("duplicates", duplicates, POLICIES)


def run_length(item: Codes) -> int | None:
    """Return k where the items are 0, 1, 2, ... in order, k ratings of each; else None."""
    k = int(np.argmax(item[: _MOST_LAGS + 1] != item[0])) or item.size
    if item.size % k or k > _MOST_LAGS:
        return None
    runs, numbers = item.reshape(-1, k), np.arange(item.size // k)
    ends_fit = np.array_equal(runs[:, 0], numbers) and np.array_equal(runs[:, -1], numbers)
    return k if ends_fit and bool(np.all(item[1:] >= item[:-1])) else None


def has_duplicates(
    item: Codes,
    rater: Codes,
    per_item: NDArray[np.int64] | None = None,
    *,
    is_grouped: bool = False,
) -> bool:
    """Tell whether any (item, rater) pair occurs twice.

    `per_item` is the number of ratings of each item, and `is_grouped` says that they lie together,
    if that is known already.
    """
    if per_item is None:
        per_item = np.bincount(item)
    longest = int(per_item.max(initial=0))
    if longest < 2 or item.size < 2:
        return False
    is_grouped = is_grouped or bool(np.all(item[1:] >= item[:-1]))
    if longest > _MOST_LAGS or not is_grouped:
        cells = per_item.size * (int(rater.max()) + 1)
        if cells <= min(_BITMAP_CELLS, 16 * item.size):
            seen = np.zeros(cells, dtype=np.bool_)
            seen[_pair_keys(item, rater)] = True
            return int(np.count_nonzero(seen)) < item.size
        if longest > _MOST_LAGS or item.size < MANY:
            pairs = np.sort(_pair_keys(item, rater))
            return bool(np.any(pairs[1:] == pairs[:-1]))
        item, rater, _ = grouped_by_item(item, rater, np.zeros(item.size, dtype=np.int8))
    return _repeats(item, rater, longest)


def _repeats(item: Codes, rater: Codes, longest: int) -> bool:
    """Compare each rating with its few neighbours, where those of an item lie together."""
    rater = rater.astype(smallest_int(int(rater.max())))  # narrow numbers compare faster
    for lag in range(1, longest):
        same = np.flatnonzero(rater[lag:] == rater[:-lag])
        if same.size and bool(np.any(item[same + lag] == item[same])):
            return True
    return False


def grouped_by_item(item: Codes, rater: Codes, label: Codes) -> tuple[Codes, Codes, Codes]:
    """Bring the ratings of each item together by a counting sort, which SciPy's rows are.

    Those of one item keep their order.
    """
    from scipy.sparse import coo_array

    n_items, n_raters = int(item.max()) + 1, int(rater.max()) + 1
    narrow = smallest_int(max(n_items, n_raters))
    places = (item.astype(narrow, copy=False), rater.astype(narrow, copy=False))
    pairs = coo_array((label, places), shape=(n_items, n_raters))
    pairs.has_canonical_format = True  # leave repeated pairs alone: nothing is to be added up
    rows = pairs.tocsr()
    numbers = np.arange(n_items, dtype=rows.indices.dtype)
    return np.repeat(numbers, np.diff(rows.indptr)), rows.indices, rows.data


def occasion_numbers(item: Codes, rater: Codes) -> NDArray[np.int64]:
    """Number the ratings of each (item, rater) pair 0, 1, 2, ... in the order given."""
    pairs = _pair_keys(item, rater)
    order = np.argsort(pairs, kind="stable")
    ordered = pairs[order]
    starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])
    run = np.repeat(starts, np.diff(np.r_[starts, ordered.size]))
    numbers = np.empty(pairs.size, dtype=np.int64)
    numbers[order] = np.arange(pairs.size) - run
    return numbers


def first_duplicate(item: Codes, rater: Codes) -> tuple[int, int]:
    """Return the places of the first repeated rating and of the one that it repeats."""
    numbers = occasion_numbers(item, rater)
    second = int(np.argmax(numbers > 0))
    same = (item == item[second]) & (rater == rater[second])
    return int(np.argmax(same)), second


def chosen(item: Codes, rater: Codes, *, keep: str) -> NDArray[np.bool_]:
    """Mark the ratings to keep: the first or the last of each (item, rater) pair."""
    if keep == "last":
        return np.asarray(occasion_numbers(item[::-1], rater[::-1])[::-1] == 0)
    return np.asarray(occasion_numbers(item, rater) == 0)


def _pair_keys(item: Codes, rater: Codes) -> NDArray[np.int64]:
    return item.astype(np.int64) * (int(rater.max()) + 1) + rater


def need_one_occasion(what: str, ratings: Facts, *, instead: str = "") -> None:
    """Refuse ratings with several occasions: a rater's second look is no further item or rater."""
    many = len(ratings.occasions)
    if many < 2:
        return
    hint = Words(
        *([f"{instead}; or "] if instead else []),
        "take the first of them with ",
        Option("duplicates", "first"),
        ForPrograms(", or choose one of ratings.occasions"),
    )
    raise UnsupportedDesignError.needs(
        what, "one rating of each rater for an item", f"ratings on {many} occasions", hint
    )
