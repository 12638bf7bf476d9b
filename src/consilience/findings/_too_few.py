"""Too few items for an interval that can be relied on."""

from __future__ import annotations

from consilience.coefficients import Estimate
from consilience.coefficients.automatic import FEW_SHARED, shared_rare_items
from consilience.core.words import counted
from consilience.document import Finding
from consilience.findings._checks_registry import register
from consilience.findings._study import Study
from consilience.ratings.stores import NumberMatrix

_FEWEST_ITEMS = 5
_FEW_ITEMS = 10  # below which it needs no further explanation


@register
def too_few_items(study: Study) -> Finding | None:
    """Say when no method gives an interval that covers as it claims.

    Examples
    --------
    >>> from consilience import Ratings, krippendorff_alpha
    >>> r = Ratings.from_wide([["a", "a"]] * 18 + [["b", "b"], ["a", "b"]])
    >>> print(too_few_items(Study(r, (krippendorff_alpha(r),))).message)
    Only 1 of 20 items got a label other than the most common one from most of their raters: too
    few for an interval that covers 95% of the time, whatever the method.
    """
    if study.ratings.has_sums_only:
        return None
    for one in study.estimates:
        if one.status == "ok" and one._basis.coefficient.corrects_for_chance:
            return _too_few(study, one)  # what holds for one coefficient holds for all
    return None


def _too_few(study: Study, one: Estimate) -> Finding | None:
    n = one.n_items_used
    shared = n if isinstance(study.ratings._store, NumberMatrix) else shared_rare_items(one)
    if n >= _FEWEST_ITEMS and shared >= FEW_SHARED:
        return None
    evidence: dict[str, object] = {"items": n}
    if n < _FEW_ITEMS:
        verb = "is" if n == 1 else "are"
        what, advice = f"{counted(n, 'item')} {verb} too few", "Rate more items"
    else:
        evidence["items_with_rare_labels"] = shared
        so_few = f"Only {shared:,.0f}" if shared else "None"
        what = (
            f"{so_few} of {n:,} items got a label other than the most common one from "
            "most of their raters: too few"
        )
        advice = "Rate more items, the rare labels above all"
    return Finding(
        "too_few_items",
        "caution",
        f"{what} for an interval that covers {study.confidence_level:.0%} of the time, whatever "
        "the method.",
        f"{advice}; 'consilience plan' says how many.",
        evidence,
    )
