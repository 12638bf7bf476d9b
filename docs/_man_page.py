"""Write the man page from the commands themselves; `python docs/_generate.py` calls this.

The page is installed with the package: `man consilience`.
"""

from __future__ import annotations

import re
from pathlib import Path

import click

from consilience._version import __version__
from consilience.cli.program import cli, grouped_commands, grouped_options, summary_of

PAGE = Path(__file__).resolve().parent / "consilience.1"
_UNFILLED = "\b"  # click's mark: this paragraph keeps its lines


def page() -> str:
    """Return the whole man page."""
    ctx = click.Context(cli, info_name="consilience", **cli.context_settings)
    parts = [
        f'.TH CONSILIENCE 1 "" "Consilience {__version__}" "User Commands"',
        ".SH NAME",
        "consilience \\- how far do independent raters agree?",
        ".SH SYNOPSIS",
        ".B consilience\n.I COMMAND\n[\\fIOPTION\\fR ...] [\\fIPATH\\fR ...]",
        ".SH DESCRIPTION",
        prose(cli.help or ""),
        ".SH COMMANDS",
        *(
            f".TP\n.B {name}\n{escaped(summary_of(cli.commands[name]))}"
            for names in grouped_commands(cli, ctx).values()
            for name in names
        ),
        *(section(name, ctx) for names in grouped_commands(cli, ctx).values() for name in names),
        ".SH EXAMPLES AND EXIT CODES",
        prose(cli.epilog or ""),
    ]
    return "\n".join(parts) + "\n"


def section(name: str, above: click.Context) -> str:
    """Write one command: what it does, its options by group, its examples."""
    command = cli.commands[name]
    ctx = click.Context(command, parent=above, info_name=name)
    usage = " ".join(command.collect_usage_pieces(ctx))
    parts = [f".SH consilience {name}", f".B consilience {name}\n{escaped(usage)}"]
    parts += [".PP", prose(command.help or "")]
    for group, options in grouped_options(command, ctx).items():
        parts.append(f".SS {escaped(group)}")
        for option in options:
            spelling, meaning = option.get_help_record(ctx) or ("", "")
            parts.append(f".TP\n.B {escaped(spelling)}\n{escaped(meaning)}")
    if command.epilog:
        parts += [".SS Examples", prose(command.epilog)]
    return "\n".join(parts)


def prose(text: str) -> str:
    """Write paragraphs; those that keep their lines stay as they are."""
    paragraphs = re.split(r"\n\s*\n", text.strip())
    return "\n.PP\n".join(_paragraph(one) for one in paragraphs)


def _paragraph(text: str) -> str:
    lines = text.split("\n")
    if lines[0].strip(" ") != _UNFILLED:
        return escaped(" ".join(line.strip() for line in lines))
    return "\n".join([".nf", *(escaped(line) for line in lines[1:]), ".fi"])


def escaped(text: str) -> str:
    """Protect what the typesetter would take for a command of its own."""
    safe = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq")
    return re.sub(r"(?m)^([.'])", r"\\&\1", safe)
