"""``consilience prefer``: verdicts on pairs in, systems in order out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from consilience.cli import _options as shared
from consilience.cli import _output as out
from consilience.cli._heeded import refuse
from consilience.cli._judge_figures import drawings_of
from consilience.cli._main import command
from consilience.cli._options import COUNT, option
from consilience.cli._output import Answer

if TYPE_CHECKING:
    from collections.abc import Mapping

_NAMES = {
    "first": ("first", "model_a", "system_a", "a", "left", "option_a", "player1", "model_1"),
    "second": ("second", "model_b", "system_b", "b", "right", "option_b", "player2", "model_2"),
    "winner": ("winner", "preferred", "preference", "verdict", "choice", "label", "outcome"),
    "judge": ("judge", "annotator", "rater", "judge_model", "user"),
    "item": ("item", "prompt_id", "question_id", "prompt", "question", "id", "item_id"),
}
_EPILOG = """\b
Examples:
  consilience prefer battles.csv
  consilience prefer battles.jsonl --first model_a --second model_b --winner winner
  consilience prefer battles.csv --judge judge --item prompt_id --method bootstrap
"""


@command(_EPILOG)
@click.argument("paths", metavar="PATH", nargs=1, required=True)
@option("--first COLUMN", "Column of the system that was shown first.")
@option("--second COLUMN", "Column of the system that was shown second.")
@option("--winner COLUMN", "Column of who won: a name, first, second, tie.")
@option("--judge COLUMN", "Column of who judged.")
@option("--item COLUMN", "Column of what was asked; resampled whole.")
@option(
    "--order-effect",
    "Whether the first place may have an advantage; auto: if pairs were shown both ways.",
    choices=("auto", "yes", "no"),
    default="auto",
)
@option(
    "--method",
    "How intervals are made. Default: bootstrap of items where they are named and come back.",
    choices=("likelihood", "bootstrap"),
)
@option("--resamples", "Resamples.", type=COUNT, default=499)
@shared.CONFIDENCE_LEVEL
@shared.SEED
@option("--delimiter SIGN", "Delimiter of a text file, such as ';' or tab.")
@option("--encoding NAME", "Encoding of a text file, such as cp1252.")
@option("--quiet -q", "Say nothing about reading.")
@out.figure_option("Draw the ranks, too; .svg, .pdf and .png choose the format.")
@out.REPORT
@out.output_options("json", "csv", "markdown", "latex")
def prefer(**options: Any) -> Answer:
    """Put systems in order by verdicts on pairs of answers, and say who is really ahead.

    PATH is a table with one row per verdict (delimited text, JSON, JSON lines or Parquet): who was
    shown first, who second, and who won. Columns are known by their names, or told.
    """
    options["paths"] = (options["paths"],)
    columns = _columns(options)
    roles = _roles(columns, options)
    if not options["quiet"]:
        told = "; ".join(f"{role}: {name}" for role, name in roles.items() if name)
        n = len(next(iter(columns.values()), ()))
        out.tell(f"{options['paths'][0]}: {n:,} verdicts on pairs ({told})")
    from consilience.judges import preferences

    place = {"yes": True, "no": False}.get(options["order_effect"])
    method = _method(columns, roles, options)
    if method == "likelihood":
        refuse("is for --method bootstrap", "resamples")
    with out.progress("Comparing"):
        found = preferences(
            columns, order_effect=place, method=method,
            n_resamples=options["resamples"], confidence_level=options["confidence_level"],
            rng=options["seed"], **roles,
        )  # fmt: skip
    return Answer(
        document=found.document(),
        record=_record(found, options),
        title="Which system is ahead?",
        drawings=drawings_of([found]),
    )


def _columns(options: dict[str, Any]) -> dict[str, list[Any]]:
    """Read the table as columns."""
    from consilience.io.plain_columns import read_columns

    if options["paths"][0] == "-":
        raise click.UsageError("prefer needs a file: save standard input first.")
    told = {name: options[name] for name in ("delimiter", "encoding") if options[name]}
    return read_columns(options["paths"][0], **told)


def _roles(columns: Mapping[str, Any], options: dict[str, Any]) -> dict[str, Any]:
    """Return role to column: as told, or by the usual names."""
    small = {name.strip().casefold().replace(" ", "_"): name for name in columns}
    roles: dict[str, Any] = {}
    for role, usual in _NAMES.items():
        known = next((small[name] for name in usual if name in small), None)
        roles[role] = options[role] or known
    missing = [role for role in ("first", "second", "winner") if roles[role] is None]
    if missing:
        flags = " ".join(f"--{role} COLUMN" for role in missing)
        raise click.UsageError(
            f"which column says who was {' and '.join(missing)}? Columns: {', '.join(columns)}. "
            f"Add {flags}."
        )
    return roles


def _method(columns: Mapping[str, Any], roles: dict[str, Any], options: dict[str, Any]) -> Any:
    if options["method"]:
        return options["method"]
    if roles["item"] is None:
        return "likelihood"
    asked = columns[roles["item"]]
    return "bootstrap" if len({str(x) for x in asked}) < len(asked) else "likelihood"


def _record(found: Any, options: dict[str, Any]) -> dict[str, Any]:
    from consilience.document import envelope

    return envelope(
        data=None,
        findings=found.findings,
        seed=options["seed"],
        verdict=found.verdict,
        preferences=found.to_dict(),
        sources=list(options["paths"]),
    )
