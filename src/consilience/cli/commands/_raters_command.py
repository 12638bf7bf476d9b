"""``consilience raters``: each rater beside the others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from consilience.cli import _options as shared
from consilience.cli import _output as out
from consilience.cli._extra_columns import facts
from consilience.cli._grouped import each
from consilience.cli._heeded import apart
from consilience.cli._main import command
from consilience.cli._options import COUNT, option
from consilience.cli._output import Answer
from consilience.cli._ratings_reading import load_with, reading_options

if TYPE_CHECKING:
    from consilience.io import Loaded

_RULES = (
    apart("--expert", "order", "batch", "batches", "camps", "resamples"),
    apart("--batch", "order"),
    apart("--camps no", "resamples", when=lambda options: options["camps"] == "no"),
)
_EPILOG = """\b
Examples:
  consilience raters ratings.csv
  consilience raters ratings.csv --order submitted_at
  consilience raters marks.csv --scale ordinal --order day --batches 4
  consilience raters ratings.csv --expert Ann
"""


@command(_EPILOG, _RULES)
@click.argument("paths", metavar="PATH...", nargs=-1, required=True)
@shared.column_option("--by", "One result per value of this column.")
@option("--order COLUMN", "Column that says when a rating was given.")
@option("--batch COLUMN", "Column with the batch, to compare batches with each other.")
@option(
    "--batches N",
    "Cut the order into so many batches and compare them.",
    type=click.IntRange(min=2),
)
@option(
    "--camps",
    "Whether to look for two camps; auto does for 4 to 200 raters.",
    choices=("auto", "yes", "no"),
    default="auto",
)
@option(
    "--expert NAME",
    "Compare every rater with this one instead: kappa, and which share of items is beyond "
    "guessing.",
)
@shared.CONFIDENCE_LEVEL
@option("--resamples N", "Resamples for the test of camps.", type=COUNT, default=499)
@shared.SEED
@reading_options
@out.output_options("json", "csv", "markdown", "latex")
def raters(**options: Any) -> Answer:
    """Look at each rater beside the others: who needs help, and with what.

    Agreement with the others, guessing, labels used too much or too little, severity, drift over
    time, what leaving a rater out would change, and whether raters fall into two camps. A file
    with several variables gives one result for each.
    """
    if options["batch"] and options["batches"]:
        raise click.UsageError("--batch and --batches exclude each other.")
    loaded, beside = load_with(options, {"--order": options["order"], "--batch": options["batch"]})

    def find(one: Loaded) -> Answer:
        if options["expert"] is not None:
            return _expert(one, options)
        return _view(one, beside, options)

    with out.progress("Comparing raters"):
        return each(loaded, find, seed=options["seed"])


def _view(
    loaded: Loaded, beside: dict[str, dict[object, object]], options: dict[str, Any]
) -> Answer:
    """Look at each rater of one variable."""
    from consilience.document import envelope
    from consilience.latent import rater_view

    view = rater_view(
        loaded.ratings,
        order=beside.get("--order"),
        batches=beside.get("--batch", options["batches"]),
        camps=options["camps"],
        confidence_level=options["confidence_level"],
        n_resamples=options["resamples"],
        rng=options["seed"],
    )
    record: dict[str, Any] = view.to_dict()
    findings = record.pop("findings")
    whole = envelope(data=facts(loaded), findings=findings, seed=options["seed"], **record)
    return Answer(document=view.document(), record=whole)


def _expert(loaded: Loaded, options: dict[str, Any]) -> Answer:
    """Compare every rater with the one who is named."""
    from consilience.coefficients.undecided import require_scale
    from consilience.document import envelope
    from consilience.inference import agreement_with_expert

    require_scale(loaded.ratings, "the comparison with an expert")
    known = {str(rater): rater for rater in loaded.ratings.raters}
    table = agreement_with_expert(
        loaded.ratings,
        expert=known.get(options["expert"], options["expert"]),
        confidence_level=options["confidence_level"],
    )
    record = envelope(data=facts(loaded), expert=table.to_dict())
    return Answer(document=table.document(), record=record)
