"""``consilience convert``: any file of ratings as one tidy table."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click

from consilience.cli import _output as out
from consilience.cli._heeded import Rule, needs, refuse, typed
from consilience.cli._main import command
from consilience.cli._options import option
from consilience.cli._ratings_reading import reading_options, wishes_of

_OF_RATINGS = ("empty", "excluded", "predictions", "gold_answers", "duplicates", "no_rater",
               "missing_values", "delimiter", "encoding", "header")  # fmt: skip
# What is counted later, when the tidy table is read, or is no table of entries.
_RULES = (
    Rule(("scale", "categories", "cluster", "chains", "shares_of"),
         lambda options: not options["explain"], "has no effect on a tidy table",
         "give it when the table is read"),
    needs("--anonymise", "key", "key_file"),
)  # fmt: skip
_EPILOG = """\b
Examples:
  consilience convert export.json tidy.csv
  consilience convert export.json tidy.parquet --anonymise --no-text
  consilience convert ann.csv bob.csv tidy.jsonl       one file per rater
"""


@command(_EPILOG, _RULES)
@click.argument("paths", metavar="PATH...", nargs=-1, required=True)
@click.argument("target", metavar="OUT", type=out.FILE)
@option("--key TEXT", "With --anonymise: make codes from this secret, the same in every file.")
@option("--key-file FILE", "The same, with the secret in a file.", type=click.Path(path_type=Path))
@option("--no-text", "Leave out the texts of the items.")
@option("--force", "Replace an existing output file.")
@reading_options
def convert(**options: Any) -> int:
    """Write ratings as a tidy table: one row per entry.

    OUT ends in .csv, .parquet or .jsonl. Its columns are item, rater, variable, label,
    label_type, state, reason, time, kind and text; entries without a label and excluded ones stay
    in it with their state. Consilience reads the table back.
    """
    from consilience.cli._ratings_reading import load
    from consilience.exceptions import ConsilienceError
    from consilience.io import convert as write_tidy
    from consilience.io.anonymise import without_emails

    target = options["target"]
    key = _key(options)
    if options["explain"] or typed(*_OF_RATINGS):
        loaded = load({**options, "quiet": True})
        if loaded.reading.title:
            refuse("has no effect here: the tidy table keeps every entry of an export and its "
                   "state", *_OF_RATINGS, hint="give it when the table is read")  # fmt: skip
    try:
        with out.progress(f"Converting {', '.join(options['paths'])}"):
            done = write_tidy(
                list(options["paths"]),
                target,
                raters="codes" if options["anonymise"] else "names",
                key=key,
                text="leave_out" if options["no_text"] else "keep",
                existing=out.existing(options),
                **wishes_of(options),
            )
    except ConsilienceError as error:
        if options["anonymise"]:
            raise error.retold(error.words.changed(without_emails)) from None
        raise
    if not options["quiet"]:
        out.tell(f"Wrote {os.fspath(target)}: {done.n_rows:,} entries, read as {done.format}")
    return 0


def _key(options: dict[str, Any]) -> str | None:
    if options["key"] and options["key_file"]:
        raise click.UsageError("--key and --key-file exclude each other.")
    if options["key_file"]:
        from consilience.core.input_files import check_file

        with check_file(options["key_file"], empty="allow").open("rb") as stream:
            text = stream.read(4096).decode("utf-8", "replace").strip()
        if not text:
            raise click.UsageError(f"--key-file {options['key_file']} is empty.")
        return str(text)
    return options["key"] or None
