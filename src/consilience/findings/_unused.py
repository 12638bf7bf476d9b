"""Declared labels that nobody used, and the coefficients that they flatter."""

from __future__ import annotations

import numpy as np

from consilience.core.words import enumerated
from consilience.document import Finding
from consilience.findings._checks_registry import register
from consilience.findings._study import Study, shown

_RISE = 0.005


@register
def unused_labels(study: Study) -> Finding | None:
    """Say when labels that nobody used raise S and AC1, which count every declared label.

    Examples
    --------
    >>> from consilience import Ratings
    >>> rows = [["a", "a"], ["b", "b"], ["a", "b"], ["b", "b"]]
    >>> found = unused_labels(Study(Ratings.from_wide(rows, categories=["a", "b", "c", "d"])))
    >>> print(found.message)
    'c' and 'd' were declared and never used. S and AC1 count them: S is 0.667 with them and 0.500
    without; kappa, pi and alpha do not change.
    """
    if not study.ratings.categories_declared or not study.has_categories:
        return None
    used = study.used > 0
    if used.all() or used.sum() < 2:
        return None
    categories = study.ratings.categories
    unused = [categories[int(k)] for k in np.flatnonzero(~used)]
    some_used = categories[int(np.flatnonzero(used)[0])]
    fewer = study.ratings.collapse(dict.fromkeys(unused, some_used))
    declared, without = study.measured("bennett_s"), study.measured("bennett_s", fewer)
    if not declared.value - without.value > _RISE:
        return None
    verb, them = ("was", "it") if len(unused) == 1 else ("were", "them")
    return Finding(
        "unused_labels",
        "caution",
        f"{enumerated([shown(label) for label in unused])} {verb} declared and never used. S and "
        f"AC1 count {them}: S is {declared.value:.3f} with {them} and {without.value:.3f} without; "
        "kappa, pi and alpha do not change.",
        "Declare the labels that raters could really have chosen, and say how many there were.",
        {"labels": unused, "bennett_s": declared.value, "bennett_s_without": without.value},
    )
