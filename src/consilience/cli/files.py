"""``consilience convert``, ``merge``, ``rows``, ``coefficients``, ``find`` and ``serve``."""

from __future__ import annotations

import os
import textwrap
from pathlib import Path
from typing import Any

import click

from consilience.cli import output as out
from consilience.cli.options import Rule, needs, option, refuse, typed
from consilience.cli.output import Answer
from consilience.cli.program import command
from consilience.cli.reading import PATHS, reading_options, wishes_of

# ---- ``consilience convert``: any file of ratings as one tidy table

_OF_RATINGS = ("empty", "excluded", "predictions", "gold_answers", "duplicates", "no_rater",
               "missing_values", "delimiter", "encoding", "header")  # fmt: skip
# What is counted later, when the tidy table is read, or is no table of entries.
_RULES_OF_CONVERT = (
    Rule(("scale", "categories", "cluster", "chains", "shares_of"),
         lambda options: not options["explain"], "has no effect on a tidy table",
         "give it when the table is read"),
    needs("--anonymise", "key", "key_file"),
)  # fmt: skip


@command(_RULES_OF_CONVERT)
@PATHS
@click.argument("target", metavar="OUT", type=out.FILE)
@option("--key TEXT", "With --anonymise: make codes from this secret, the same in every file.")
@option("--key-file FILE", "The same, with the secret in a file.", type=click.Path(path_type=Path))
@option("--no-text", "Leave out the texts of the items.")
@out.FORCE
@reading_options
def convert(**options: Any) -> int:
    """Write ratings as a tidy table: one row per entry.

    OUT ends in .csv, .parquet or .jsonl. Its columns are item, rater, variable, label,
    label_type, state, reason, time, kind and text; entries without a label and excluded ones stay
    in it with their state. Consilience reads the table back.

    Examples:
      consilience convert export.json tidy.csv
      consilience convert export.json tidy.parquet --anonymise --no-text
      consilience convert ann.csv bob.csv tidy.jsonl       one file per rater
    """
    from consilience.cli.reading import load
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


# ---- ``consilience merge`` and ``consilience rows``: files of rows added up, and what they hold


@command()
@click.argument("paths", metavar="ROWS...", nargs=-1, required=True)
@option("--output -o FILE", "File of rows to write.", type=out.FILE, required=True)
@out.FORCE
@option("--quiet -q", "Do not say what was merged.")
def merge(*, paths: tuple[str, ...], output: Path, force: bool, quiet: bool) -> None:
    """Add up files of rows.

    A file of rows holds distinct items and how many there are of each: no item names, no text.
    Files that do not fit together (other raters, labels or scale) are refused.

    Examples:
      consilience measure monday.parquet --save-rows monday.rows
      consilience merge monday.rows tuesday.rows -o week.rows
      consilience measure week.rows
    """
    from consilience.engine import load_rows, merge_rows

    merge_rows(paths, output, existing="replace" if force else "refuse")
    if not quiet:
        merged = load_rows(output)
        out.tell(f"Wrote {output}: {merged!r}")


@command()
@click.argument("path", metavar="ROWS")
@out.output_options("json", "csv", "markdown")
def rows(**options: Any) -> Answer:
    """List what a file of rows holds: its sizes, and the files that were added to it.

    Examples:
      consilience measure today.parquet --add-to all.rows
      consilience rows all.rows
    """
    from consilience.document import envelope
    from consilience.engine import rows_inside
    from consilience.report.summary import DataFacts

    found = rows_inside(options["path"])
    data = DataFacts.of(found.ratings, shape="rows", sources=(options["path"],)).to_dict()
    record = envelope(data=data, rows=found)
    return Answer(document=found.document(), record=record)


# ---- ``consilience coefficients``: what can be computed, and under which names


