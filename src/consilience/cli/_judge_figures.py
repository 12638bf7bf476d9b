"""Figures of the results about judges: on their pages, and in a file by ``--figure``."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from consilience.cli import _output as out

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


def _drawing(one: Any, k: int) -> Drawing | None:
    from consilience import judges, plot

    if isinstance(one, judges.RateDifference):
        caption = (
            "Corrected rate of each system (blue), what people's labels say alone (grey), and what "
            "the judge says (diamond)."
        )
        return f"systems-{k}", caption, lambda: plot.corrected_rates(one)
    if isinstance(one, judges.SharedErrors):
        caption = "Correlation of two judges' errors: 0 where they err independently."
        return "shared-errors", caption, lambda: plot.shared_errors(one)
    if isinstance(one, judges.Watch):
        caption = (
            f"{one.judge!s} batch by batch: control limits (dashed), and the share so far with "
            "limits that hold at every look (band)."
        )
        return f"drift-{k}", caption, lambda: plot.control_chart(one)
    if isinstance(one, judges.Preferences):
        caption = "Ranks that all comparisons together leave open, for all systems at once."
        return "ranks", caption, lambda: plot.ranks(one)
    if isinstance(one, judges.SoftAgreement):
        caption = (
            "How much farther the predictions are from people than people are from each other; 0 "
            "is the noise ceiling."
        )
        return f"soft-{k}", caption, lambda: plot.soft_labels(one)
    return None


def draw_figure(options: dict[str, Any], drawings: list[Drawing]) -> None:
    """Write the first figure where --figure says."""
    if options["figure"] is None:
        return
    import click

    from consilience import plot

    if not drawings:
        raise click.UsageError("--figure: there is no figure of this. Leave it out.")
    plot.save(drawings[0][2](), options["figure"], existing=out.existing(options))
    out.tell(f"Wrote {options['figure']}")
