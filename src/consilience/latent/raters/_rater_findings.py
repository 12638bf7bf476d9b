"""What a trainer of raters should look at, in sentences."""

from __future__ import annotations

from collections.abc import Callable, Sized
from typing import TYPE_CHECKING

from consilience.core.words import listed
from consilience.document import Finding, Severity

if TYPE_CHECKING:
    from consilience.latent.raters._rater_rows import RaterRow, RaterView

_SIGNIFICANT = 0.05
_SURPRISING = 0.001


def findings_of(view: RaterView) -> tuple[Finding, ...]:
    """Return what was found about the raters, gravest first."""
    makers = (_guessing, _one_label, _patterns, _runs, _biased, _severe, _drifting, _few)
    return tuple(found for make in makers if (found := make(view)) is not None)


def _names(
    view: RaterView,
    test: Callable[[RaterRow], bool],
    size: Callable[[RaterRow], float] | None = None,
) -> str:
    """List raters, those with the largest size first."""
    chosen = [row for row in view.rows if test(row)]
    if size is not None:
        chosen.sort(key=lambda row: -abs(size(row)))
    return listed(row.rater for row in chosen) if chosen else ""


def _finding(names: Sized, code: str, severity: Severity, message: str) -> Finding | None:
    """Return what is said about some raters, if there are any."""
    return Finding(code, severity, message) if names else None


def _guessing(view: RaterView) -> Finding | None:
    names = _names(view, lambda row: row.verdict == "no better than chance" and not row.pattern)
    return _finding(
        names,
        "no_better_than_chance",
        "problem",
        f"No better than chance beside the others: {names}. Look at what these raters did before "
        "their ratings are used; with few ratings it may be bad luck.",
    )


def _one_label(view: RaterView) -> Finding | None:
    names = _names(view, lambda row: row.verdict == "no variation")
    return _finding(
        names,
        "no_variation",
        "caution",
        f"Everybody gave the same label to all items of {names}, so agreement beyond chance "
        "cannot be seen there. Compare them on items that differ.",
    )


def _patterns(view: RaterView) -> Finding | None:
    names = _names(view, lambda row: bool(row.pattern))
    return _finding(
        names,
        "answers_follow_a_pattern",
        "problem",
        f"Answers follow a pattern that has nothing to do with the items: {names}. Such ratings "
        "are best left out.",
    )


def _runs(view: RaterView) -> Finding | None:
    if not view.has_order:
        return None
    bound = _SURPRISING / max(1, len(view.rows))
    names = _names(view, lambda row: row.run_p_value < bound)
    return _finding(
        names,
        "long_run_of_one_label",
        "caution",
        f"A run of one label longer than chance would give: {names}. Look at these stretches.",
    )


def _biased(view: RaterView) -> Finding | None:
    names = _names(
        view,
        lambda row: any(b.p_adjusted < _SIGNIFICANT for b in row.biases),
        lambda row: max(abs(b.difference) for b in row.biases),
    )
    return _finding(
        names,
        "rater_prefers_a_label",
        "caution",
        f"Some labels are used more or less often than by the others on the same items: {names} "
        "(largest first; who differs from one of them may only seem to). Talk about where these "
        "labels begin and end.",
    )


def _severe(view: RaterView) -> Finding | None:
    strict = _names(view, lambda row: row.severity_p_value < _SIGNIFICANT and row.severity < 0)
    mild = _names(view, lambda row: row.severity_p_value < _SIGNIFICANT and row.severity > 0)
    parts = [f"lower than the others: {strict}"] if strict else []
    parts += [f"higher than the others: {mild}"] if mild else []
    return _finding(
        strict or mild,
        "rater_severity",
        "caution",
        f"Labels {'; '.join(parts)}. Calibrate on examples, or correct for it.",
    )


def _drifting(view: RaterView) -> Finding | None:
    names = _names(
        view,
        lambda row: row.drift_p_value < _SIGNIFICANT or row.severity_drift_p_value < _SIGNIFICANT,
        lambda row: row.drift,
    )
    return _finding(
        names,
        "rater_drift",
        "caution",
        f"Agreement with the others or severity changed over time: {names} (largest first; one "
        "who drifts takes the others' agreement along). Retrain in between.",
    )


def _few(view: RaterView) -> Finding | None:
    few = [row.rater for row in view.rows if row.verdict == "too few ratings"]
    return _finding(
        few,
        "too_few_ratings",
        "info",
        f"Fewer than 10 ratings that can be compared, so no verdict: {listed(few)}.",
    )
