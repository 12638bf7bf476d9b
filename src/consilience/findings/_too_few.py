"""Too few items for an interval that can be relied on."""

from __future__ import annotations

from consilience.document import Finding
from consilience.findings._base import register
from consilience.findings._study import Study

_MARK = "Too few items"  # what the automatic interval notes where no method covers


@register
def too_few_items(study: Study) -> Finding | None:
    """Say when no method gives an interval that covers as it claims.

    Examples
    --------
    >>> from consilience import Ratings, krippendorff_alpha
    >>> r = Ratings.from_wide([["a", "a"], ["b", "b"], ["a", "b"]])
    >>> too_few_items(Study(r, (krippendorff_alpha(r),))).code
    'too_few_items'
    """
    if study.ratings.has_sums_only:
        return None
    for one in study.estimates:
        if one.status != "ok" or not one._basis.coefficient.corrects_for_chance:
            continue
        interval = one.confidence_interval(study.confidence_level, method="auto")
        if one.n_items_used >= 2 and _MARK not in interval.note:
            return None  # what holds for one coefficient holds for all
        return Finding(
            "too_few_items",
            "caution",
            f"{one.n_items_used:,} items, with few that carry another label than the most common "
            f"one, are too few for an interval that covers {study.confidence_level:.0%} of the "
            "time, whatever the method.",
            "Rate more items, the rare labels above all; 'consilience plan' says how many.",
            {"items": one.n_items_used},
        )
    return None
