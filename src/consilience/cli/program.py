"""The command group, its exit codes, how errors are told, and how help is laid out."""

from __future__ import annotations

import atexit
import contextlib
import inspect
import io
import os
import re
import sys
import traceback
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import click

from consilience._version import __version__
from consilience.cli.options import Rule, check_rules
from consilience.cli.output import reader_left
from consilience.core.output_files import endings_obeyed
from consilience.core.registry import Registry
from consilience.exceptions import (
    ConsilienceError,
    UndecidedError,
    UndefinedCoefficientError,
    UnsupportedDesignError,
)

# ---- How help is laid out: options in the groups a reader looks for, summaries in full

_OWN = "What to compute"
# The groups in the order in which they are shown; an option that is in none belongs to its command.
_OPTIONS = {
    _OWN: (),
    "Data": (
        "item", "rater", "label", "variable", "by", "cluster", "scale", "categories",
        "missing_value", "map", "ignore_case", "sets", "shape", "columns", "sheet", "session",
        "tier", "column", "time_unit", "chains", "shares_of", "explain",
    ),
    "Intervals": ("interval", "confidence_level", "resamples", "seed"),
    "Output": (
        "json", "csv", "markdown", "latex", "apa", "output", "report", "force", "figure",
        "figures", "figure_format", "figure_session", "title", "date", "all", "top", "sort_by",
        "anonymise", "quiet", "fail_under", "help",
    ),
    "Advanced": (
        "format", "delimiter", "encoding", "header", "duplicates", "no_rater", "empty", "excluded",
        "predictions", "gold_answers", "engine", "master", "memory_limit", "spill", "save_rows",
    ),
}  # fmt: skip
_GROUP_OF = {option: group for group, options in _OPTIONS.items() for option in options}
_COMMANDS = {
    "Start here": ("measure", "report", "serve", "demo"),
    "Look closer": ("raters", "adjudicate", "compare", "test", "bias", "designs", "latent", "plot"),
    "Other kinds of data": ("marks", "units"),
    "Systems beside people": ("panel", "sweep", "rate", "soft", "judges", "prefer"),
    "Before a study": ("plan", "critical", "simulate"),
    "Files and lists": ("convert", "merge", "rows", "coefficients", "find"),
}
_MORE = "More"


def group_of(option: click.Parameter) -> str:
    """Return the group of help that an option is shown in."""
    long = max(option.opts, key=len).lstrip("-").replace("-", "_")
    return _GROUP_OF.get(long, _OWN)


def grouped_options(command: click.Command, ctx: click.Context) -> dict[str, list[click.Option]]:
    """Return the options of a command by group, those of the command itself first."""
    shown = [
        one
        for one in command.get_params(ctx)
        if isinstance(one, click.Option) and one.get_help_record(ctx) is not None
    ]
    groups = {name: [one for one in shown if group_of(one) == name] for name in _OPTIONS}
    return {name: options for name, options in groups.items() if options}


def grouped_commands(program: click.Group, ctx: click.Context) -> dict[str, list[str]]:
    """Return the names of the commands by what they are for; those of other packages last."""
    names = [
        name
        for name in program.list_commands(ctx)
        if (one := program.get_command(ctx, name)) is not None and not one.hidden
    ]
    placed = {name for group in _COMMANDS.values() for name in group}
    groups = {group: [n for n in order if n in names] for group, order in _COMMANDS.items()}
    groups[_MORE] = [name for name in names if name not in placed]
    return {group: found for group, found in groups.items() if found}


def summary_of(command: click.Command) -> str:
    """Return the first sentence of a command's help, whole."""
    return (command.help or "").strip().partition("\n\n")[0].replace("\n", " ")


