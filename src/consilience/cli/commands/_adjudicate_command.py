"""``consilience adjudicate``: contested items out as a sheet, decisions back in."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from consilience.cli import _output as out
from consilience.cli._extra_columns import facts
from consilience.cli._grouped import each
from consilience.cli._heeded import apart, is_given, needs
from consilience.cli._main import command
from consilience.cli._options import COUNT, coefficient_name, named_distance, option
from consilience.cli._output import Answer
from consilience.cli._ratings_reading import load_with, reading_options

if TYPE_CHECKING:
    from consilience.io import Loaded

_MODELS = ("auto", "majority", "median", "dawid-skene", "one-coin", "mace", "glad")
_BY = ("uncertainty", "entropy", "disagreement", "influence", "gain")
_SHEETS, _LABELS = (".xlsx", ".csv", ".tsv"), (".csv", ".tsv", ".parquet")
_RULES = (
    apart("--read", "whole", "top", "ranking", when=is_given("filled")),
    needs("--read SHEET", "new_labels", "changed_ids", among=("filled",)),
    needs("--read SHEET", "raw", among=("filled",)),
    needs("--output FILE", "raw", "whole", among=("target",)),
    needs("--output FILE or --read SHEET", "text", among=("target", "filled")),
)
_EPILOG = """\b
Examples:
  consilience adjudicate ratings.csv
  consilience adjudicate ratings.csv -o sheet.xlsx --text sentence --top 100
  consilience adjudicate ratings.csv --text sentence --read sheet.xlsx
  consilience adjudicate ratings.csv --text note --read sheet.xlsx -o final.csv
