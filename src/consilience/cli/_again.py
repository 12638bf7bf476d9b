"""The command line as one types it, to be shown and pasted again."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Sequence
from typing import Any

import click


def typed_command(
    ctx: click.Context,
    paths: Sequence[str],
    *,
    without: Collection[str] = (),
    more: Sequence[str] = (),
) -> str:
    """Return the command that was typed, without some options and with others."""
    words = ["consilience", str(ctx.info_name), *paths]
    for param in ctx.command.params:
        source = ctx.get_parameter_source(param.name or "")
        is_typed = source is not None and source.name == "COMMANDLINE"
        if not isinstance(param, click.Option) or not is_typed or param.name in without:
            continue
        words += typed(param, ctx.params[param.name or ""])
    return shlex.join([*words, *more])


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
        values = [",".join(map(str, value))]
    if param.name == "gates":
        values = [f"{name}={bound:g}" for name, bound in value]
    return [word for one in values for word in (name, str(one))]