class Command(click.Command):
    """A command with options in groups, checked outputs, and a word for what was meant.

    `rules` say which of its options do nothing, and when: they are refused then. `moved` says what
    to type instead of an option that another command has now, from the option and all words.
    """

    def __init__(
        self,
        *args: Any,
        rules: Sequence[Rule] = (),
        moved: Callable[[str, Sequence[str]], str] | None = None,
        **more: Any,
    ) -> None:
        super().__init__(*args, **more)
        self.rules = rules
        self.moved = moved

    def get_help_option_names(self, ctx: click.Context) -> list[str]:
        """Return the names of help, whoever asks first: click keeps what it made for that one."""
        return ["--help", "-h"]

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Take the options; a word that an option does not know is told what it may mean."""
        typed = tuple(args)  # click takes them apart
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            told = self.moved(error.option_name, typed) if self.moved else ""
            if not told:
                raise
            raise click.UsageError(told, ctx) from error
        except click.BadParameter as error:
            choices = getattr(getattr(error.param, "type", None), "choices", ())
            unknown = re.match(r"'([^']{1,60})' is not one of", error.message)
            if not choices or unknown is None:
                raise
            from consilience.cli.words import instead_of

            said = error.message + instead_of(unknown[1], [str(one) for one in choices])
            raise click.BadParameter(
                said, ctx=error.ctx, param=error.param, param_hint=error.param_hint
            ) from error

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command and hand over what it found out.

        It does not run where it would write what it must not or ignore what was asked.
        """
        from consilience.cli.output import Answer, check_outputs, deliver

        check_rules(ctx, self.rules)
        check_outputs(ctx)
        found = super().invoke(ctx)
        return deliver(found) if isinstance(found, Answer) else found

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write one list of options per group."""
        for name, options in grouped_options(self, ctx).items():
            with formatter.section(name):
                formatter.write_dl([r for one in options if (r := one.get_help_record(ctx))])


class Program(click.Group):
    """The program: its commands by what they are for, each with its whole summary."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; a word of the literature that is none is told where it leads."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            if args[0].startswith("-"):
                raise
            import difflib

            from consilience.cli.words import hint_for

            near = difflib.get_close_matches(args[0], self.list_commands(ctx), n=1)
            hint = hint_for(args[0], exactly=bool(near))
            guess = f"Did you mean {near[0]!r}?" if near else ""
            told = f"No such command {args[0]!r}. {hint or guess}"
            raise click.UsageError(told.rstrip(), ctx) from error

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write one list of commands per purpose."""
        for name, commands in grouped_commands(self, ctx).items():
            told = [(one, summary_of(found)) for one in commands
                    if (found := self.get_command(ctx, one))]  # fmt: skip
            with formatter.section(name):
                formatter.write_dl(told)


# ---- The command group, its exit codes, and how errors are told

DONE, GATE_NOT_MET, WRONG_USAGE, BAD_DATA, UNDEFINED, OUR_FAULT, INTERRUPTED = (
    0, 1, 2, 3, 4, 70, 130)  # fmt: skip
_BY_SIGNAL = 128  # and the number of the signal, as shells have it

_EXAMPLES = "\nExamples:\n"
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
_FILES = {
    "measure": ("measure", "marks", "report", "demo"),
    "raters": ("raters", "compare", "bias", "designs", "plot"),
    "adjudicate": ("adjudicate", "latent"),
    "panel": ("panel", "sweep"),
    "judges": ("judges", "rate", "soft", "prefer"),
    "units": ("units",),
    "studies": ("plan", "test", "critical", "simulate"),
    "files": ("convert", "merge", "rows", "coefficients", "find", "serve"),
}
_HOMES = {name: f"consilience.cli.{file}" for file, names in _FILES.items() for name in names}
COMMANDS: Registry[click.Command] = Registry("command", group="commands", homes=_HOMES)


def command(
    rules: Sequence[Rule] = (), **more: Any
) -> Callable[[Callable[..., Any]], click.Command]:
    """Make a command of a function; `rules` say what it does not heed (see `Command`).

    Its help is the docstring of the function, whose last paragraph may be "Examples:".
    """

    def add(function: Callable[..., Any]) -> click.Command:
        about, mark, examples = inspect.cleandoc(function.__doc__ or "").partition(_EXAMPLES)
        epilog = f"\b{_EXAMPLES}{examples}\n" if mark else None
        made = click.command(cls=Command, help=about, epilog=epilog, rules=rules, **more)
        return COMMANDS.add(made(function))

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
    from consilience.cli.words import in_options
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
