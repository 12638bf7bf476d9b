"""``consilience designs``: stability, reproducibility and accuracy of one study."""

from __future__ import annotations

from typing import Any

import click

from consilience.cli import _options as shared
from consilience.cli import _output as out
from consilience.cli._extra_columns import facts
from consilience.cli._item_columns import gold_in
from consilience.cli._main import command
from consilience.cli._occasion_reading import OCCASION, load_occasions
from consilience.cli._options import coefficient_name, named_distance, option
from consilience.cli._output import Answer
from consilience.cli._ratings_reading import reading_options

_EPILOG = """\b
Examples:
  consilience designs retest.csv --occasion round
  consilience designs retest.csv --occasion round --gold expert
  consilience designs ratings.csv --gold truth -c kappa
"""


@command(_EPILOG)
@click.argument("paths", metavar="PATH...", nargs=-1, required=True)
@option(
    "--coefficient -c NAME",
    "Coefficient. Default: ac1.",
    to="name",
    default="gwet_ac",
    shell_complete=shared.completed_by("coefficients"),
    show_default=False,
)
@option("--gold NAME", "Rater or column that is the standard.")
@OCCASION
@shared.DISTANCE
@reading_options
@out.output_options("json", "csv", "markdown", "latex")
def designs(**options: Any) -> Answer:
    """Show the three designs of reliability side by side, as far as the data allow them.

    Stability compares raters with themselves (test vs. retest), reproducibility with each other
    (test vs. test), accuracy with a standard (test vs. standard).
    """
    from consilience.coefficients.undecided import require_scale
    from consilience.document import envelope
    from consilience.latent import reliability_designs

    name = coefficient_name(options["name"], "--coefficient")
    distance = named_distance(options["word"], options["scale"])
    loaded, beside = load_occasions(options, also="occasions")
    gold = None if options["gold"] is None else gold_in(options, loaded.ratings, beside)
    if isinstance(gold, dict):
        gold = {item: gold[str(item)] for item in loaded.ratings.items if str(item) in gold}
    if distance is None:
        require_scale(loaded.ratings, "the three designs")
    result = reliability_designs(loaded.ratings, gold=gold, coefficient=name, distance=distance)
    return Answer(
        document=result.document(),
        record=envelope(data=facts(loaded), designs=result.to_dict()),
        code=0 if result.rows else 4,
    )
