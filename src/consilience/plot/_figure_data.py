"""What a figure may be drawn from: the data that the library's functions take, or a result."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from consilience.coefficients import Estimate
from consilience.core.frames import is_table, summary_of
from consilience.exceptions import InputError, UnsupportedDesignError
from consilience.ratings import Ratings, as_ratings

if TYPE_CHECKING:
    from consilience.units import Units


def ratings_in(data: Any) -> Ratings:
    """Return ratings: as they are, from a table, or those that an estimate is of."""
    if isinstance(data, Estimate):
        return data._basis.ratings
    return as_ratings(data)


def units_in(data: Any) -> Units:
    """Return units: as they are, or from a table or records."""
    from consilience.units import Units

    if isinstance(data, Units):
        return data
    if is_table(data) and not isinstance(data, list):
        return Units.from_frame(data)
    if isinstance(data, list) and data and all(isinstance(one, (tuple, Mapping)) for one in data):
        return Units.from_records(data)
    raise InputError.expected(
        "units", "Units, a dataframe or records", type(data).__name__, "see Units.from_records"
    )


def truth_in(data: Any) -> Any:
    """Return a model of the true labels: as it is, or Dawid and Skene's of some ratings."""
    from consilience.latent import dawid_skene

    is_model = hasattr(data, "posterior") or hasattr(data, "probability")
    return data if is_model else dawid_skene(ratings_in(data))


def estimates_in(data: Any) -> list[Estimate]:
    """Return estimates: one, several, those of a summary, or all that `measure` makes of data."""
    if isinstance(data, Estimate):
        return [data]
    if not isinstance(data, Ratings) and not is_table(data) and isinstance(data, Iterable):
        found = list(data)
        if all(isinstance(one, Estimate) for one in found):
            return found
        data = found
    return list(summary_of(data).estimates)


def named_estimates_in(data: Any, coefficient: str | None) -> dict[str, Estimate]:
    """Return an estimate for each variable: of a summary with groups, a mapping or a table."""
    if isinstance(data, Mapping) and data:
        parts = list(data.values())
        if all(isinstance(one, Estimate) for one in parts):
            return {str(name): one for name, one in data.items()}
    if not hasattr(data, "groups"):
        data = summary_of(data)
    if not data.groups:
        raise UnsupportedDesignError.needs(
            "A figure of variables",
            "several variables",
            "one",
            "use plot.forest, or pass a dict of Ratings, one for each variable",
        )
    return {
        group.name: found
        for group in data.groups
        if (found := _chosen(group.estimates, coefficient)) is not None
    }


def _chosen(estimates: Iterable[Estimate], coefficient: str | None) -> Estimate | None:
    """Return the one that is asked for, by default the first that is corrected for chance."""
    from consilience.coefficients import registry

    found = list(estimates)
    if coefficient is not None:
        wanted = registry[coefficient].name
        return next((one for one in found if one.coefficient == wanted), None)
    corrected = [one for one in found if registry[one.coefficient].corrects_for_chance]
    return next(iter([*corrected, *found]), None)
