"""``consilience measure``: ratings in, coefficients out."""

from __future__ import annotations

import contextlib
import shutil
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from consilience.cli import _output as out
from consilience.cli._options import (
    coefficient_name,
    named_distance,
    split_categories,
    split_gates,
)

if TYPE_CHECKING:
    from consilience.coefficients import Estimate
    from consilience.io import Loaded
    from consilience.report import Summary

_SHAPES = ("long", "wide", "transposed", "counts", "table")
_SCALES = ("nominal", "ordinal", "interval", "ratio")
_MISSING = ("gwet", "ap", "listwise", "krippendorff", "pairwise")
_INTERVALS = ("analytic", "auto", "transformed", "jackknife", "percentile", "basic", "bca",
              "studentised", "donner-eliasziw", "profile", "hayes-krippendorff")  # fmt: skip
_READING = ("shape", "item", "rater", "label", "by", "scale", "categories", "missing_values",
            "duplicates", "delimiter", "encoding", "header")  # fmt: skip

_EPILOG = """\b
Examples:
  consilience measure ratings.csv
  consilience measure ann.csv bob.csv              one file per rater
  consilience measure ratings.csv --scale ordinal --categories low,mid,high
  consilience measure codes.csv --by variable -c alpha
  consilience measure codes.csv --label tone --label stance
  consilience measure ratings.csv --json --fail-under alpha=0.667
  psql -c "copy t to stdout csv header" | consilience measure -
"""


@click.command(epilog=_EPILOG)
@click.argument("paths", metavar="PATH...", nargs=-1, required=True)
@click.option(
    "--coefficient",
    "-c",
    "names",
    multiple=True,
    metavar="NAME",
    help="Coefficient to compute; repeat for more. Default: all that apply.",
)
@click.option("--scale", type=click.Choice(_SCALES), help="How labels relate. Default: nominal.")
@click.option(
    "--categories",
    metavar="A,B,C",
    callback=split_categories,
    help="Labels that could be used, in order, separated by commas.",
)
@click.option(
    "--distance",
    "word",
    metavar="NAME",
    help="How different two labels are, such as linear, quadratic, ordinal, circular:24. "
    "Default: the one that fits the scale.",
)
@click.option(
    "--missing-value",
    "missing_values",
    multiple=True,
    metavar="LABEL",
    help="Label that means 'no rating'; repeat for more. Empty cells always do.",
)
@click.option(
    "--missing",
    type=click.Choice(_MISSING),
    help="How incomplete items are treated, where a coefficient leaves the choice.",
)
@click.option("--by", metavar="COLUMN", help="One result per value of this column.")
@click.option(
    "--confidence-level",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.95,
    show_default=True,
    help="Level of the intervals.",
)
@click.option(
    "--interval",
    type=click.Choice(_INTERVALS),
    default="analytic",
    show_default=True,
    metavar="METHOD",
    help=f"How intervals are made: {', '.join(_INTERVALS)}; auto picks what covered best for such "
    "a design.",
)
@click.option(
    "--resamples",
    type=click.IntRange(min=1),
    metavar="N",
    help="Resamples for intervals by bootstrap. Default: 4999, or 9999 for bca.",
)
@click.option(
    "--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Random seed."
)
@click.option(
    "--fail-under",
    "gates",
    multiple=True,
    metavar="NAME=VALUE",
    callback=split_gates,
    help="Exit with 1 if the coefficient is smaller, as in alpha=0.667; repeat for more.",
)
@click.option(
    "--shape", type=click.Choice(_SHAPES), help="Layout of the file. Default: recognised."
)
@click.option(
    "--item",
    multiple=True,
    metavar="COLUMN",
    help="Column that names the item; several together name it.",
)
@click.option(
    "--rater",
    multiple=True,
    metavar="COLUMN",
    help="Column that names the rater; several are the raters of a wide table.",
)
@click.option(
    "--label",
    multiple=True,
    metavar="COLUMN",
    help="Column with the label; several give one result each.",
)
@click.option(
    "--duplicates",
    type=click.Choice(("refuse", "first", "last", "occasions")),
    default="refuse",
    show_default=True,
    help="What to do when a rater rated an item twice.",
)
@click.option("--delimiter", metavar="SIGN", help="Delimiter of a text file, such as ';' or tab.")
@click.option("--encoding", metavar="NAME", help="Encoding of a text file, such as cp1252.")
@click.option("--header/--no-header", default=None, help="Whether the first line holds names.")
@click.option("--json", "as_json", is_flag=True, help="Write JSON: stable keys, unrounded.")
@click.option("--csv", "as_csv", is_flag=True, help="Write CSV: one line per coefficient.")
@click.option("--markdown", "as_markdown", is_flag=True, help="Write a Markdown table.")
@click.option(
    "--output",
    "-o",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write to a file instead; .json, .csv and .md choose the format.",
)
@click.option("--force", is_flag=True, help="Replace an existing output file.")
@click.option("--quiet", "-q", is_flag=True, help="Do not say how the file was read.")
def measure(**options: Any) -> int:
    """Measure how far raters agree.

    PATH is a file with ratings (delimited text or Parquet), or - for standard input. Its layout
    is recognised: one row per rating, one column per rater, one row per rater, counts per
    category, or a cross-table; what it was taken for is told on stderr. Several files must have
    the same columns; without a column for the rater, each file is one rater's.
    """
    names = [coefficient_name(name, "--coefficient") for name in options["names"]]
    gates = [(coefficient_name(name, "--fail-under"), bound) for name, bound in options["gates"]]
    chosen = named_distance(options["word"], options["scale"])
    flags = {form: options[f"as_{form}"] for form in ("json", "csv", "markdown")}
    form = out.chosen_format(flags, options["output"])
    out.check_output(options["output"], options["paths"], force=options["force"])
    loaded = _load(options)
    if not options["quiet"]:
        _tell(str(loaded.reading))
    summary = _summary(loaded, _asked(loaded, names, gates), chosen, options)
    for name, _ in gates:
        if all(e.coefficient != name for _, _, found in summary.parts() for e in found):
            _summary(loaded, [name], chosen, options)  # says why it does not exist here
    out.write(summary, form, options["output"])
    return _exit_code(summary, gates)


