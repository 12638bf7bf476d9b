"""The designs of the coverage study: small to large, balanced to skewed, poor to good raters."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

from consilience.simulate import Simulator

SKEWED = {2: (0.9, 0.1), 3: (0.8, 0.15, 0.05), 5: (0.6, 0.2, 0.1, 0.06, 0.04)}
_EVERY = 6  # one in so many cells of the full grid


@dataclass(frozen=True)
class Design:
    """One cell of the study."""

    n_items: int
    n_raters: int
    n_labels: int
    margins: str
    agreement: float
    missing: float

    def simulator(self) -> Simulator:
        shares = SKEWED[self.n_labels] if self.margins == "skewed" else None
        return Simulator(
            n_items=self.n_items,
            n_raters=self.n_raters,
            categories=self.n_labels,
            prevalence=shares,
            agreement=self.agreement,
            missing=self.missing,
        )


def designs() -> list[Design]:
    """Return the designs: every sixth cell of a full grid of 960, all margins of it met."""
    grid = product(
        (20, 50, 100, 300, 1000),
        (2, 3, 5, 10),
        (2, 3, 5),
        ("even", "skewed"),
        (0.2, 0.5, 0.8, 0.95),
        (0.0, 0.3),
    )
    # A step that shares no factor with the grid's axes visits all of their values.
    cells = list(grid)
    return [Design(*cells[(k * 7 * _EVERY + k) % len(cells)]) for k in range(len(cells) // _EVERY)]


def few_designs() -> list[Design]:
    """Return the designs of the short version that runs in the tests."""
    return [
        Design(50, 2, 2, "even", 0.5, 0.0),
        Design(100, 2, 2, "skewed", 0.5, 0.0),
        Design(50, 3, 3, "even", 0.8, 0.0),
        Design(100, 3, 3, "skewed", 0.5, 0.3),
        Design(100, 5, 5, "even", 0.2, 0.3),
        Design(300, 5, 2, "skewed", 0.8, 0.0),
    ]
