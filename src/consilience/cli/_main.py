"""The command group, its exit codes, and how errors are told."""

from __future__ import annotations

import atexit
import contextlib
import io
import os
import sys
import traceback
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import click

from consilience._version import __version__
from consilience.cli._heeded import Rule
from consilience.cli._help import Command, Program
from consilience.cli._output import reader_left
from consilience.core.interrupts import endings_obeyed
from consilience.core.registry import Registry
from consilience.exceptions import (
    ConsilienceError,
    UndecidedError,
    UndefinedCoefficientError,
    UnsupportedDesignError,
)

DONE, GATE_NOT_MET, WRONG_USAGE, BAD_DATA, UNDEFINED, OUR_FAULT, INTERRUPTED = (
    0, 1, 2, 3, 4, 70, 130)  # fmt: skip
_BY_SIGNAL = 128  # and the number of the signal, as shells have it

_EPILOG = """\b
Examples:
  consilience demo
  consilience measure ratings.csv
  consilience measure codes.csv --by variable --coefficient alpha
  consilience measure ratings.parquet --json > agreement.json

\b
Exit codes: 0 done, 1 a --fail-under gate not met, 2 wrong usage,
  3 unreadable or invalid data, 4 undefined, 130 interrupted, 143 ended by SIGTERM.
"""

# A file is loaded when one of its commands is asked for, so that one costs one.
_HOMES = {
    "measure": "consilience.cli.commands._measure_command",
    "marks": "consilience.cli.commands._marks_command",
    "demo": "consilience.cli.commands._demo_command",
    "coefficients": "consilience.cli.commands._coefficients_command",
    "plan": "consilience.cli.commands._plan_command",
    "panel": "consilience.cli.commands._panel_command",
    "latent": "consilience.cli.commands._latent_command",
    "raters": "consilience.cli.commands._raters_command",
    "adjudicate": "consilience.cli.commands._adjudicate_command",
    "report": "consilience.cli.commands._report_command",
    "plot": "consilience.cli.commands._plot_command",
    "compare": "consilience.cli.commands._compare_command",
    "convert": "consilience.cli.commands._convert_command",
    "units": "consilience.cli.commands._units_command",
    "merge": "consilience.cli.commands._merge_command",
    "rows": "consilience.cli.commands._merge_command",
    "test": "consilience.cli.commands._test_command",
    "critical": "consilience.cli.commands._critical_command",
    "designs": "consilience.cli.commands._designs_command",
    "simulate": "consilience.cli.commands._simulate_command",
    "find": "consilience.cli.commands._find_command",
    "bias": "consilience.cli.commands._bias_command",
    "judges": "consilience.cli.commands._judges_command",
    "prefer": "consilience.cli.commands._prefer_command",
    "serve": "consilience.cli.commands._serve_command",
}
COMMANDS: Registry[click.Command] = Registry("command", group="commands", homes=_HOMES)


def command(
    epilog: str | None = None, rules: Sequence[Rule] = ()
) -> Callable[[Callable[..., Any]], click.Command]:
    """Make a command of a function, with examples below its help and what it does not heed."""

    def add(function: Callable[..., Any]) -> click.Command:
        return COMMANDS.add(click.command(cls=Command, epilog=epilog, rules=rules)(function))

    return add


@click.group(
    cls=Program,
    commands=COMMANDS,
    epilog=_EPILOG,
    context_settings={"help_option_names": ["--help", "-h"], "max_content_width": 90},
)
@click.version_option(__version__, prog_name="consilience", message="%(prog)s %(version)s")
def cli() -> None:
    """How far do independent raters agree, how sure is that number, and why is it not higher?"""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and leave with its exit code."""
    try:
        code = run(arguments)
    except Exception:  # never a code that means something else
        with contextlib.suppress(OSError):
            traceback.print_exc()
        _say("This is a fault of Consilience. Please report it with the lines above.")
        code = OUR_FAULT
    if code > _BY_SIGNAL:
        _leave_at_once(code)
    sys.exit(code)


def _leave_at_once(code: int) -> None:
    """Leave by the code alone: Python ends by SIGINT if an interrupt has struck in its depths."""
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            stream.flush()
    os._exit(code)


def run(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code; errors become one sentence on stderr."""
    _open_streams()
    with endings_obeyed() as struck:
        try:
            return _run(arguments)
        except (Exception, KeyboardInterrupt, SystemExit) as error:
            if struck or isinstance(error, (click.Abort, KeyboardInterrupt)):
                return _ended(struck)
            return _told(error)


