"""Where simulated studies missed the goal for 95% intervals, and what is said beside these.

The figures are those of benchmarks/coverage/cells.csv, designs of 50 items or more that no rule was
made on: docs/coverage.md shows all of them, with the goals.
"""

from __future__ import annotations

from typing import NamedTuple

from consilience.document._blocks import Finding


class Covered(NamedTuple):
    """What an interval is about, and how often it held the true value: least, and most."""

    what: str
    least: float
    most: float


# By the name of a family in docs/coverage.md. Latent truth (`hardly_identified`), intraclass
# correlations of skewed items (`skewed_items`) and few sessions (`few_sessions`) are told on their
# own.
COVERED = {
    "ordered labels": Covered("ordered labels", 0.922, 0.988),
    "clusters": Covered("items in clusters", 0.927, 0.995),
    "values, lognormal": Covered("skewed values", 0.937, 0.995),
    "timed events": Covered("events in sessions", 0.900, 1.000),
    "a system's gap": Covered("the gap between people and a system", 0.920, 1.000),
    "omega": Covered("omega", 0.938, 0.989),
}


def interval_approximate(family: str) -> Finding:
    """Say how often 95% intervals of a kind held the true value in simulated studies."""
    what, least, most = COVERED[family]
    return Finding(
        "interval_approximate",
        "info",
        f"Intervals for {what} are approximate: in simulated studies, 95% intervals held the true "
        f"value in {100 * least:.3g}% to {100 * most:.3g}% of samples.",
        "Do not lean on a limit that only just passes a threshold.",
        {"least": least, "most": most},
    )
