"""Values that the command line takes apart before the library sees them."""

from __future__ import annotations

import csv
import difflib
from collections.abc import Callable, Mapping
from typing import Any

import click

from consilience.exceptions import InputError


def split_categories(
    ctx: click.Context, param: click.Parameter, value: str | None
) -> tuple[str, ...] | None:
    """Split a comma-separated list of labels; quotation marks protect a comma."""
    if value is None:
        return None
    labels = tuple(label.strip() for label in next(csv.reader([value]), []))
    if not labels or "" in labels:
        raise click.BadParameter(f"{value!r} has an empty label. Write them as no,maybe,yes.")
    return labels


def split_pairs(
    ctx: click.Context, param: click.Parameter, values: tuple[str, ...]
) -> dict[str, str | None]:
    """Split pairs such as Yes=yes; an empty new label means no rating."""
    pairs: dict[str, str | None] = {}
    for value in values:
        old, sign, new = (part.strip() for part in value.partition("="))
        if not sign or not old:
            raise click.BadParameter(f"{value!r} is not like OLD=NEW.")
        if pairs.get(old, new or None) != (new or None):
            raise click.BadParameter(f"{old!r} is mapped twice.")
        pairs[old] = new or None
    return pairs


def split_gates(
    ctx: click.Context, param: click.Parameter, values: tuple[str, ...]
) -> list[tuple[str, float]]:
    """Split gates such as alpha=0.667; the name is checked where the registry is loaded."""
    gates = []
    for value in values:
        name, sign, number = value.partition("=")
        try:
            bound = float(number)
        except ValueError:
            bound = float("nan")
        if not (sign and name.strip() and -1 <= bound <= 1):
            raise click.BadParameter(f"{value!r} is not like alpha=0.667.")
        gates.append((name.strip(), bound))
    return gates


def coefficient_name(word: str, option: str) -> str:
    """Return the registered name of a coefficient; an unknown one is wrong usage."""
    from consilience.coefficients import registry

    try:
        return registry[word].name
    except InputError as error:
        known = [name for one in registry.values() for name in (one.name, *one.aliases)]
        close = difflib.get_close_matches(word, known, n=1)
        guess = f" Did you mean {close[0]!r}?" if close else ""
        message = f"unknown coefficient {word!r}.{guess} 'consilience coefficients' lists them."
        raise click.BadParameter(message, param_hint=option) from error


def named_distance(word: str | None, scale: str | Mapping[str, str] | None) -> Any:
    """Return the distance that a word names, with its parameter as in ``circular:24``."""
    if word is None:
        return None
    from consilience import distances

    name, sign, parameter = word.partition(":")
    try:
        if name == "circular":
            if not sign:
                raise click.BadParameter(
                    "a circle needs its circumference, as in circular:24 for hours of the day.",
                    param_hint="--distance",
                )
            return distances.circular(float(parameter))
        return distances.get_distance(word, scale=scale if isinstance(scale, str) else "nominal")
    except ValueError as error:  # InputError is one
        raise click.BadParameter(str(error), param_hint="--distance") from error


confidence_level = click.option(
    "--confidence-level",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.95,
    show_default=True,
    help="Level of the intervals.",
)
seed = click.option(
    "--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Random seed."
)


def completed_by(name: str) -> Callable[[click.Context, click.Parameter, str], list[str]]:
    """Return what offers words in the shell; it is loaded when somebody presses Tab."""

    def offered(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
        from consilience.cli import _complete

        found: list[str] = getattr(_complete, name)(ctx, param, incomplete)
        return found

    return offered
