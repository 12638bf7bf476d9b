"""``consilience measure``: ratings in, coefficients out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from consilience.cli import _output as out
from consilience.cli._engine import (
    PLACE_RULES,
    added_to_rows,
    engine_options,
    loaded_rows,
    save_rows,
)
from consilience.cli._heeded import Rule
from consilience.cli._main import command
from consilience.cli._options import (
    MEASURING_RULES,
    Gate,
    coefficient_name,
    column_option,
    gate_option,
    measuring_options,
    named_distance,
)
from consilience.cli._ratings_reading import READING, load, reading_options

if TYPE_CHECKING:
    from collections.abc import Callable

    from consilience.coefficients import Estimate
    from consilience.core.interval import Interval
    from consilience.io import Loaded
    from consilience.report import Summary

_ASKED_ABOUT = 2_000  # labels, before they are measured
_OF_FILES = (*(name for name in READING if name != "quiet"), "by", "engine", "master",
             "memory_limit", "spill", "add_to")  # fmt: skip
_RULES = (
    *PLACE_RULES,
    *MEASURING_RULES,
    Rule(
        _OF_FILES,
        lambda options: all(path.lower().endswith(".rows") for path in options["paths"]),
        "is for files that are read here, not for saved rows",
    ),
)
_EPILOG = """\b
Examples:
  consilience measure ratings.csv
  consilience measure ann.csv bob.csv              one file per rater
  consilience measure ratings.csv --scale ordinal --categories low,mid,high
  consilience measure codes.csv --by variable -c alpha
  consilience measure codes.csv --label tone --label stance
  consilience measure ratings.csv --json --fail-under alpha:low=0.6
  consilience measure today.parquet --add-to all.rows
  psql -c "copy t to stdout csv header" | consilience measure -
"""


@command(_EPILOG, _RULES)
@click.argument("paths", metavar="PATH...", nargs=-1, required=True)
@measuring_options(interval="auto")
@column_option("--by", "One result per value of this column.")
@gate_option("Exit with 1 if the coefficient is smaller, as in alpha=0.667; repeat for more.")
@engine_options
@reading_options
@out.output_options("json", "csv", "markdown", "latex", "apa")
def measure(**options: Any) -> int:
    """Measure how far raters agree.

    PATH is a file with ratings (delimited text, JSON, Parquet, or the export of an annotation
    platform), a folder, or - for standard input. Its layout is recognised: one row per rating,
    one column per rater, one row per rater, counts per category, or a cross-table; what it was
    taken for is told on stderr, and --explain tells all of it. Several files must have the same
    columns; without a column for the rater, each file is one rater's.
    """
    names = [coefficient_name(name, "--coefficient") for name in options["names"]]
    gates = [one.named(coefficient_name(one.name, "--fail-under")) for one in options["gates"]]
    chosen = named_distance(options["word"], options["scale"])
    form = out.chosen_format(options)
    loaded = loaded_rows(options) or load({**options, "items": "forget"})
    loaded = added_to_rows(loaded, options)
    if gates and chosen is None:
        _check_scales(loaded)
    _ask_about_labels(loaded, options)
    with out.progress("Computing intervals") as tell:
        summary = _summary(loaded, _asked(loaded, names, gates), chosen, options, tell)
    for gate in gates:
        if all(e.coefficient != gate.name for _, _, found in summary.parts() for e in found):
            _summary(loaded, [gate.name], chosen, options)  # says why it does not exist here
    save_rows(loaded, options)
    out.write(summary, form, options["output"])
    return _exit_code(summary, gates, options)


def _ask_about_labels(loaded: Loaded, options: dict[str, Any]) -> None:
    """Ask whether a column of very many labels is the right one, before it is measured."""
    from consilience.findings import Study, checks

    named = [one for one in loaded.groups.values() if one.scale == "nominal"]
    many = [one for one in named if len(one.categories) > _ASKED_ABOUT]
    if not many or options["quiet"]:
        return
    check = next(one for one in checks() if one.__name__ == "labels_hardly_repeat")
    for ratings in many:
        finding = check(Study(ratings))
        if finding is not None:
            out.tell(finding.message)


def _check_scales(loaded: Loaded) -> None:
    """Refuse a gate on labels that may be names or numbers: it could pass for the wrong reason."""
    from consilience.coefficients.undecided import require_scale

    for name, ratings in loaded.groups.items():
        require_scale(ratings, "--fail-under" if name is None else f"{name}: --fail-under")


def _summary(
    loaded: Loaded,
    names: list[str],
    chosen: Any,
    options: dict[str, Any],
    progress: Callable[[int, int], None] | None = None,
) -> Summary:
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
        progress=progress,
        states=loaded.reading.states,
    )


def _asked(loaded: Loaded, names: list[str], gates: list[Gate]) -> list[str]:
    """Return the coefficients to compute; empty means all that apply."""
    from consilience.report import GROUP_COEFFICIENTS

    if not names and (loaded.by is None or not gates):
        return []
    return list(dict.fromkeys([*(names or GROUP_COEFFICIENTS), *(one.name for one in gates)]))


def _exit_code(summary: Summary, gates: list[Gate], options: dict[str, Any]) -> int:
    """Return 0, 1 when a gate is not met, or 4 when what was asked for is undefined."""
    estimates = [(group, e) for group, _, found in summary.parts() for e in found]
    code = 4 if all(e.status == "undefined" for _, e in estimates) else 0
    for gate in gates:
        for group, estimate in estimates:
            if estimate.coefficient == gate.name:
                where = f"{group}: " if group else ""
                limits = _limits(estimate, options) if gate.on_low else None
                name = f"{where}{estimate.name}"
                code = max(code, gate.exit_code(name, estimate.value, limits))
    for part in summary.groups:
        if gates and not part.estimates:
            out.tell(f"{part.name}: not measured, so --fail-under cannot be met.")
            code = 4
    return code


def _limits(estimate: Estimate, options: dict[str, Any]) -> Interval | None:
    """Return the interval as it is shown; None where the value is undefined."""
    if estimate.status == "undefined":
        return None
    return estimate.confidence_interval(options["confidence_level"], options["interval"])