@command()
@out.form_options("json")
def coefficients(*, as_json: bool) -> None:
    """List the coefficients and their other names."""
    from consilience.coefficients import registry

    if as_json:
        from consilience.document import envelope
        from consilience.document.records import to_json

        records = [
            {
                "name": one.name,
                "aliases": list(one.aliases),
                "summary": one.summary,
                "two_raters_only": one.two_raters_only,
                "needs_raters": one.needs_raters,
                "missing": list(one.missing_rules),
            }
            for one in registry.values()
        ]
        click.echo(to_json(envelope(data=None, coefficients=records)))
        return
    for one in registry.values():
        click.echo(one.name)
        click.echo(textwrap.fill(one.summary, 78, initial_indent="  ", subsequent_indent="  "))
        if one.aliases:
            names = "also: " + ", ".join(one.aliases)
            click.echo(textwrap.fill(names, 78, initial_indent="  ", subsequent_indent="  "))


# ---- ``consilience find``: where a word of the literature leads


@command()
@click.argument("words", metavar="WORD...", nargs=-1, required=True)
@out.output_options("json", "csv", "markdown", "latex")
def find(**options: Any) -> int | Answer:
    """Find what a paper's word is called here: coefficients, measures, tests, tables, figures.

    Examples:
      consilience find "golden formula"
      consilience find wilcoxon
      consilience find fleiss
    """
    from consilience.cli.words import found_for
    from consilience.document import Document, Paragraph, Table, envelope

    word = " ".join(options["words"])
    hits = found_for(word)
    if not hits:
        out.tell(f"Nothing here is called {word!r}. 'consilience coefficients' and 'consilience "
                 "--help' list what there is.")  # fmt: skip
        return 1
    rows = [[one.name.replace("_", " "), one.about, one.command] for one in hits]
    blocks = [Table(heads=("name", "what it is", "command"), rows=rows)]
    calls = [Paragraph(f"In Python: {one.library}") for one in hits[:1] if one.library]
    record = envelope(
        data=None,
        found=[
            {"name": one.name, "about": one.about, "library": one.library, "command": one.command}
            for one in hits
        ],
    )
    return Answer(document=Document(blocks=(*blocks, *calls)), record=record)


# ---- ``consilience serve``: the workbench in the browser


@command()
@click.argument("path", metavar="[PATH]", required=False)
@option(
    "--watch", "Look whether PATH changes, and say so on the page: a file, a folder, or a database."
)
@option(
    "--port N", "Port to listen on. Default: a free one.", type=click.IntRange(0, 65_535), default=0
)
@option(
    "--host NAME",
    "Address to listen on. Any other than this machine's own lets others see your data.",
    default="127.0.0.1",
)
@option(
    "--project FILE",
    "File for decisions of adjudicators. Default: beside the data.",
    type=click.Path(path_type=Path, dir_okay=False),
)
@option("--no-browser", "Print the link only; open no browser.")
def serve(**options: Any) -> None:
    """Open the workbench: a page in the browser, on this machine only.

    Drop a file, see what it was taken for, put it right by clicking, read the answer, look at the
    items behind it, settle disagreements, take the report away. Nothing leaves the machine. Ctrl-C
    ends it.

    Examples:
      consilience serve                                  drop files in the browser
      consilience serve ratings.csv
      consilience serve export.json --watch              look whether it grows
      consilience serve exports/ --watch                 a folder
      consilience serve study.duckdb --watch             a table of a DuckDB database
      consilience serve ratings.csv --project decisions.sqlite
    """
    from importlib.util import find_spec

    from consilience.exceptions import MissingDependencyError

    if not all(map(find_spec, ("python_multipart", "starlette", "uvicorn"))):
        name = "Starlette, uvicorn and python-multipart"
        raise MissingDependencyError.for_extra("The workbench", name, "web")
    if options["watch"] and options["path"] is None:
        raise click.UsageError("--watch needs a PATH to look at.")
    from consilience.web.jobs import process_maker

    process_maker()  # loads what jobs need while this process loads what the server needs
    from consilience.web import Settings
    from consilience.web import serve as run

    run(
        Settings(
            host=options["host"],
            port=options["port"],
            paths=() if options["path"] is None else (options["path"],),
            watch=options["watch"],
            project=options["project"],
        ),
        browser=not options["no_browser"],
    )
