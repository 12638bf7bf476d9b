"""How help is laid out: options in the groups a reader looks for, summaries in full."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import click

from consilience.cli._heeded import Rule, check_rules

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
    "Other kinds of data": ("marks", "units", "panel", "judges", "prefer"),
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

    `rules` say which of its options do nothing, and when: they are refused then.
    """

    def __init__(self, *args: Any, rules: Sequence[Rule] = (), **more: Any) -> None:
        super().__init__(*args, **more)
        self.rules = rules

    def get_help_option_names(self, ctx: click.Context) -> list[str]:
        """Return the names of help, whoever asks first: click keeps what it made for that one."""
        return ["--help", "-h"]

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Take the options; a word that an option does not know is told what it may mean."""
        try:
            return super().parse_args(ctx, args)
        except click.BadParameter as error:
            choices = getattr(getattr(error.param, "type", None), "choices", ())
            unknown = re.match(r"'([^']{1,60})' is not one of", error.message)
            if not choices or unknown is None:
                raise
            from consilience.cli._search import instead_of

            said = error.message + instead_of(unknown[1], [str(one) for one in choices])
            raise click.BadParameter(
                said, ctx=error.ctx, param=error.param, param_hint=error.param_hint
            ) from error

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command and hand over what it found out.

        It does not run where it would write what it must not or ignore what was asked.
        """
        from consilience.cli._output import Answer, check_outputs, deliver

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

            from consilience.cli._search import hint_for

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
