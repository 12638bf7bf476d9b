"""Raters: what each of them does to the coefficient, and which labels each of them prefers."""

from __future__ import annotations

from typing import Any

import numpy as np

from consilience.coefficients import RaterInfluence, rater_influence
from consilience.exceptions import UnsupportedDesignError
from consilience.findings import Study
from consilience.plot._style import BLUE, COLOURS, FAINT, MARKERS, new_axes, shortened, styled
from consilience.ratings import Ratings

_MOST_LABELS = len(COLOURS)


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
        ax.set_yticks(range(len(ordered)), [shortened(rater) for rater, _ in ordered])
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
    study = Study(ratings)
    if study.patterns is None or not study.has_categories:
        raise UnsupportedDesignError.needs(
            "A figure of label use", "a few raters and categories", f"{ratings!r}", "select some"
        )
    codes, times = study.patterns.codes, study.patterns.multiplicity
    q = len(ratings.categories)
    n_gk = np.array([np.bincount(c[c >= 0], times[c >= 0], minlength=q) for c in codes.T])
    share = n_gk / np.maximum(n_gk.sum(axis=1, keepdims=True), 1)
    shown = np.argsort(-share.mean(axis=0), kind="stable")[:_MOST_LABELS]
    with styled():
        ax = new_axes(ax, height=1.3 + 0.3 * len(ratings.raters))
        for j, k in enumerate(np.sort(shown)):
            ax.plot(share[:, k], range(len(share)), MARKERS[j], color=COLOURS[j], markersize=6,
                    label=shortened(ratings.categories[k]), clip_on=False)  # fmt: skip
        ax.set_yticks(range(len(share)), [shortened(rater) for rater in ratings.raters])
        ax.set_ylim(len(share) - 0.5, -0.5)
        ax.set_xlim(0, max(0.05, 1.05 * float(share.max())))
        ax.set_xlabel("share of the rater's ratings")
        ax.grid(axis="x")
        ax.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=4, fontsize=9, borderpad=0)
    return ax
