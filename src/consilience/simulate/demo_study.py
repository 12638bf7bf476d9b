"""A made-up study to look at: an ordinal scale, a confused pair of labels, a lenient rater."""

from __future__ import annotations

from consilience.ratings import Ratings
from consilience.simulate._simulate import simulate

_RATERS = ("Ada", "Ben", "Chloe", "Dan", "Eve")
_LABELS = ("absent", "weak", "moderate", "strong")
_PREVALENCE = (0.3, 0.25, 0.25, 0.2)


def made_study(seed: int = 5) -> Ratings:
    """Draw the ratings: four raters alike, and one who is lenient and less sure."""
    careful = [_errors(sure, mixed) for sure, mixed in ((0.96, 0.2), (0.95, 0.22))] * 2
    return simulate(
        n_items=160,
        n_raters=len(_RATERS),
        categories=list(_LABELS),
        prevalence=list(_PREVALENCE),
        accuracy=[*careful, _lenient(_errors(0.62, 0.34))],
        missing=0.06,
        scale="ordinal",
        raters=_RATERS,
        rng=seed,
    ).ratings


def _errors(sure: float, mixed: float) -> list[list[float]]:
    """Return what a rater says for each true label; the two in the middle are mixed up."""
    return [
        [sure, 1.0 - sure, 0.0, 0.0],
        [0.04, 0.94 - mixed, mixed, 0.02],
        [0.02, mixed, 0.94 - mixed, 0.04],
        [0.0, 0.0, 1.0 - sure, sure],
    ]


def _lenient(errors: list[list[float]], share: float = 0.62) -> list[list[float]]:
    """Move a share of what a rater says one label up."""
    return [
        [
            (1.0 - share) * here + share * (before if k < len(row) - 1 else before + here)
            for k, (before, here) in enumerate(zip([0.0, *row], row, strict=False))
        ]
        for row in errors
    ]
