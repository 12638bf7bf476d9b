"""The whole distribution of differences between systems and people."""

from __future__ import annotations

from typing import Any

from consilience.exceptions import UnsupportedDesignError
from consilience.panel import PanelResult
from consilience.plot.style import COLOURS, FAINT, new_axes, shortened, styled


def differences(result: PanelResult, *, ax: Any = None) -> Any:
    """Draw how large a share of a system's marks lies how far above or below a person's.

    Examples
    --------
    >>> from consilience import Ratings, panel
    >>> marks = [[1, 1, 2], [2, 3, 2], [3, 3, 3], [4, 4, 5], [5, 4, 5], [2, 2, 1]] * 6
    >>> ratings = Ratings.from_wide(marks, raters=["Ann", "Bob", "gpt"], scale="ordinal")
    >>> found = panel.compare(ratings, systems=["gpt"], n_resamples=50)
    >>> differences(found).get_xlabel()
    'system minus person, in points'
    """
    shares = {str(one.system): _shares(one.differences.values()) for one in result.systems}
    if not any(shares.values()):
        raise UnsupportedDesignError.needs(
            "A figure of differences", "marks that are numbers", "labels", "use plot.panel"
        )
    width = 0.8 / max(1, len(shares))
    with styled():
        ax = new_axes(ax, height=2.8)
        for k, (name, share) in enumerate(shares.items()):
            places = [gap + (k - (len(shares) - 1) / 2) * width for gap in share]
            colour = COLOURS[k % len(COLOURS)]
            ax.bar(places, list(share.values()), width=width, color=colour, label=shortened(name))
        ax.axvline(0.0, color=FAINT, linewidth=0.8)
        ax.set_xlabel("system minus person, in points")
        ax.set_ylabel("share of pairs")
        ax.grid(axis="y")
        ax.set_axisbelow(True)
        if len(shares) > 1:
            ax.legend(fontsize=9)
    return ax


def _shares(found: Any) -> dict[float, float]:
    total: dict[float, float] = {}
    for one in found:
        if one is not None:
            for gap, n in one.counts.items():
                total[gap] = total.get(gap, 0.0) + n
    n_pairs = sum(total.values())
    return {gap: n / n_pairs for gap, n in sorted(total.items())} if n_pairs else {}
