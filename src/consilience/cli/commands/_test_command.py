"""``consilience test``: null values of a coefficient, by simulated studies or the interval."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from consilience.cli import _options as shared
from consilience.cli import _output as out
from consilience.cli._extra_columns import facts
from consilience.cli._grouped import each
from consilience.cli._heeded import Rule
from consilience.cli._main import command
from consilience.cli._options import coefficient_name, named_distance, option
from consilience.cli._output import Answer
from consilience.cli._ratings_reading import load, reading_options

if TYPE_CHECKING:
    from consilience.io import Loaded

_RULES = (
    Rule(("resamples",), lambda options: options["method"] != "monte-carlo",
         "is for --method monte-carlo"),
)  # fmt: skip
_EPILOG = """\b
Examples:
  consilience test ratings.csv -c ac1                    0, 0.1, ... 0.9
  consilience test ratings.csv -c ac1 --null 0.6
  consilience test ratings.csv -c kappa --null 0.4,0.6 --method auto
  consilience test ratings.csv -c ac1 --words altman --words fleiss
"""


def split_nulls(
    ctx: click.Context, param: click.Parameter, values: tuple[str, ...]
) -> tuple[float, ...]:
    """Turn 0.2,0.6 into numbers below 1."""
    found = []
    for word in ",".join(values).split(","):
        if not word.strip():
            continue
        try:
            number = float(word)
        except ValueError:
            number = float("nan")
        if not -1.0 <= number < 1.0:
            raise click.BadParameter(f"{word!r} is not a number from -1 to below 1, as in 0.2,0.6.")
        found.append(number)
    return tuple(found)


@command(_EPILOG, _RULES)
@click.argument("paths", metavar="PATH...", nargs=-1, required=True)
@option(
    "--coefficient -c NAME",
    "Coefficient to test, such as ac1. Default: alpha.",
    to="name",
    default="krippendorff_alpha",
    shell_complete=shared.completed_by("coefficients"),
    show_default=False,
)
@option(
    "--null VALUE...",
    "Null value, or several as in 0.2,0.6. Default: 0, 0.1, ... 0.9.",
    to="nulls",
    callback=split_nulls,
)
@option(
    "--method",
    "monte-carlo draws studies with the null value; auto goes with the interval; analytic "
    "divides by the standard error.",
    choices=("monte-carlo", "auto", "analytic"),
    default="monte-carlo",
)
@option(
    "--alternative",
    "What the data are to show: agreement above, other than or below the null value.",
    choices=("greater", "two-sided", "less"),
    default="greater",
)
@option(
    "--words SCALE...",
    "Published scale whose words are shown, such as krippendorff; repeat for more, or none.",
)
@shared.DISTANCE
@shared.resamples_option("Simulated studies for each null value. Default: 9999, or 999 for crowds.")
@shared.SEED
@shared.column_option("--by", "One result per value of this column.")
@reading_options
@out.output_options("json", "csv", "markdown", "latex")
def test(**options: Any) -> Answer:
    """Test a coefficient against null values: by how much is agreement better than chance?

    For each null value, studies of the same size are simulated in which the coefficient has that
    value. Shown are the critical values at 10%, 5% and 1% and the p-value of what was found.
    """
    options["name"] = coefficient_name(options["name"], "--coefficient")
    options["chosen"] = named_distance(options["word"], options["scale"])
    options["scales"] = _scales(options["words"])
    loaded = load(options)
    with out.progress("Simulating studies"):
        return each(loaded, lambda one: _tested(one, options), seed=options["seed"])


def _scales(words: tuple[str, ...]) -> tuple[str, ...] | None:
    """Return the scales that are named; None where the usual ones are meant."""
    if not words:
        return None
    if words == ("none",):
        return ()
    from consilience.exceptions import InputError
    from consilience.inference import benchmark_scale

    try:
        return tuple(benchmark_scale(word).name for word in words)
    except InputError as error:
        raise click.BadParameter(str(error), param_hint="--words") from error


def _tested(loaded: Loaded, options: dict[str, Any]) -> Answer:
    from consilience.coefficients import estimate, registry
    from consilience.coefficients.undecided import require_scale
    from consilience.document import envelope
    from consilience.inference import null_tests

    if options["chosen"] is None:
        require_scale(loaded.ratings, "a test")
    one = estimate(
        registry[options["name"]],
        (loaded.ratings,),
        distance=options["chosen"],
        on_undefined="raise",
    )
    asked: dict[str, Any] = {
        "method": options["method"],
        "alternative": options["alternative"],
        "n_resamples": options["resamples"],
        "rng": options["seed"],
    }
    if options["nulls"]:
        asked["nulls"] = options["nulls"]
    if options["scales"] is not None:
        asked["scales"] = options["scales"]
    result = null_tests(one, **asked)
    record = result.to_dict()
    whole = envelope(
        data=facts(loaded), estimates=[one.to_dict()], seed=options["seed"], null_tests=record
    )
    return Answer(document=result.document(), record=whole)
