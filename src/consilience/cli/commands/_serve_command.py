"""``consilience serve``: the workbench in the browser."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from consilience.cli._main import command
from consilience.cli._options import option

_EPILOG = """\b
Examples:
  consilience serve                                  drop files in the browser
  consilience serve ratings.csv
  consilience serve export.json --watch              look whether it grows
  consilience serve exports/ --watch                 a folder
  consilience serve study.duckdb --watch             a table of a DuckDB database
  consilience serve ratings.csv --project decisions.sqlite
"""


@command(_EPILOG)
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
