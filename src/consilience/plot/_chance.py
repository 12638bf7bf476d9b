"""Figures that explain: chance agreement as a surface, and what prevalence and bias do."""

from __future__ import annotations

from typing import Any

import numpy as np

from consilience.core.arrays import Floats
from consilience.exceptions import InputError, UnsupportedDesignError
from consilience.plot.style import COLOURS, FAINT, INK, RED, SEQUENTIAL, new_axes, styled
from consilience.ratings import Ratings

_NAMES = {"scott_pi": "Scott's pi", "cohen_kappa": "Cohen's kappa", "gwet_ac": "Gwet's AC1",
          "bennett_s": "Bennett's S"}  # fmt: skip
_ALIASES = {"pi": "scott_pi", "kappa": "cohen_kappa", "ac1": "gwet_ac", "s": "bennett_s"}


def expected_agreement(name: str, p: Floats, q: Floats) -> Floats:
    """Return chance agreement of two raters who say yes with probability p and q.

    Examples
    --------
    >>> half = np.array(0.5)
    >>> [float(expected_agreement(name, half, half)) for name in _NAMES]
    [0.5, 0.5, 0.5, 0.5]
    """
    mean = (p + q) / 2.0
    if name == "cohen_kappa":
        return p * q + (1.0 - p) * (1.0 - q)
    if name == "scott_pi":
        return mean**2 + (1.0 - mean) ** 2
    if name == "gwet_ac":
        return 2.0 * mean * (1.0 - mean)
    return np.full(np.shape(mean), 0.5)


def chance_surface(
    coefficient: str = "cohen_kappa", ratings: Ratings | None = None, *, ax: Any = None
) -> Any:
    """Draw chance agreement over the shares of yes of two raters (two labels).

    Parameters
    ----------
    coefficient : {"scott_pi", "cohen_kappa", "gwet_ac", "bennett_s"}
    ratings : Ratings of two raters and two labels, optional
        Marked on the surface.

    References
    ----------
    .. [1] Stegmann, J. & Lücking, A. (2005). Assessing reliability on annotations (1): theoretical
       considerations. SFB 360 report 2, Bielefeld; figures 2.1 to 2.3.

    Examples
    --------
    >>> chance_surface("ac1").get_title("left")
    "Chance agreement of Gwet's AC1"
    """
    name = _known(coefficient)
    share = np.linspace(0.0, 1.0, 101)
    p, q = np.meshgrid(share, share)
    surface = expected_agreement(name, p, q)
    with styled():
        ax = new_axes(ax, width=4.6, height=4.0)
        levels = np.linspace(0.0, 1.0, 11)
        ax.contourf(p, q, surface, levels=levels, cmap=SEQUENTIAL)
        if np.ptp(surface) > 0:
            lines = ax.contour(p, q, surface, levels=levels, colors="white", linewidths=0.6)
            ax.clabel(lines, fontsize=8, fmt="%.1f")
        if ratings is not None:
            x, y = _shares(ratings)
            ax.plot(x, y, "o", markersize=10, markerfacecolor=RED, markeredgecolor="white",
                    markeredgewidth=1.5, clip_on=False, zorder=5)  # fmt: skip
            chance = float(expected_agreement(name, np.array(x), np.array(y)))
            ax.set_xlabel(f"first rater's share of {ratings.categories[0]}")
            ax.set_ylabel(f"second rater's share of {ratings.categories[0]}")
            ax.text(0.0, -0.24, f"these ratings: chance agreement {chance:.3f}",
                    transform=ax.transAxes, fontsize=9)  # fmt: skip
        else:
            ax.set_xlabel("first rater's share of yes")
            ax.set_ylabel("second rater's share of yes")
        ax.set_title(f"Chance agreement of {_NAMES[name]}")
        ax.set_aspect("equal")
    return ax


def _known(coefficient: str) -> str:
    word = coefficient.lower().replace("-", "_")
    name = _ALIASES.get(word, word)
    if name not in _NAMES:
        raise InputError.unknown_word("coefficient", coefficient, [*_NAMES, *_ALIASES])
    return name


def _shares(ratings: Ratings) -> tuple[float, float]:
    """Return each rater's share of the first label."""
    if len(ratings.raters) != 2 or len(ratings.categories) != 2:
        raise UnsupportedDesignError.needs(
            "A chance surface",
            "two raters and two labels",
            f"{len(ratings.raters)} raters and {len(ratings.categories)} labels",
            "select two raters and merge labels first",
        )
    table = ratings.table(*ratings.raters)
    n = table.sum()
    return float(table[0].sum() / n), float(table[:, 0].sum() / n)


def prevalence_effect(
    observed: float | Ratings = 0.85, *, bias: float = 0.0, ax: Any = None
) -> Any:
    """Draw what the share of the common label does to each coefficient at one observed agreement.

    Parameters
    ----------
    observed : observed agreement, or Ratings of two raters and two labels to take it from
    bias : how much more often the first rater says yes than the second

    Examples
    --------
    >>> ax = prevalence_effect(0.9)
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ["Scott's pi", "Cohen's kappa", "Gwet's AC1", "Bennett's S"]
    """
    mark: float | None = None
    if isinstance(observed, Ratings):
        table = observed.table(*observed.raters) if len(observed.raters) == 2 else np.empty((0, 0))
        first, second = _shares(observed)
        mark, bias = (first + second) / 2.0, first - second
        observed = float(np.trace(table) / table.sum())
    if not 0.0 < observed <= 1.0:
        raise InputError.expected("observed", "a share above 0 and up to 1", observed, "say 0.85")
    half = (1.0 - observed) / 2.0
    share = np.linspace(max(half, abs(bias) / 2), 1.0 - max(half, abs(bias) / 2), 201)
    p, q = share + bias / 2.0, share - bias / 2.0
    styles = ("-", "--", "-.", ":")
    with styled():
        ax = new_axes(ax)
        for (name, title), colour, dash in zip(_NAMES.items(), COLOURS, styles, strict=False):
            chance = expected_agreement(name, p, q)
            value = (observed - chance) / np.maximum(1.0 - chance, 1e-12)
            ax.plot(share, value, dash, color=colour, label=title, linewidth=1.8)
        ax.axhline(0.0, color=FAINT, linewidth=0.8)
        if mark is not None:
            ax.axvline(mark, color=INK, linewidth=0.8, linestyle=":")
        ax.set_xlabel("share of the first label")
        ax.set_ylabel(f"coefficient at {observed:.0%} agreement")
        ax.legend(fontsize=9)
        ax.grid(axis="y")
    return ax
