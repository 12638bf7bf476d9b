"""Ratings that were repeated, where a method knows one rating per rater and item only."""

from __future__ import annotations

from consilience.exceptions import ForPrograms, Option, UnsupportedDesignError, Words
from consilience.ratings._facts import Facts


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
