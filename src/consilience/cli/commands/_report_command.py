"""``consilience report``: ratings in, a page to hand on out."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from consilience.cli import _output as out
from consilience.cli._again import how_made
from consilience.cli._engine import PLACE_RULES, place_options
from consilience.cli._heeded import Rule
from consilience.cli._main import command
from consilience.cli._options import (
    MEASURING_RULES,
    coefficient_name,
    column_option,
    measuring_options,
    named_distance,
    option,
)
from consilience.cli._ratings_reading import load, reading_options

if TYPE_CHECKING:
    from consilience.report import Report

_FIGURE_FORMATS = ("pdf", "png", "svg")

_RULES = (
    *PLACE_RULES,
    *MEASURING_RULES,
    Rule(("figure_format",), lambda options: options["figures"] is None, "goes with --figures DIR",
         "add --figures DIR, or leave it out"),
)  # fmt: skip
_EPILOG = """\b
Examples:
  consilience report ratings.csv                     writes ratings.html
  consilience report ratings.csv -o agreement.html --title "Pilot study"
  consilience report ratings.csv --figures figures --figure-format pdf
  consilience report crowd.parquet --engine duckdb   a file of any size
"""


@command(_EPILOG, _RULES)
@click.argument("paths", metavar="PATH...", nargs=-1, required=True)
@option(
    "--output -o FILE", "The page to write. Default: the input's name with .html.", type=out.FILE
)
@option("--force", "Replace existing files.")
@column_option("--by", "One line of results per value of this column.")
@option("--title TEXT", "Heading of the page.", default="")
@option("--date TEXT", "Date to show at the foot of the page.", default="")
@option(
    "--figures DIR",
    "Also write each figure to a file in this folder.",
    type=out.OutputFile(folders=True),
)
@option("--figure-format", "Format of these files.", choices=_FIGURE_FORMATS, default="pdf")
@measuring_options(interval="auto")
@place_options
@reading_options
def report(**options: Any) -> int:
    """Write a report: one HTML page that needs nothing else.

    The page says what was rated, how far raters agree and how sure that is, why it is not higher,
    which items and labels cause trouble, and gives the sentence and the table for the paper. It
    loads nothing, sends nothing and prints well. Several variables get a page with a line for each.
    """
    output = options["output"] or _beside(options["paths"])
    out.check_output(output, options["paths"], force=options["force"])
    if output.suffix.lower() not in (".html", ".htm"):
        raise click.UsageError(
            f"--output {output} must end in .html: the report is a page. `consilience measure` "
            "writes tables."
        )
    _check_figures(options["figures"])
    names = [coefficient_name(name, "--coefficient") for name in options["names"]]
    distance = named_distance(options["word"], options["scale"])
    loaded = load(options)
    with out.progress("Writing the report"):
        from consilience.report import report as make

        made = make(
            loaded.ratings if loaded.by is None else loaded.groups,
            title=options["title"],
            coefficients=names or None,
            distance=distance,
            missing=options["missing"],
            confidence_level=options["confidence_level"],
            interval=options["interval"],
            n_resamples=options["resamples"],
            seed=options["seed"],
            shape=loaded.reading.shape,
            sources=[os.path.basename(source) for source in loaded.reading.sources],
            **how_made(options),
            by=loaded.by,
            date=options["date"],
        )
        places = _figure_places(made, options)
        out.write_file(output, made.html())
        _write_figures(places, options["figure_format"])
    out.tell("\n".join([f"Wrote {output}", *(f"Wrote {path}" for path in places)]))
    found = (one for _, _, estimates in made.summary.parts() for one in estimates)
    return 0 if any(one.status == "ok" for one in found) else 4


def _beside(paths: tuple[str, ...]) -> Path:
    """Name the page after the first input, in the folder where the user is."""
    name = Path(paths[0]).name
    return Path("report.html" if name == "-" else Path(name).with_suffix(".html").name)


def _check_figures(folder: Path | None) -> None:
    if folder is not None and folder.exists() and not folder.is_dir():
        raise click.UsageError(f"--figures {folder} is a file. Name a folder.")


def _figure_places(made: Report, options: dict[str, Any]) -> dict[Path, Any]:
    """Return where each figure goes; refused before anything is written."""
    folder, form = options["figures"], options["figure_format"]
    if folder is None:
        return {}
    places = {folder / f"{figure.name}.{form}": figure for figure in made.page.figures}
    folder.mkdir(parents=True, exist_ok=True)
    for path in places:
        out.check_output(path, options["paths"], force=options["force"], option="--figures")
    return places


def _write_figures(places: dict[Path, Any], form: str) -> None:
    from consilience.plot.style import rendered

    for path, figure in places.items():
        out.write_file(path, rendered(figure.axes, form))
