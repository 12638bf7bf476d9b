"""``consilience bias``: what raters' own habits take from chance agreement."""

from __future__ import annotations

from typing import Any

import click

from consilience.cli import _output as out
from consilience.cli._extra_columns import facts
from consilience.cli._main import command
from consilience.cli._options import CONFIDENCE_LEVEL, completed_by, named_distance, option
from consilience.cli._output import Answer
from consilience.cli._ratings_reading import load, reading_options

_EPILOG = """\b
Examples:
  consilience bias ratings.csv
  consilience bias ratings.csv --distance nominal --distance file:weights.csv
  consilience bias links.csv --chains links --distance jaccard --distance dice \\
    --distance passonneau --figure bars.svg
"""


@command(_EPILOG)
@click.argument("paths", metavar="PATH...", nargs=-1, required=True)
@option(
    "--distance NAME...",
    "How different two labels are, as for measure; repeat to compare distances. Default: the "
    "one that fits the scale.",
    to="words",
    shell_complete=completed_by("distances"),
)
@option(
    "--missing",
    "How incomplete items are treated; ap is Artstein and Poesio's own way.",
    choices=("gwet", "ap", "listwise"),
    default="gwet",
)
@out.figure_option(
    "Also draw the coefficients as bars, a group for each distance (.pdf, .png or .svg)."
)
@CONFIDENCE_LEVEL
@reading_options
@out.output_options("json", "csv", "markdown", "latex")
def bias(**options: Any) -> Answer:
    """Say how far raters' habits differ, and what that does to chance agreement.

    Chance may be one distribution of labels for all raters (pi, alpha prime) or each rater's own
    (kappa, beta); Artstein and Poesio's bias B is the difference. Alpha, alpha prime and beta stand
    side by side for each distance.
    """
    from consilience.coefficients import rater_bias
    from consilience.document import envelope

    distances = [named_distance(word, options["scale"]) for word in options["words"]]
    loaded = load(options)
    with out.progress("Measuring"):
        found = rater_bias(
            loaded.ratings,
            distance=distances or None,
            missing=options["missing"],
            confidence_level=options["confidence_level"],
        )

    def bars() -> Any:
        from consilience.plot import coefficient_bars

        return coefficient_bars(
            {by.distance: [by.alpha, by.shared, by.own] for by in found.distances},
            confidence_level=options["confidence_level"],
        )

    record = found.to_dict()
    return Answer(
        document=found.document(),
        record=envelope(data=facts(loaded), estimates=record.pop("estimates"), bias=record),
        figures={"figure": bars},
        code=0 if found.status == "ok" else 4,
    )
