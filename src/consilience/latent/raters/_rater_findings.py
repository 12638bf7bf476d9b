"""What a trainer of raters should look at, in sentences."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from consilience.core.words import listed
from consilience.document import Finding, found

if TYPE_CHECKING:
    from consilience.latent.raters._rater_rows import RaterRow, RaterView

_SIGNIFICANT = 0.05
_SURPRISING = 0.001


def findings_of(view: RaterView) -> tuple[Finding, ...]:
    """Return what was found about the raters, gravest first."""

    def named(
        test: Callable[[RaterRow], bool], size: Callable[[RaterRow], float] | None = None
    ) -> str:
        """List raters, those with the largest size first."""
        chosen = [row for row in view.rows if test(row)]
        if size is not None:
            chosen.sort(key=lambda row: -abs(size(row)))
        return listed(row.rater for row in chosen) if chosen else ""

    guessing = named(lambda row: row.verdict == "no better than chance" and not row.pattern)
    one_label = named(lambda row: row.verdict == "no variation")
    patterns = named(lambda row: bool(row.pattern))
    bound = _SURPRISING / max(1, len(view.rows))
    runs = named(lambda row: row.run_p_value < bound) if view.has_order else ""
    biased = named(
        lambda row: any(b.p_adjusted < _SIGNIFICANT for b in row.biases),
        lambda row: max(abs(b.difference) for b in row.biases),
    )
    strict = named(lambda row: row.severity_p_value < _SIGNIFICANT and row.severity < 0)
    mild = named(lambda row: row.severity_p_value < _SIGNIFICANT and row.severity > 0)
    severe = [f"lower than the others: {strict}"] if strict else []
    severe += [f"higher than the others: {mild}"] if mild else []
    drifting = named(
        lambda row: row.drift_p_value < _SIGNIFICANT or row.severity_drift_p_value < _SIGNIFICANT,
        lambda row: row.drift,
    )
    few = named(lambda row: row.verdict == "too few ratings")
    return found(
        (
            guessing,
            "no_better_than_chance",
            "problem",
            f"No better than chance beside the others: {guessing}. Look at what these raters did "
            "before their ratings are used; with few ratings it may be bad luck.",
        ),
        (
            one_label,
            "no_variation",
            "caution",
            f"Everybody gave the same label to all items of {one_label}, so agreement beyond "
            "chance cannot be seen there. Compare them on items that differ.",
        ),
        (
            patterns,
            "answers_follow_a_pattern",
            "problem",
            f"Answers follow a pattern that has nothing to do with the items: {patterns}. Such "
            "ratings are best left out.",
        ),
        (
            runs,
            "long_run_of_one_label",
            "caution",
            f"A run of one label longer than chance would give: {runs}. Look at these stretches.",
        ),
        (
            biased,
            "rater_prefers_a_label",
            "caution",
            f"Some labels are used more or less often than by the others on the same items: "
            f"{biased} (largest first; who differs from one of them may only seem to). Talk about "
            "where these labels begin and end.",
        ),
        (
            severe,
            "rater_severity",
            "caution",
            f"Labels {'; '.join(severe)}. Calibrate on examples, or correct for it.",
        ),
        (
            drifting,
            "rater_drift",
            "caution",
            f"Agreement with the others or severity changed over time: {drifting} (largest first; "
            "one who drifts takes the others' agreement along). Retrain in between.",
        ),
        (
            few,
            "too_few_ratings",
            "info",
            f"Fewer than 10 ratings that can be compared, so no verdict: {few}.",
        ),
    )
