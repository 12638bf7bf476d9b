"""Which judges err on the same items."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from consilience.exceptions import InputError, UnsupportedDesignError
from consilience.judges import SharedErrors
from consilience.plot._heat import heat_map
from consilience.plot.style import describe, drawing, minus, shortened, styled

_TOLD = 10


@drawing
def shared_errors(data: Any, *, ax: Any = None) -> Any:
    """Draw how far the errors of every two judges go together.

    Each cell is the correlation of two judges' errors: 0 where they err independently, 1 where one
    repeats the other's mistakes.

    Parameters
    ----------
    data : SharedErrors
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from consilience import Ratings, judges
    >>> rows = [["a", "a", "a", "a"], ["b", "a", "a", "b"], ["b", "b", "b", "b"],
    ...         ["a", "a", "b", "a"], ["b", "a", "a", "a"], ["a", "a", "a", "a"]] * 10
    >>> both = Ratings.from_wide(rows, raters=["Ann", "gpt-1", "gpt-2", "gpt-3"])
    >>> ax = shared_errors(judges.effective_judges(both, people="Ann"))
    >>> len(ax.texts)
    3
    """
    if not isinstance(data, SharedErrors):
        raise InputError.expected(
            "data", "errors that judges share", type(data).__name__, "see judges.effective_judges"
        )
    if data.reason is not None:
        raise UnsupportedDesignError.needs(
            "A figure of shared errors", "judges who err", data.reason, "bring harder items"
        )
    names = [str(name) for name in data.judges]
    values = np.full((len(names), len(names)), math.nan)
    for (a, b), rho in data.matrix.items():
        values[data.judges.index(b), data.judges.index(a)] = rho
    texts = [["" if math.isnan(x) else minus(f"{x:.2f}") for x in row] for row in values.tolist()]
    # Half a matrix needs no row for the first judge and no column for the last.
    ax = heat_map(values[1:, :-1], [row[:-1] for row in texts[1:]], names[1:], names[:-1], ax=ax,
                  low=-1.0, high=1.0)  # fmt: skip
    with styled():
        ax.set_xlabel("correlation of errors")
    pairs = [(x, f"{shortened(a)} and {shortened(b)} {x:.2f}")
             for (a, b), x in data.matrix.items() if not math.isnan(x)]  # fmt: skip
    told = [text for _, text in sorted(pairs, key=lambda one: -one[0])[:_TOLD]]
    return describe(ax, f"Correlation of two judges' errors, the largest first: {'; '.join(told)}.")
