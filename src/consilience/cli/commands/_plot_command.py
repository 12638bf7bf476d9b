"""``consilience plot``: ratings in, one figure out."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import click

from consilience.cli import _output as out
from consilience.cli._heeded import Rule
from consilience.cli._main import command
from consilience.cli._options import coefficient_name, column_option, option
from consilience.cli._ratings_reading import load, reading_options

# What people call a figure on the command line, and the function that draws it.
FIGURES = {
    "accuracy": "accuracy",
    "bland-altman": "bland_altman",
    "category-kappas": "category_kappas",
    "certainty": "certainty",
    "chance": "chance_surface",
    "confusion": "confusion",
    "design": "design",
    "differences": "differences",
    "error-matrix": "error_matrix",
    "forest": "forest",
    "funnel": "funnel",
    "histogram": "histogram",
    "items": "item_agreement",
    "label-use": "label_use",
    "leave-one-out": "leave_one_out",
    "marks": "marks",
    "prevalence": "prevalence_effect",
    "raters": "raters",
    "tolerance": "tolerance",
    "variables": "variables",
}
_SEVERAL = ("variables",)  # drawn from several variables at once
# Their intervals, or errors, heed which items belong together.
_CLUSTERED = ("accuracy", "bland-altman", "forest", "leave-one-out", "tolerance", "variables")
_RULES = (
    Rule(("cluster",), lambda options: options["figure"] not in _CLUSTERED,
         f"is for the figures {', '.join(_CLUSTERED)}"),
)  # fmt: skip

_EPILOG = """\b
Examples:
  consilience plot forest ratings.csv -o forest.svg
  consilience plot prevalence ratings.csv -o prevalence.png
  consilience plot bland-altman marks.csv --pair Ann Bob -o differences.pdf
  consilience plot variables codes.csv --by variable -o variables.svg
"""


@command(_EPILOG, _RULES)
@click.argument("figure", type=click.Choice(sorted(FIGURES)), metavar="FIGURE")
@click.argument("paths", metavar="PATH...", nargs=-1, required=True)
@option(
    "--output -o FILE",
    "The file to write: .svg, .pdf or .png. Default: the figure's name with .svg.",
    type=out.FILE,
)
@option("--force", "Replace an existing file.")
@option("--coefficient -c NAME", "The coefficient to draw, where one is.")
@option("--pair RATER RATER", "Draw these two raters, where two are drawn.", nargs=2)
@option(
    "--of-label LABEL",
    "The label whose share is meant, for chance and prevalence. Default: the most common.",
    to="of_label",
)
@column_option("--by", "Draw one row for each value of this column, for variables.")
@reading_options
def plot(*, figure: str, **options: Any) -> None:
    """Draw one figure of ratings.

    FIGURE is one of accuracy, bland-altman, category-kappas, certainty, chance, confusion, design,
    differences, error-matrix, forest, funnel, histogram, items, label-use, leave-one-out, marks,
    prevalence, raters, tolerance and variables. Figures of units are drawn by `consilience units
    --figure`.
    """
    from consilience import plot as figures
    from consilience.plot.style import check_format, rendered

    output = options["output"] or Path(f"{figure}.svg")
    form = check_format(output)
    out.check_output(output, options["paths"], force=options["force"])
    draw = getattr(figures, FIGURES[figure])
    wishes = _wishes(figure, draw, options)
    loaded = load(options)
    with out.progress("Drawing"):
        several = figure in _SEVERAL
        data = loaded.groups if several and loaded.by is not None else loaded.ratings
        content = rendered(draw(data, **wishes), form)
    out.write_file(output, content)
    out.tell(f"Wrote {output}")


def _wishes(figure: str, draw: Any, options: dict[str, Any]) -> dict[str, Any]:
    """Return what was asked for as arguments; refuse what the figure has no use for."""
    known = inspect.signature(draw).parameters
    asked = {
        "coefficient": ("--coefficient", options["coefficient"]),
        "pair": ("--pair", options["pair"]),
        "label": ("--of-label", options["of_label"]),
    }
    found = {}
    for name, (flag, value) in asked.items():
        if not value:
            continue
        if name not in known:
            raise click.UsageError(f"{flag} means nothing for {figure}. Leave it out.")
        found[name] = coefficient_name(value, flag) if name == "coefficient" else value
    return found
