"""Several coded variables in one long table: which columns beside item and rater are labels."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from consilience.io.tables.layouts._table_sample import View

_ASIDE = re.compile(
    r"(?:^|[\W_])(?:comment|comments|note|notes|remark|remarks|text|time|date|timestamp|seconds|"
    r"duration|minutes|url|link|ip|country|city|age|gender|batch|version|started|submitted|"
    r"created|updated|id|uuid|session|email)(?:$|[\W_])",
    re.IGNORECASE,
)
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_DATE = re.compile(r"\d{4}-\d\d?-\d\d?|\d\d?[./]\d\d?[./]\d{2,4}|\d\d?:\d\d(?::\d\d)?")
_FEW = 12  # that many different values may be labels in however few rows


def variable_columns(view: View, item: int, rater: int) -> tuple[list[int], list[int]]:
    """Return the columns that look like codes, and those that were passed over."""
    rest = [j for j in view.free if j not in (item, rater)]
    kept = [j for j in rest if _looks_like_codes(view, j)]
    return kept, [j for j in rest if j not in kept]


def _looks_like_codes(view: View, j: int) -> bool:
    """Tell whether values repeat as codes do; free text, times and numbers of rows do not."""
    if _ASIDE.search(_CAMEL.sub("_", view.names[j])):
        return False
    values = view.values(j)
    if any(_DATE.match(str(value)) for value in values):
        return False
    if view.is_numeric(j):
        filled = sum(row[j] is not None for row in view.rows)
        return len(values) <= _FEW or len(values) < filled
    return len(values) <= max(_FEW, len(view.rows) // 5)
