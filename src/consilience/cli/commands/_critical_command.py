"""``consilience critical``: critical values, as textbooks print them, for any size of study."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import click

from consilience.cli import _options as shared
from consilience.cli import _output as out
from consilience.cli._heeded import Rule, refuse
from consilience.cli._main import command
from consilience.cli._options import COUNT, coefficient_name, option
from consilience.cli._output import Answer
from consilience.cli.commands._test_command import split_nulls

if TYPE_CHECKING:
    from consilience.document import Cell
    from consilience.inference import GuessingDistribution, RankNull, StudyNull

# Correlations of ranks, and what else they are called; all other words name coefficients.
_RANKS = {"spearman": "spearman", "rho": "spearman", "kendall": "kendall", "tau": "kendall"}
_RANK_TITLES = {"spearman": "Spearman's rho", "kendall": "Kendall's tau"}
_LEVELS = (0.90, 0.95, 0.99)
_RULES = (
    Rule(("raters", "categories", "nulls"), lambda options: options["statistic"] in _RANK_TITLES,
         "is for coefficients such as ac1"),
)  # fmt: skip
_EPILOG = """\b
Examples:
  consilience critical --items 20 --items 50 --raters 2 --categories 3
  consilience critical --items 100 --null 0,0.2,0.4,0.6,0.8
  consilience critical --statistic spearman --items 10
  consilience critical --statistic kappa --items 50 --raters 3 --categories 4
"""


def _statistic(ctx: click.Context, param: click.Parameter, word: str) -> str:
    """Return the registered name of what critical values are wanted of."""
    from consilience.core.registry import folded

    if folded(word) in _RANKS:
        return _RANKS[folded(word)]
    name = coefficient_name(word, "--statistic")
    return "ac1" if name == "gwet_ac" else name


@command(_EPILOG, _RULES)
@option(
    "--statistic NAME",
    "Gwet's AC1 or any other coefficient (kappa, pi, alpha, ...), Spearman's rho or Kendall's tau.",
    default="ac1",
    callback=_statistic,
)
@option("--items N...", "Items; repeat for more.", type=COUNT, required=True)
@option(
    "--raters N...",
    "Raters of each item, for coefficients; repeat for more. Default: 2.",
    type=click.IntRange(min=2),
)
@option(
    "--categories N...",
    "Labels to choose from, for coefficients; repeat for more. Default: 2.",
    type=click.IntRange(min=2),
)
@option(
    "--null VALUE...",
    "Null value of a coefficient, or several as in 0,0.4,0.8. Default: raters guess.",
    to="nulls",
    callback=split_nulls,
)
@shared.resamples_option(
    "Simulated studies where values cannot be counted. Default: 100000; 20000 for coefficients "
    "other than AC1."
)
@shared.SEED
@out.output_options("json", "csv", "markdown", "latex")
def critical(**options: Any) -> Answer:
    """Print critical values: the smallest agreement that chance hardly ever reaches.

    For coefficients, raters guess every label alike, or know as many items as the null value says.
    For rank correlations, every ranking is as likely as any other.
    """
    from consilience.document import Document, Paragraph, Table, envelope

    statistic = options["statistic"]
    of_ranks = statistic in _RANK_TITLES
    _check(options)
    with out.progress("Simulating studies"):
        found: Any = _ranks(options) if of_ranks else _studies(options)
    if all(one.method == "exact" for _, one in found):
        refuse("has no effect here: so few studies are counted, not drawn", "resamples")
    rows: list[list[Cell]] = [
        [*(str(size) for size in sizes), *(_shown(one[level]) for level in _LEVELS)]
        for sizes, one in found
    ]
    sizes = ("items",) if of_ranks else ("items", "raters", "categories", "null value")
    heads = (*sizes, *(f"{1 - level:.0%}" for level in _LEVELS))
    title = f"Critical values of {_title(statistic, options['raters'])}"
    methods = sorted({one.method for _, one in found})
    said = f"One-sided: chance reaches these values in at most 10%, 5% and 1% of studies " \
           f"({' and '.join(methods)})."  # fmt: skip
    record = envelope(
        data=None,
        seed=options["seed"],
        statistic=options["statistic"],
        critical_values=[_record(sizes_of, one) for sizes_of, one in _named(found, sizes)],
    )
    document = Document(title=title, blocks=(Paragraph(said), Table(heads=heads, rows=rows)))
    return Answer(document=document, record=record)


def _title(statistic: str, raters: tuple[int, ...]) -> str:
    """Return what is printed: the name of a coefficient depends on how many raters there are."""
    if statistic in _RANK_TITLES:
        return _RANK_TITLES[statistic]
    from consilience.coefficients import Design, registry

    name = "gwet_ac" if statistic == "ac1" else statistic
    return registry[name].title(Design(n_raters=max(raters or (2,)), n_labels=2, nominal=True))


def _check(options: dict[str, Any]) -> None:
    if options["statistic"] == "ac1" and any(null < 0.0 for null in options["nulls"]):
        raise click.UsageError("--null must be from 0 to below 1 here.")


def _studies(
    options: dict[str, Any],
) -> list[tuple[tuple[Any, ...], GuessingDistribution | StudyNull]]:
    """Return what a coefficient is in studies of every size that was asked for."""
    return [
        ((items, raters, categories, "guessing" if null is None else f"{null:g}"),
         _study(options, items, raters, categories, null))
        for items in options["items"]
        for raters in options["raters"] or (2,)
        for categories in options["categories"] or (2,)
        for null in options["nulls"] or ((0.0,) if options["statistic"] == "ac1" else (None,))
    ]  # fmt: skip


def _study(
    options: dict[str, Any], items: int, raters: int, categories: int, null: float | None
) -> GuessingDistribution | StudyNull:
    from consilience.coefficients import critical_values
    from consilience.inference import ac1_critical_values

    sizes: dict[str, Any] = {"n_items": items, "n_raters": raters, "n_categories": categories}
    drawn = {} if options["resamples"] is None else {"n_resamples": options["resamples"]}
    more: dict[str, Any] = {"levels": _LEVELS, "rng": options["seed"], **drawn}
    if options["statistic"] == "ac1":
        return ac1_critical_values(**sizes, null=null or 0.0, **more)
    return critical_values(options["statistic"], **sizes, null=null, **more)


def _ranks(options: dict[str, Any]) -> list[tuple[tuple[Any, ...], RankNull]]:
    from consilience.inference import rank_critical_values

    drawn = {} if options["resamples"] is None else {"n_resamples": options["resamples"]}
    return [
        (
            (items,),
            rank_critical_values(
                n_items=items,
                statistic=options["statistic"],
                levels=_LEVELS,
                rng=options["seed"],
                **drawn,
            ),
        )
        for items in options["items"]
    ]


def _shown(value: float) -> Cell:
    from consilience.document import InPlace

    return InPlace("none") if math.isnan(value) else value


def _named(found: Any, sizes: tuple[str, ...]) -> Any:
    names = [size.replace(" value", "") for size in sizes]
    return [
        ({k: _number(v) if k == "null" else v for k, v in zip(names, values, strict=True)}, one)
        for values, one in found
    ]


def _number(shown: str) -> float | None:
    return None if shown == "guessing" else float(shown)


def _record(sizes: dict[str, Any], one: Any) -> dict[str, Any]:
    from consilience.document import plain

    levels = [
        {"level": value.level, "value": value.value, "tail": value.tail}
        for value in one.critical_values
    ]
    record: dict[str, Any] = plain({**sizes, "method": one.method, "levels": levels})
    return record
