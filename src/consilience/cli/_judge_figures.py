"""Figures of the results about judges: on their pages, and in a file by ``--figure``."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

Drawing = tuple[str, str, Callable[[], Any]]


def drawings_of(results: Iterable[Any]) -> list[Drawing]:
    """Return name, caption and how to draw each figure that some results have, in order."""
    from consilience import judges, plot

    every = list(results)
    found: list[Drawing] = []
    rates = [one for one in every if isinstance(one, judges.CorrectedRate)]
    if rates:
        found.append(
            ("rates", "Corrected rate (blue) with its interval, what people's labels say alone "
             "(grey), and what the judge says (diamond).", lambda: plot.corrected_rates(rates))
        )  # fmt: skip
    for k, one in enumerate(every):
        drawn = _drawing(one, k)
        if drawn is not None:
            found.append(drawn)
    return found


# Kind of result to the name of its figure, the function that draws it, and the caption.
_FIGURES = {
    "RateDifference": ("systems", "corrected_rates", "Corrected rate of each system (blue), what "
                       "people's labels say alone (grey), and what the judge says (diamond)."),
    "CorrectedShares": ("shares", "corrected_rates", "Corrected share of each label (blue), and "
                        "what {judge} says (diamond)."),
    "SharedErrors": ("shared-errors", "shared_errors", "Correlation of two judges' errors: 0 where "
                     "they err independently."),
    "Watch": ("drift", "control_chart", "{judge} batch by batch: control limits (dashed), and the "
              "share so far with limits that hold at every look (band)."),
    "Preferences": ("ranks", "ranks", "Ranks that all comparisons together leave open, for all "
                    "systems at once."),
    "SoftAgreement": ("soft", "soft_labels", "{system}: how much farther predictions are from "
                      "people than people are from each other; 0 is the noise ceiling."),
}  # fmt: skip


def _drawing(one: Any, k: int) -> Drawing | None:
    from consilience import plot

    known = _FIGURES.get(type(one).__name__)
    if known is None:
        return None
    name, figure, caption = known
    said = caption.format(**{who: getattr(one, who, "") for who in ("judge", "system")})
    return f"{name}-{k}", said, lambda: getattr(plot, figure)(one)