"""


@command(_EPILOG, _RULES)
@click.argument("paths", metavar="PATH...", nargs=-1, required=True)
@option(
    "--read SHEET",
    "Read this filled sheet: raters against gold, agreement before and after, final labels.",
    to="filled",
    type=click.Path(path_type=Path),
)
@option(
    "--output -o FILE",
    "Write the sheet (.xlsx, .csv or .tsv); with --read, the final labels (.csv, .tsv or "
    ".parquet).",
    to="target",
    type=out.FILE,
)
@option("--force", "Replace an existing output file, filled or not.")
@option(
    "--model",
    "Where suggestions come from; auto is the most detailed one that the ratings can bear.",
    choices=_MODELS,
    default="auto",
)
@option(
    "--by",
    "What makes an item contested. Default: uncertainty; disagreement for numbers.",
    to="ranking",
    choices=_BY,
)
@option(
    "--top N",
    "Only the N most contested items. Default: all in the sheet, 20 on the screen.",
    type=COUNT,
)
@option("--all", "Put every item into the sheet.", to="whole")
@option(
    "--text COLUMN",
    "Column with what the adjudicator should read; with --read, to be left aside again.",
)
@option(
    "--coefficient -c NAME",
    "Coefficient for influence, and before and after.",
    default="krippendorff_alpha",
)
@option(
    "--distance NAME",
    "How different two labels are. Default: the one that fits the scale.",
    to="word",
)
@option(
    "--new-labels",
    "Whether a gold label may be one that no rater used.",
    choices=("refuse", "accept"),
    default="refuse",
)
@option(
    "--changed-ids",
    "What to do with item names that a spreadsheet changed.",
    choices=("refuse", "repair"),
    default="refuse",
)
@option("--raw", "Write final labels without guarding against formulas.")
@reading_options
@option("--json", "Print JSON: stable keys, unrounded.", to="as_json")
@option("--csv", "Print CSV: one line per result, unrounded.", to="as_csv")
@option("--markdown", "Print Markdown.", to="as_markdown")
def adjudicate(**options: Any) -> Answer | int:
    """Rank contested items, hand them to a person, and take the decisions back.

    Without -o the ranking is printed: items, suggested labels, labels that are taken for each
    other. With -o it becomes a sheet with an empty gold column; --read takes the filled sheet
    back. A file with several variables gives one ranking for each; a sheet holds one of them.
    """
    from consilience.coefficients.undecided import require_scale

    name = coefficient_name(options["coefficient"], "--coefficient")
    distance = named_distance(options["word"], options["scale"])
    _check_output(options)
    loaded, beside = load_with(options, {"--text": options["text"]})
    if distance is None:
        for part in loaded.groups.values():
            require_scale(part, "adjudication")
    common = {"model": options["model"], "coefficient": name, "distance": distance}
    if loaded.by is not None:
        _check_one_variable(loaded, options)
    if options["filled"] is not None:
        return _back(loaded, options, common)
    if options["target"] is not None:
        return _out(loaded, beside.get("--text"), options, common)

    def find(one: Loaded) -> Answer:
        found, record = _ranked(one, options, common)
        return Answer(document=found.document(), record=record)

    return each(loaded, find)


def _check_one_variable(loaded: Loaded, options: dict[str, Any]) -> None:
    if options["filled"] is not None or options["target"] is not None:
        names = [str(name) for name in loaded.groups]
        flag = "read" if options["target"] is None else "output"
        raise click.UsageError(
            f"--{flag}: a sheet holds one variable, and the file has {len(names)}: "
            f"{', '.join(names[:6])}. Name one with --variable."
        )


def _check_output(options: dict[str, Any]) -> None:
    """Refuse, before anything is computed, what would be refused at the end."""
    output, sheet = options["target"], options["filled"]
    endings = _SHEETS if sheet is None else _LABELS
    if output is not None and output.suffix.lower() not in endings:
        raise click.UsageError(f"--output {output} must end in {' or '.join(endings)}.")


def _ranked(
    loaded: Loaded, options: dict[str, Any], common: dict[str, Any]
) -> tuple[Any, dict[str, Any]]:
    """Rank the items of one variable; return the result and its record."""
    from consilience.document import envelope
    from consilience.latent import adjudicate as rank

    with out.progress("Ranking items"):
        found = rank(loaded.ratings, by=options["ranking"], top=options["top"] or 20, **common)
    record: dict[str, Any] = found.to_dict()
    return found, envelope(data=facts(loaded), findings=record.pop("findings"), **record)


def _out(
    loaded: Loaded,
    text: dict[object, object] | None,
    options: dict[str, Any],
    common: dict[str, Any],
) -> Answer | int:
    from consilience.core.words import counted
    from consilience.io import write_sheet

    found, record = _ranked(loaded, options, common)
    sheet = write_sheet(
        found,
        options["target"],
        text=text,
        top=options["top"],
        which="all" if options["whole"] else "contested",
        existing=out.existing(options),
    )
    out.tell(
        f"{sheet.path}: {counted(sheet.n_rows, 'item')} to decide on. Fill the column gold, "
        "then read it back with the same options and --read."
    )
    if out.chosen_format(options) == "text":
        return 0
    return Answer(document=found.document(), record={**record, "sheet": sheet.to_dict()})


def _back(loaded: Loaded, options: dict[str, Any], common: dict[str, Any]) -> Answer:
    from consilience.document import envelope
    from consilience.io import read_sheet, write_labels

    with out.progress("Reading the sheet"):
        done = read_sheet(
            options["filled"],
            loaded.ratings,
            new_labels=options["new_labels"],
            changed_ids=options["changed_ids"],
            **common,
        )
    if options["target"] is not None:
        n_rows = write_labels(
            done,
            options["target"],
            existing=out.existing(options),
            guard="none" if options["raw"] else "spreadsheet",
        )
        out.tell(f"{options['target']}: {n_rows:,} final labels.")
    record: dict[str, Any] = done.to_dict()
    findings = record.pop("findings")
    estimates = [record["before"], record["after"]]
    whole = envelope(
        data=facts(loaded),
        estimates=estimates,
        findings=findings,
        **record,
    )
    return Answer(document=done.document(), record=whole)
