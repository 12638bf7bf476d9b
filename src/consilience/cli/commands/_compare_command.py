"""``consilience compare``: rounds or batches side by side, with the test."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from consilience.cli import _output as out
from consilience.cli._again import how_made
from consilience.cli._main import command
from consilience.cli._options import (
    MEASURING_RULES,
    coefficient_name,
    column_option,
    measuring_options,
    named_distance,
)
from consilience.cli._output import Answer
from consilience.cli._ratings_reading import load, reading_options

if TYPE_CHECKING:
    from consilience.ratings import Ratings
    from consilience.report import Batches, Page, Rounds

_EPILOG = """\b
Examples:
  consilience compare pilot.csv main.csv
  consilience compare before.csv after.csv -c alpha -c ac1 --json
  consilience compare monday.csv tuesday.csv friday.csv --figure days.pdf
  consilience compare ratings.csv --by batch
"""


@command(_EPILOG, MEASURING_RULES)
@click.argument("paths", metavar="PATH...", nargs=-1, required=True)
@column_option("--by", "Compare the values of this column of one file, in the order of the file.")
@out.figure_option("Also draw agreement over the rounds or batches (.pdf, .png or .svg).")
@out.REPORT
@measuring_options(interval="auto")
@reading_options
@out.output_options("json", "csv", "markdown", "latex")
def compare(**options: Any) -> Answer:
    """Compare rounds: another guideline, other raters, another day.

    Two files are compared coefficient by coefficient: item by item where both name the same items,
    else as independent samples. More files, or the values of a column, are batches of different
    items, and the test is whether one coefficient is the same in all of them.
    """
    names = [coefficient_name(name, "--coefficient") for name in options["names"]]
    distance = named_distance(options["word"], options["scale"])
    groups = _groups(options)
    with out.progress("Comparing"):
        result = _compared(groups, names, distance, options)

    def page() -> Page:
        from consilience.report import Rounds, batches_page, rounds_page

        make: Any = rounds_page if isinstance(result, Rounds) else batches_page
        made: Page = make(result, **how_made(options))
        return made

    return Answer(
        document=result.document(),
        record=result.to_dict(),
        page=page,
        figures={"figure": lambda: _drawn(result, options)},
        code=0 if _is_tested(result) else 4,
    )


def _groups(options: dict[str, Any]) -> dict[str, Ratings]:
    if options["by"] is not None:
        loaded = load(options)
        return {str(name): part for name, part in loaded.groups.items()}
    if len(options["paths"]) < 2:
        raise click.UsageError("name at least two files, or one file and --by COLUMN.")
    groups = {}
    for path in options["paths"]:
        loaded = load({**options, "paths": (path,)})
        if loaded.by is not None:
            raise click.UsageError("rounds are compared on one variable. Name one --label.")
        name = path if path not in groups else f"{path} (again)"
        groups[name] = loaded.ratings
    return groups


def _compared(
    groups: dict[str, Ratings], names: list[str], distance: Any, options: dict[str, Any]
) -> Rounds | Batches:
    from consilience.report import compare_batches, compare_rounds

    shared: dict[str, Any] = {
        "distance": distance,
        "missing": options["missing"],
        "confidence_level": options["confidence_level"],
        "interval": options["interval"],
        "n_resamples": options["resamples"],
        "seed": options["seed"],
    }
    if len(groups) == 2:
        first, second = groups
        return compare_rounds(
            groups[first],
            groups[second],
            names=(first, second),
            coefficients=names or None,
            **shared,
        )
    if len(names) > 1:
        raise click.UsageError("batches are compared on one coefficient. Name one with -c.")
    return compare_batches(groups, coefficient=names[0] if names else "alpha", **shared)


def _drawn(result: Rounds | Batches, options: dict[str, Any]) -> Any:
    """Draw what was compared: the first coefficient, as it was computed."""
    from consilience.plot import batches
    from consilience.report import Rounds

    if isinstance(result, Rounds):
        estimates = dict(
            zip(result.names, (one.estimates[0] for one in result.summaries), strict=True)
        )
    else:
        estimates = dict(result.estimates)
    return batches(estimates, confidence_level=options["confidence_level"])


def _is_tested(result: Any) -> bool:
    if hasattr(result, "rows"):
        return any(row.comparison is not None for row in result.rows)
    return result.test is not None
