"""How agreement is to be measured: the options that commands share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from consilience.cli._options import completed_by

Command = TypeVar("Command", bound=Callable[..., Any])

_MISSING = ("gwet", "ap", "listwise", "krippendorff", "pairwise")
_INTERVALS = ("analytic", "auto", "transformed", "jackknife", "percentile", "basic", "bca",
              "studentised", "donner-eliasziw", "profile", "hayes-krippendorff")  # fmt: skip

COEFFICIENT = click.option(
    "--coefficient",
    "-c",
    "names",
    multiple=True,
    metavar="NAME",
    shell_complete=completed_by("coefficients"),
    help="Coefficient to compute; repeat for more. Default: all that apply.",
)
DISTANCE = click.option(
    "--distance",
    "word",
    metavar="NAME",
    shell_complete=completed_by("distances"),
    help="How different two labels are, such as linear, quadratic, ordinal, circular:24. "
    "Default: the one that fits the scale.",
)
MISSING = click.option(
    "--missing",
    type=click.Choice(_MISSING),
    help="How incomplete items are treated, where a coefficient leaves the choice.",
)
CONFIDENCE_LEVEL = click.option(
    "--confidence-level",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.95,
    show_default=True,
    help="Level of the intervals.",
)
RESAMPLES = click.option(
    "--resamples",
    type=click.IntRange(min=1),
    metavar="N",
    help="Resamples for intervals by bootstrap. Default: 4999, or 9999 for bca.",
)
SEED = click.option(
    "--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Random seed."
)


def measuring_options(*, interval: str) -> Callable[[Command], Command]:
    """Add the options that say what to compute; `interval` is the default method of intervals."""
    how = click.option(
        "--interval",
        type=click.Choice(_INTERVALS),
        default=interval,
        show_default=True,
        metavar="METHOD",
        help=f"How intervals are made: {', '.join(_INTERVALS)}; auto picks what covered best for "
        "such a design.",
    )
    every = (COEFFICIENT, DISTANCE, MISSING, CONFIDENCE_LEVEL, how, RESAMPLES, SEED)

    def decorate(command: Command) -> Command:
        for option in reversed(every):
            command = option(command)
        return command

    return decorate
