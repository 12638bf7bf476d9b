"""What the numbers about judges need beside the verdicts: columns that say more of the items."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from consilience.ratings import Ratings


NO_VERDICTS = ("refusal", "refused", "unparsable", "unparseable", "parse_error", "error",
               "no verdict")  # fmt: skip


def keeping_refusals(options: dict[str, Any]) -> dict[str, Any]:
    """Return options by which refusals and failures are answers of their own, not gaps."""
    changed = dict(options)
    changed["excluded"] = options["excluded"] or "label"
    if options["gold"] and not options["gold_answers"]:
        changed["gold_answers"] = "rater"
    return changed


def refusals_of(options: dict[str, Any], ratings: Ratings) -> tuple[str, ...]:
    """Return the labels that mean no verdict: as told, and those that say so by their name."""
    used = {str(label).casefold(): str(label) for label in ratings.categories}
    return (*options["refusals"], *(used[word] for word in NO_VERDICTS if word in used))