def _run(arguments: Sequence[str] | None) -> int:
    with warnings.catch_warnings():
        warnings.showwarning = _tell_warning
        result = cli.main(
            args=None if arguments is None else list(arguments),
            prog_name="consilience",
            standalone_mode=False,
        )
    with contextlib.suppress(BrokenPipeError):
        sys.stdout.flush()
    return result if isinstance(result, int) else DONE


def _ended(struck: list[int]) -> int:
    code = _BY_SIGNAL + struck[0] if struck else INTERRUPTED
    _say("Interrupted." if code == INTERRUPTED else "Ended from outside.")
    return code


def _told(error: BaseException) -> int:
    """Tell what went wrong and return its code; what nobody foresaw is raised again."""
    if isinstance(error, click.ClickException):
        _show(error)
        return WRONG_USAGE
    if isinstance(error, (BrokenPipeError, SystemExit)):  # click leaves so when a pipe breaks
        reader_left()
        return DONE
    if isinstance(error, ConsilienceError):
        _tell(error)
        return _code_of(error)
    if isinstance(error, (OSError, MemoryError)):
        return _system_refused(error)
    raise error


def _show(error: click.ClickException) -> None:
    """Show wrong usage; what was typed cannot steer the screen."""
    from consilience.core.words import printable

    shown = io.StringIO()
    error.show(shown)
    _say("\n".join(map(printable, shown.getvalue().rstrip("\n").split("\n"))))


def _code_of(error: ConsilienceError) -> int:
    if isinstance(error, UndecidedError):
        return WRONG_USAGE  # the data are sound; an option is missing
    is_undefined = isinstance(error, (UnsupportedDesignError, UndefinedCoefficientError))
    return UNDEFINED if is_undefined else BAD_DATA


def _open_streams() -> None:
    """Give a stream that was closed from outside somewhere to go, as the first thing done.

    The first file opened later would take its number, and what is printed would go into it.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115


def _say(text: str) -> None:
    """Print on stderr; where that is impossible too, the exit code alone tells."""
    with contextlib.suppress(OSError):
        click.echo(text, err=True)


def _tell(error: ConsilienceError) -> None:
    from consilience.cli._hints import in_options
    from consilience.core.words import printable
    from consilience.exceptions import InputError

    message = in_options(error)
    lines = message.split("\n  ") if _has_offers(error) else [message]
    told = "\n  ".join(map(printable, lines))
    _say(f"Error: {told}")
    if isinstance(error, InputError) and error.below:
        with contextlib.suppress(OSError):
            click.echo(f"\n{error.below}")


def _has_offers(error: ConsilienceError) -> bool:
    """Tell whether an error says below its sentence which lines to paste."""
    return bool(getattr(error, "offers", ()))


def _system_refused(error: OSError | MemoryError) -> int:
    """Tell what the system did not allow: a full disk, a folder that may not be written to."""
    from consilience.core.words import printable

    if isinstance(error, MemoryError):
        _say("Error: the data must fit into memory. Got more. Hint: bring fewer items at a time.")
        return BAD_DATA
    place = f"{error.filename}: " if error.filename else ""
    said = error.strerror or str(error)
    _say(printable(f"Error: {place}the system must allow reading and writing. Got {said}. Hint: "
                   "check the space on the disk and the permissions."))  # fmt: skip
    reader_left()  # what still waits to be written would fail again at exit
    return BAD_DATA


def _tell_warning(message: Warning | str, *place: object, **more: object) -> None:
    """Print the sentence, not the line of the program that it comes from."""
    from consilience.core.words import printable

    _say(f"Warning: {printable(str(message))}")