def _load(options: dict[str, Any]) -> Loaded:
    from consilience.exceptions import ConsilienceError
    from consilience.io import load

    wishes: dict[str, Any] = {name: options[name] or None for name in _READING if name != "header"}
    wishes["missing_values"] = options["missing_values"]
    with _files(options["paths"]) as (paths, stand_in):
        try:
            with out.progress(f"Reading {', '.join(paths)}"):
                loaded = load(paths, header=options["header"], **wishes)
        except ConsilienceError as error:
            if stand_in is None:
                raise
            raise type(error)(str(error).replace(stand_in, "standard input")) from error
    if stand_in is None:
        return loaded
    sources = tuple("-" if name == stand_in else name for name in loaded.reading.sources)
    return replace(loaded, reading=replace(loaded.reading, sources=sources))


@contextlib.contextmanager
def _files(paths: tuple[str, ...]) -> Iterator[tuple[list[str], str | None]]:
    """Yield the paths, with standard input saved to a file whose name is given beside them."""
    if "-" not in paths:
        yield list(paths), None
        return
    with tempfile.TemporaryDirectory(prefix="consilience-") as folder:
        saved = Path(folder) / "stdin"
        with saved.open("wb") as stream:
            shutil.copyfileobj(sys.stdin.buffer, stream)
        yield [str(saved) if path == "-" else path for path in paths], str(saved)


def _summary(loaded: Loaded, names: list[str], chosen: Any, options: dict[str, Any]) -> Summary:
    from consilience.report import measure as measure_ratings

    grouped = loaded.by is not None
    return measure_ratings(
        loaded.groups if grouped else loaded.ratings,
        coefficients=names or None,
        distance=chosen,
        missing=options["missing"],
        confidence_level=options["confidence_level"],
        interval=options["interval"],
        n_resamples=options["resamples"],
        seed=options["seed"],
        by=loaded.by,
        shape=loaded.reading.shape,
        sources=loaded.reading.sources,
    )


def _asked(loaded: Loaded, names: list[str], gates: list[tuple[str, float]]) -> list[str]:
    """Return the coefficients to compute; empty means all that apply."""
    from consilience.report import GROUP_COEFFICIENTS

    if not names and (loaded.by is None or not gates):
        return []
    return list(dict.fromkeys([*(names or GROUP_COEFFICIENTS), *(name for name, _ in gates)]))


def _exit_code(summary: Summary, gates: list[tuple[str, float]]) -> int:
    """Return 0, 1 when a gate is not met, or 4 when what was asked for is undefined."""
    estimates = [(group, e) for group, _, found in summary.parts() for e in found]
    code = 4 if all(e.status == "undefined" for _, e in estimates) else 0
    for name, bound in gates:
        for group, estimate in estimates:
            if estimate.coefficient == name:
                code = max(code, _check_gate(group, estimate, bound))
    return code


def _check_gate(group: str | None, estimate: Estimate, bound: float) -> int:
    where = f"{group}: " if group else ""
    if estimate.status == "undefined":
        _tell(f"{where}{estimate.name} is undefined, so --fail-under cannot be met.")
        return 4
    if estimate.value < bound:
        _tell(f"{where}{estimate.name} is {estimate.value:.4f}, below {bound:g}.")
        return 1
    return 0


def _tell(text: str) -> None:
    from consilience.report._words import printable

    for line in text.splitlines():
        click.echo(printable(line), err=True)
