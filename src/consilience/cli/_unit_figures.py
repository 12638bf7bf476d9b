"""Figures and the report of ``consilience units``."""

from __future__ import annotations

import os
import re
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from consilience.cli import _output as out
from consilience.cli._again import how_made, typed

if TYPE_CHECKING:
    from consilience.report import UnitSummary

_FORMATS = (".pdf", ".png", ".svg")
_MOST_FIGURES = 500


def check(options: dict[str, Any]) -> None:
    """Refuse a place for figures that cannot be written, before anything is read."""
    path: Path | None = options["figure"]
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
    path: Path | None = options["figure"]
    if path is None:
        return
    if path.suffix.lower() not in _FORMATS:
        raise click.UsageError(f"--figure {path} must end in .svg, .pdf or .png: a table is one.")
    out.check_output(path, options["paths"], force=options["force"], option="--figure")


def _is_folder(path: Path) -> bool:
    return path.is_dir() or not path.suffix


def write(summary: UnitSummary, options: dict[str, Any]) -> list[Path]:
    """Write the figures that were asked for."""
    path: Path | None = options["figure"]
    if path is None:
        return []
    if _is_folder(path):
        return _write_folder(summary, path, options)
    names = summary.units.sessions
    chosen = options["figure_session"]
    if chosen is None and len(names) > 1:
        out.tell(f"Drawn: {names[0]}, the first of {len(names)} sessions; --figure-session "
                 "chooses another, a folder gets all.")  # fmt: skip
    out.write_file(path, _timeline(summary, chosen, path.suffix.lower()[1:], options))
    return [path]


def _timeline(
    summary: UnitSummary, session: str | None, form: str, options: dict[str, Any]
) -> bytes:
    from consilience.plot import timeline
    from consilience.plot.style import rendered
    from consilience.report.unit_pages import drawn_links

    axes = timeline(
        summary.units,
        session=session,
        raters=summary.units.raters,
        start=options["begin"],
        end=options["finish"],
        **drawn_links(summary),
    )
    return rendered(axes, form)


def _write_folder(summary: UnitSummary, folder: Path, options: dict[str, Any]) -> list[Path]:
    from consilience.plot import threshold
    from consilience.plot.style import rendered
    from consilience.report.unit_pages import threshold_of

    folder.mkdir(exist_ok=True)
    sessions = summary.units.sessions[:_MOST_FIGURES]
    places = {
        session: _checked(folder / f"timeline-{name}.svg", options)
        for session, name in zip(sessions, file_names(sessions), strict=True)
    }
    written = []
    curve = threshold_of(summary)
    if curve is not None:
        path = _checked(folder / "threshold.svg", options)
        out.write_file(path, rendered(threshold(curve, at=summary.main.settings.threshold), "svg"))
        written.append(path)
    if len(sessions) < summary.units.n_sessions:
        out.tell(f"Drawn: the first {_MOST_FIGURES} of {summary.units.n_sessions:,} sessions.")
    for session, path in places.items():
        out.write_file(path, _timeline(summary, session, "svg", options))
        written.append(path)
    return written


def _checked(path: Path, options: dict[str, Any]) -> Path:
    out.check_output(path, options["paths"], force=options["force"], option="--figure")
    return path


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


def write_report(summary: UnitSummary, ctx: click.Context, options: dict[str, Any]) -> list[Path]:
    """Write the page, if it was asked for."""
    path: Path | None = options["report"]
    if path is None:
        return []
    from consilience.report import units_report

    made = units_report(
        summary,
        title=options["title"],
        sources=[os.path.basename(source) for source in options["paths"]],
        **{**how_made(options), "command": _command(ctx, options["paths"])},
    )
    out.write_file(path, made.html())
    return [path]


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
