"""Figures and the report of ``consilience units``."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from consilience.cli import _output as out
from consilience.cli._again import how_made, typed
from consilience.cli._unit_reading import in_options

if TYPE_CHECKING:
    from consilience.report import Page, UnitSummary

_FORMATS = (".pdf", ".png", ".svg")
_MOST_FIGURES = 500


def check(options: dict[str, Any]) -> None:
    """Refuse a place for figures that cannot be written, before anything is read."""
    path: Path | None = options["place"]
    if path is None:
        return
    if _is_folder(path):
        if path.exists() and not path.is_dir():
            raise click.UsageError(
                f"--figure {path} is a file without a known ending. Name a folder, or a file that "
                "ends in .svg, .pdf or .png."
            )
        if not path.absolute().parent.is_dir():
            raise click.UsageError(f"--figure: there is no folder {path.parent}.")
        if options["figure_session"] is not None:
            raise click.UsageError("--figure-session needs --figure FILE; a folder gets all.")
        return
    if path.suffix.lower() not in _FORMATS:
        raise click.UsageError(f"--figure {path} must end in .svg, .pdf or .png, or be a folder.")
    out.check_output(path, options["paths"], force=options["force"], option="--figure")


def check_table(options: dict[str, Any]) -> None:
    """Refuse a place for the one figure of a table."""
    path: Path | None = options["place"]
    if path is None:
        return
    if path.suffix.lower() not in _FORMATS:
        raise click.UsageError(f"--figure {path} must end in .svg, .pdf or .png: a table is one.")
    out.check_output(path, options["paths"], force=options["force"], option="--figure")


def _is_folder(path: Path) -> bool:
    return path.is_dir() or not path.suffix


Figures = list[tuple[Path, Callable[[], Any]]]


def asked_for(summary: UnitSummary, options: dict[str, Any]) -> Figures:
    """Return the figures to write and how each is drawn; places that are taken are refused."""
    path: Path | None = options["place"]
    if path is None:
        return []
    if _is_folder(path):
        return _in_folder(summary, path, options)
    names = summary.units.sessions
    chosen = options["figure_session"]
    if chosen is None and len(names) > 1:
        out.tell(
            f"Drawn: {names[0]}, the first of {len(names)} sessions; --figure-session chooses "
            "another, a folder gets all."
        )
    return [(path, partial(_timeline, summary, chosen, options))]


def write(figures: Figures) -> None:
    """Draw the figures and write them."""
    with in_options(), out.progress("Drawing"):
        for path, draw in figures:
            out.write_figure(path, draw)


def _timeline(summary: UnitSummary, session: str | None, options: dict[str, Any]) -> Any:
    from consilience.plot import timeline
    from consilience.report.unit_pages import drawn_links

    return timeline(
        summary.units,
        session=session,
        raters=summary.units.raters,
        start=options["begin"],
        end=options["finish"],
        **drawn_links(summary),
    )


def _in_folder(summary: UnitSummary, folder: Path, options: dict[str, Any]) -> Figures:
    from consilience.plot import threshold
    from consilience.report.unit_pages import threshold_of

    folder.mkdir(exist_ok=True)
    sessions = summary.units.sessions[:_MOST_FIGURES]
    figures: Figures = [
        (folder / f"timeline-{name}.svg", partial(_timeline, summary, session, options))
        for session, name in zip(sessions, file_names(sessions), strict=True)
    ]
    curve = threshold_of(summary)
    if curve is not None:
        draw = partial(threshold, curve, at=summary.main.settings.threshold)
        figures.insert(0, (folder / "threshold.svg", draw))
    if len(sessions) < summary.units.n_sessions:
        out.tell(f"Drawn: the first {_MOST_FIGURES} of {summary.units.n_sessions:,} sessions.")
    for path, _ in figures:
        out.check_output(path, options["paths"], force=options["force"], option="--figure")
    return figures


def file_names(names: tuple[str, ...]) -> list[str]:
    """Return a different file name for each session, whatever it is called.

    >>> file_names(("film 1", "film/1", "../x", ""))
    ['film_1', 'film_1-2', 'x', 'session']
    """
    found: list[str] = []
    taken: set[str] = set()
    for name in names:
        base = re.sub(r"[^\w.-]+", "_", name)[:80].strip("._-") or "session"
        chosen, k = base, 2
        while chosen.casefold() in taken:
            chosen, k = f"{base}-{k}", k + 1
        taken.add(chosen.casefold())
        found.append(chosen)
    return found


def report_page(summary: UnitSummary, ctx: click.Context, options: dict[str, Any]) -> Page:
    """Make the page of the report."""
    from consilience.report import units_report

    sources = [os.path.basename(source) for source in options["paths"]]
    made = {**how_made(options), "command": _command(ctx, options["paths"])}
    return units_report(summary, title=options["title"], sources=sources, **made).page


def _command(ctx: click.Context, paths: tuple[str, ...]) -> str:
    """Return the command line that asks for the same page."""
    words = ["consilience", "units", *paths]
    for param in ctx.command.params:
        source = ctx.get_parameter_source(param.name or "")
        typed = source is not None and source.name == "COMMANDLINE"
        away = ("force", "quiet", "output")
        if not isinstance(param, click.Option) or not typed or param.name in away:
            continue
        words += _words(param, ctx.params[param.name or ""])
    return shlex.join(words)


def _words(param: click.Option, value: Any) -> list[str]:
    """Return an option as it was typed, also where it was taken apart since."""
    name = max(param.opts, key=len)
    if isinstance(value, dict):
        return [word for pair in value.items() for word in (name, "=".join(pair))]
    if param.name == "raters":
        return [name, ",".join(value)]
    if param.name == "thresholds":
        return [name, ",".join(f"{one:g}" for one in value)]
    if param.name == "rater":
        return [name, value]
    return typed(param, value)
