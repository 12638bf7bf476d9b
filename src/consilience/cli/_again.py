"""The command line as one types it, to be shown and pasted again."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Sequence
from typing import Any

import click

from consilience.cli._output import READING
from consilience.exceptions import ConsilienceError

_NAMING = ("rater", "people", "systems", "expert", "gold")  # options with the names of raters
_PARAMS = {"gold": "gold_answers"}  # the names of options, where the library has others


def typed_command(
    ctx: click.Context,
    *,
    without: Collection[str] = (),
    more: Sequence[str] = (),
) -> str:
    """Return the command that was typed, without some options and with others."""
    words = ["consilience", str(ctx.info_name), *_arguments(ctx)]
    for param in ctx.command.params:
        source = ctx.get_parameter_source(param.name or "")
        is_typed = source is not None and source.name == "COMMANDLINE"
        if not isinstance(param, click.Option) or not is_typed or param.name in without:
            continue
        words += typed(param, ctx.params[param.name or ""])
    return shlex.join([*words, *more])


def _arguments(ctx: click.Context) -> list[str]:
    """Return the words that are no options: files, and what else a command takes by its place."""
    found: list[str] = []
    for param in ctx.command.params:
        value = ctx.params.get(param.name or "")
        if isinstance(param, click.Argument) and value is not None:
            found += map(str, value if isinstance(value, tuple) else (value,))
    return found


def how_made(options: dict[str, Any]) -> dict[str, Any]:
    """Return what a page ends with: how the files were read, and the command that was typed."""
    ctx = click.get_current_context()
    command = typed_command(ctx, without=("force", "quiet"))
    if options.get("anonymise") and any(options.get(name) for name in _NAMING):
        command = ""  # it would tell the names that were to be hidden
    return {"command": command, "reading": list(dict.fromkeys(ctx.meta.get(READING, ())))}


def as_typed(error: ConsilienceError) -> ConsilienceError:
    """Let a refusal offer the command that was typed, with the options that settle the matter."""
    ctx = click.get_current_context(silent=True)
    offers = getattr(error, "offers", ())
    if ctx is None or not offers:
        return error

    def line(offer: Any) -> str:
        settled = {_PARAMS.get(name, name) for name in offer.options} | {"explain"}
        if "variable" in settled:
            settled.add("variables")
        return typed_command(ctx, without=settled, more=_taken(ctx, offer.words_of_flags()))

    whole = bool(ctx.params.get("explain"))
    reworded: ConsilienceError = error.as_typed(line, whole=whole)  # type: ignore[attr-defined]
    return reworded


def _taken(ctx: click.Context, words: Sequence[str]) -> list[str]:
    """Leave out options that the command has under another name, such as --by of a sweep."""
    known = {name for param in ctx.command.params for name in (*param.opts, *param.secondary_opts)}
    kept: list[str] = []
    is_kept = True
    for word in words:
        if word.startswith("--"):
            is_kept = word in known
        if is_kept:
            kept.append(word)
    return kept


def typed(param: click.Option, value: Any) -> list[str]:
    """Return an option as one types it."""
    name = max(param.opts, key=len)
    if param.is_flag:
        return [name if value else max(param.secondary_opts or param.opts, key=len)]
    values = value if param.multiple and not isinstance(value, str) else [value]
    if isinstance(value, dict) and param.name == "map":
        values = [f"{old}={new or ''}" for old, new in value.items()]
    elif isinstance(value, dict):  # scales by the names of variables
        values = [word if one == "*" else f"{one}={word}" for one, word in value.items()]
    if param.name == "categories":
        values = [",".join(_csv_cell(str(one)) for one in value)]
    if param.name == "gates":
        values = [str(gate) for gate in value]
    return [word for one in values for word in (name, _as_typed(one))]


def _as_typed(value: object) -> str:
    """Write 60, not 60.0, for a number that is whole."""
    return str(value).removesuffix(".0") if isinstance(value, float) else str(value)


def _csv_cell(text: str) -> str:
    return '"' + text.replace('"', '""') + '"' if set(text) & set(',"') else text
