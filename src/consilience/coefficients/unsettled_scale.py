"""Numbers that may be names: both agreements side by side, until somebody says which they are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from consilience.coefficients._krippendorff_alpha import KrippendorffAlpha
from consilience.coefficients.estimates import Estimate, estimate
from consilience.exceptions import Option, UndecidedError, Words
from consilience.ratings import Ratings

_HOW = Words(
    "pass ",
    Option("scale", "interval"),
    " if they are numbers, ",
    Option("scale", "nominal"),
    " if they are names.",
)


@dataclass(frozen=True, kw_only=True)
class UndecidedScale:
    """What agreement is for labels that may be names or numbers; made by `undecided_scale`.

    Attributes
    ----------
    n_labels : int
        How many different numbers there are.
    as_names, as_numbers : Estimate
        Krippendorff's alpha with the nominal and with the interval distance.
    """

    n_labels: int
    first: object
    last: object
    as_names: Estimate
    as_numbers: Estimate

    @property
    def both(self) -> str:
        """The two values in one sentence."""
        return (
            f"Krippendorff's alpha is {_value(self.as_names)} if labels are names, "
            f"{_value(self.as_numbers)} if they are numbers."
        )

    @property
    def sentence(self) -> str:
        """Why it is not decided, and both values."""
        return (
            f"The labels are {self.n_labels:,} different numbers ({self.first} to {self.last}), "
            f"and nobody said whether they are names or numbers. {self.both}"
        )

    @property
    def advice(self) -> str:
        """How to say it."""
        return (
            "If they are numbers, say --scale interval; if they are names, --scale nominal "
            '(in Python scale="interval" or "nominal").'
        )

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for the JSON."""
        return {
            "undecided": True,
            "alpha_as_names": _or_none(self.as_names),
            "alpha_as_numbers": _or_none(self.as_numbers),
            "labels": self.n_labels,
        }


def _value(one: Estimate) -> str:
    return "undefined" if one.status == "undefined" else f"{one.value:.2f}"


def _or_none(one: Estimate) -> float | None:
    return None if one.status == "undefined" else float(one.value)


def undecided_scale(ratings: Ratings) -> UndecidedScale | None:
    """Say what agreement is for names and for numbers, where the scale is not decided.

    Use it before anything is concluded about raters: marks from 0 to 100 that are compared as
    names look like guessing.

    Parameters
    ----------
    ratings : Ratings

    Returns
    -------
    UndecidedScale or None
        None where the scale was told, or the labels leave no doubt.

    Examples
    --------
    >>> from consilience import Ratings
    >>> marks = Ratings.from_wide([[x, x + 1] for x in range(0, 100, 7)])
    >>> undecided_scale(marks).both
    "Krippendorff's alpha is 0.00 if labels are names, 1.00 if they are numbers."
    >>> undecided_scale(Ratings.from_wide([["a", "b"], ["a", "a"]])) is None
    True
    """
    if not ratings.scale_undecided:
        return None
    found: UndecidedScale = ratings.remember("undecided", lambda: _measured(ratings))
    return found


def _measured(ratings: Ratings) -> UndecidedScale:
    values = [
        estimate(KrippendorffAlpha(), (ratings,), distance=word, on_undefined="ignore")
        for word in ("nominal", "interval")
    ]
    labels = sorted(ratings.categories, key=float)  # type: ignore[arg-type]
    return UndecidedScale(
        n_labels=len(labels),
        first=labels[0],
        last=labels[-1],
        as_names=values[0],
        as_numbers=values[1],
    )


def require_scale(ratings: Ratings, what: str) -> None:
    """Refuse to go on where the answer depends on a scale that nobody told."""
    found = undecided_scale(ratings)
    if found is not None:
        said = f"{what} needs to know the scale. {found.sentence} Hint: "
        raise UndecidedError(Words(said, _HOW))
