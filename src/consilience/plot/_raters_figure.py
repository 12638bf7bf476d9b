"""Raters: what each of them does to the coefficient, and which labels each of them prefers."""

from __future__ import annotations

from typing import Any

import numpy as np

from consilience.coefficients import RaterInfluence, rater_influence
from consilience.exceptions import UnsupportedDesignError
from consilience.findings import Study
from consilience.plot.style import BLUE, COLOURS, FAINT, MARKERS, new_axes, styled, told_apart
from consilience.ratings import Ratings

_MOST_LABELS = len(COLOURS)
_LEGEND_WIDTH = 54  # letters that stand side by side above the axes


def leave_one_out(
    ratings: Ratings | RaterInfluence, *, coefficient: str = "krippendorff_alpha", ax: Any = None
) -> Any:
    """Draw the coefficient without each rater in turn; to the right, agreement rises without her.

    Examples
    --------
    >>> from consilience import Ratings
    >>> wide = [["a", "a", "b"], ["b", "b", "a"], ["a", "a", "a"], ["b", "b", "b"]]
    >>> ax = leave_one_out(Ratings.from_wide(wide, raters=["Ann", "Bob", "Cid"]))
    >>> ax.get_xlabel()
    "Krippendorff's alpha without this rater"
    """
    found = (
        ratings
        if isinstance(ratings, RaterInfluence)
        else rater_influence(ratings, coefficient=coefficient)
    )
    ordered = sorted(found.without.items(), key=lambda pair: -np.nan_to_num(pair[1], nan=-9.0))
    with styled():
        ax = new_axes(ax, height=0.9 + 0.3 * len(ordered))
        ax.axvline(found.value, color=FAINT, linewidth=1, linestyle="--")
        for place, (_, value) in enumerate(ordered):
            ax.plot([found.value, value], [place, place], color=BLUE, linewidth=1.5)
            ax.plot(value, place, "o", color=BLUE)
        ax.set_yticks(range(len(ordered)), told_apart(rater for rater, _ in ordered))
        ax.set_ylim(len(ordered) - 0.5, -0.5)
        ax.set_xlabel(f"{_title(found.coefficient)} without this rater")
        ax.grid(axis="x")
    return ax


def _title(name: str) -> str:
    first, _, rest = name.partition("_")
    whose = first in ("krippendorff", "scott", "cohen", "bennett", "gwet", "light")
    return f"{first.capitalize()}'s {rest}" if whose else name.replace("_", " ")


def label_use(ratings: Ratings, *, ax: Any = None) -> Any:
    """Draw how large a share of each rater's ratings each label has.

    Examples
    --------
    >>> from consilience import datasets
    >>> ax = label_use(datasets.load("cohen_1960"))
    >>> len(ax.get_legend().get_texts())
    3
    """
    n_gk = Study(ratings).by_rater
    if n_gk is None:
        raise UnsupportedDesignError.needs(
            "A figure of label use", "a few raters and categories", f"{ratings!r}", "select some"
        )
    share = n_gk / np.maximum(n_gk.sum(axis=1, keepdims=True), 1)
    shown = np.argsort(-share.mean(axis=0), kind="stable")[:_MOST_LABELS]
    names = told_apart(ratings.categories[k] for k in np.sort(shown))
    columns = max(1, min(4, _LEGEND_WIDTH // (max(map(len, names)) + 5)))
    with styled():
        lines = -(-len(names) // columns)
        ax = new_axes(ax, height=1.1 + 0.2 * lines + 0.3 * len(ratings.raters))
        for j, k in enumerate(np.sort(shown)):
            ax.plot(share[:, k], range(len(share)), MARKERS[j], color=COLOURS[j], markersize=6,
                    label=names[j], clip_on=False)  # fmt: skip
        ax.set_yticks(range(len(share)), told_apart(ratings.raters))
        ax.set_ylim(len(share) - 0.5, -0.5)
        ax.set_xlim(0, max(0.05, 1.05 * float(share.max())))
        ax.set_xlabel("share of the rater's ratings")
        ax.grid(axis="x")
        ax.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=columns, fontsize=9, borderpad=0)
    return ax
